#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that the hit path has not become longer: instructions per operation, by
# callgrind, less those of the empty loop, against the limits of gate.table.
#
#	gate.sh PEERS [TABLE]		PEERS: folder of the programs
#
# Prints a result for each limit of this machine and compiler, and what was measured.
# Without limits or without valgrind it fails.  Counts do not depend on what else the
# machine does.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/results.sh
. "$here/../../lib/results.sh"
# shellcheck source=tests/bench/gate/limits.sh
. "$here/limits.sh"
[ $# -eq 1 ] || [ $# -eq 2 ] || {
	echo "usage: ${0##*/} PEERS [TABLE]" >&2
	exit 2
}
peers=$1
table=${2:-$here/gate.table}

# count PEER WORKLOAD... - prints a line "PEER WORKLOAD INSTRUCTIONS" for each workload
count() {
	local peer=$1

	valgrind --tool=callgrind --combine-dumps=yes \
		--callgrind-out-file="$tmp/$peer.callgrind" \
		"$peers/$peer" --count 20000 "${@:2}" >"$tmp/$peer.log" 2>&1 || {
		cat "$tmp/$peer.log" >&2
		return 1
	}
	awk -v peer="$peer" '
		/^desc: Trigger: Client Request: / {
			name = $(NF - 1)
			ops = $NF
		}
		/^totals: / && name {
			printf "%s %s %.2f\n", peer, name, $2 / ops
			name = ""
		}' "$tmp/$peer.callgrind"
}

# measured - the results
measured() {
	local peer works

	limits "$table" "$(compiler "$peers/pool")" >"$tmp/limits" || return
	read -ra works <<<"$(awk '{ print $5 }' "$tmp/limits" | sort -u | tr '\n' ' ')"
	for peer in empty $(awk '{ print $4 }' "$tmp/limits" | sort -u); do
		count "$peer" "${works[@]}" || echo "# $peer could not be counted" >&2
	done >"$tmp/counts"
	judge_all "$tmp/counts" "$tmp/limits" empty
}
results measured
finish
