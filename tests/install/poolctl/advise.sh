# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# advise.sh - advice by poolctl, of a program and of dumps with numbers of ours
#
# poolctl.sh sources it.  $tmp/after is a dump of 7 pools that need nothing.

# dump COLUMN=NUMBER... - prints that dump with these numbers for pool1
dump() {
	awk -v "set=$*" '
	$1 == "#" { for (i = 2; i <= NF; i++) at[$i] = i - 1 }
	$2 == "pool1" {
		n = split(set, s, /[ =]/)
		for (i = 1; i < n; i += 2) {
			if (!(s[i] in at))
				exit 1
			$at[s[i]] = s[i + 1]
		}
	}
	{ print }' "$tmp/after" >"$tmp/changed"
}

# advises TEXT COLUMN=NUMBER... - with these numbers pool1 must get this advice, and no other
advises() {
	local text=$1

	shift
	dump "$@" && "$ctl" advise "$tmp/changed" >"$tmp/advice" || return 1
	cat "$tmp/advice"
	same "$(cat "$tmp/advice")" "pool1           40B  $text
7 pools, 1 piece of advice"
}

# silent COLUMN=NUMBER... - with these numbers pool1 must get no advice
silent() {
	dump "$@" &&
		same "$("$ctl" advise "$tmp/changed")" "7 pools, 0 pieces of advice"
}

check a_pool_in_order_gets_no_advice silent used=13
check a_bound_that_is_too_small_is_told_of advises \
	"hot_size=1m: up to 46 % fewer visits of the shared pool: the bound made 500 clusters leave CPUs, at 1000 spills, and 9000 objects came back" \
	size=40 allocated=20000 used=20000 spills=1000 evictions=500 puts=1500 put_objs=18000 \
	gets=1000 get_objs=9000
check what_leaves_for_good_is_no_matter_of_the_bound silent \
	spills=1000 evictions=500 get_objs=0
check a_few_evictions_are_nothing silent spills=10 evictions=9 get_objs=900
check a_backend_that_takes_and_gives_is_told_of advises \
	"min_avail of 40 instead of 0: up to 90 % fewer objects from and to the backend, which took 5000 and gave 6000" \
	need=40 store_gets=6000 store_puts=5000
check spares_that_are_enough_are_left silent \
	need=40 min_avail=40 store_gets=6000 store_puts=5000
check a_limit_that_is_reached_is_told_of advises \
	"a higher limit than 13: 7 allocations were refused, and 13 objects are in use" \
	limit=13 used=13 refused=7
check objects_of_a_limit_that_lie_about_are_told_of advises \
	"POOL_F_WAIT, or a lent signal: 7 allocations were refused, and 3 objects are in use, of a limit of 13" \
	limit=13 used=3 refused=7
check one_of_a_thing_is_told_of_in_the_singular advises \
	"a higher limit than 1: 1 allocation was refused, and 1 object is in use" \
	limit=1 used=1 refused=1
check a_limit_that_is_gone_gets_no_advice silent limit=0 used=13 refused=7
check a_backend_that_had_nothing_is_told_of advises \
	"a reserve: 2 allocations found no memory, and 0 objects are reserved" failed=2
check memory_that_nobody_needs_is_told_of advises \
	"ageing, or pool_shrink(): 99950 of 100000 objects, 3904 KiB, are neither in use nor needed" \
	allocated=100000 used=13 need=50
check faults_are_told_of advises \
	"a look at the log: checks have found 3 faults" double_free=3

# A program whose waves are larger than its bound.
busy() {
	local program to_program

	program "$tmp/busy.sock,hot_size=4096" 1 busy
	"$ctl" --socket "$tmp/busy.sock" advise 0.3 >"$tmp/advice"
	kill "$program"
	cat "$tmp/advice"
	grep -Eq '^pool0 +32B  hot_size=512k: up to [0-9]+ % fewer .* the bound made [0-9]{3,} cl' \
		"$tmp/advice"
}
# With the bound that is advised nothing leaves a CPU.
# of_pool0 COLUMN - its number there
of_pool0() {
	"$ctl" --socket "$tmp/followed.sock" --raw list |
		awk -v "column=$1" '$1 == "#" { for (i = 2; i <= NF; i++) at[$i] = i - 1 }
			$2 == "pool0" { print $at[column] }'
}
followed() {
	local program to_program evictions

	program "$tmp/followed.sock,hot_size=512k" 1 busy
	within eval '[ "$(of_pool0 spills)" -gt 100 ]' || return 1
	evictions=$(of_pool0 evictions)
	kill "$program"
	same "$evictions" 0
}
check a_program_with_a_small_bound_is_advised busy
check a_bound_that_is_advised_is_enough followed
began_anew() {
	"$src/ask.py" serve "$tmp/falling" falling >"$tmp/falling.said" &
	started+=($!)
	disown
	within grep -q ready "$tmp/falling.said"
	"$ctl" --socket "$tmp/falling" advise 0.1 >"$tmp/advice"
	cat "$tmp/advice"
	same "$(cat "$tmp/advice")" '1 pool, 0 pieces of advice'
}
check counts_that_begin_anew_are_no_events began_anew
wrong advice_without_a_source 'needs a dump' advise
wrong advice_of_what_is_no_dump 'neither a raw dump' advise "$src/prog.c"
