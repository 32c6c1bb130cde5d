# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# rows.sh - judge a row of scale.table or kernel.table
#
# Sourced together with tests/lib/results.sh.

# judge_row NAME IS UNIT BESIDE MOST GOAL [missed] - prints the figure, and whether it meets its
# goal; fails if the figure is above MOST, or misses the goal although the table does not say
# "missed"
judge_row() {
	local name=$1 is=$2 unit=$3 beside=$4 most=$5 goal=$6 said=${7:-} met=met

	[ "$is" -le "$goal" ] || met=missed
	echo "# $name: $is $unit, $beside, goal $goal: $met"
	if [ "$is" -gt "$most" ]; then
		result "not ok" "many_pools_$name # $is, at most $most"
	elif [ $met = missed ] && [ -z "$said" ]; then
		result "not ok" "many_pools_$name # $is misses $goal and the table does not say so"
	else
		result ok "many_pools_$name"
	fi
}
