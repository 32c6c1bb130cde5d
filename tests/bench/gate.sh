#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Sees that the hit path has not become longer: instructions per operation, by
# callgrind, less those of the empty loop, against the limits of gate.table.
#
#	gate.sh PEERS [TABLE]		PEERS: folder of the programs
#
# Prints "ok NAME" or "not ok NAME" for each limit of this machine and compiler, and
# what was measured.  No limits for them, or no valgrind: that fails, too.  Counts
# do not depend on what else the machine does.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || [ $# -eq 2 ] || {
	echo "usage: ${0##*/} PEERS [TABLE]" >&2
	exit 2
}
peers=$1
table=${2:-$here/gate.table}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# compiler - gcc-12 and the like: what the programs say that they were built by.
compiler() {
	readelf -p .comment "$peers/pool" |
		sed -nE 's/.*\b(GCC|clang)[^0-9]*.* ([0-9]+)\.[0-9]+\.[0-9]+.*/\1-\2/p' |
		head -n 1 | tr '[:upper:]' '[:lower:]'
}

# count PEER WORKLOAD... - "PEER WORKLOAD INSTRUCTIONS", a line for each.
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

# judge NAME PEER WORKLOAD LIMIT
judge() {
	awk -v name="$1" -v peer="$2" -v work="$3" -v limit="$4" '
		$2 == work { cost[$1] = $3 }
		END {
			if (!(peer in cost) || !("empty" in cost)) {
				print "# " name ": not measured"
				print "not ok " name
				exit 1
			}
			net = cost[peer] - cost["empty"]
			bad = net > limit
			printf "# %s: %.2f of %s\n", name, net, limit
			print (bad ? "not ok " : "ok ") name
			exit bad
		}' "$tmp/counts"
}

arch=$(uname -m)
cc=$(compiler)
grep -E "^[a-z0-9_]+[[:space:]]+${arch}[[:space:]]+${cc}[[:space:]]" "$table" \
	>"$tmp/limits" || {
	echo "# no limits for $arch and ${cc:-an unknown compiler} in $table"
	echo "not ok instructions_have_limits"
	exit 1
}
read -ra works <<<"$(awk '{ print $5 }' "$tmp/limits" | sort -u | tr '\n' ' ')"
for peer in empty $(awk '{ print $4 }' "$tmp/limits" | sort -u); do
	count "$peer" "${works[@]}" || echo "# $peer could not be counted" >&2
done >"$tmp/counts"
status=0
while read -r name _ _ peer work limit; do
	judge "$name" "$peer" "$work" "$limit" || status=1
done <"$tmp/limits"
exit $status
