#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What check-user wants of the schedule enumerator, in less than a minute: so many states
# of each scenario; so many preemptions and late stores; and that the search skips nothing
# that makes a difference.  Prints "ok NAME" or "not ok NAME".
#
#	check.sh PROGRAM [STATES LATE]

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
status=0
# Mutants are built by mutants.sh, seldom; that they apply is seen each time.
for patch in "$here"/mutants/*.patch; do
	(cd "$here/../.." && git apply --check "$patch") || status=1
done
if [ $status = 0 ]; then
	echo "ok each_mutant_applies"
else
	echo "not ok each_mutant_applies"
fi
"$1" -s "${2:-100000}" || status=1
"$1" -w -p "${3:-2}" -s 10000000 || status=1
"$1" -t -p 1 || status=1
exit $status
