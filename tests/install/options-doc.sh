#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The tables of Documentation/options.rst are what the library prints as help.
#
#	options-doc.sh BUILD-FOLDER		checks that they are
#	options-doc.sh BUILD-FOLDER write	writes them, for "make doc-options"

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

page=Documentation/options.rst
begins='.. tables begin: make doc-options'
ends='.. tables end'

cat >"$tmp/help.c" <<'END'
#include <libpool/pool.h>
#include <stdio.h>

int main(void)
{
	char text[4096];

	pool_debug_help_to_buf(text, sizeof(text));
	return fputs(text, stdout) < 0;
}
END
gcc -I"$tmp" -o "$tmp/help" "$tmp/help.c" "$out/libpool.a" -pthread

# tables - prints the help, each part of it as a simple table
tables() {
	env -u LIBPOOL_OPTIONS "$tmp/help" | awk '
	function line(n,  s) { while (n-- > 0) s = s "="; return s }
	function rule(a, b, c) {
		return line(a) " " line(b) " " line(c) " " line(38)
	}
	/^word /	{ r = rule(14, 17, 4) }
	/^key /		{ print r "\n"; r = rule(11, 20, 11) }
	/^(word|key) /	{ print r; print; print r; next }
			{ print }
	END		{ print r }'
}

# with_tables - prints the page with the tables that the library's help has
with_tables() {
	awk -v b="$begins" -v e="$ends" -v f="$tmp/tables" '
	$0 == e { skip = 0 }
	!skip { print }
	$0 == b {
		skip = 1
		print ""
		while ((getline l <f) > 0) print l
		print ""
	}' "$page"
}

# Each marker must be in the page once, in this order; otherwise nothing would be replaced.
has_markers() {
	[ "$(grep -nxF -e "$begins" -e "$ends" "$page" | sed 's/^[0-9]*://')" = \
		"$begins"$'\n'"$ends" ]
}

tables >"$tmp/tables"
with_tables >"$tmp/page"
if [ "${2:-}" = write ]; then
	has_markers
	cp "$tmp/page" "$page"
	exit
fi
# The list of bits in the public header: "0x1 fail, 0x2 no-merge, ..."
header_bits() {
	awk '/^ \* pool_debugging - / { on = 1 } on { print } /^ \*\// { on = 0 }' \
		common/pool_debug.h | tr -d '*\n\t' | grep -oE '0x[0-9a-f]+ +[a-z-]+' | tr -s ' '
}

# ... and the same list from the help, whose n-th word has bit n
help_bits() {
	local word bit=1

	for word in $(awk '/^key / { exit } NR > 1 { print $1 }' <(env -u LIBPOOL_OPTIONS "$tmp/help")); do
		printf '0x%x %s\n' $bit "$word"
		bit=$((bit * 2))
	done
}
check the_header_has_the_bit_of_each_word diff <(header_bits) <(help_bits)
check the_page_of_options_has_places_for_tables has_markers
check the_page_of_options_is_what_the_library_prints \
	diff -u "$page" "$tmp/page"
finish
