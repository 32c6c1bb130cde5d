# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# worlds.sh - for scripts that run others and leave a file per world in build/results
#
# Sourced in the top folder.  RESULTS may name another one than build/results.  A file has
# the results of results.sh, and for what cannot run in its world "n/a - NAME # reason".
# Names of worlds begin with user or cross; all others are kernels.  WORLD.log has all output,
# WORLD.seconds the time.  A world whose script was killed has failed: it "ran" not.

# shellcheck source=tests/lib/why.sh
. "${BASH_SOURCE[0]%/*}/why.sh"

results=${RESULTS:-build/results}
mkdir -p "$results"

# ran TAP - prints the results of a program of runner_check.c; a name of the standard input that
# is missing has failed
ran() {
	local name

	sed -nE 's/^(not )?ok [0-9]+ - [^:]*:[a-z0-9_]+:([a-z0-9_]+): .*/\1ok - \2/p' "$1"
	while read -r name; do
		grep -q ":$name: " "$1" || echo "not ok - $name"
	done
}

# without SKIPPED - the results at the standard input; those of cases that said in this file
# why they cannot run, as "NAME # reason", are such results; a POOL_CASE() runs as NAME_of
without() {
	awk -v file="$1" '
	BEGIN { while ((getline line <file) > 0) {
		name = line
		sub(/(_of)? .*/, "", name)
		sub(/^[^ ]*/, name, line)
		why["ok - " name] = line
	} }
	{ print $0 in why ? "n/a - " why[$0] : $0 }'
}

# cases WORLD COMMAND... - runs the cases in one build of them, by a program of
# runner_check.c.  Every case of LISTS, folders, must have run, and the program must end well.
cases() {
	local world=$1 tap skipped folder status=0 start=$SECONDS

	shift
	echo "not ok - ran" >"$results/$world"
	tap=$(mktemp)
	skipped=$(mktemp)
	TEST_TAP=$tap TEST_SKIPPED=$skipped "$@" >"$results/$world.log" 2>&1 || status=1
	for folder in ${LISTS:-promise inside worlds/user}; do
		sed -nE 's/^CASE\((.*)\)/\1/p' "tests/$folder/cases.list"
	done | ran "$tap" | without "$skipped" >"$results/$world"
	rm -f "$tap" "$skipped"
	[ $status = 0 ] || echo "not ok - program_ends_well" >>"$results/$world"
	echo $((SECONDS - start)) >"$results/$world.seconds"
}

# world NAME COMMAND... - a command that leaves results; none at all are one failure
world() {
	local name=$1 start=$SECONDS

	shift
	echo "== $name"
	"$@" || true
	echo $((SECONDS - start)) >"$results/$name.seconds"
	[ -s "$results/$name" ] || echo "not ok - ${name}_ran" >"$results/$name"
}

# job WORLD COMMAND... - a script that prints results, which is one as a whole.  A script
# that cannot run here prints "n/a - NAME # reason", and ends with 77.
job() {
	local world=$1 status=0 start=$SECONDS

	shift
	echo "not ok - ran" >"$results/$world"
	"$@" >"$results/$world.log" 2>&1 || status=$?
	grep -E '^(not ok|ok) - |^n/a - [^ ]+ # .' "$results/$world.log" >"$results/$world" || true
	case $status in
	0) echo "ok - as_a_whole" ;;
	77) grep -q '^n/a' "$results/$world" || echo "not ok - ran" ;;
	*) echo "not ok - as_a_whole" ;;
	esac >>"$results/$world"
	echo $((SECONDS - start)) >"$results/$world.seconds"
}
