#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that a program on a machine of two nodes gets objects of its thread's node, while
# another node frees them: at most one in a hundred is remote.  With one bucket, which all
# nodes share, many are.
#
#	nodes.sh [KERNEL]		a kernel of kernel.sh (stock-6.12)
#
# Prints results as those of all scripts, and what was counted.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

# runs - the program must succeed in the machine, which has no libraries
runs() {
	make -s -C "$top" all || return 1
	"${CC:-cc}" -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -static -I"$top/common" \
		-o "$tmp/nodes" "$here/guest/nodes.c" "$top/build/user/libpool.a" \
		-pthread || return 1
	"$here/boot.sh" --show --nodes --mem 1024 --cpus 2 "${1:-stock-6.12}" \
		"$here/guest/nodes.sh" "$tmp/nodes" >"$tmp/out" 2>"$tmp/err" ||
		{ cat "$tmp/out" "$tmp/err"; return 1; }
	tr -d '\r' <"$tmp/out" | grep -o 'NODES .*' >"$tmp/counts"
	sed 's/^/# /' "$tmp/counts" >&3
}

# remote OPTIONS WHO LEAST MOST - checks how many in a hundred objects are remote
remote() {
	awk -v options="$1" -v who="$2" -v least="$3" -v most="$4" '
		$2 == options && $3 == who {
			part = 100 * $7 / $5
			seen = part >= least && part <= most
		}
		END { exit !seen }' "$tmp/counts"
}

exec 3>&1
check a_program_runs_on_two_nodes runs "$@"
check a_producer_gets_what_another_node_frees remote buckets=4 producer 0 1
check a_user_near_the_consumer_gets_objects_of_its_node remote buckets=4 user 0 1
check with_one_bucket_objects_are_remote remote buckets=1 user 10 100
finish
