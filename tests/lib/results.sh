# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# results.sh - for scripts that leave a line per case in build/results
#
# Sourced in the top folder.  $kind is what names of worlds begin with: user, cross.

results=build/results
mkdir -p "$results"

# cases NAME COMMAND... - runs the cases in one build of them, by a program of
# runner_check.c.  Every listed case must have run, and the whole must end well.
cases() {
	local world=$kind-$1 tap status=0 start=$SECONDS

	shift
	tap=$(mktemp)
	TEST_TAP=$tap "$@" >"$results/$world.log" 2>&1 || status=1
	sed -nE 's/^(not )?ok [0-9]+ - [^:]*:[a-z]+:([a-z0-9_]+): .*/\1ok \2/p' \
		"$tap" >"$results/$world"
	rm -f "$tap"
	sed -nE 's/^CASE\((.*)\)/\1/p' tests/unit/cases.list tests/user/cases.list |
	while read -r name; do
		grep -qE "ok $name$" "$results/$world" || echo "not ok $name"
	done >"$results/missing-$world.log"
	cat "$results/missing-$world.log" >>"$results/$world"
	rm -f "$results/missing-$world.log"
	[ $status = 0 ] || echo "not ok program_ends_well" >>"$results/$world"
	echo $((SECONDS - start)) >"$results/$world.seconds"
}

# job NAME COMMAND... - a check that says "ok NAME" itself, or is one as a whole
job() {
	local world=$kind-$1 status=ok start=$SECONDS

	shift
	"$@" >"$results/$world.log" 2>&1 || status="not ok"
	sed -nE 's/^(not ok|ok) ([a-zA-Z0-9_+-]+)$/\1 \2/p' \
		"$results/$world.log" >"$results/$world"
	echo "$status ${world#*-}_as_a_whole" >>"$results/$world"
	echo $((SECONDS - start)) >"$results/$world.seconds"
}
