#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Real programs, as they are and moved to pools, beside each other.  The results are of what
# they answer and of counts, never of times.
#
#	check.sh BUILD-FOLDER [RELEASE-LINE-OF-HAPROXY...]

set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh
out=$(cd "$1" && pwd)
export LD_LIBRARY_PATH=$out PYTHONDONTWRITEBYTECODE=1
unset LIBPOOL_OPTIONS
shift
[ $# != 0 ] || set -- 2.6
tests/deps.sh real

tests/real/chat-twins.sh "$out" "$tmp/chat"
results tests/real/chat.py check "$tmp/chat"

for line; do
	echo "# HAProxy $line"
	tests/real/twins.sh "$out" "$line" >"$tmp/twins"
	# shellcheck source=/dev/null
	. "$tmp/twins"
	results tests/real/haproxy.py check "$ORIGINAL" "$POOLS"
done

# drawn NAME... - chart.py must make a chart and a table of such figures, also of a bar that is cut
# off
drawn() {
	local name

	for name; do
		printf '%s\n' 'server,unit,original,pools,least,ratio,most' \
			'memory,KiB,100,900,8.000,9.000,10.000' 'instructions,,9,8,0.9,0.9,0.9' \
			>"$tmp/real-$name.csv"
	done
	tests/real/chart.py "$tmp" | tee "$tmp/table"
	grep -q '^memory  *100 KiB  900 KiB  9.000  8.000-10.000$' "$tmp/table" || return 1
	for name; do
		python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' \
			"$tmp/real-$name.svg" || return 1
	done
}
check figures_become_a_table_and_a_chart drawn haproxy chat

# refused STATUS COMMAND... - the command must exit with STATUS and say why, without a traceback
refused() {
	local status=0

	"${@:2}" >"$tmp/said" 2>&1 || status=$?
	cat "$tmp/said"
	same "$status" "$1" && [ "$(wc -l <"$tmp/said")" = 1 ]
}
check figures_that_are_not_there_are_told_of refused 2 tests/real/chart.py "$tmp/nowhere"
check a_program_that_is_not_there_is_told_of refused 2 tests/real/chat.py check "$tmp/nowhere"

# A program compared with itself needs no fewer instructions, which the check must notice.
no_better() {
	local said

	said=$(tests/real/haproxy.py check "$ORIGINAL" "$ORIGINAL") || return 1
	echo "$said"
	same "$(grep -c '^not ok - .*_fewer_instructions' <<<"$said")" 2
}
check a_program_that_is_no_better_is_told_of no_better
finish
