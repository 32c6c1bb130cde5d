#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Counts what an object costs in the kernel, in instructions, and how often many
# CPUs take a pool's slow path.
#
#	bench.sh [WHAT...]		kernels of kernel.sh (6.12, 6.1 and the newest)
#
# Workloads and peers are those of tests/bench/kernel/bench_kernel.c and its like, and the
# kernels' traces of tests/replay/data, in the order of the trace; then an event is an
# allocation or a free.  Each kernel is booted as Debian boots it, with mitigations against
# attacks by speculation and with init_on_alloc, which wipes each new object; and without
# both.  Boots with 4 CPUs measure refusals, which read the counters of each CPU; boots with
# 4 and with 8 CPUs count visits.
#
# The virtual machine's clock runs one nanosecond per instruction, so the figures
# repeat, and say nothing of caches.  Tables are printed, and left as CSV in
# build/bench/kernel-*.csv, for bench-page.sh.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

# The processor is the first Zen.  It needs most of the mitigations that cost something at
# each call and return.
CPU=EPYC

need xz-utils
out=$top/build/bench
mkdir -p "$out" "$tmp/files"

for trace in "$top"/tests/replay/data/kernel-*.trace.xz; do
	[ -f "$trace" ] || break
	name=${trace##*/}
	xz -dc "$trace" >"$tmp/files/${name%.xz}"
done

# The machine writes the kernel's release, then lines "WORKLOAD SIZE PEER COST".
cat >"$tmp/costs" <<'EOT'
set -e
R=/sys/kernel/debug/pool_replay
P=/sys/module/pool_replay/parameters
insmod pool.ko
insmod pool_replay.ko
sleep 3	# until the work of the boot has ended
uname -r >/dev/ttyS1
for size in 64 1024; do
	echo $size >$P/bench_size
	taskset 1 sh -c "echo 1 >$R/bench"
	sed "s/ / $size /" $R/result >/dev/ttyS1
done
rmmod pool_replay
for trace in *.trace; do
	[ -f "$trace" ] || break
	insmod pool_replay.ko trace="/files/$trace"
	for on in kmem_cache pool; do
		words="cpus=1 word"
		[ $on = pool ] || words="$words $on"
		taskset 1 sh -c "echo '$words' >$R/run"
		echo 1 >$R/end
		cost=$(sed -n 's/^ns_per_event //p' $R/result)
		echo "trace all $on $cost" >/dev/ttyS1
	done
	rmmod pool_replay
done
EOT

cat >"$tmp/refused" <<'EOT'
set -e
R=/sys/kernel/debug/pool_replay
insmod pool.ko
insmod pool_replay.ko
sleep 3
uname -r >/dev/ttyS1
taskset 1 sh -c "echo 1 >$R/bench"
grep '^refused ' $R/result >/dev/ttyS1
EOT

cat >"$tmp/visits" <<'EOT'
set -e
insmod pool.ko
insmod pool_replay.ko
uname -r >/dev/ttyS1
nproc >/sys/module/pool_replay/parameters/bench_cpus
echo 1 >/sys/kernel/debug/pool_replay/bench
cat /sys/kernel/debug/pool_replay/result >/dev/ttyS1
EOT

# costs KERNEL MITIGATIONS INIT - boots once; leaves the CSV and prints the table.  "remote1000" needs
# two CPUs.  With this clock 6.1 hangs when it starts the second CPU, so it has no such row.
costs() {
	local kernel=$1 mitigations=$2 init=$3 append="init_on_alloc=$3"
	local csv=$out/kernel-$kernel-$mitigations-init$init.csv cpus=2

	[ "$kernel" != stock-6.1 ] || cpus=1
	[ "$mitigations" = default ] || append+=" mitigations=$mitigations"
	"$here/boot.sh" --icount --cpus $cpus --cpu $CPU --mem 1024 --timeout 300 \
		--log "$tmp/log" --data "$tmp/data" --append "$append" \
		"$kernel" "$tmp/costs" "$tmp/files"/*
	awk -v boot="mitigations=$mitigations init_on_alloc=$init" -v OFS=, '
		NR == 1 {
			kernel = $1
			print "kernel,boot,workload,size,peer,instructions"
			next
		}
		{ print kernel, boot, $1, $2, $3, $4 }' "$tmp/data" >"$csv"
	"$here/bench-page.sh" costs "$csv"
}

# refused KERNEL - boots with 4 CPUs; leaves the CSV and prints the table.  An allocation at the limit looks at
# each CPU's caches, so it is the only workload whose cost rises with them.  6.1 has
# one CPU here.
refused() {
	local kernel=$1 cpus=4 csv=$out/kernel-$1-refused.csv

	[ "$kernel" != stock-6.1 ] || return 0
	"$here/boot.sh" --icount --cpus $cpus --cpu $CPU --mem 1024 --timeout 600 \
		--log "$tmp/log" --data "$tmp/data" \
		--append "mitigations=off init_on_alloc=0" "$kernel" \
		"$tmp/refused" "$modules/pool.ko" "$modules/pool_replay.ko"
	awk -v cpus=$cpus -v boot="mitigations=off init_on_alloc=0" '
		NR == 1 {
			kernel = $1
			print "kernel,boot,cpus,size,peer,instructions"
			next
		}
		{ print kernel "," boot "," cpus ",64," $2 "," $3 }' \
		"$tmp/data" >"$csv"
	"$here/bench-page.sh" refused "$csv"
}

# visits KERNEL - boots twice, with 4 and with 8 CPUs; leaves the CSV and prints the table
visits() {
	local kernel=$1 cpus csv=$out/kernel-$1-visits.csv

	echo "kernel,cpus,workload,operations,fills,spills,gets,puts,evictions,nested,store_gets,store_puts" \
		>"$csv"
	for cpus in 4 8; do
		"$here/boot.sh" --cpus $cpus --timeout 300 --log "$tmp/log" \
			--data "$tmp/data" "$kernel" "$tmp/visits" \
			"$modules/pool.ko" "$modules/pool_replay.ko"
		awk -v cpus=$cpus 'NR == 1 { kernel = $1; next }
			{ gsub(" ", ","); print kernel "," cpus "," $0 }' \
			"$tmp/data" >>"$csv"
	done
	"$here/bench-page.sh" visits "$csv"
}

[ $# -gt 0 ] || set -- stock-6.12 stock-6.1 "$("$here/kernel.sh" newest)"
rm -f "$out"/kernel-*.csv
for kernel; do
	modules=$("$here/build-modules.sh" "$kernel" | tail -n 1)
	cp "$modules/pool.ko" "$modules/pool_replay.ko" "$tmp/files/"
	costs "$kernel" default 1
	costs "$kernel" off 0
	refused "$kernel"
	visits "$kernel"
done
