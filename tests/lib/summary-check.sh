#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks what results.sh prints, what worlds.sh keeps of it, and what summary.sh says of
# that.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh

# Results of three worlds; one has a dot in its name and a failure.
results=$tmp/build/results
mkdir -p "$tmp/tests/lib" "$results"
cp tests/lib/summary.sh "$tmp/tests/lib"
for world in user-plain uml load-stock-6.1; do
	printf 'ok - a_case\nok - b_case\nn/a - c case # no such machine\n' \
		>"$results/$world"
	echo 7 >"$results/$world.seconds"
	echo 'not ok - this is a log' >"$results/$world.log"
done
printf 'not ok - d case\nnonsense\n' >>"$results/load-stock-6.1"
"$tmp/tests/lib/summary.sh" all >"$tmp/all" && echo "no failure" >>"$tmp/all"
"$tmp/tests/lib/summary.sh" user >"$tmp/user" || echo "a failure" >>"$tmp/user"

# has FILE LINE - the line is there once, however many spaces are in it
has() {
	[ "$(tr -s ' ' <"$1" | sed 's/^ //' | grep -cxF "$2")" = 1 ]
}

# Short, and the lines that CI and people look for.
short() {
	[ "$(wc -l <"$tmp/all")" = 8 ]
}

check a_world_has_a_line has "$tmp/all" "user-plain 2 0 1 7"
check a_world_with_a_dot_has_one has "$tmp/all" "load-stock-6.1 2 2 1 7"
check a_failure_is_named has "$tmp/all" "FAILED: load-stock-6.1: d case"
check a_line_that_is_no_result_is_a_failure \
	has "$tmp/all" "FAILED: load-stock-6.1: nonsense"
check the_table_is_short short
check the_last_line_counts [ "$(tail -n 1 "$tmp/all")" = "6 passed, 2 failed" ]
check one_kind_of_worlds_is_counted_alone \
	[ "$(tail -n 1 "$tmp/user")" = "2 passed, 0 failed" ]
# left_by_job SCRIPT RESULTS - a job that is this script leaves these results
left_by_job() {
	(
		cd "$tmp"
		# shellcheck source=tests/lib/worlds.sh
		. "$top/tests/lib/worlds.sh"
		job user-absent sh -c "$1"
		cat build/results/user-absent
		rm build/results/user-absent*
	) >"$tmp/left"
	same "$(cat "$tmp/left")" "$2"
}

# left_by_cases TAP SKIPPED RESULTS - a program that leaves these files leaves these results
left_by_cases() {
	printf '%s\n' "$1" >"$tmp/tap"
	printf '%s\n' "$2" >"$tmp/skipped"
	(
		# shellcheck source=tests/lib/worlds.sh
		. tests/lib/worlds.sh
		printf 'first\nsecond\n' | ran "$tmp/tap" | without "$tmp/skipped"
	) >"$tmp/left"
	same "$(cat "$tmp/left")" "$3"
}
check a_suite_may_have_an_underscore left_by_cases \
	$'not ok 1 - t.c:a_suite:first: why\nok 2 - t.c:a_suite:second: Passed' '' \
	$'not ok - first\nok - second'
check a_case_that_did_not_run_has_failed left_by_cases \
	'ok 1 - t.c:suite:first: Passed' '' $'ok - first\nnot ok - second'
check a_case_that_cannot_run_has_not_passed left_by_cases \
	$'ok 1 - t.c:suite:first: Passed\nok 2 - t.c:suite:second: Passed' \
	'second # why' $'ok - first\nn/a - second # why'

check a_job_that_cannot_run_is_absent \
	left_by_job 'echo "n/a - x # why"; exit 77' 'n/a - x # why'
check a_job_that_does_not_say_why_has_failed left_by_job 'exit 77' 'not ok - ran'
check a_job_that_ends_badly_has_failed \
	left_by_job 'echo "ok - x"; exit 1' $'ok - x\nnot ok - as_a_whole'
"$tmp/tests/lib/summary.sh" all >/dev/null || true
check the_long_table_has_a_row_per_case has "$results/table.txt" "F d case"
check the_long_table_has_reasons \
	has "$results/table.txt" "n/a: uml: c case: no such machine"
# A script with each kind of result, and one that fails without a word.
cat >"$tmp/script" <<'END'
set -eu
. tests/lib/results.sh
check "what succeeds" true
check "what fails" same 1 2
results printf 'ok of_a_program\n# more\nnot ok - another\n'
results sh -c 'echo ok before; exit 3'
results true
finish
END
cat >"$tmp/expected" <<'END'
ok - what succeeds
not ok - what fails
# '1' is not '2'
ok - of_a_program
# more
not ok - another
ok - before
not ok - sh ends with status 3
not ok - true prints results
3 passed, 4 failed
END
prints() {
	"$1" "$tmp/script" >"$tmp/out" 2>&1 && echo "no failure" >>"$tmp/out"
	diff "$tmp/expected" "$tmp/out"
}
check results_are_printed_and_counted prints bash
check results_are_the_same_in_another_shell prints sh

kept() {
	mkdir "$tmp/job"
	(
		cd "$tmp/job"
		# shellcheck source=tests/lib/worlds.sh
		. "$top/tests/lib/worlds.sh"
		cd "$top"
		results=$tmp/job/build/results
		job user-job bash "$tmp/script"
	)
	grep -E '^(not )?ok' "$tmp/expected" >"$tmp/results"
	echo 'not ok - as_a_whole' >>"$tmp/results"
	diff "$tmp/results" "$tmp/job/build/results/user-job"
}
check results_of_a_job_are_kept kept

# queued - jobs of each kind in a queue: one that hangs, one that dies, one that leaves nothing
queued() {
	mkdir -p "$tmp/queue/build/results"
	(
		cd "$tmp/queue"
		# shellcheck source=tests/lib/worlds.sh
		. "$top/tests/lib/worlds.sh"
		# shellcheck source=tests/lib/queue.sh
		. "$top/tests/lib/queue.sh"
		results=build/results QUEUE_SHARES=4 QUEUE_PULSE=1 QUEUE_LIMIT=6
		MEASURED=$tmp/measured
		printf 'user-short 1\nuser-long 9\n' >"$MEASURED"
		add 2 user-short job user-short echo "ok - x"
		add 2 user-long job user-long echo "ok - x"
		add 1 user-dies job user-dies bash -c 'echo "the reason"; exit 1'
		add 4 user-hangs job user-hangs bash -c 'echo $$ >hangs; exec sleep 1000'
		add 1 user-nothing true
		wanted=('user-s*')
		add 1 user-unwanted true
		queue_order
		echo "${queue[*]}"
		queue_run
	) >"$tmp/queued" 2>&1
	(
		cd "$tmp/queue"
		mkdir -p tests/lib
		cp "$top/tests/lib/summary.sh" tests/lib
		tests/lib/summary.sh all || true
	) >"$tmp/summed"
	cat "$tmp/queued" "$tmp/summed"
}
queued >"$tmp/both"

# says LINE - a line of the queue or of its summary, an extended regular expression
says() {
	grep -qxE "$1" "$tmp/both" || { cat "$tmp/both"; return 1; }
}
check the_longest_job_is_first_and_before_it_large_ones_that_were_not_measured \
	says 'user-hangs user-dies user-nothing user-long user-short'
check each_job_of_a_queue_is_told_of says '\[ 0:[0-9]+\] [1-5] of 5: user-long, [0-9]+ s, 2 passed, 0 failed'
check a_job_that_hangs_is_killed says 'FAILED: user-hangs: ended_within_6_seconds'
check nothing_of_it_is_left not kill -0 "$(cat "$tmp/queue/hangs")"
check a_job_that_leaves_nothing_has_failed says 'FAILED: user-nothing: ran'
check a_job_that_died_is_shown_with_its_reason says 'FAILED: user-dies: as_a_whole: the reason'
check a_queue_is_counted [ "$(tail -n 1 "$tmp/both")" = "4 passed, 3 failed" ]
finish
