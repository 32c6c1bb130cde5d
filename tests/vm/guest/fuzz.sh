# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Nonsense for all files of pool.ko that can be written, while others read them, pools are
# used, and a module with pools comes and goes: run by tests/vm/fuzz.sh.  SEED, ROUNDS:
# of fuzz.

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

nonsense() {
	./fuzz "$SEED" "$ROUNDS" $P/help $P/pools $P/debug $P/gc $P/flush $P/memstats \
		$P/by-name/ex_conn/debug $P/by-name/ex_event/debug \
		$P/hot_size $P/by-name/ex_conn/limit
}

check "loads" insmod pool.ko
check "pools are used" insmod pool_example.ko
touch "$tmp/busy"
meanwhile come_and_go &
meanwhile read_all &
check "each write is taken as a whole, or refused" nonsense
sed -n 's/^#/#/p' "$tmp/printed"
rm "$tmp/busy"
wait
check "pools are switched back" \
	sh -c "echo '-fail -integrity -poison -memstats cache global' >$P/debug &&
		echo 512k >$P/hot_size && echo 0 >$P/by-name/ex_conn/limit"
check "... and go on" works
check "unloads" sh -c "rmmod pool_example && rmmod pool"
finish
