# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# no-debugfs.sh - pools without debugfs: off at boot, or not in the kernel at all
#
# Runs alone, in a machine that was booted with debugfs=off.  no-debugfs/pool.ko is
# built without CONFIG_DEBUG_FS.

echo "# without debugfs"
active() { awk '$1 ~ /^pool-'"$1"'-/ { n += $2 } END { exit !n }' /proc/slabinfo; }
check "debugfs is off" not mount -t debugfs none /sys/kernel/debug 2>/dev/null
for folder in . no-debugfs; do
	check "$folder/pool.ko loads" insmod $folder/pool.ko
	check "... and pools come" insmod pool_example.ko
	check "... two of one name, too" insmod pool_second.ko odd=1
	check "... and are used" within active ex_conn
	check "... and go" rmmod pool_second pool_example
	check "unloads" rmmod pool
	check "no cache is left" same "$(caches_left '.*')" 0
done
