#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs every workload on every peer of a build that looks at each object when it is
# freed: it must have one owner, and no other may have written to it.
#
#	verify.sh PEERS			called by "make bench-verify"

set -euo pipefail

[ $# -eq 1 ] || {
	echo "usage: ${0##*/} PEERS" >&2
	exit 2
}
# shellcheck source=tests/lib/results.sh
. "$(dirname "$0")/../../lib/results.sh"
for trace in cc1 sqlite3 lighttpd; do
	xz -dc "$(dirname "$0")/../../replay/data/$trace.trace.xz" >"$tmp/$trace"
done
for program in "$1"/*; do
	peer=${program##*/}
	# The peer "empty" has one address for all objects, so that they cannot have one owner
	# each.
	[ "$peer" != empty ] || continue
	for size in 64 1024 16384; do
		check "bench_work_of_${peer}_$size" \
			"$program" --size $size --grow 5000 --once 50000 hot-opaque lifo64 \
			fifo64 lifo1000 fifo1000 bulk64 random refill64 shuffled pools32 \
			ring alternate hot2 churn
	done
	for trace in cc1 sqlite3 lighttpd; do
		check "bench_work_of_${peer}_on_$trace" \
			"$program" --trace "$tmp/$trace" --once 1 trace
	done
done
finish
