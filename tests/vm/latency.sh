#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The longest allocation and the longest free in each context, in instructions, with PREEMPT_RT.
#
#	latency.sh [KERNEL]		a kernel of kernel.sh (stock-6.12-rt)
#
# On one CPU, with a clock of one ns per instruction, runs
# tests/bench/kernel/bench_kernel_latency.c.  A result for each limit of
# tests/bench/longest/latency.table, which are those of stock-6.12-rt.  The figures are left
# as CSV in build/bench/latency-KERNEL.csv, for bench-page.sh.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=${1:-stock-6.12-rt}
csv=$top/build/bench/latency-$what.csv
mkdir -p "${csv%/*}"

# measured - boots, and leaves the CSV
measured() {
	local modules

	modules=$("$here/build-modules.sh" "$what" | tail -n 1) || return 1
	"$here/boot.sh" --icount --append "mitigations=off init_on_alloc=0" --timeout 300 \
		--log "$tmp/log" --data "$tmp/data" "$what" "$here/guest/latency.sh" \
		"$modules/pool.ko" "$modules/pool_replay.ko" || return 1
	awk 'BEGIN { print "kernel,context,call,calls,refused,disturbed,instructions" }
		NR == 1 { kernel = $1; next }
		{ gsub(" ", ","); print kernel "," $0 }' "$tmp/data" >"$csv"
}

# below CONTEXT CALL MOST - the call must have been made, hardly ever disturbed, and taken MOST at
# most
below() {
	awk -F, -v context="$1" -v call="$2" -v most="$3" '
		$2 == context && $3 == call {
			print context, call ": " $7 " instructions, at most " most "; " \
			      $6 " of " $4 " calls were disturbed"
			seen = $4 >= 10000 && $6 * 100 <= $4 && $7 > 0 && $7 <= most
		}
		END { exit !seen }' "$csv"
}

check longest_calls_were_measured measured
while read -r context call most; do
	check "longest_${call}_in_$context" below "$context" "$call" "$most"
done < <(grep -v '^#' "$top/tests/bench/longest/latency.table")
"$here/bench-page.sh" latency "$csv" | sed 's/^/# /'
finish
