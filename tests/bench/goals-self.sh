#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks what goals.py makes of figures that are there, and of those that are not.

set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh
out=$tmp/out
page=$tmp/page.rst

# goals LINE... - makes a table of these goals
goals() {
	printf '%s\n' "$@" >"$tmp/table"
}

# is WHAT VERDICT - one row must begin with WHAT and have this verdict
is() {
	tests/bench/goals.py show "$out" "$tmp/table" "$page" | tee "$tmp/shown"
	[ "$(grep -cE "^$1.*  $2  " "$tmp/shown")" = 1 ]
}

# afresh - removes all figures
afresh() {
	rm -rf "$out" "$page"
	mkdir "$out"
}

# samples PEER... - prints samples of "work" at 64 bytes; each PEER is NAME=NS
samples() {
	echo workload,size,peer,round,ns
	for peer; do
		printf "work,64,${peer%=*},%d,${peer#*=}\n" 0 1 2
	done
}

shown_as_missing() {
	afresh
	cp tests/bench/goals.table "$tmp/table"
	tests/bench/goals.py show "$out" "$tmp/table" "$page" | tee "$tmp/shown"
	! grep -E '  (met|missed)  ' "$tmp/shown" &&
		grep -E '^Of [1-9][0-9]* goals 0 are met, 0 missed' "$tmp/shown"
}
check without_figures_no_goal_is_met shown_as_missing

judged() {
	afresh
	goals 'time pool work 64 glibc 0.5' 'time pool-so work 64 glibc 0.5' \
		'time floor work 64 glibc 0.5'
	samples pool=1 pool-so=1.1 glibc=2 >"$out/samples.csv"
	is 'work, pool, ' met && is 'work, pool-so, ' missed &&
		is 'work, floor, ' missing &&
		grep '^Of 3 goals 1 are met, 1 missed, 1 missing' "$tmp/shown"
}
check a_figure_above_its_goal_is_missed judged

# is_beside WHAT FLOOR - one row must begin with WHAT, and have this ratio of "floor"
is_beside() {
	tests/bench/goals.py show "$out" "$tmp/table" "$page" | tee "$tmp/shown"
	[ "$(grep -cE "^$1.*  (met|missed) +$2  " "$tmp/shown")" = 1 ]
}

beside_floor() {
	afresh
	goals 'time pool work 64 glibc 0.5' 'memory pool trace 64 glibc 2'
	samples pool=1 glibc=2 >"$out/samples.csv"
	printf '%s\n' workload,peer,kib trace,pool,5 trace,glibc,4 >"$out/memory.csv"
	is_beside work '\.\.' && is_beside trace '\.\.' || return 1
	samples pool=1 glibc=2 floor=3 >"$out/samples.csv"
	echo trace,floor,1 >>"$out/memory.csv"
	is_beside work '1\.50' && is_beside trace '0\.25'
}
check a_ratio_has_that_of_a_bare_array_beside_it beside_floor

all=(glibc=4 jemalloc=4 mimalloc=4 tcmalloc=4)
with_all() {
	afresh
	goals 'time pool work 64 mallocs 0.5'
	samples pool=1 "${all[@]}" >"$out/samples.csv"
	is work met
}
check a_ratio_to_all_peers_is_judged with_all

without_one() {
	afresh
	goals 'time pool work 64 mallocs 0.5'
	samples pool=1 "${all[@]:0:3}" >"$out/samples.csv"
	is work 'missing: tcmalloc' || return 1
	samples pool=3 "${all[@]:0:3}" >"$out/samples.csv"
	is work missed
}
check without_one_of_the_peers_a_goal_is_not_met without_one

died() {
	afresh
	goals 'p99.9 pool pools32 64 glibc 2' 'memory pool trace 64 glibc 2'
	printf '%s\n' size,peer,half,p99,p99.9,p99.99 64,pool,1,2,3,4 \
		64,glibc,0,0,0,0 >"$out/tail.csv"
	printf '%s\n' workload,peer,kib trace,pool,5 trace,glibc,1 trace,empty,1 \
		>"$out/memory.csv"
	is pools32 missing && is trace missing
}
check a_ratio_to_nothing_is_missing died

counted() {
	afresh
	goals 'instructions pool work 64 - 25'
	echo workload,size,peer,instructions >"$out/instructions.csv"
	echo work,64,pool,27 >>"$out/instructions.csv"
	is work missing || return 1
	echo work,64,empty,3 >>"$out/instructions.csv"
	is work met
}
check instructions_without_those_of_the_loop_are_missing counted

visits() {
	afresh
	goals 'fillspill pool fill+spill-of-32 64 - 400'
	: >"$out/fillspill.txt"
	is fill missing || return 1
	printf '%s\n' 'fill 400.0' 'spill 400.2' 'fill+spill-of-32 400.1' \
		>"$out/fillspill.txt"
	is fill missed
}
check a_fill_and_a_spill_are_judged_together visits

boot='mitigations=off init_on_alloc=0'
kernel_goals() {
	goals 'kernel-6.1 pool hot 64 - 9' 'kernel-6.1 pool hot 64 kmem_cache 0.5' \
		'kernel-6.1 pool refused 64 - 300' \
		'kernel-6.1 pool refused-more 64 - 20' \
		'kernel-6.12 pool hot 64 - 100'
	echo kernel,boot,workload,size,peer,instructions >"$out/kernel-a-init0.csv"
	for cost in hot,64,kmem_cache,20 hot,64,pool,11 hot,64,empty,3 \
		refused,64,pool,300; do
		echo "6.1.2,$boot,$cost"
	done >>"$out/kernel-a-init0.csv"
	printf '%s\n' kernel,boot,cpus,size,peer,instructions \
		"6.1.2,$boot,4,64,pool,342" >"$out/kernel-a-refused.csv"
}
kernel() {
	afresh
	kernel_goals
	is 'Linux 6.1, hot, pool, 64 B: instructions  ' met &&
		is 'Linux 6.1, hot, pool, 64 B: instructions, to' missed &&
		is 'Linux 6.1, refused,' met &&
		is 'Linux 6.1, refused-more' missed &&
		is 'Linux 6.12' missing || return 1
	sed -i 's/^6\.1\.2/6.12/' "$out"/kernel-a-*
	is 'Linux 6.1, refused,' missing && is 'Linux 6.12' met
}
check kernels_are_told_apart kernel

# goals.py reads back what bench-page.sh writes.  If a kernel has new figures, those of the
# page are not mixed with them.
paged() {
	afresh
	kernel_goals
	for csv in "$out"/kernel-a-{init0,refused}.csv; do
		tests/vm/bench-page.sh "$(sed 's/.*-init0/costs/; s/.*-refused/refused/
			s/\.csv//' <<<"$csv")" "$csv"
	done >"$page"
	rm "$out"/kernel-a-init0.csv
	is 'Linux 6.1, refused,' missing && is 'Linux 6.1, refused-more' missing || return 1
	rm "$out"/kernel-a-refused.csv
	is 'Linux 6.1, hot, pool, 64 B: instructions  ' met &&
		is 'Linux 6.1, refused,' met &&
		is 'Linux 6.1, refused-more' missed && is 'Linux 6.12' missing
}
check kernels_that_were_not_measured_are_those_of_the_page paged

refuses() {
	afresh
	goals "$@"
	! tests/bench/goals.py show "$out" "$tmp/table" "$page"
}
check a_line_that_lacks_a_word_is_refused refuses 'time pool work 64 1'
check a_figure_that_nobody_makes_is_refused refuses 'tme pool work 64 glibc 1'
check a_table_without_goals_is_refused refuses '# none'

# All figures must have a place on the page, and each workload a chart.
placed() {
	python3 -B Documentation/man/functions.py "$tmp/site" &&
		grep -q '^Of [0-9]* goals ' "$tmp/site/pages/performance-figures.rst" &&
		grep -q '^\.\. image:: bench-hot\.svg' "$tmp/site/pages/performance-figures.rst" &&
		grep -q 'hot: ns per operation' "$tmp/site/pages/bench-hot.svg"
}
check figures_have_their_places_on_the_page placed

# A table that a failed check has changed is restored.
kept() {
	local figures=tests/bench/figures/goals.txt

	afresh
	cp "$figures" "$tmp/before"
	! tests/bench/goals.py write "$out" && cmp "$figures" "$tmp/before" && return
	cp "$tmp/before" "$figures"
	return 1
}
check without_figures_the_table_stays kept
finish
