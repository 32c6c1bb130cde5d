# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# latency.sh - the benchmark of the longest calls, or the table that BENCH names
#
# Run by busybox sh in a machine, for tests/vm/latency.sh.

set -e
insmod pool.ko
insmod pool_replay.ko bench_what="${BENCH:-latency}"
sleep 3	# until the work of the boot has ended
uname -r >/dev/ttyS1
echo 1 >/sys/kernel/debug/pool_replay/bench
cat /sys/kernel/debug/pool_replay/result >/dev/ttyS1
