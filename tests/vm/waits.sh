#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What a free costs while tasks wait, and when a waiter has the object, and what a limit costs where
# nobody waits, in instructions.
#
#	waits.sh [KERNEL]		a kernel of kernel.sh (stock-6.12)
#
# On one CPU, with a clock of one ns per instruction, runs
# tests/bench/kernel/bench_kernel_wait.c, and prints its rows, which have their heads there and in
# bench_kernel_limit.c.  They are left in build/bench/waits.txt, for bench-page.sh.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=${1:-stock-6.12}

# measured - boots, and leaves the rows
measured() {
	local modules

	modules=$("$here/build-modules.sh" "$what" | tail -n 1) || return 1
	"$here/boot.sh" --icount --append "mitigations=off init_on_alloc=0 BENCH=waits" \
		--timeout 300 --log "$tmp/log" --data "$tmp/data" "$what" \
		"$here/guest/latency.sh" "$modules/pool.ko" "$modules/pool_replay.ko"
}

# at_most PEER COLUMN WAITERS TIMES OTHER WAITERS - a figure must be at most another one, times
# TIMES
at_most() {
	awk -v peer="$1" -v column="$2" -v n="$3" -v times="$4" -v other="$5" -v of="$6" '
		$2 == peer && $3 == n { a = $column }
		$2 == other && $3 == of { b = $column }
		END { print a, "of", b; exit !(a > 0 && b > 0 && a <= times * b) }' "$tmp/data"
}

# in_turn - each waiter of a pool must have had the object as often as the others, or once less
in_turn() {
	awk '$1 == "wait" && $2 == "pool" { rows++; bad = bad || $7 < int(100 / $3) }
		END { exit !(rows == 3 && !bad) }' "$tmp/data"
}

check waits_were_measured measured
check a_waiter_has_the_object_in_twice_what_a_mempool_takes at_most pool 5 1 2 mempool 1
check a_free_with_32_waiters_takes_5_percent_more_at_most at_most pool 4 32 1.05 pool 1
check each_waiter_has_its_turn in_turn
check a_limit_costs_nothing_on_hits at_most pool 4 100000 1 pool 0
check a_pair_without_an_array_takes_a_ninth_more_than_a_semaphore_and_a_slab_at_most \
	at_most pool 4 16 1.11 semaphore 100000
check a_batch_without_an_array_takes_no_more_than_a_semaphore_and_a_slab \
	at_most pool 5 16 1 semaphore 100000
sed 's/^/# /' "$tmp/data"
mkdir -p "$here/../../build/bench"
cp "$tmp/data" "$here/../../build/bench/waits.txt"
finish
