#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# pool_torture.ko says FAILURE where the pools are wrong: each of a few mutants of
# tests/schedule/mutants is applied to a copy of the tree and tortured.
#
#	torture-mutants.sh [MUTANT...]
#
# Without arguments these are three: a call that interrupted another one goes on as if it had not
# (nested), slow paths do not hold the array (held), and a number is wrong (counted).  Mutants
# that need a race of a few instructions are for tests/schedule.  KERNEL is the kernel
# (stock-6.12), SECONDS_EACH the time (180); the first error ends a run.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=tests/lib/results.sh
. "$here/../lib/results.sh"

need rsync

kernel=${KERNEL:-stock-6.12}
copy=$top/build/torture/mutant
export GIT_CEILING_DIRECTORIES=$top/build

# mutate MUTANT - the copy is at one place, so that only what differs is compiled
mutate() {
	mkdir -p "$copy"
	rsync -a --delete --exclude=/build "$top/Kbuild" "$top/common" "$top/kernel" \
		"$top/tests" "$copy/"
	git -C "$copy" apply "$top/tests/schedule/mutants/$1.patch"
}

# says_failure MUTANT - the module came to its last line, and that is FAILURE
says_failure() {
	local log=$copy/build/torture/$kernel.log

	rm -f "$log"
	mutate "$1" || return
	"$copy/tests/vm/torture.sh" "$kernel" "${SECONDS_EACH:-180}" >"$tmp/said" 2>&1 || true
	sed -nE 's/\r$//; s/^\[[^]]*\] (pool_torture: .*: 0x.*)/# \1/p' "$log"
	grep -q -- '--- End of test: FAILURE:' "$log"
}

[ $# -gt 0 ] || set -- nested held counted
for mutant; do
	check "torture_finds_mutant_${mutant//-/_}" says_failure "$mutant"
	cat "$tmp/printed"
done
finish
