#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs all tests that need no virtual machine, two at once.  "make check-user" builds
# them and calls this script.  Results, a line per case, go to build/results.
#
#	check-user.sh FLAVOUR...

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
# shellcheck source=tests/lib/worlds.sh
. tests/lib/worlds.sh

# flavour NAME - cases do not fork under a sanitizer, which sees more then
flavour() {
	case $1 in
	*asan | tsan) export CK_FORK=no ;;
	esac
	cases "user-$1" "build/tests/$1"
}

for flavour; do
	flavour "$flavour" &
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
		wait -n
	done
done
job user-header tests/install/header.sh build/user &
job user-options-doc tests/install/options-doc.sh build/user &
job user-pages tests/pages.sh &
job user-summary tests/lib/summary-check.sh &
job user-tools tests/install/tools.sh build/user &
job user-gdb tests/install/gdb.sh build/user &
job user-man tests/install/man.sh &
job user-poolctl tests/install/poolctl.sh build/user &
job user-life tests/install/life.sh build/user &
job user-declare tests/install/declare.sh build/user &
job user-cxx tests/install/cxx.sh build/user &
job user-analyzer tests/install/analyzer.sh &
job user-document tests/install/document.sh build/user &
job user-version tests/package/version.sh build/user &
job user-abi tests/package/abi.sh build/user &
job user-consumers tests/package/consumers.sh build/user &
job user-memstats tests/install/memstats.sh build/user &
job user-bugs tests/bugs/check.sh build/tests/bugs &
job user-gate tests/bench/gate/gate.sh build/user/peers &
job user-gate-self tests/bench/gate/gate-self.sh &
job user-goals-self tests/bench/goals-self.sh &
job user-gate-object tests/bench/gate/gate-object.sh &
job user-gate-visits tests/bench/gate/gate-visits.sh build/user/visits &
[ ! -x build/user/longest ] ||
	job user-gate-longest tests/bench/longest/longest.sh gate build/user/longest &
[ ! -x build/tests/schedule ] ||
	job user-schedule tests/schedule/check.sh build/tests/schedule &
job user-traces tests/replay/bad-traces.sh build/user/poolreplay-asan &
wait
tests/lib/summary.sh user
