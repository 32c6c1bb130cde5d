# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# remarks.sh - remarks of tools, without those that are wrong here
#
# Sourced after results.sh.  A remark is a line "PATH:LINE: KIND: text".  A list has lines
# "KIND<tab>PATH": remarks of that kind are allowed in that file, or below that folder.

# Lists, with blanks between them.
lists=
: >"${tmp:?}/used"

# remarks COMMAND... - those of its lines that no list allows; fails if there are any, or if
# the command fails
remarks() {
	"$@" >"$tmp/remarks" || { cat "$tmp/remarks"; return 1; }
	awk -v lists="$lists" -v used="$tmp/used" '
		BEGIN {
			lists_n = split(lists, list, " ")
			for (l = 1; l <= lists_n; l++)
				while ((getline line < list[l]) > 0)
					if (split(line, f, "\t") == 2)
						where[++n] = f[2] SUBSEP f[1]
		}
		{
			split($1, at, ":")
			kind = $2
			sub(/:$/, "", kind)
			for (i = 1; i <= n; i++) {
				split(where[i], f, SUBSEP)
				if (kind == f[2] && index(at[1], f[1]) == 1) {
					print f[2] "\t" f[1] >> used
					next
				}
			}
			print
			bad = 1
		}
		END { exit bad }' "$tmp/remarks"
}

# unused LIST PATTERN - its entries that no tool needed, of kinds that match; so a tool that
# says nothing at all is seen, too
unused() {
	grep -P "^[^#]*$2\t" "$1" | sort >"$tmp/allowed"
	sort -u "$tmp/used" | comm -23 "$tmp/allowed" - |
		sed "s|^|$1:1: unused: |"
}
