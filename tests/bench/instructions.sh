#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Counts instructions per allocation and free, by valgrind, if there is one.
#
#	instructions.sh BENCH
#
# The difference of two runs of different length: what comes before and after
# cancels out.  One thread only.

set -euo pipefail

[ $# -eq 1 ] || {
	echo "usage: ${0##*/} BENCH" >&2
	exit 2
}
if ! command -v valgrind >/dev/null; then
	echo "# no valgrind: instructions were not counted"
	exit 0
fi

# run CANDIDATE WORKLOAD N - instructions of a run.
run() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" \
		--once "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'
}

bench=$1
few=64000
many=192000
echo "# instructions per allocation and free, 64 bytes"
for workload in hot batch64 batch1000; do
	for candidate in malloc pool pool-so empty; do
		a=$(run "$candidate" "$workload" "$few")
		b=$(run "$candidate" "$workload" "$many")
		awk -v a="$a" -v b="$b" -v n=$((many - few)) \
			-v w="$workload" -v c="$candidate" \
			'BEGIN { printf "%-10s %-8s %8.1f\n", w, c, (b - a) / n }'
	done
done
