#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Each mutant, a change that makes common/ wrong, is found by each scenario that names it.
#
#	mutants.sh [MUTANT...]
#
# A mutant that does not fit common/ any more is a failure, and has to be written anew.

set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh
schedule=build/tests/schedule
make -s $schedule
$schedule -l >"$tmp/list"

# build MUTANT - reuses the objects that were compiled already, unless a header differs
build() {
	local dir=$tmp/$1

	mkdir "$dir"
	cp -rp common "$dir"
	tests/lib/mutate.py apply tests/proof/schedule "$1" "$dir" || return
	diff -qr common "$dir/common" >"$tmp/differ" || true
	grep -q '\.h differ$' "$tmp/differ" || cp -rp build/tests/schedule.o "$dir"
	make -s T="$dir" COMMON="$dir/common" "$dir/schedule"
}

# killed MUTANT SCENARIO - fails unless the scenario fails.  Mutants late-* drop an order, so
# their stores may be late.
killed() {
	local how=() name=$2

	if [[ $1 = late-* ]]; then
		how=(-w -p 3 -s 10000000)
		name+=_with_late_stores
	fi
	"$tmp/$1/schedule" "${how[@]}" "$2" >"$tmp/now" || true
	cat "$tmp/now" >>"$tmp/said"
	grep -qx "not ok $name" "$tmp/now"
}

# found MUTANT SCENARIO... - fails unless each scenario fails, and if there is none
found() {
	local mutant=$1 scenario

	rm -f "$tmp/said"
	shift
	[ $# != 0 ] && build "$mutant" || return
	for scenario; do
		killed "$mutant" "$scenario" || return
	done
}

for mutant in $(tests/lib/mutate.py list tests/proof/schedule); do
	[ $# = 0 ] || [[ " $* " = *" $mutant "* ]] || continue
	mapfile -t scenarios < <(awk -v m="$mutant" '$1 == m { print $2 }' "$tmp/list")
	check "mutant_${mutant//-/_}_is_found" found "$mutant" "${scenarios[@]}"
	[ ! -f "$tmp/said" ] || sed -n '/^# schedule -r/s/^# schedule/#/p' "$tmp/said"
	rm -rf "${tmp:?}/$mutant"
done
finish
