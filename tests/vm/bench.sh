#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Counts what an object costs in the kernel, in instructions.
#
#	bench.sh [WHAT...]		kernels of kernel.sh (stock-6.12 stock-6.1)
#
# Of the benchmark, and of the traces of tests/replay/data, in the order of the
# trace; then an event is an allocation or a free.
#
# The virtual machine's clock runs one nanosecond per instruction, so the
# figures repeat, and say nothing of caches or of other CPUs.  Debian's kernels
# wipe objects when they are allocated (init_on_alloc), so that is told apart,
# and so are the mitigations against attacks by speculation.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

mkdir "$tmp/files"
for trace in "$top"/tests/replay/data/*.trace.xz; do
	[ -f "$trace" ] || break
	name=${trace##*/}
	xz -dc "$trace" >"$tmp/files/${name%.xz}"
done

cat >"$tmp/script" <<'EOT'
set -e
insmod pool.ko
insmod pool_replay.ko
sleep 3	# until what the boot started has come to rest
echo 1 >/sys/kernel/debug/pool_replay/bench
cat /sys/kernel/debug/pool_replay/result >/dev/ttyS1
rmmod pool_replay
for trace in *.trace; do
	[ -f "$trace" ] || break
	insmod pool_replay.ko trace="/files/$trace"
	for on in kmem_cache pool; do
		words="cpus=1 word"
		[ $on = pool ] || words="$words $on"
		echo "$words" >/sys/kernel/debug/pool_replay/run
		echo 1 >/sys/kernel/debug/pool_replay/end
		cost=$(sed -n 's/^ns_per_event //p' \
			/sys/kernel/debug/pool_replay/result)
		echo "$trace $on - $cost" >/dev/ttyS1
	done
	rmmod pool_replay
done
EOT

# row KERNEL PARAMETERS - the figures of one boot, a column per candidate.
row() {
	local kernel=$1 parameters=$2

	cp "$modules/pool.ko" "$modules/pool_replay.ko" "$tmp/files/"
	"$here/boot.sh" --icount --mem 1024 --timeout 300 --log "$tmp/log" \
		--data "$tmp/data" --append "$parameters" "$kernel" \
		"$tmp/script" "$tmp/files"/*
	echo "# instructions per allocation and free (traces: per event)," \
		"$kernel ${parameters:-as it is}"
	awk '{ key = $1 " " $3
	       if (!(key in seen)) { order[++n] = key; seen[key] = 1 }
	       cost[key, $2] = $4 }
	     END {
		printf "%-18s %5s %11s %9s %9s\n", "# workload", "size",
		       "kmem_cache", "pool", "empty"
		for (i = 1; i <= n; i++) {
			split(order[i], part, " ")
			printf "%-18s %5s %11.1f %9.1f %9.1f\n",
			       part[1], part[2],
			       cost[order[i], "kmem_cache"],
			       cost[order[i], "pool"], cost[order[i], "empty"]
		} }' "$tmp/data"
}

[ $# -gt 0 ] || set -- stock-6.12 stock-6.1
for kernel; do
	modules=$("$here/build-modules.sh" "$kernel" | tail -n 1)
	row "$kernel" ""
	row "$kernel" "init_on_alloc=0"
	row "$kernel" "init_on_alloc=0 mitigations=off"
done
