#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Prints the matrix of bugs and options as three tables of reStructuredText.
#
#	table.sh USER KERNEL
#
# A cell is a letter for when a bug is found, or two, "user/kernel", where the
# worlds differ.  The third table has the reports.

set -euo pipefail

awk '
BEGIN {
	letter["-"] = "--"; letter["access"] = "A"; letter["shown"] = "s"
	letter["free"] = "F"; letter["alloc"] = "N"; letter["reclaim"] = "E"
	letter["destroy"] = "D"; letter["wrong"] = "?"
	# Headings of two lines.
	split("integrity inte- grity caller cal- ler poison poi- son " \
	      "backup back- up memstats mem- stats", t, " ")
	for (i = 1; i in t; i += 3) { top[t[i]] = t[i + 1]; low[t[i]] = t[i + 2] }
}
!($1 in bugs) { bugs[$1] = ++n; bug[n] = $1; if (length($1) > w) w = length($1) }
!($2 in opts) {
	opts[$2] = 1
	if ($2 ~ /,/) both[++b] = $2; else one[++o] = $2
}
{
	world = FILENAME == ARGV[1] ? "u" : "k"
	cell[world, $1, $2] = ($3 in letter) ? letter[$3] : "?"
	report = $0
	sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", report)
	if (report != "-" && !(($1, report) in told)) {
		told[$1, report] = 1
		reports[$1] = reports[$1] (reports[$1] ? "; " : "") report
	}
}
function heading(opt) {
	if (opt in top || opt ~ /,/) return
	top[opt] = opt; low[opt] = ""
	if (match(opt, /-/)) {
		top[opt] = substr(opt, 1, RSTART)
		low[opt] = substr(opt, RSTART + 1)
	}
}
function width(opt,  l) {
	l = length(top[opt]) > length(low[opt]) ? length(top[opt]) : length(low[opt])
	return l < 3 ? 3 : l
}
function line(l,  s) { while (l-- > 0) s = s "="; return s }
function pad(s, l) { return sprintf("%-" l "s", s) }
function trim(s) { sub(/ +$/, "", s); return s }
function of(bug, opt,  u, k) {
	u = cell["u", bug, opt]; k = cell["k", bug, opt]
	if (u == "") u = "?"
	if (k == "") k = "?"
	return u == k ? u : u "/" k
}
function table(list, m,  i, j, rule, head, foot, row) {
	rule = line(w); head = pad("bug", w); foot = pad("", w)
	for (i = 1; i <= m; i++) {
		rule = rule " " line(width(list[i]))
		head = head " " pad(top[list[i]], width(list[i]))
		foot = foot " " pad(low[list[i]], width(list[i]))
	}
	print rule "\n" trim(head)
	if (trim(foot)) print trim(foot)
	print rule
	for (j = 1; j <= n; j++) {
		row = pad(bug[j], w)
		for (i = 1; i <= m; i++)
			row = row " " pad(of(bug[j], list[i]), width(list[i]))
		print trim(row)
	}
	print rule "\n"
}
END {
	for (i = 1; i <= o; i++) heading(one[i])
	for (i = 1; i <= b; i++) { top[both[i]] = "(" i ")"; low[both[i]] = "" }
	table(one, o)
	for (i = 1; i <= b; i++) print "(" i ") ``" both[i] "``\n"
	table(both, b)
	rule = line(w) " " line(60)
	print rule "\n" pad("bug", w) " reports\n" rule
	for (j = 1; j <= n; j++)
		print pad(bug[j], w) " " (reports[bug[j]] ? reports[bug[j]] : "--")
	print rule
}' "$1" "$2"
