# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# cpu.sh - a CPU goes offline and comes back; nothing leaks

echo "# a CPU goes"
CPU1=/sys/devices/system/cpu/cpu1/online
check "loads" start
pid=$(pidof pool_example)
check "the thread moves to CPU 1" sh -c "taskset -p 2 $pid >/dev/null"
check "CPU 1 has a cache" within caches ex_conn 1
puts=$(number ex_conn puts)
check "CPU 1 goes offline" sh -c "echo 0 >$CPU1"
check "its cache is empty: array" same "$(column ex_conn 1 3)" 0
check "... closed" same "$(column ex_conn 1 2)" 0
check "... clusters" same "$(column ex_conn 1 6)" 0
check "... and nothing is charged" same "$(column ex_conn 1 9)" 0
check "it went to the shared pool" more "$(number ex_conn puts)" "$puts"
check "the thread goes on" moves ex_conn spills
check "CPU 1 comes back" sh -c "echo 1 >$CPU1"
check "the thread moves to CPU 1" sh -c "taskset -p 2 $pid >/dev/null"
check "CPU 1 has a cache again" within caches ex_conn 1
if [ -e /sys/kernel/debug/kmemleak ]; then
	check "no leak while in use" same "$(leaks 2>&1)" ""
fi
check "unloads" stop
if [ -e /sys/kernel/debug/kmemleak ]; then
	check "no leak after" same "$(leaks 2>&1)" ""
fi
