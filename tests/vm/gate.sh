#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that pools in the kernel have not become slower: instructions per operation, by a
# clock of one ns per instruction, against tests/bench/gate/gate-kernel.table, and slow
# paths per 1000 operations against gate-visits.table.  Where there are many pools, and many CPUs
# have used one, against tests/bench/scale/kernel.table.
#
#	gate.sh [WHAT]			Debian's 6.12 or the kernel that is named
#
# Two boots, with one CPU and with four, without mitigations and init_on_alloc, run the benchmark
# of pool_replay.ko.  Prints a result for each limit.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

# shellcheck source=tests/bench/gate/limits.sh
. "$top/tests/bench/gate/limits.sh"
# shellcheck source=tests/bench/scale/rows.sh
. "$top/tests/bench/scale/rows.sh"
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

# The pools of robin have as many buckets as CPUs, and a pool of the shrinker's has 64.
cat >"$tmp/many" <<'END'
set -e
R=/sys/kernel/debug/pool_replay
if lsmod | grep -q pool_replay; then
	rmmod pool_replay
else
	insmod pool.ko age=0
	sleep 3
fi
insmod pool_replay.ko bench_what=many
taskset 1 sh -c "echo 1 >$R/bench"
sed 's/^/many /' $R/result >/dev/ttyS1
END
cat "$tmp/many" >>"$tmp/script"

# boot CPUS SCRIPT DATA
boot() {
	"$here/boot.sh" --icount --cpus "$1" --append "mitigations=off init_on_alloc=0" \
		--data "$3" "$what" "$2" "$modules/pool.ko" "$modules/pool_replay.ko"
}

boot 1 "$tmp/script" "$tmp/data"
boot 4 "$tmp/many" "$tmp/data4"
awk '$1 == "costs" { print $3, $2, $4 }' "$tmp/data" >"$tmp/costs"
sed -n 's/^visits //p' "$tmp/data" >"$tmp/visits"

costs() {
	limits "$tables/gate-kernel.table" "$(compiler "$modules/pool_replay.ko")" \
		>"$tmp/limits" &&
		judge_all "$tmp/costs" "$tmp/limits" empty
}

# many NAME PEER [DATA] - prints what bench_kernel_many.c counted
many() {
	awk -v name="$1" -v peer="$2" '$1 == "many" && $2 == name && $3 == peer { print $4 }' \
		"${3:-$tmp/data}"
}

# many_row NAME MOST GOAL [missed]
many_row() {
	local name=$1 is beside="nothing beside it" unit=instructions slab

	case $name in
	robin_*)
		slab=$(many "$name" kmem_cache)
		is=$(many "$name" pool)
		unit="% ($is instructions)"
		beside="a slab cache $slab"
		is=$((100 * is / slab)) ;;
	refused-more) is=$((($(many refused pool "$tmp/data4") - $(many refused pool)) / 3)) ;;
	*) is=$(many "$name" pool) ;;
	esac
	judge_row "$name" "$is" "$unit" "$beside" "${@:2}"
}

# many_rows - checks the rows of this kernel, or those of 6.12 if it has none
many_rows() {
	local kernel name rest of=$what

	grep -qw "^$of" "$top/tests/bench/scale/kernel.table" || of=stock-6.12
	while read -r kernel name rest; do
		# shellcheck disable=SC2086	# words
		[ "$kernel" != "$of" ] || many_row "$name" $rest
	done <"$top/tests/bench/scale/kernel.table"
}

results costs
results judge_visits kernel "$tmp/visits" "$tables/gate-visits.table"
many_rows
finish
