#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that the pages render, that what they refer to is there, and that they agree with
# the source: the seam, ordered accesses, functions, constants, promises, files of debugfs.
# README has the command that CI runs, and examples compile.

set -euo pipefail

cd "$(dirname "$0")/.."
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh

# Docutils knows neither Sphinx's role "doc" nor its table of contents, and includes files
# by other words.
renders() {
	local page said status=0

	for page in Documentation/*.rst; do
		said=$({ printf '.. role:: doc\n\n'
			sed 's/^\.\. toctree::/.. toctree/
				s/^\.\. literalinclude:: \.\.\//.. include:: /
				s/^\t:language:/\t:code:/; /^\t:start-at:/d' "$page"; } |
			rst2html --report=2 --halt=5 \
				--syntax-highlight=none 2>&1 >/dev/null) || status=1
		[ -z "$said" ] || { echo "$page, 2 lines less: $said"; status=1; }
	done
	return $status
}

refers() {
	local page status=0

	for page in $(grep -ohE ':doc:`[a-zA-Z/-]+`' Documentation/*.rst |
		      sed 's/:doc://; s/`//g' | sort -u); do
		[ -f "Documentation/$page.rst" ] ||
			{ echo "there is no page $page"; status=1; }
	done
	return $status
}

# written PAGE... - how many lines people wrote; generated tables are between
# ".. NAME begin" and ".. NAME end".
written() {
	awk '/^\.\. [a-z]+ begin/ { skip = 1 }
		!skip { n++ }
		/^\.\. [a-z]+ end/ { skip = 0 }
		END { print n }' "$@"
}

# short - README and pages must be short, so that a reader finds what there is
short() {
	local page most status=0

	for page in README.md Documentation/*.rst; do
		most=400
		[ "$page" != README.md ] || most=140
		[ "$(written "$page")" -le $most ] ||
			{ echo "$page has more than $most lines"; status=1; }
	done
	return $status
}

# Pages for people to read have at most 5500 lines, without the figures and generated tables.
all_short() {
	local lines

	lines=$(find Documentation -maxdepth 1 -name '*.rst' ! -name performance-figures.rst \
			-exec cat {} + | written)
	echo "$lines lines, not counting figures and generated tables"
	[ "$lines" -le 5500 ]
}

# README's test command is the one that CI runs, as it is written there.
ci_command() {
	local command

	command=$(sed -n 's/^exec //p' .ci/run)
	if [ -z "$command" ] || ! grep -qE "^    $command( |\$)" README.md; then
		echo "README.md has no command \"$command\""
		return 1
	fi
}

# The maintainer of the package is one whom the repository knows, and no address is invented.
maintainer() {
	local name status=0

	name=$(sed -n 's/^Maintainer: //p' debian/control)
	[ -n "$(git log -1 --format=%h --fixed-strings --author="$name")" ] ||
		{ echo "no commit is by $name"; status=1; }
	grep -qF -- " -- $name  " debian/changelog ||
		{ echo "debian/changelog is not by $name"; status=1; }
	! git grep -nE 'example\.(org|com|net)' || status=1
	return $status
}

# says_whom_to_ask - each of these pages must say whom to ask, and what state this is in
says_whom_to_ask() {
	local page status=0

	for page in README.md CONTRIBUTING.md .github/SECURITY.md Documentation/man/libpool.7; do
		grep -qE 'Issues tab.*Security tab|Security tab.*Issues tab' <<<"$(tr '\n' ' ' <"$page")" &&
			grep -qE '\<0\.9\>' "$page" && grep -q '6\.1 to 7\.3' "$page" ||
			{ echo "$page does not say whom to ask, or in what state this is"; status=1; }
	done
	return $status
}

# Each job has a row of the table that says what it finds, and each pattern of a row that is no
# job of check-long has a job.
jobs_have_rows() {
	local name pattern jobs patterns status=0 has

	jobs=$(tests/check.sh list)
	patterns=$(sed -n '/^Which job finds what/,/^Debian/p' Documentation/testing.rst |
		sed -nE 's/^``([^`]+)`` +[ca] .*/\1/p')
	for name in $jobs; do
		has=
		for pattern in $patterns; do
			# shellcheck disable=SC2053	# a pattern
			[[ $name != $pattern ]] || has=1
		done
		[ -n "$has" ] || { echo "no row for $name"; status=1; }
	done
	for pattern in ${patterns:-none}; do
		has=
		for name in $jobs; do
			# shellcheck disable=SC2053	# a pattern
			[[ $name != $pattern ]] || has=1
		done
		[ -n "$has" ] || { echo "no job for $pattern"; status=1; }
	done
	return $status
}

# Each make target that a workflow of GitHub names must exist.
workflows() {
	local targets target

	targets=$(sed -nE 's/^ *target: \[?([a-z, -]+)\]?$/\1/p' .github/workflows/*.yml |
		tr -d ,)
	for target in ${targets:-none}; do
		make -n "$target" >/dev/null || return 1
	done
}

# In a copy of these folders, shared.c calls the API, which is above it; order.py must say so.
goes_up() {
	local copy said

	copy=$(mktemp -d)
	cp common/{reclaim,api,limit,core,shared}/*.[ch] "$copy"
	printf '\nvoid f(void)\n{\n\tpool_alloc_slow(0, 0);\n}\n' >>"$copy/shared.c"
	said=$(tests/pages/order.py "$copy" || true)
	rm -rf "$copy"
	grep -q '^shared calls up: pool_alloc_slow of alloc$' <<<"$said"
}

# In a copy of the tree, a file of a low folder calls for a dump, which is in a high one;
# folders.py must say so.
goes_up_between() {
	local copy said

	copy=$(mktemp -d)
	cp -r common user kernel "$copy"
	printf '\nvoid f(void)\n{\n\tpool_dump(0, 0, 0);\n}\n' >>"$copy/common/life/merge.c"
	said=$(tests/pages/folders.py "$copy" || true)
	rm -rf "$copy"
	grep -q '^common/life/merge.c goes up: pool_dump() of common/show$' <<<"$said"
}

# refused ARG... - scripts/where says in one line what is wrong with these
refused() {
	local said status=0

	said=$(scripts/where "$@" 2>&1) || status=$?
	[[ $status = 2 && $said = "where: "* && $said != *$'\n'* ]] || {
		echo "status $status: $said"
		return 1
	}
}

# The source, a caller, the cases and a page of a function; no more than a screen.
where_is_it() {
	local said line

	said=$(scripts/where pool_evict_last_items)
	for line in 'common/core/age.c:[0-9]+  pool_evict_last_items' \
		    'common/core/age.c:[0-9]+  evict_oldest' \
		    'tests/inside/evict.c  cases: [0-9]+' 'Documentation/object-life.rst:.*'; do
		grep -qE "^    $line$" <<<"$said" || { echo "no $line"; return 1; }
	done
	[ "$(scripts/where pool_alloc | wc -l)" -le 30 ] &&
		refused && refused pool_evict_last && refused pool_alloc pool_free
}

# In a copy of the tree, the page forgets a key and a flag; debugfs.py must say so.
forgets_words() {
	local copy said

	copy=$(mktemp -d)
	cp -r --parents kernel/debugfs Documentation/ABI "$copy"
	sed -i 's/typesafe and//' "$copy/Documentation/ABI/testing/debugfs-pool"
	said=$(tests/pages/debugfs.py "$copy" || true)
	rm -rf "$copy"
	grep -q '^the entry of registrations does not name typesafe$' <<<"$said"
}

# In a copy of the tree, the table of numbers loses one, and a page another; numbers.py must say so.
forgets_numbers() {
	local copy said

	copy=$(mktemp -d)
	cp -r --parents common Documentation user/examples "$copy"
	sed -i '/NEXT("refused"/d' "$copy/common/show/dump_numbers.c"
	sed -i 's/\<spills\>//' "$copy/Documentation/ABI/testing/debugfs-pool"
	said=$(tests/pages/numbers.py "$copy" || true)
	rm -rf "$copy"
	grep -q '^the table has no refused$' <<<"$said" &&
		grep -q '^debugfs-pool has no spills$' <<<"$said"
}

check each_promise_has_a_row_and_a_test_in_each_world tests/pages/promises.py
check a_row_that_no_test_shows_is_told_of tests/pages/promises.py self
check cases_of_promises_have_public_names_alone tests/pages/public.py
check a_private_name_is_told_of tests/pages/public.py self
check the_pages_render renders
check pages_that_are_referred_to_are_there refers
check files_and_sections_that_are_referred_to_are_there tests/pages/links.py
check no_page_is_too_long short
check all_pages_together_are_short all_short
check readme_has_the_command_that_ci_runs ci_command
check the_maintainer_is_known_to_the_repository maintainer
check pages_say_whom_to_ask_and_what_state_this_is_in says_whom_to_ask
check each_job_has_a_row_that_says_what_it_finds jobs_have_rows
check workflows_make_targets_that_there_are workflows
check somebody_runs_each_command_of_readme_and_guide tests/pages/commands.py check
check examples_compile tests/pages/examples.sh
check the_seam_is_small_and_the_same_everywhere tests/pages/seam.py
check each_ordered_access_has_a_row tests/pages/ordering.py
check functions_are_where_pages_say tests/pages/names.py
check calls_within_the_core_go_down tests/pages/order.py
check a_call_that_goes_up_is_told_of goes_up
check the_order_of_the_core_is_drawn tests/pages/design.py drawing
check a_change_to_a_free_needs_few_concepts tests/pages/design.py concepts
check calls_between_folders_go_down tests/pages/folders.py
check a_call_to_a_folder_above_is_told_of goes_up_between
check each_source_has_cases_and_each_case_is_listed tests/pages/cases.py
check where_finds_source_callers_cases_and_pages where_is_it
check no_script_has_a_long_text_in_it tests/pages/heredocs.py
check few_scenarios_have_no_mutant tests/pages/scenarios.py
check constants_are_as_pages_say tests/pages/constants.py
check the_page_of_debugfs_names_all_that_files_print tests/pages/debugfs.py
check a_word_that_it_forgets_is_told_of forgets_words
check each_number_of_a_pool_is_in_all_formats_and_pages tests/pages/numbers.py
check a_number_that_is_forgotten_is_told_of forgets_numbers
finish
