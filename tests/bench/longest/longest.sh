#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The longest call of each cause, in instructions.
#
#	longest.sh show LONGEST		the table; LONGEST: the program
#	longest.sh gate LONGEST		... against the limits of longest.table
#	longest.sh write LONGEST	... into figures/longest.txt
#
# "gate" prints a result for each limit.  The number of buckets is fixed, since by default
# it follows the number of CPUs, and calls age nothing, which a clock decides: then the counts of the
# library's instructions repeat.
# Takes a minute, since each instruction is a signal.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/results.sh
. "$here/../../lib/results.sh"
# shellcheck source=tests/bench/gate/limits.sh
. "$here/../gate/limits.sh"
[ $# -eq 2 ] || {
	sed -n '1,3d; /^#/!q; s/^# \{0,1\}//; p' "$0" >&2
	exit 2
}

# judged PROGRAM
judged() {
	limits "$here/longest.table" "$(compiler "$1")" >"$tmp/limits" &&
		judge_all "$tmp/counts" "$tmp/limits"
}

LIBPOOL_OPTIONS=buckets=4,no-age "$2" >"$tmp/table"
case $1 in
show)
	cat "$tmp/table"
	;;
gate)
	awk 'NF == 5 && $2 ~ /^[0-9]+$/ { print "longest", $1, $4 }' \
		"$tmp/table" >"$tmp/counts"
	results judged "$2"
	finish
	;;
write)
	"$here/../section.py" longest <"$tmp/table"
	;;
esac
