# shellcheck shell=dash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# torture.sh - pool_torture.ko, with readers of all files and a module that comes and goes
#
# Run by busybox sh in a machine, for tests/vm/torture.sh.  $torture, a parameter of the kernel,
# has the module's parameters with ";" between them.

# It prints through the kernel's log only.  The scheduler may have warned with a lock of its own
# held.  Then lockdep would report a write to the terminal, with the port's lock held, for ever.

. ./results.sh

P=/sys/kernel/debug/pool
state() { cat /sys/module/pool_torture/parameters/state; }
running() { [ "$(state)" = running ]; }

# done_with WHAT - counts one more success of WHAT
done_with() { echo >>"$tmp/done.$1"; }

# must WHAT COMMAND... - the command must succeed each time
must() {
	what=$1
	shift
	if "$@" 2>/dev/null; then
		done_with "$what"
	else
		echo "$what: failed: $*" >>"$tmp/wrong"
	fi
}

# may WHAT COMMAND... - the command may fail, but must succeed at least once
may() {
	what=$1
	shift
	"$@" 2>/dev/null && done_with "$what"
}

# is_there FILE... - it must be possible to read something
is_there() { [ -n "$(cat "$@" 2>/dev/null)" ]; }

put() { echo "$1" >"$2"; }

# validated - pools in use must give no false alarm; some of them end before they are read
validated() {
	for pool in "$P"/by-name/*; do
		said=$(cat "$pool/validate" 2>/dev/null)
		case $said in
		*wrong*) echo "$pool: $said" | tee -a "$tmp/wrong" >/dev/kmsg ;;
		*ok) done_with validate ;;
		esac
	done
}

# readers of all files that pools have.  At the end the pools go, so a file may be gone.
readers() {
	while running; do
		for file in pools totals help debug; do
			must "read_$file" is_there $P/$file
		done
		for file in debug limit percpu registrations stats validate; do
			may "read_pools_$file" is_there $P/by-name/*/$file
		done
		validated
		must read_parts dd if=$P/pools of=/dev/null bs=100 count=3
		sleep 0.3
	done
}

# writers that switch options and collect, of all pools at once
writers() {
	while running; do
		for words in +poison -poison +cold-first -cold-first; do
			must switch put $words $P/debug
			sleep 1
		done
		must gc put 1 $P/gc
		must flush put all $P/flush
		must drop_caches put 3 /proc/sys/vm/drop_caches
	done
}

# consumers: a module that comes and goes, now and then with its pools left behind.  Where
# memory is short it does not come.
consumers() {
	while running; do
		for how in leave=0 leave=1 odd=1; do
			may "come_$how" insmod pool_second.ko $how && sleep 0.2 &&
				must "go_$how" rmmod pool_second
			sleep 1
		done
	done
}

# often_done WHAT... - each must have succeeded at least once
often_done() {
	for what; do
		[ -s "$tmp/done.$what" ] || { echo "never: $what"; return 1; }
		echo "# $what: $(wc -l <"$tmp/done.$what") times" >/dev/kmsg
	done
}

# nothing_wrong - no command that must succeed may have failed
nothing_wrong() { [ ! -e "$tmp/wrong" ] || { head -n 5 "$tmp/wrong"; false; }; }

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
{
	check "readers_read_the_files_of_all_pools" \
		often_done read_pools read_totals read_help read_debug read_parts
	check "readers_read_the_files_of_each_pool" \
		often_done read_pools_debug read_pools_limit read_pools_percpu \
		read_pools_registrations read_pools_stats read_pools_validate validate
	check "writers_switch_and_collect" often_done switch gc flush drop_caches
	check "consumers_come_and_go" often_done come_leave=0 go_leave=0 \
		come_leave=1 go_leave=1 come_odd=1 go_odd=1
	check "no_reader_writer_or_consumer_fails" nothing_wrong
} >/dev/kmsg
rmmod pool_torture || exit 1
rmmod pool || exit 1
if [ -e /sys/kernel/debug/kcsan ]; then
	cat /sys/kernel/debug/kcsan
	grep -q '^setup_watchpoints: [1-9]' /sys/kernel/debug/kcsan || exit 1
fi
leaks || exit 1
finish >/dev/kmsg
