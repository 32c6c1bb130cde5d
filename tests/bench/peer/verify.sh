#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs every workload on every peer of a build that looks at each object when it
# is freed: has it one owner, and did nobody else write to it?
#
#	verify.sh PEERS			called by "make bench-verify"

set -euo pipefail

[ $# -eq 1 ] || {
	echo "usage: ${0##*/} PEERS" >&2
	exit 2
}
failed=0
for program in "$1"/*; do
	peer=${program##*/}
	# One address for all objects; they cannot have one owner each.
	[ "$peer" != empty ] || continue
	for size in 64 1024 16384; do
		if "$program" --size $size --grow 5000 --once 50000 hot-opaque lifo64 fifo64 \
			lifo1000 fifo1000 bulk64 random refill64 shuffled pools32 \
			ring alternate hot2 churn >/dev/null; then
			echo "ok bench_work_of_${peer}_$size"
		else
			echo "not ok bench_work_of_${peer}_$size"
			failed=1
		fi
	done
done
exit $failed
