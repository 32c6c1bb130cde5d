#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What summary.sh says of some results: prints a line per promise, "ok NAME" or
# "not ok NAME".

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
# shellcheck source=tests/lib/promise.sh
. tests/lib/promise.sh

# Results of three worlds; one has a dot in its name and a failure.
results=$tmp/build/results
mkdir -p "$tmp/tests/lib" "$results"
cp tests/lib/summary.sh "$tmp/tests/lib"
for world in user-plain uml load-stock-6.1; do
	printf 'ok a_case\nok b_case\nn/a c_case # no such machine\n' \
		>"$results/$world"
	echo 7 >"$results/$world.seconds"
	echo 'not ok this is a log' >"$results/$world.log"
done
echo 'not ok d_case' >>"$results/load-stock-6.1"
"$tmp/tests/lib/summary.sh" all >"$tmp/all" && echo "no failure" >>"$tmp/all"
"$tmp/tests/lib/summary.sh" user >"$tmp/user" || echo "a failure" >>"$tmp/user"

# has FILE LINE - the line is there once, however many spaces are in it
has() {
	[ "$(tr -s ' ' <"$1" | sed 's/^ //' | grep -cxF "$2")" = 1 ]
}

# Short, and the lines that CI and people look for.
short() {
	[ "$(wc -l <"$tmp/all")" = 7 ]
}

promise a_world_has_a_line has "$tmp/all" "user-plain 2 0 1 7"
promise a_world_with_a_dot_has_one has "$tmp/all" "load-stock-6.1 2 1 1 7"
promise a_failure_is_named has "$tmp/all" "FAILED: load-stock-6.1: d_case"
promise the_table_is_short short
promise the_last_line_counts [ "$(tail -n 1 "$tmp/all")" = "6 passed, 1 failed" ]
promise one_kind_of_worlds_is_counted_alone \
	[ "$(tail -n 1 "$tmp/user")" = "2 passed, 0 failed" ]
"$tmp/tests/lib/summary.sh" all >/dev/null || true
promise the_long_table_has_a_row_per_case has "$results/table.txt" "F d_case"
promise the_long_table_has_reasons \
	has "$results/table.txt" "n/a: uml: c_case: no such machine"
exit $failed
