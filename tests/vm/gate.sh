#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that pools in the kernel have not become slower: instructions per operation, by a
# clock of one ns per instruction, against tests/bench/gate/gate-kernel.table, and slow
# paths per 1000 operations against gate-visits.table.
#
#	gate.sh [WHAT]			Debian's 6.12 or the kernel that is named
#
# One boot, with one CPU, without mitigations and init_on_alloc, runs the benchmark
# of pool_replay.ko.  Prints a result for each limit.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/lib/results.sh
. "$top/tests/lib/results.sh"
# shellcheck source=tests/bench/gate/limits.sh
. "$top/tests/bench/gate/limits.sh"
tables=$top/tests/bench/gate
what=${1:-stock-6.12}

modules=$("$here/build-modules.sh" "$what" | tail -n 1)

cat >"$tmp/script" <<'END'
set -e
R=/sys/kernel/debug/pool_replay
P=/sys/module/pool_replay/parameters
insmod pool.ko age=0
insmod pool_replay.ko
sleep 3	# until the work of the boot has ended
echo 64 >$P/bench_size
echo 1 >$R/bench
sed 's/^/costs /' $R/result >/dev/ttyS1
echo 1 >$P/bench_cpus
for size in 64 1024; do
	echo $size >$P/bench_size
	echo 1 >$R/bench
	sed "s/^/visits $size /" $R/result >/dev/ttyS1
done
END

"$here/boot.sh" --icount --append "mitigations=off init_on_alloc=0" \
	--data "$tmp/data" "$what" "$tmp/script" \
	"$modules/pool.ko" "$modules/pool_replay.ko"
awk '$1 == "costs" { print $3, $2, $4 }' "$tmp/data" >"$tmp/costs"
sed -n 's/^visits //p' "$tmp/data" >"$tmp/visits"

costs() {
	limits "$tables/gate-kernel.table" "$(compiler "$modules/pool_replay.ko")" \
		>"$tmp/limits" &&
		judge_all "$tmp/costs" "$tmp/limits" empty
}
results costs
results judge_visits kernel "$tmp/visits" "$tables/gate-visits.table"
finish
