#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# pool_torture.ko says FAILURE where the pools are wrong: each of a few mutants of
# tests/proof/schedule/*.mutants is applied to a copy of the tree and tortured.  First the copy is
# tortured as it is, which must end with SUCCESS.
#
#	torture-mutants.sh [MUTANT...]
#
# Without arguments these are three: a call that interrupted another one goes on as if it had not
# (nested), slow paths do not hold the array (held), and a number is wrong (counted).  Mutants
# that need a race of a few instructions are for tests/proof/schedule.  KERNEL is the kernel
# (stock-6.12), SECONDS_EACH the time (180); the first error ends a run.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

need rsync

kernel=${KERNEL:-stock-6.12}
copy=$top/build/torture/mutant
log=$copy/build/torture/$kernel.log

# Errors that pools can cause. "make" and "idle" also come from a slow host or from lack of memory.
FOUND='twice|contents|reader|zero|built|limit|count|fault'

# tortured [MUTANT] - tortures a copy, which has one place, so that only what differs is compiled
tortured() {
	rm -f "$log"
	mkdir -p "$copy"
	rsync -a --delete --exclude=/build "$top/Kbuild" "$top/common" "$top/kernel" \
		"$top/tests" "$copy/" || return
	[ $# -eq 0 ] || "$top/tests/lib/mutate.py" apply "$top/tests/proof/schedule" "$1" "$copy" || return
	"$copy/tests/vm/torture.sh" "$kernel" "${SECONDS_EACH:-180}" >"$tmp/said" 2>&1 || true
	sed -nE 's/\r$//; s/^\[[^]]*\] (pool_torture: .*: 0x.*)/# \1/p' "$log"
}

# ended SUCCESS|FAILURE - the module must have printed this as its last line
ended() {
	grep -q -- "--- End of test: $1:" "$log"
}

# finds MUTANT - the module must report a wrong object or number, and FAILURE at the end
finds() {
	tortured "$1" && grep -qE "\] pool_torture: ($FOUND): .*: 0x" "$log" && ended FAILURE
}

finds_nothing() {
	tortured && ended SUCCESS && return
	tail -n 30 "$tmp/said"
	return 1
}

[ $# -gt 0 ] || set -- nested held counted
check "torture_finds_nothing_without_a_mutant" finds_nothing
for mutant; do
	check "torture_finds_mutant_${mutant//-/_}" finds "$mutant"
	cat "$tmp/printed"
done
finish
