# shellcheck shell=dash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# torture.sh - pool_torture.ko, with readers of all files and a module that comes and goes
#
# Run by busybox sh in a machine, for tests/vm/torture.sh.  $torture, a parameter of the kernel,
# has the module's parameters with ";" between them.

# It prints through the kernel's log only.  The scheduler may have warned with a lock of its own
# held.  Then lockdep would report a write to the terminal, with the port's lock held, for ever.

P=/sys/kernel/debug/pool
state() { cat /sys/module/pool_torture/parameters/state; }
running() { [ "$(state)" = running ]; }

# validated - a pool in use gives no false alarm.  Some pools go before they are read.
validated() {
	for pool in "$P"/by-name/*; do
		said=$(cat "$pool/validate" 2>/dev/null)
		case $said in
		*wrong*) echo "$pool: $said" | tee -a /tmp/wrong >/dev/kmsg ;;
		*ok) echo "$pool" >>/tmp/whole ;;
		esac
	done
}

# readers of all files that pools have
readers() {
	while running; do
		cat $P/pools $P/totals $P/help $P/debug $P/by-name/*/* >/dev/null 2>&1
		validated
		dd if=$P/pools bs=100 count=3 >/dev/null 2>&1
		sleep 0.3
	done
}

# writers that switch options and collect, of all pools at once
writers() {
	while running; do
		for words in +poison -poison +cold-first -cold-first; do
			echo $words >$P/debug
			sleep 1
		done
		echo 1 >$P/gc
		echo all >$P/flush
		echo 3 >/proc/sys/vm/drop_caches
	done
}

# consumers: a module that comes and goes, now and then with its pools left behind
consumers() {
	while running; do
		for how in leave=0 leave=1 odd=1; do
			insmod pool_second.ko $how && sleep 0.2 && rmmod pool_second
			sleep 1
		done
	done
}

insmod pool.ko || exit 1
# shellcheck disable=SC2046	# words
insmod pool_torture.ko $(echo "$torture" | tr ';' ' ') || exit 1
readers &
writers &
consumers &
while running; do
	sleep 1
done
wait
[ "$(state)" = SUCCESS ] || exit 1
[ ! -e /tmp/wrong ] || exit 1
echo "pools were found whole: $(wc -l </tmp/whole) times" >/dev/kmsg
rmmod pool_torture || exit 1
rmmod pool || exit 1
if [ -e /sys/kernel/debug/kcsan ]; then
	cat /sys/kernel/debug/kcsan
	grep -q '^setup_watchpoints: [1-9]' /sys/kernel/debug/kcsan || exit 1
fi
if [ -e /sys/kernel/debug/kmemleak ]; then
	echo scan >/sys/kernel/debug/kmemleak
	cat /sys/kernel/debug/kmemleak
fi
