#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The matrix of bugs and options: in user space, and what does not depend on the world.
#
#	check.sh PROGRAM

set -euo pipefail

top=$(cd "$(dirname "$0")/../../.." && pwd)
program=$(realpath "$1")
cd "$top"
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh
out=build/bug-matrix
expected=$tmp/user

mkdir -p $out
unset LIBPOOL_OPTIONS
rm -f $out/user.txt
"$program" >$out/user.txt || true
tests/proof/bugs/expected.sh user >"$expected"
results tests/proof/bugs/compare.sh "$expected" $out/user.txt

same_again() {
	"$program" | cmp - "$out/user.txt"
}
check the_matrix_is_the_same_again same_again

# notices SED-SCRIPT - the comparison must fail for a table that was changed
notices() {
	sed -E "$1" "$expected" >"$tmp/expected"
	! cmp -s "$expected" "$tmp/expected" &&
		! tests/proof/bugs/compare.sh "$tmp/expected" "$expected"
}
check a_bug_that_is_not_found_any_more_is_noticed \
	notices 's/^(overflow-1 none) .*/\1 free written to behind its end/'
check a_bug_that_is_found_now_is_noticed \
	notices 's/^(overflow-1 tag) .*/\1 - -/'
check a_bug_that_is_found_later_is_noticed \
	notices 's/^(overflow-1 tag) free/\1 destroy/'
check a_bug_that_is_reported_otherwise_is_noticed \
	notices 's/^(overflow-1 tag free) .*/\1 freed twice/'
check a_cell_that_nobody_expects_is_noticed notices '/^leak tag /d'
check a_cell_that_did_not_run_is_noticed \
	notices 's/^(leak) tag (.*)/&\n\1 magic \2/'
broken() {
	sed -E 's/^(leak tag) .*/\1 wrong lost/' "$expected" >"$tmp/broken"
	! tests/proof/bugs/compare.sh "$tmp/broken" "$tmp/broken"
}
check a_cell_that_does_not_work_is_noticed broken
check no_matrix_is_no_good_matrix not tests/proof/bugs/compare.sh "$expected" /dev/null

# joined - prints the table of the page, made of what is expected in each world
joined() {
	tests/proof/bugs/expected.sh kernel >"$tmp/kernel"
	tests/proof/bugs/expected.sh join "$expected" "$tmp/kernel" |
		diff tests/proof/bugs/expected.txt -
}
check the_table_says_where_worlds_differ joined
check the_page_of_the_matrix_is_up_to_date tests/proof/bugs/page.sh
finish
