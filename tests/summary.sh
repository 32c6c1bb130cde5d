#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Says which case ran where, from build/results, and counts.
#
#	summary.sh user|kernel|all
#
# One column per world and one row per case: "." passed, "F" failed, "-" cannot
# run there (the reasons follow), " " belongs to other worlds.  The last line is
# "N passed, N failed"; fails if a case did, or if there is no result at all.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top/build/results" 2>/dev/null || { echo "no results"; exit 1; }
shopt -s nullglob
worlds=()
for f in *; do
	case $f in
	*.log) continue ;;
	user-*) [ "$1" = kernel ] || worlds+=("$f") ;;
	*) [ "$1" = user ] || worlds+=("$f") ;;
	esac
done
[ ${#worlds[@]} -gt 0 ] || { echo "no results"; exit 1; }

awk '
FNR == 1 { world[++worlds] = FILENAME }
{
	name = $2; mark = "."
	if ($1 == "not") { name = $3; mark = "F"; failed++ }
	else if ($1 == "n/a") {
		mark = "-"
		reason = $0
		sub(/^[^#]*# /, "", reason)
		why[FILENAME ": " name ": " reason]
	} else passed++
	if (!(name in row)) { row[name] = ++rows; names[rows] = name }
	cell[name, FILENAME] = mark
	if (mark == "F") bad[FILENAME ": " name]
}
END {
	for (w = 1; w <= worlds; w++)
		printf "%s%d %s\n", w == 1 ? "worlds: " : "        ", w,
			world[w]
	for (r = 1; r <= rows; r++) {
		line = ""
		for (w = 1; w <= worlds; w++) {
			c = cell[names[r], world[w]]
			line = line sprintf("%3s", c == "" ? " " : c)
		}
		printf "%s  %s\n", line, names[r]
	}
	for (y in why) print "n/a: " y
	for (b in bad) print "FAILED: " b
	printf "%d passed, %d failed\n", passed, failed
	exit failed > 0
}' "${worlds[@]}"
