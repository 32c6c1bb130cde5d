#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What a free costs while tasks wait, and when a waiter has the object, in instructions.
#
#	waits.sh [KERNEL]		a kernel of kernel.sh (stock-6.12)
#
# On one CPU, with a clock of one ns per instruction, runs
# tests/bench/kernel/bench_kernel_wait.c, and prints its rows.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/lib/results.sh
. "$here/../lib/results.sh"
what=${1:-stock-6.12}

# measured - a boot leaves the rows
measured() {
	local modules

	modules=$("$here/build-modules.sh" "$what" | tail -n 1) || return 1
	"$here/boot.sh" --icount --append "mitigations=off init_on_alloc=0 BENCH=waits" \
		--timeout 300 --log "$tmp/log" --data "$tmp/data" "$what" \
		"$here/guest/latency.sh" "$modules/pool.ko" "$modules/pool_replay.ko"
}

# at_most PEER COLUMN WAITERS TIMES OTHER WAITERS - a figure is no more than another one, times TIMES
at_most() {
	awk -v peer="$1" -v column="$2" -v n="$3" -v times="$4" -v other="$5" -v of="$6" '
		$1 == peer && $2 == n { a = $column }
		$1 == other && $2 == of { b = $column }
		END { exit !(a > 0 && b > 0 && a <= times * b) }' "$tmp/data"
}

check waits_were_measured measured
check a_waiter_has_the_object_in_twice_what_a_mempool_takes at_most pool 4 1 2 mempool 1
check a_free_with_32_waiters_takes_5_percent_more_at_most at_most pool 3 32 1.05 pool 1
sed 's/^/# /' "$tmp/data"
finish
