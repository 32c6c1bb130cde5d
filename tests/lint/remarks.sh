# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# remarks.sh - remarks of tools, without those that are wrong here
#
# Sourced after results.sh.  A remark is a line "PATH:LINE: KIND: text".  A list has lines
# "KIND<tab>PATH": remarks of that kind are allowed in that file, or below that folder.

# The author of a series' patches, where git has none.
export GIT_AUTHOR_NAME=libpool GIT_AUTHOR_EMAIL=libpool@localhost
export GIT_COMMITTER_NAME=libpool GIT_COMMITTER_EMAIL=libpool@localhost

# Lists, with blanks between them.
lists=
: >"${tmp:?}/used"

# remarks COMMAND... - prints its lines that no list allows; fails if there are any, or if the
# command fails
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

# series DIR - remarks about the patches of scripts/patch-series, of files as they are called
# here.  $SOURCE is the kernel's.  In full, without .checkpatch.conf.  One remark per patch is
# always there: MAINTAINERS names the folder in the first patch, so that is not asked of the
# others.
series() {
	(
		cd "$tmp"
		perl "$SOURCE/scripts/checkpatch.pl" --no-tree --strict --terse --show-types \
			--showfile --ignore FILE_PATH_CHANGES "$1"/*.patch 2>&1 || true
	) |
		sed -nE 's/^([^ ]+:[0-9]*): (ERROR|WARNING|CHECK):([A-Z_0-9]+): /\1: \3: /p' |
		sed -E 's|^include/linux/(pool)|common/\1|; s|^lib/pool/||'
}
