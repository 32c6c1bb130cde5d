#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The table of what is expected, expected.txt, has a row per cell: bug, options, world,
# and what the cell says.  The world is "both"; where the worlds differ, there is a row
# for "user" and one for "kernel".
#
#	expected.sh user|kernel		prints what is expected in one world
#	expected.sh join USER KERNEL	prints the table of two matrices

set -euo pipefail

case $1 in
user | kernel)
	awk -v world="$1" '$3 == world || $3 == "both" {
		sub(" " $3 " ", " ")
		print
	}' "$(dirname "$0")/expected.txt"
	;;
join)
	awk '
	{ cell = $1 " " $2; sub(/^[^ ]+ [^ ]+ /, "") }
	!(cell in seen) { seen[cell] = ++n; name[n] = cell }
	FILENAME == ARGV[1] { user[cell] = $0; next }
	{ kernel[cell] = $0 }
	END {
		for (i = 1; i <= n; i++) {
			c = name[i]
			if (c in user && c in kernel && user[c] == kernel[c]) {
				print c " both " user[c]
				continue
			}
			if (c in user) print c " user " user[c]
			if (c in kernel) print c " kernel " kernel[c]
		}
	}' "$2" "$3"
	;;
esac
