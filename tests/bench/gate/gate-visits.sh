#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that fixed sequences do not take slow paths more often than they did: fills,
# spills, evictions and calls of the shared pool and the backend, per 1000 operations,
# against gate-visits.table.
#
#	gate-visits.sh VISITS [TABLE]		VISITS: the program
#
# Prints a result for each line of the table, and what was counted.  The number of
# buckets is fixed, since by default it follows the number of CPUs.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/results.sh
. "$here/../../lib/results.sh"
# shellcheck source=tests/bench/gate/limits.sh
. "$here/limits.sh"
[ $# -eq 1 ] || [ $# -eq 2 ] || {
	echo "usage: ${0##*/} VISITS [TABLE]" >&2
	exit 2
}
table=${2:-$here/gate-visits.table}

awk '$1 == "user" { print $2, $3 }' "$table" | while read -r size sequence; do
	LIBPOOL_OPTIONS=buckets=4 "$1" "$size" 100000 "$sequence" |
		sed "s/^/$size /"
done >"$tmp/counts"
results judge_visits user "$tmp/counts" "$table"
finish
