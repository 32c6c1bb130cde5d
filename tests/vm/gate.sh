#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Sees that pools in the kernel have not become slower: instructions per operation,
# by a clock of one ns per instruction, against tests/bench/gate-kernel.table.
#
#	gate.sh [TABLE]
#
# One boot of Debian's 6.12, without mitigations and init_on_alloc, runs the
# benchmark of pool_replay.ko with objects of 64 bytes.  Prints "ok NAME" or "not ok
# NAME" for each limit, and writes these lines to build/results/gate-kernel.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/bench/limits.sh
. "$top/tests/bench/limits.sh"
table=${1:-$top/tests/bench/gate-kernel.table}
results=$top/build/results/gate-kernel

mkdir -p "${results%/*}"
rm -f "$results"
modules=$("$here/build-modules.sh" stock-6.12 | tail -n 1)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cat >"$tmp/script" <<'END'
set -e
R=/sys/kernel/debug/pool_replay
insmod pool.ko
insmod pool_replay.ko
sleep 3	# until what the boot started has come to rest
echo 64 >/sys/module/pool_replay/parameters/bench_size
echo 1 >$R/bench
cat $R/result >/dev/ttyS1
END

"$here/boot.sh" --icount --append "mitigations=off init_on_alloc=0" \
	--data "$tmp/data" stock-6.12 "$tmp/script" \
	"$modules/pool.ko" "$modules/pool_replay.ko"
awk '{ print $2, $1, $3 }' "$tmp/data" >"$tmp/counts"

status=0
limits "$table" "$(compiler "$modules/pool_replay.ko")" >"$tmp/limits"
judge_all "$tmp/counts" "$tmp/limits" empty >"$tmp/verdict" || status=1
cat "$tmp/verdict"
grep -v '^#' "$tmp/verdict" >"$results"
exit $status
