#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs all tests that need no virtual machine; called by "make check-user", which
# has built them.  Two run at once.  Results, a line per case, go to
# build/results.
#
#	check-user.sh FLAVOUR...

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
results=build/results
mkdir -p "$results"

# cases FLAVOUR - runs the cases in one build of them
cases() {
	local flavour=$1 tap status=0 start=$SECONDS

	tap=$(mktemp)
	rm -f "$results/user-$flavour"
	# The sanitizers see more where cases do not fork.
	case $flavour in
	*asan | tsan) export CK_FORK=no ;;
	esac
	TEST_TAP=$tap "build/tests/$flavour" >"$results/user-$flavour.log" 2>&1 ||
		status=1
	sed -nE 's/^(not )?ok [0-9]+ - [^:]*:[a-z]+:([a-z0-9_]+): .*/\1ok \2/p' \
		"$tap" >"$results/user-$flavour"
	rm -f "$tap"
	# Every listed case must have run, and the whole must have ended well.
	sed -nE 's/^CASE\((.*)\)/\1/p' tests/cases.list tests/cases_user.list |
	while read -r name; do
		grep -qE "ok $name$" "$results/user-$flavour" ||
			echo "not ok $name"
	done >"$results/missing-$flavour"
	cat "$results/missing-$flavour" >>"$results/user-$flavour"
	rm -f "$results/missing-$flavour"
	[ $status = 0 ] ||
		echo "not ok program_ends_well" >>"$results/user-$flavour"
	echo $((SECONDS - start)) >"$results/user-$flavour.seconds"
}

# job NAME COMMAND... - a check that says "ok NAME" itself, or is one as a whole
job() {
	local name=$1 status=ok start=$SECONDS

	shift
	"$@" >"$results/user-$name.log" 2>&1 || status="not ok"
	sed -nE 's/^(not ok|ok) ([a-zA-Z0-9_+-]+)$/\1 \2/p' \
		"$results/user-$name.log" >"$results/user-$name"
	echo "$status ${name}_as_a_whole" >>"$results/user-$name"
	echo $((SECONDS - start)) >"$results/user-$name.seconds"
}

for flavour; do
	cases "$flavour" &
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
		wait -n
	done
done
job header tests/header.sh build/user &
job options-doc tests/options-doc.sh build/user &
job pages tests/pages.sh &
job summary tests/summary-check.sh &
job tools tests/tools.sh build/user &
job life tests/life.sh build/user &
job declare tests/declare.sh build/user &
job document tests/document.sh build/user &
job memstats tests/memstats.sh build/user &
job bugs tests/bugs/check.sh build/tests/bugs &
job gate tests/bench/gate.sh build/user/peers &
job gate-object tests/bench/gate-object.sh &
job gate-visits tests/bench/gate-visits.sh build/user/visits &
[ ! -x build/user/longest ] ||
	job gate-longest tests/bench/longest.sh gate build/user/longest &
job traces tests/replay/bad-traces.sh build/user/poolreplay-asan &
wait
tests/summary.sh user
