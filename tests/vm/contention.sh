#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Counts what eight CPUs of two sockets do to each other in a pool and in a kmem_cache.
#
#	contention.sh [KERNEL]		a kernel of kernel.sh (stock-6.12)
#
# QEMU runs the CPUs at once, in threads (MTTCG), on those that this machine has.  The
# workloads are those of tests/bench/kernel/bench_kernel_contend.c.  pool.ko is built with
# contended.h, whose counters are among the pool's instructions and lines.  lines.c, a plugin
# of QEMU, follows cache lines.  The table is printed, and left as CSV in
# build/bench/contention-KERNEL.csv, for bench-page.sh.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=${1:-stock-6.12}
cpus=8
csv=$top/build/bench/contention-$what.csv
mkdir -p "${csv%/*}"

dir=$top/build/kernel/$what-contended
counting=$(VARIANT=contended DEBUG="-include $dir/tests/bench/kernel/contended.h" \
	"$here/build-modules.sh" "$what" | tail -n 1)
"${CC:-cc}" -O2 -Wall -Wextra -Wno-unused-parameter -Werror -fPIC -shared \
	-o "$tmp/lines.so" "$here/lines.c"

# counts SIZE - boots, and prints rows of "WORKLOAD PEER ...", each followed by the row of lines.c
counts() {
	"$here/boot.sh" --cpus $cpus --sockets 2 --nodes --mem 1024 --timeout 500 \
		--plugin "$tmp/lines.so,out=$tmp/lines,near=$((cpus / 2))" \
		--append "mitigations=off init_on_alloc=0 bench_size=$1" \
		--log "$tmp/log" --data "$tmp/data" "$what" "$here/guest/contention.sh" \
		"$counting/pool.ko" "$counting/pool_replay.ko"
	[ "$(wc -l <"$tmp/lines")" = "$(($(wc -l <"$tmp/data") - 1))" ] ||
		die "lines.c and the kernel have not seen the same runs"
	tail -n +2 "$tmp/data" | paste -d ' ' - "$tmp/lines" | awk -v size="$1" \
		-v kernel="$(head -n 1 "$tmp/data")" '
		{ $1 = $1; gsub(" ", ","); print kernel "," size "," $0 }' >>"$csv.part"
}

echo "kernel,size,workload,peer,operations,refused,busy,lost,waits,instructions,moved,far" \
	>"$csv.part"
for size in 64 1024; do
	counts $size
done
mv "$csv.part" "$csv"
"$here/bench-page.sh" contention "$csv"
