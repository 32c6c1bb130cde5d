#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What is worth running at each save, in a minute and without a virtual machine: a build
# without a warning, the cases but for two slow suites, the pages, and the instructions of
# the hit path in object code.
#
#	check-quick.sh			"make check-quick" calls it
#
# Prints its seconds, then a line per job.  Results, a line per case, go to build/quick, so
# that those of other runs stay.

set -euo pipefail

cd "$(dirname "$0")/.."
export RESULTS=build/quick
rm -rf $RESULTS
# shellcheck source=tests/lib/worlds.sh
. tests/lib/worlds.sh

# These suites take more time than all others together.
SLOW='fork user'

# suites - the other ones, each in a process of its own
suites() {
	local suite tap status=0

	tap=$(mktemp)
	while read -r suite; do
		[[ " $SLOW " != *" $suite "* ]] || continue
		: >"$tap"
		TEST_TAP=$tap CK_RUN_CASE=$suite timeout 300 build/tests/quick || status=1
		sed -nE "/^SUITE\($suite\)/,/^END/s/^CASE\((.*)\)/\1/p" \
			tests/{promise,inside,worlds/user}/cases.list | ran "$tap"
	done < <(sed -nE 's/^SUITE\((.*)\)/\1/p' tests/{promise,inside,worlds/user}/cases.list)
	rm -f "$tap"
	return $status
}

job user-build make -s -j2 WERROR=-Werror all build/tests/quick
if grep -q '^not ok' "$results/user-build"; then
	cat "$results/user-build.log"
else
	job user-cases suites &
	job user-gate-object tests/bench/gate/gate-object.sh
	job user-options-doc tests/install/options-doc.sh build/user
	job user-pages tests/pages.sh
	wait
fi
echo "$SECONDS seconds"
tests/lib/summary.sh user || exit
