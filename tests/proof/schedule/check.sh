#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs the schedule enumerator as check-user does, in less than a minute: so many states
# of each scenario; so many preemptions and late stores; and a comparison which shows that
# the search skips nothing that makes a difference.
#
#	check.sh PROGRAM [STATES LATE]

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/results.sh
. "$here/../../lib/results.sh"

# mutants.sh builds mutants, but seldom, so this only checks that each fits the sources.
mutate=$here/../../lib/mutate.py
check each_mutant_applies "$mutate" check "$here"

# names_agree PROGRAM - each scenario names a mutant, and each mutant is named
names_agree() {
	diff <("$1" -l | cut -d' ' -f1 | LC_ALL=C sort -u) \
		<("$mutate" list "$here")
}
check each_scenario_names_a_mutant names_agree "$1"
results "$1" -s "${2:-100000}"
results "$1" -w -p "${3:-2}" -s 10000000
results "$1" -t -p 1
finish
