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
# shellcheck disable=SC2034	# for results.sh
kind=user
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh

# flavour NAME - the sanitizers see more where cases do not fork
flavour() {
	case $1 in
	*asan | tsan) export CK_FORK=no ;;
	esac
	cases "$1" "build/tests/$1"
}

for flavour; do
	flavour "$flavour" &
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
		wait -n
	done
done
job header tests/install/header.sh build/user &
job options-doc tests/install/options-doc.sh build/user &
job pages tests/pages.sh &
job summary tests/lib/summary-check.sh &
job tools tests/install/tools.sh build/user &
job life tests/install/life.sh build/user &
job declare tests/install/declare.sh build/user &
job document tests/install/document.sh build/user &
job memstats tests/install/memstats.sh build/user &
job bugs tests/bugs/check.sh build/tests/bugs &
job gate tests/bench/gate/gate.sh build/user/peers &
job gate-self tests/bench/gate/gate-self.sh &
job goals-self tests/bench/goals-self.sh &
job gate-object tests/bench/gate/gate-object.sh &
job gate-visits tests/bench/gate/gate-visits.sh build/user/visits &
[ ! -x build/user/longest ] ||
	job gate-longest tests/bench/longest/longest.sh gate build/user/longest &
[ ! -x build/tests/schedule ] ||
	job schedule tests/schedule/check.sh build/tests/schedule &
job traces tests/replay/bad-traces.sh build/user/poolreplay-asan &
wait
tests/lib/summary.sh user
