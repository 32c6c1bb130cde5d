# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The bursts of a module, then a program that wants 200 MB: run by tests/vm/oom.sh.
# SHRINK: pool.ko's parameter.

# said WHEN - prints how much memory is free, and how many objects the pool has
said() {
	echo "# $1: $(sed -n 's/^MemFree: *//p' /proc/meminfo) free, the pool holds" \
		"$(sed -n 's/^allocated //p' /sys/kernel/debug/pool/by-name/sc_burst*/stats) objects"
}

# Without max_cached the shared pool would keep only 64 MiB of the burst.
insmod pool.ko shrink="$SHRINK" age=0 max_cached=1g || exit 1
insmod pool_second.ko burst=60000 || exit 1
said "after 40 bursts"
# The kernel kills the process with the most memory, which must not be this script.
(echo 1000 >/proc/self/oom_score_adj; exec dd if=/dev/zero of=/dev/null bs=200M count=1)
status=$?
said "after the program"
if [ $status -eq 0 ]; then
	echo "OOM-PROGRAM lives"
else
	echo "OOM-PROGRAM dies of $status"
fi
rmmod pool_second pool
