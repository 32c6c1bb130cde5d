#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Converts between expected.txt and the matrix of one world, which has a line per cell.
#
#	expected.sh user|kernel		prints the expected matrix of one world
#	expected.sh join USER KERNEL	prints the expected.txt of two matrices
#
# A line of a matrix is "BUG OPTIONS WHEN REPORT".  A line of expected.txt is "BUG WORLD WHEN
# REPORT: OPTIONS...": the cells of a bug that have the same report.  WORLD is "both" for cells
# that are the same in both worlds.

set -euo pipefail

case $1 in
user | kernel)
	awk -F ': ' -v world="$1" '
	{ split($1, word, " "); report = $1; sub(/^[^ ]+ [^ ]+ /, "", report) }
	word[2] == world || word[2] == "both" {
		n = split($2, options, " ")
		for (i = 1; i <= n; i++)
			print word[1], options[i], report
	}' "$(dirname "$0")/expected.txt"
	;;
join)
	awk '
	{ cell = $1 " " $2; report = $0; sub(/^[^ ]+ [^ ]+ /, "", report) }
	FILENAME == ARGV[1] { user[cell] = report; order[++cells] = cell; next }
	!(cell in user) { order[++cells] = cell }
	{ kernel[cell] = report }
	function add(world, report,    row) {
		row = bug[1] " " world " " report
		if (!(row in options)) name[++rows] = row
		options[row] = options[row] " " bug[2]
	}
	END {
		for (i = 1; i <= cells; i++) {
			c = order[i]
			split(c, bug, " ")
			if (c in user && c in kernel && user[c] == kernel[c]) {
				add("both", user[c])
				continue
			}
			if (c in user) add("user", user[c])
			if (c in kernel) add("kernel", kernel[c])
		}
		for (i = 1; i <= rows; i++) print name[i] ":" options[name[i]]
	}' "$2" "$3"
	;;
esac
