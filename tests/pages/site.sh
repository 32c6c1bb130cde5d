#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Makes the site of Documentation/ anew, which fails at a warning, follows its links, and
# looks for the page of each function.

set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh

# Each function that the version script exports has a page, except those that only macros and
# inline functions call.
each_function_has_a_page() {
	local name names status=0

	names=$(sed -nE 's/^\t\t(\w+);$/\1/p' user/libpool.map |
		grep -vE '^pool_((alloc|free)_slow|refuse_zero|decls?_|mem_|thread_area)')
	[ "$(wc -w <<<"$names")" -ge 50 ] || { echo "too few are exported"; status=1; }
	for name in $names DECLARE_STATIC_TYPED_POOL pool_alloc_gfp; do
		grep -qs "id=\"c.$name\"" "build/html/functions/$name.html" ||
			{ echo "$name has no page, or its page no prototype"; status=1; }
	done
	return "$status"
}

# Each mention of :doc:`page`, "Section", must be a link, also in a comment of a header.
sections_are_linked() {
	grep -q 'href="checks.html#use-after-free"' build/html/debugging.html &&
		grep -q 'href="../amounts.html#reserves"' \
			build/html/functions/pool_alloc_reserved_timeout.html
}

# The theme shows a red box around a table of contents, and no warning, unless a class allows it.
no_page_has_a_red_box() {
	! grep -r 'class="contents' --include='*.html' build/html | grep -v this-will-duplicate &&
		! grep -rE 'system-message|class="problematic' --include='*.html' build/html
}

rm -rf build/html build/doctrees build/site
check the_site_is_made_without_a_warning make -s html
check no_page_has_a_red_box no_page_has_a_red_box
check each_link_of_the_site_leads_somewhere tests/pages/site.py build/html
check a_section_that_a_page_names_is_a_link sections_are_linked
check each_function_has_a_page each_function_has_a_page
finish
