#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Makes each attack of checks.rst on pools, as built, hardened and checked, and on this
# C library's malloc(), and compares what became of it with the table of the page.
#
#	attacks.sh BUILD-FOLDER [print]		print: the cells, for the page
#
# A cell: "found" the program was ended by a report, or by a fault, at that call or later;
# "no" the attack had no effect; "works" nothing stood in its way.

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

page=Documentation/checks.rst
checks=caller,tag,integrity,no-merge
attacks=(double-free double-free-few double-free-many interior foreign wrong-pool
	overflow link header read-free write-free place next-place)

build() {
	gcc -std=gnu11 -O2 -Wall -Wextra -Wno-use-after-free -Icommon \
		-o "$tmp/pools" tests/install/attacks/attack.c "$out/libpool.so.0" \
		"-Wl,-rpath,$out" &&
		gcc -std=gnu11 -O2 -Wall -Wextra -Wno-use-after-free -DATTACK_MALLOC \
			-o "$tmp/malloc" tests/install/attacks/attack.c
}

# places PROGRAM - prints how many different places objects had in 16 runs
places() {
	local _

	for _ in {1..16}; do "$@" place; done | sort -u | wc -l
}

# cell OPTIONS PROGRAM ATTACK
cell() {
	local status=0 said

	export LIBPOOL_OPTIONS=no-tools,$1
	if [ "$3" = place ]; then
		[ "$(places "$2")" = 1 ] && echo works || echo no
		return
	fi
	said=$(timeout 60 "$2" "$3" 2>"$tmp/said") || status=$?
	case $status in
	0) echo "$said" ;;
	134 | 139) echo found ;;
	*) echo "status $status" ;;
	esac
}

# row ATTACK - prints its outcome by default, hardened, checked, and by malloc()
row() {
	local malloc

	malloc=$(cell "" "$tmp/malloc" "$1")
	[ "$1" != wrong-pool ] || malloc=n/a
	echo "$1 $(cell "" "$tmp/pools" "$1") $(cell harden "$tmp/pools" "$1")" \
		"$(cell $checks "$tmp/pools" "$1") $malloc"
}

# The row of the page, up to its fourth cell.
expected() {
	awk -v attack="\`\`$1\`\`" '$1 == attack { print $2, $3, $4, $5; exit }' "$page"
}

agrees() {
	local is

	is=$(row "$1")
	echo "$is"
	[ "$is" = "$1 $(expected "$1")" ]
}

check attacks_are_built build
if [ "${2:-}" = print ]; then
	for attack in "${attacks[@]}"; do row "$attack"; done
	exit
fi
for attack in "${attacks[@]}"; do
	check "attack_$attack" agrees "$attack"
done

# Where addresses are not random, all runs must be alike.
alike() {
	[ "$(places setarch -R "$tmp/pools")" = 1 ]
}
check without_random_addresses_runs_are_alike alike
check an_unknown_attack_is_refused not "$tmp/pools" bogus
finish
