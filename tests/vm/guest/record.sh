# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# record.sh - records what the kernel allocates and frees under the load
#
# Run by busybox sh in a machine, for tests/replay/record.sh.  The events go to the
# second serial port, after lines with the kernel and the number of CPUs.

set -e
ip link set lo up
mkdir /tmp/www /etc
cp /bin/busybox /tmp/www/
taskset 2 httpd -p 127.0.0.1:8080 -h /tmp/www

cd /sys/kernel/debug/tracing
echo counter >trace_clock
echo 0 >options/irq-info
echo 131072 >buffer_size_kb
echo 0 >tracing_on
echo >trace
echo 1 >events/kmem/kmem_cache_alloc/enable
echo 1 >events/kmem/kmem_cache_free/enable
echo 1 >events/kmem/kfree/enable
echo 1 >tracing_on
sh /files/record-load.sh
cd /sys/kernel/debug/tracing
echo 0 >tracing_on

for cpu in per_cpu/cpu*; do
	echo "$cpu: $(tr '\n' ' ' <$cpu/stats)"
	for lost in overrun 'commit overrun' 'dropped events'; do
		grep -qx "$lost: 0" $cpu/stats
	done
done
{
	echo "# uname $(uname -r)"
	echo "# cpus $(nproc)"
	cat trace
} | gzip -1 >/dev/ttyS1
