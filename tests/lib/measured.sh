#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Writes what the last run took into tests/jobs.measured, where the plan of check.sh and the
# order of its jobs come from.  Run it on an idle machine, after "make check-all".
#
#	measured.sh write
#
# Seconds are those of build/results; a job that was not run keeps its line, and one that is
# no job any more loses it.  A kernel's line has what its entry in the cache folder has kept:
# seconds and MB when it was made, and MB of disk.

set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/vm/lib.sh
. tests/vm/lib.sh
[ "${1:-}" = write ] || die "usage: ${0##*/} write"
file=tests/jobs.measured
results=${RESULTS:-build/results}
new=$(mktemp)
trap 'rm -f "$new"' EXIT

# old NAME - its line
old() {
	awk -v name="$1" '$1 == name' "$file"
}

# kernel_line NAME PATTERN - of the newest entry with that name
kernel_line() {
	local entry

	# shellcheck disable=SC2086	# a pattern
	entry=$(ls -d "$LIBPOOL_CACHE"/$2/ 2>/dev/null | sort -V | tail -n 1) || true
	if [ -z "$entry" ] || [ ! -f "$entry/.cost" ]; then
		old "kernel-$1"
		return
	fi
	awk -v name="kernel-$1" -v disk="$(du -sm "$entry" | cut -f1)" '
		BEGIN { unit["kB"] = 0.001; unit["MB"] = 1; unit["GB"] = 1000 }
		$1 == "seconds" { seconds = $2 }
		$1 == "fetched" { sub(/,/, "", $2); mb += $2 * unit[$3] }
		END { print name, seconds, int(mb + 0.5), disk }' "$entry/.cost"
}

ran=0
{
	sed '/^#/!d' "$file"
	for name in user-build $(tests/check.sh list); do
		if [ -s "$results/$name.seconds" ]; then
			echo "$name $(cat "$results/$name.seconds")"
		else
			old "$name"
		fi
	done
	kernel_line source 'source-*'
	for name in uml debug; do
		kernel_line $name "$name-[0-9a-f]*"
	done
	kernel_line newest 'stock-[7-9]*-amd64'
	for name in build-check build-all; do
		if [ $name = build-all ] && [ -s "$results/debug" ]; then
			echo "$name - - $(du -sm build | cut -f1)"
		elif [ $name = build-check ] && [ -s "$results/uml" ] && [ ! -e "$results/debug" ]; then
			echo "$name - - $(du -sm build | cut -f1)"
		else
			old $name
		fi
	done
} >"$new"
ran=$(find "$results" -name '*.seconds' 2>/dev/null | wc -l)
[ "$ran" -gt 0 ] || die "there is no run in $results; run: make check-all"
cp "$new" "$file"
echo "$ran jobs of $results are in $file"
