#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What check-user wants of the schedule enumerator, in less than a minute: so many states
# of each scenario, and that the search skips nothing that makes a difference.  Prints
# "ok NAME" or "not ok NAME".
#
#	check.sh PROGRAM [STATES]

set -euo pipefail

status=0
"$1" -s "${2:-200000}" || status=1
"$1" -t -p 1 || status=1
exit $status
