#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Is a matrix of bugs and options what is expected in its world?
#
#	compare.sh EXPECTED MATRIX	prints a result per bug
#
# Each cell that differs is named: a bug that is not found any more, one that is found
# now, one that is found elsewhere or reported otherwise, a cell that did not run, and
# one that is not expected.  A cell that does not work is named, too.

set -euo pipefail

[[ -s $1 && -s $2 ]] || { echo "not ok - matrix_ran"; exit 1; }
awk '
{ bug = $1; cell = $1 " " $2; sub(/^[^ ]+ [^ ]+ /, "") }
!(bug in seen) { seen[bug] = ++n; name[n] = bug }
FILENAME == ARGV[1] { want[cell] = $0; of[cell] = bug; next }
{ got[cell] = $0; of[cell] = bug; runs[cell]++ }
END {
	for (cell in of) {
		w = cell in want ? want[cell] : "no such cell"
		g = cell in got ? got[cell] : "did not run"
		if (w == g && g !~ /^wrong/ && runs[cell] == 1) continue
		print "# " cell ": expected: " w "; is: " g
		bad[of[cell]] = 1
		failed = 1
	}
	for (i = 1; i <= n; i++) {
		text = "matrix_" name[i]
		gsub(/-/, "_", text)
		print (name[i] in bad ? "not ok - " : "ok - ") text
	}
	exit failed
}' "$1" "$2"
