#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks the manual pages: one for each name that the library exports, nothing that lint
# remarks, and all words of the texts that they are made of.

set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh

# Prints the names that the version script exports, and the macros of users' headers.
exported() {
	sed -nE 's/^\t\t(\w+);$/\1/p' user/libpool.map
	sed -nE 's/^#define ((DECLARE|REGISTER)_\w*POOL|create_pool\w*)\(.*/\1/p' \
		common/pool.h common/pool_attr.h
}

# shown PAGE - prints the page as a reader sees it
shown() {
	mandoc -T ascii "$1" | sed 's/.\x08//g'
}

# own NAME - prints the file of a page, or of the page that it refers to
own() {
	local file=build/man/man3/$1.3 to

	[ -f "$file" ] || return 1
	to=$(sed -n 's/^\.so //p' "$file")
	echo "build/man/${to:-man3/$1.3}"
}

each_has_a_page() {
	local name page status=0

	[ "$(exported | wc -l)" -ge 70 ] || { echo "too few are exported"; status=1; }
	for name in $(exported); do
		if ! page=$(own "$name") || ! grep -qE "^\.Nm $name( ,)?$" "$page" ||
		   ! grep -qE "^\.(Fo $name|Vt .*\b$name ;)$" "$page"; then
			echo "$name has no page, or is not in it"
			status=1
		fi
	done
	return "$status"
}

# The prototypes that a page shows must be in the header for programs, but not those below "Only
# in the kernel:".
shows_what_the_header_has() {
	local name where status=0

	make -s headers | xargs -n 1 cp -t "$tmp" &&
		cc -E -dD -x c "$tmp/pool.h" >"$tmp/header" || return 1
	awk 'FNR == 1 || /^\.Sh/ { kernel = 0 } /^Only in the kernel:$/ { kernel = 1 }
		/^\.Fo / { print $2, kernel ? "kernel" : "program" }' build/man/man3/*.3 \
		>"$tmp/shown"
	grep -q ' kernel$' "$tmp/shown" || { echo "none is of the kernel"; status=1; }
	while read -r name where; do
		[ $where = program ] && grep -qE "\b$name ?\(" "$tmp/header" && continue
		[ $where = kernel ] && ! grep -qE "\b$name ?\(" "$tmp/header" && continue
		echo "$name is shown to a $where"
		status=1
	done <"$tmp/shown"
	return "$status"
}

# Each function and macro for users must have a description besides its prototype.
each_is_described() {
	local name status=0

	for name in $(exported | grep -vE '^(DECLARE|REGISTER)_|^pool_(mem_|decl|thread_area)') \
		    pool_declare_failed; do
		grep -qE "^\.Ss $name(\(\))?$" "$(own "$name")" ||
			{ echo "$name is not described"; status=1; }
	done
	return "$status"
}

# C++ has overloads with defaults, which no program in C can write.
no_prototype_is_of_cxx() {
	! grep -rn '__builtin' build/man/man3
}

pages() {
	find build/man -name '*.[357]' -size +0 ! -exec grep -q '^\.so ' {} \; -print | sort
}

# mandoc looks for pages that are referred to only where pages are installed; those are
# looked for below.
lints() {
	local page said status=0

	for page in $(pages); do
		said=$(mandoc -T lint "$page" 2>&1 |
			grep -vE 'referenced manual not found|outdated mandoc.db' || true)
		[ -z "$said" ] || { echo "$said"; status=1; }
	done
	return "$status"
}

# groff cannot break the line of a parameter that is a function.
groff_is_content() {
	local page said

	for page in $(pages); do
		said=$(groff -mandoc -Tutf8 -ww -z "$page" 2>&1 |
			grep -v "can't break line" || true)
		[ -z "$said" ] || { echo "$said"; return 1; }
	done
}

refers() {
	local name section status=0

	while read -r name section; do
		[ "$name" = malloc ] || [ -f "build/man/man$section/$name.$section" ] ||
			{ echo "there is no $name($section)"; status=1; }
	done < <(pages | xargs sed -nE 's/^\.(Xr|It Xr) (\S+) ([0-9]).*/\2 \3/p' | sort -u)
	return "$status"
}

has_each_option() {
	local word status=0

	shown build/man/man7/libpool-options.7 >"$tmp/page"
	while read -r word; do
		grep -qE "^ +$word  " "$tmp/page" ||
			{ echo "there is no option $word"; status=1; }
	done < <(sed '1,/^\.\. tables begin/d; /^\.\. tables end/,$d' \
		Documentation/options.rst | awk 'NF > 3 && !/^=/ { print $1 }')
	return "$status"
}

has_each_file() {
	local file status=0

	shown build/man/man5/pool-debugfs.5 >"$tmp/page"
	while read -r file; do
		grep -qxF "   $file" "$tmp/page" || { echo "there is no $file"; status=1; }
	done < <(sed -n 's/^What:\s*//p' Documentation/ABI/testing/debugfs-pool)
	return "$status"
}

# new_function - adds a function that no page has, to a copy of what pages are made of
new_function() {
	local said

	mkdir "$tmp/copy"
	cp -r --parents common README.md Documentation/man Documentation/options.rst \
		Documentation/ABI "$tmp/copy"
	printf '/**\n * %s() - %s\n */\nvoid %s(void);\n' pool_new 'Do it.' pool_new \
		>>"$tmp/copy/common/pool.h"
	! said=$(python3 -B "$tmp/copy/Documentation/man/man.py" "$tmp/copy/man" 2>&1) || return 1
	same "$said" "man.py: GROUPS has no page for pool_new"
}

installs() {
	local name

	make -s install-man DESTDIR="$tmp/dest" PREFIX=/usr || return 1
	for name in man3/pool_zalloc.3 man5/pool-debugfs.5 man7/libpool.7; do
		[ -f "$tmp/dest/usr/share/man/$name" ] || { echo "no $name"; return 1; }
	done
	(cd "$tmp/dest/usr/share/man" && shown man3/pool_zalloc.3) >"$tmp/page"
	grep -q 'Allocate a zeroed object' "$tmp/page"
}

check pages_can_be_written make -s man
check each_exported_name_has_a_page each_has_a_page
check synopses_show_what_a_header_has shows_what_the_header_has
check each_function_for_users_is_described each_is_described
check lint_remarks_nothing lints
check groff_warns_of_nothing groff_is_content
check pages_refer_to_pages_that_are_there refers
check the_page_of_options_has_each has_each_option
check the_page_of_debugfs_has_each_file has_each_file
check no_prototype_is_of_cxx no_prototype_is_of_cxx
check a_function_that_no_page_has_is_told_of new_function
check pages_are_installed_and_lead_to_each_other installs
finish
