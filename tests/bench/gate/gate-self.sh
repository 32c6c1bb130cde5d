#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks what limits.sh makes of compilers and machines.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh
# shellcheck source=tests/bench/gate/limits.sh
. "$here/limits.sh"
machine=x86_64
uname() {
	echo "$machine"
}

cat >"$tmp/test.table" <<'END'
# name	machine	compiler	program	workload	limit
a	x86_64	gcc-10		prog	work		100
a	x86_64	gcc-12		prog	work		40
a	x86_64	clang-14	prog	work		60
a	s390x	gcc-20		prog	work		10
END

# limit COMPILER LIMIT [NEAREST] - the table must give this limit, and a line that names the nearest
# compiler
limit() {
	local is

	is=$(limits "$tmp/test.table" "$1" 2>"$tmp/words" | awk '{ print $6 }')
	cat "$tmp/words"
	echo "$is"
	[ "$is" = "$2" ] || return 1
	if [ -n "${3:-}" ]; then
		grep -q "those of $3" "$tmp/words"
	else
		[ ! -s "$tmp/words" ]
	fi
}
check a_compiler_with_limits_has_its_own limit gcc-12 40
check a_newer_compiler_is_compared_to_the_nearest limit gcc-14 50 gcc-12
check an_older_compiler_is_compared_to_the_nearest limit gcc-9 125 gcc-10
check of_two_as_near_the_older_is_taken limit gcc-11 125 gcc-10
check a_compiler_is_compared_to_its_own_make limit clang-19 75 clang-14
check another_make_is_compared_to_the_nearest limit icc-12 50 gcc-12

refused() {
	machine=$1
	! limits "$tmp/test.table" "$2" >"$tmp/none" 2>"$tmp/words" &&
		[ ! -s "$tmp/none" ] &&
		grep -q '^not ok - test_table_has_limits$' "$tmp/words"
}
check a_machine_without_limits_fails refused riscv64 gcc-12
machine=x86_64
check a_compiler_without_a_name_fails refused x86_64 ''

judged() {
	limits "$tmp/test.table" gcc-14 >"$tmp/limits" &&
		echo 'prog work 50' >"$tmp/counts" &&
		judge_all "$tmp/counts" "$tmp/limits" &&
		echo 'prog work 51' >"$tmp/counts" &&
		! judge_all "$tmp/counts" "$tmp/limits"
}
check more_than_the_margin_fails judged
finish
