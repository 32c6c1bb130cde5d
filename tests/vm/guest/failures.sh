# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# failures.sh - pools while memory is refused at random, by failslab and fail_page_alloc
#
# Run by busybox sh in a machine, for tests/vm/failures.sh.  All calls of the kernel may be
# refused, those of this shell, too.  So it starts no program meanwhile.

. ./results.sh

F=/sys/kernel/debug
P=$F/pool
T=/sys/module/pool_torture/parameters

# Calls of each allocator that may be refused, so that the machine survives.
MOST=200000

exec 9>/dev/null

# set_all FILE VALUE - writes VALUE for both allocators, again until it succeeds, since opening a
# file may fail while memory is refused
set_all() {
	for allocator in failslab fail_page_alloc; do
		until echo "$2" >$F/$allocator/"$1"; do :; done 2>&9
	done
}

# Refuse calls of any task and any handler, of any size, and also those that may wait.
prepare() {
	set_all task-filter N
	set_all ignore-gfp-wait N
	set_all verbose 0
	set_all times $MOST
	echo 0 >$F/fail_page_alloc/min-order
}

# refused ALLOCATOR - prints how many of its calls were refused
refused() {
	echo $((MOST - $(cat "$F/$1/times")))
}

# during SECONDS PERCENT - refuses memory, once the sleeper sleeps
during() {
	sleep "$1" &
	sleeper=$!
	until [ "$(cat /proc/$sleeper/comm)" = sleep ]; do :; done
	sleep 0.3
	set_all probability "$2"
	wait $sleeper
	set_all probability 0
}

# sum_of PREFIX NUMBER - prints its sum over these pools.  "failed" counts calls that got NULL,
# because there was no memory or because their context, such as an NMI, may not ask for any
sum_of() {
	cat $P/by-name/"$1"*/stats | awk -v key="$2" '$1 == key { n += $2 } END { print n + 0 }'
}

# says SUCCESS - the torture must end in time, and with this word
says() {
	while [ "$(cat $T/state)" = running ]; do sleep 1; done
	same "$(cat $T/state)" "$1"
}

# fills - waits until a thread has filled its cache; fails if the torture ends before
fills() {
	until [ "$(sum_of t_ fills)" -gt 0 ]; do
		[ "$(cat $T/state)" = running ] || return 1
		sleep 1
	done
}

# Load a module that creates pools; this may be refused.
come_and_go() {
	(sleep 1; exec insmod pool_second.ko) >&9 2>&1 &
	during 2 "$1"
	wait
	rounds=$((rounds + 1))
	rmmod pool_second 2>&9 || refusals=$((refusals + 1))
	[ ! -e /sys/module/pool_second ]
}

# goes_on - the example must fill its cache again
goes_on() {
	before=$(sed -n 's/^fills //p' $P/by-name/ex_conn/stats)
	sleep 2
	[ "$(sed -n 's/^fills //p' $P/by-name/ex_conn/stats)" -gt "$before" ]
}

prepare
check "loads" insmod pool.ko age=0
# Threads may always ask for memory, so their number of objects shows whether there was memory.
check "threads begin" insmod pool_torture.ko seconds=10 kinds=thread
check "... and use their pools" fills
check "no call returns NULL while there is memory" same "$(sum_of t_ failed)" 0
check "... and nothing is lost" says SUCCESS
rmmod pool_torture
check "threads begin again" insmod pool_torture.ko seconds=8 kinds=thread
during 6 3
check "calls that got no memory returned NULL" test "$(sum_of t_ failed)" -gt 0
echo "# threads: $(sum_of t_ failed) calls returned NULL"
check "... and nothing is lost" says SUCCESS
rmmod pool_torture
check "all calls from all contexts begin" insmod pool_torture.ko seconds=15 \
	kinds=thread,hardirq,softirq,irq_work,ipi,nmi,life
during 12 3
echo "# all contexts: $(sum_of t_ failed) calls returned NULL"
check "nothing is lost and no object is handed out twice" says SUCCESS
check "the torture is unloaded" rmmod pool_torture

check "the example begins" insmod pool_example.ko
refusals=0 rounds=0
for percent in 1 2 3 5; do
	check "a module comes or not, and goes, at $percent %" come_and_go $percent
done
# At random insmod seldom gets as far as the pools, so fewer calls are refused here.
for every in 30 100 200 400 800 1600 30000; do
	set_all interval $every
	check "a module comes or not, and goes, with each ${every}th call refused" come_and_go 100
done
set_all interval 1
echo "# the module was refused $refusals times of $rounds"
check "the module was refused" test $refusals -gt 0
check "... and came, too" test $refusals -lt $rounds
check "the example goes on" goes_on
check "the example has freed all" \
	sh -c "rmmod pool_example && [ -z \"\$(ls $P/by-name)\" ]"
check "pool.ko is unloaded" rmmod pool
for allocator in failslab fail_page_alloc; do
	echo "# $allocator: $(refused $allocator) calls refused"
	check "$allocator refused calls" test "$(refused $allocator)" -gt 0
	check "$allocator refused calls until the end" test "$(refused $allocator)" -lt $MOST
done
check "kmemleak looks for leaks" sh -c "leaks >/tmp/lost"
cat /tmp/lost
finish
