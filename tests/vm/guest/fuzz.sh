# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Nonsense for all files of pool.ko that can be written, while others read them, pools are
# used, and a module with pools comes and goes: run by tests/vm/fuzz.sh.  SEED, ROUNDS:
# of fuzz.
#
# Half of the rounds are with the options that pools start with: they have caches, and under
# KASAN it knows which objects there are free.  The other half are with "no-cache".

P=/sys/kernel/debug/pool

. ./results.sh

meanwhile() {
	while [ -e "$tmp/busy" ]; do "$@"; done >/dev/null 2>&1
}

# shellcheck disable=SC2317	# called by meanwhile
come_and_go() { insmod pool_second.ko; rmmod pool_second; }
# shellcheck disable=SC2317
read_all() { cat $P/[a-z]* $P/by-name/*/*; }

works() {
	before=$(sed -n 's/^store_gets //p' $P/by-name/ex_conn/stats)
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		echo all >$P/gc
		sleep 0.2
	done
	[ "$(sed -n 's/^store_gets //p' $P/by-name/ex_conn/stats)" -gt "$before" ]
}

files="$P/pools $P/debug $P/gc $P/flush $P/memstats $P/by-name/ex_conn/debug
	$P/by-name/ex_event/debug $P/hot_size $P/by-name/ex_conn/limit"

# shellcheck disable=SC2086	# words
nonsense() { ./fuzz "$SEED" $((ROUNDS / 2)) $P/help $files; }

# shellcheck disable=SC2086	# words
listed() { printf '%s\n' $files; }
writable() { ./fuzz writable $P /sys/module/pool/parameters; }
# kinds COMMAND - prints each kind of the files that COMMAND prints once; all pools have the same
# kinds
kinds() { "$1" | sed "s|$P/by-name/[^/]*/|$P/by-name/*/|" | sort -u; }
all_listed() { same "$(kinds listed)" "$(kinds writable)"; }

# caches_objects - waits until objects are cached; sometimes all are in use
caches_objects() {
	cat $P/by-name/ex_conn/debug
	for _ in 1 2 3 4 5; do
		[ "$(sed -n 's/^cached //p' $P/by-name/ex_conn/stats)" = 0 ] ||
			return 0
		sleep 0.3
	done
	return 1
}

nonsense_took=0
# part NAME OPTIONS - fuzzes pool.ko with these options
part() {
	check "$1: loads" insmod pool.ko debug="$2"
	check "$1: pools are used" insmod pool_example.ko
	sleep 1
	[ -n "$2" ] || check "$1: pools have caches" caches_objects
	check "$1: each file that takes writes gets some" all_listed
	touch "$tmp/busy"
	meanwhile come_and_go &
	meanwhile read_all &
	began=$(date +%s)
	check "$1: each write is taken as a whole, or refused" nonsense
	sed -n 's/^#/#/p' "$tmp/printed"
	took=$(($(date +%s) - began))
	nonsense_took=$((nonsense_took + took))
	echo "# $1: $took s of nonsense"
	rm "$tmp/busy"
	wait
	check "$1: pools are switched back" \
		sh -c "echo '-fail -integrity -poison -memstats cache global' >$P/debug &&
			echo 512k >$P/hot_size && echo 0 >$P/by-name/ex_conn/limit"
	check "$1: ... and go on" works
	check "$1: unloads" sh -c "rmmod pool_example && rmmod pool"
}

part caches ""
part no-cache no-cache
check "both parts together: at least 60 s of nonsense" \
	sh -c "[ $nonsense_took -ge 60 ] || { echo $nonsense_took s; false; }"
finish
