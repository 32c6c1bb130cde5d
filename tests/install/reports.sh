#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The reports of debugging.rst are what its program prints, but for addresses and bytes.
# Prints a line per promise, "ok - NAME" or "not ok - NAME".
#
#	reports.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

export LD_LIBRARY_PATH=$out
page=Documentation/debugging.rst
example=user/examples/bugs/bugs.c

# Build with the flags of the page's command.
builds() {
	local flags

	flags=$(sed -n 's/^\tcc \(.*\) -o bugs .*/\1/p' "$page")
	[ -n "$flags" ] || return 1
	# shellcheck disable=SC2086
	gcc $flags -o "$tmp/bugs" -I"$tmp" "$example" -L"$out" -lpool
}

# plain - replaces what differs from run to run in reports
plain() {
	sed -E 's/0x[0-9a-f]{5,}/ADDRESS/; s/\+0x[0-9a-f]+/+N/g; s/thread [0-9]+/thread N/
		s/^(pool:   \+[0-9]+:).*/\1/'
}

# shown BUG - prints the command of the page, and the report below it
shown() {
	sed -n "/^\t\t\\$ .* \.\/bugs $1\$/,/^\$/s/^\t\t//p" "$page"
}

# agrees BUG - the program must die, and its first lines must be those of the page
agrees() {
	local options status=0

	shown "$1" >"$tmp/shown"
	options=$(sed -n '1s/.*LIBPOOL_OPTIONS=\([^ ]*\) .*/\1/p' "$tmp/shown")
	[ -n "$options" ] || { echo "the page has no report of $1"; return 1; }
	LIBPOOL_OPTIONS=no-tools,$options "$tmp/bugs" "$1" 2>"$tmp/said" || status=$?
	same "$status" 134 || return 1
	sed 1d "$tmp/shown" | plain >"$tmp/expected"
	[ "$(wc -l <"$tmp/expected")" -ge 2 ] &&
		head -n "$(wc -l <"$tmp/expected")" "$tmp/said" | plain | diff "$tmp/expected" -
}

check the_program_of_reports_is_built builds
while read -r bug; do
	check "the_report_of_${bug}_is_as_the_page_says" agrees "$bug"
done < <(sed -n 's/^.*strcmp(bug, "\(.*\)").*/\1/p' "$example")
check a_program_without_a_bug_ends_well runs env LIBPOOL_OPTIONS=caller,tag,integrity "$tmp/bugs"
finish
