#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs all tests that need no virtual machine, some at once.  "make check-user" builds
# them and calls this script.  Results, a line per case, go to build/results.
#
#	check-user.sh FLAVOUR...

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
# shellcheck source=tests/lib/worlds.sh
. tests/lib/worlds.sh

# What is killed on its way leaves this.
echo "not ok - all_have_begun_and_ended" >"$results/user-all"

# flavour NAME - cases do not fork under a sanitizer, which sees more then
flavour() {
	case $1 in
	*asan | tsan) export CK_FORK=no ;;
	esac
	cases "user-$1" "build/tests/$1"
}

# begin N COMMAND... - runs beside others, once there are fewer than N
begin() {
	local most=$1

	shift
	while [ "$(jobs -rp | wc -l)" -ge "$most" ]; do
		wait -n || true
	done
	"$@" &
}

for flavour; do
	begin 2 flavour "$flavour"
done

# The longest first.  Many of them wait for programs now and then, so more than two.
script() {
	begin 4 job "$@"
}

script user-tools tests/install/tools.sh build/user
script user-header tests/install/header.sh build/user
[ ! -x build/tests/schedule ] ||
	script user-schedule tests/schedule/check.sh build/tests/schedule
script user-cxx tests/install/cxx.sh build/user
script user-traces tests/replay/bad-traces.sh build/user/poolreplay-asan
script user-programs tests/replay/programs.sh build/user
script user-replay-advise tests/replay/advise.sh build/user
script user-pooltrace tests/install/pooltrace.sh build/user
script user-poolctl tests/install/poolctl.sh build/user
script user-poolctl-picture tests/install/poolctl-picture.sh build/user
script user-tutorial tests/install/tutorial.sh build/user
[ ! -x build/user/longest ] ||
	script user-gate-longest tests/bench/longest/longest.sh gate build/user/longest
script user-version tests/package/version.sh build/user
script user-pages tests/pages.sh
script user-gdb tests/install/gdb.sh build/user
script user-probes tests/install/probes.sh build/user
script user-life tests/install/life.sh build/user
script user-memstats tests/install/memstats.sh build/user
script user-goals-self tests/bench/goals-self.sh
script user-declare tests/install/declare.sh build/user
script user-bugs tests/bugs/check.sh build/tests/bugs
script user-attacks tests/install/attacks.sh build/user
script user-document tests/install/document.sh build/user
script user-man tests/install/man.sh
script user-consumers tests/package/consumers.sh build/user
script user-gate tests/bench/gate/gate.sh build/user/peers
script user-gate-visits tests/bench/gate/gate-visits.sh build/user/visits
script user-gate-object tests/bench/gate/gate-object.sh
script user-gate-probes tests/bench/gate/gate-probes.sh build/user
script user-gate-self tests/bench/gate/gate-self.sh
script user-which tests/install/which.sh build/user
script user-analyzer tests/install/analyzer.sh
script user-reports tests/install/reports.sh build/user
script user-python tests/install/python.sh build/user
script user-grafana tests/install/grafana.sh build/user
script user-uninstall tests/install/uninstall.sh build/user
script user-abi tests/package/abi.sh build/user
script user-options-doc tests/install/options-doc.sh build/user
script user-summary tests/lib/summary-check.sh
wait
echo "ok - all_have_begun_and_ended" >"$results/user-all"
tests/lib/summary.sh user
