#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The matrix of bugs and options: user space, and what does not depend on the
# world.  Prints "ok NAME" or "not ok NAME".
#
#	check.sh PROGRAM

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
program=$(realpath "$1")
cd "$top"
# shellcheck source=tests/lib/promise.sh
. tests/lib/promise.sh
out=build/bug-matrix
expected=tests/bugs/expected-user.txt

mkdir -p $out
unset LIBPOOL_OPTIONS
rm -f $out/user.txt
"$program" >$out/user.txt || true
tests/bugs/compare.sh $expected $out/user.txt || failed=1

same_again() {
	"$program" | cmp - $out/user.txt
}
promise the_matrix_is_the_same_again same_again

# A check that cannot fail is none.  notices SED-SCRIPT - in what is expected
notices() {
	sed -E "$1" $expected >"$tmp/expected"
	! cmp -s $expected "$tmp/expected" &&
		! tests/bugs/compare.sh "$tmp/expected" $expected
}
promise a_bug_that_is_not_found_any_more_is_noticed \
	notices 's/^(overflow-1 none) .*/\1 free written to behind its end/'
promise a_bug_that_is_found_now_is_noticed \
	notices 's/^(overflow-1 tag) .*/\1 - -/'
promise a_bug_that_is_found_later_is_noticed \
	notices 's/^(overflow-1 tag) free/\1 destroy/'
promise a_bug_that_is_reported_otherwise_is_noticed \
	notices 's/^(overflow-1 tag free) .*/\1 freed twice/'
promise a_cell_that_nobody_expects_is_noticed notices '/^leak tag /d'
promise a_cell_that_did_not_run_is_noticed \
	notices 's/^(leak) tag (.*)/&\n\1 magic \2/'
broken() {
	sed -E 's/^(leak tag) .*/\1 wrong lost/' $expected >"$tmp/broken"
	! tests/bugs/compare.sh "$tmp/broken" "$tmp/broken"
}
promise a_cell_that_does_not_work_is_noticed broken
promise no_matrix_is_no_good_matrix \
	eval '! tests/bugs/compare.sh $expected /dev/null'
promise the_page_of_the_matrix_is_up_to_date tests/bugs/page.sh
exit $failed
