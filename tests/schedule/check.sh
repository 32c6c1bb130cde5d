#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What check-user wants of the schedule enumerator, in less than a minute: so many states
# of each scenario; so many preemptions and late stores; and that the search skips nothing
# that makes a difference.  Prints "ok NAME" or "not ok NAME".
#
#	check.sh PROGRAM [STATES LATE]

set -euo pipefail

status=0
"$1" -s "${2:-100000}" || status=1
"$1" -w -p "${3:-2}" -s 10000000 || status=1
"$1" -t -p 1 || status=1
exit $status
