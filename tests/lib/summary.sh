#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Prints what the worlds and jobs have left in build/results, or in the folder RESULTS;
# see worlds.sh.
#
#	summary.sh user|kernel|cross|all
#
# Prints a line per world or job: passed, failed, cases that cannot run there, and
# seconds.  Then each failure, and as the last line "N passed, N failed".  Fails if a
# case failed, if a line is no result, or if there is no result at all.  The long table
# goes to build/results/table.txt: one column per world and one row per case, "." passed,
# "F" failed, "-" cannot run there (the reasons follow), " " belongs to other worlds.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top/${RESULTS:=build/results}" 2>/dev/null || { echo "no results"; exit 1; }
shopt -s nullglob
worlds=()
for f in *; do
	case $f in
	*.log | *.seconds | *.txt) continue ;;
	user-* | cross-*) case $1 in "${f%%-*}" | all) worlds+=("$f") ;; esac ;;
	*) case $1 in kernel | all) worlds+=("$f") ;; esac ;;
	esac
done
[ ${#worlds[@]} -gt 0 ] || { echo "no results"; exit 1; }

awk -v folder="$RESULTS" '
# said(NAME, WORLD) - returns the last words of a world that failed without a failed case
function said(name, world,	last, line, log_, i) {
	if (name !~ /^(ran|as_a_whole|program_ends_well|.*_ran)$/)
		return ""
	for (i = 1; i <= 2; i++) {
		log_ = world (i == 1 ? ".out.log" : ".log")
		while ((getline line <log_) > 0)
			if (line ~ /[^ \t\r]/)
				last = line
		close(log_)
	}
	return last == "" ? "" : ": " substr(last, 1, 200)
}
FNR == 1 { world[++worlds] = FILENAME }
{
	name = $0
	sub(/^(ok|not ok|n\/a) - /, "", name)
	if (/^ok - /) { mark = "."; passed[FILENAME]++ }
	else if (/^n\/a - /) {
		mark = "-"
		absent[FILENAME]++
		reason = name
		sub(/ # .*/, "", name)
		sub(/^.* # /, "", reason)
		why[++whys] = FILENAME ": " name ": " reason
	} else { mark = "F"; failed[FILENAME]++ }
	if (!(name in row)) { row[name] = ++rows; names[rows] = name }
	cell[name, FILENAME] = mark
	if (mark == "F") bad[++bads] = FILENAME ": " name said(name, FILENAME)
}
END {
	for (w = 1; w <= worlds; w++)
		printf "%s%d %s\n", w == 1 ? "worlds: " : "        ", w,
			world[w] >"table.txt"
	for (r = 1; r <= rows; r++) {
		line = ""
		for (w = 1; w <= worlds; w++) {
			c = cell[names[r], world[w]]
			line = line sprintf("%3s", c == "" ? " " : c)
		}
		printf "%s  %s\n", line, names[r] >"table.txt"
	}
	for (y = 1; y <= whys; y++)
		print "n/a: " why[y] >"table.txt"

	form = "%-28s %7s %7s %5s %8s\n"
	printf form, "world or job", "passed", "failed", "n/a", "seconds"
	for (w = 1; w <= worlds; w++) {
		f = world[w]
		if ((getline took <(f ".seconds")) <= 0)
			took = "-"
		printf form, f, passed[f] + 0, failed[f] + 0, absent[f] + 0, took
		all += passed[f]
		none += failed[f]
	}
	for (b = 1; b <= bads; b++)
		print "FAILED: " bad[b]
	print "each case in each world: " folder "/table.txt"
	printf "%d passed, %d failed\n", all, none
	exit none > 0
}' "${worlds[@]}"
