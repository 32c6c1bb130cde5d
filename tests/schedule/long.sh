#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What takes too long for check-user: schedules with three preemptions at least, and the
# mutants.  "make check-long" calls it.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
# shellcheck disable=SC2034,SC2154	# for results.sh, and its
kind=user
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh

# three PROGRAM - the log says how many there were
three() {
	local status=0

	tests/schedule/check.sh "$1" 4000000 3 || status=1
	grep -qE '^# . CPUs, [012] preemptions' "$results/user-schedule-long.log" &&
		return 1
	return $status
}

job schedule-long three build/tests/schedule
job schedule-mutants tests/schedule/mutants.sh
tests/lib/summary.sh user
