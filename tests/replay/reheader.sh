#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Changes header values of a trace, and its checksum accordingly.
#
#	reheader.sh KEY=VALUE... <trace >trace
#
# For example hot_size=65536 cluster=8, a bound that the work of the trace exceeds.

set -euo pipefail

[ $# -ge 1 ] || { echo "usage: ${0##*/} KEY=VALUE... <trace >trace" >&2; exit 2; }
body=$(mktemp)
trap 'rm -f "$body"' EXIT

awk -v changes="$*" '
BEGIN {
	n = split(changes, c, " ")
	for (i = 1; i <= n; i++) {
		split(c[i], kv, "=")
		value[kv[1]] = kv[2]
	}
}
/^end / { exit }
/^[af] / { print; next }
$1 in value { $2 = value[$1]; seen[$1] = 1 }
{ print }
END {
	for (k in value)
		if (!(k in seen)) {
			print "reheader: no " k " in the header" >"/dev/stderr"
			exit 1
		}
}' >"$body"
events=$(awk '$1 == "events" { print $2; exit }' "$body")
# gzip ends with the same CRC-32 that the trace has, least byte first.
crc=$(gzip -c "$body" | tail -c 8 | head -c 4 | od -An -tx1 |
	awk '{ print $4 $3 $2 $1 }')
cat "$body"
echo "end $events $crc"
