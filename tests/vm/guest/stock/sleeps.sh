# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# sleeps.sh - a constructor sleeps where it must not
#
# Runs alone, since the kernel complains.  $kernel, a parameter of the kernel, is its name for
# kernel.sh.  "debug" has DEBUG_ATOMIC_SLEEP, by which pools watch constructors.  Others may
# notice the second call alone, or none.

echo "# a constructor that sleeps"
said() { dmesg | sed -n 's/.*\(BUG: .*\): insmod.*/\1/p'; }
check "pool.ko loads" insmod pool.ko
check "a user whose constructor sleeps loads" insmod pool_second.ko sleeps=1
said | sed 's/^/# /'
count() { said | grep -c "$1"; }
if [ "${kernel:?}" = debug ]; then
	check "pools have the kernel report each of two calls" \
		same "$(count "scheduling in a non-blocking section")" 2
	check "... and it finds the one that must not sleep itself" \
		same "$(count "scheduling while atomic")" 1
fi
check "the user departs" rmmod pool_second
check "the machine goes on: another user loads" insmod pool_example.ko
check "... and its pools are used" moves ex_conn fills
check "... and spill" moves ex_conn spills
check "unloads" stop
check "no cache is left" same "$(caches_left '.*')" 0
