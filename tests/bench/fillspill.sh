#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Counts what a fill and a spill of 64 objects of 64 bytes take, in instructions;
# "fill+spill-of-32" is what 32 of the objects take.
#
#	fillspill.sh FILLSPILL		the program
#
# Callgrind counts batches of 1000 objects.  The script subtracts the cost of the hits,
# which is the line through the counts of 8 and of 16 hits, and divides the rest by the
# visits: see fillspill.c.  The average includes what only some visits do, such as a look
# at other arrays.  The number of buckets is fixed, since by default it follows the number
# of CPUs; then the figures repeat exactly.

set -euo pipefail

[ $# -eq 1 ] || {
	echo "usage: ${0##*/} FILLSPILL" >&2
	exit 2
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

LIBPOOL_OPTIONS=buckets=4 valgrind --tool=callgrind --collect-atstart=no \
	--combine-dumps=yes --callgrind-out-file="$tmp/counts" "$1" \
	>"$tmp/log" 2>&1 || {
	cat "$tmp/log" >&2
	exit 1
}
awk '
	/^desc: Trigger: Client Request: / {
		what = $(NF - 2)
		n = $(NF - 1)
		visits = $NF
	}
	/^totals: / && what {
		count[what, n] += $2
		times[what, n]++
		seen[what, n] += visits
		what = ""
	}
	# hit 8 and hit 16, then the line at 1000
	function visit(what,    hit, rest) {
		if (seen[what, 8] || seen[what, 16] || !seen[what, 1000]) {
			print "fillspill: not hits only, or no visit" >"/dev/stderr"
			exit failed = 1
		}
		hit = (count[what, 16] - count[what, 8]) / 8
		rest = count[what, 1000] - times[what, 1000] * \
		       (count[what, 8] + (1000 - 8) * hit)
		return rest / seen[what, 1000]
	}
	END {
		if (failed)
			exit 1
		fill = visit("take")
		spill = visit("give")
		printf "fill %.1f\nspill %.1f\nfill+spill %.1f\n", fill, spill, \
		       fill + spill
		printf "fill+spill-of-32 %.1f\n", (fill + spill) * 32 / 64
	}' "$tmp/counts"
