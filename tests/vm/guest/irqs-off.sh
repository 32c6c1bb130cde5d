# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# irqs-off.sh - what keeps interrupts off for long: torture, benchmark, gc, all files
#
# Run by busybox sh in a machine, for tests/vm/irqs-off.sh.

P=/sys/kernel/debug/pool
state() { cat /sys/module/pool_torture/parameters/state; }

set -e
insmod pool.ko hot_size=256k
insmod pool_torture.ko seconds=10 threads=4 kinds=thread,hardirq,softirq,irq_work,pressure,switch,life
while [ "$(state)" = running ]; do
	cat $P/pools $P/totals $P/by-name/*/* >/dev/null 2>&1 || true
	echo 1 >$P/gc
	sleep 0.5
done
[ "$(state)" = SUCCESS ]
rmmod pool_torture
insmod pool_replay.ko
echo 1 >/sys/kernel/debug/pool_replay/bench
