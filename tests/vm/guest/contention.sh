# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# contention.sh - the benchmark of what CPUs do to each other
#
# Run by busybox sh in a machine, for tests/vm/contention.sh, which sets bench_size.

set -e
insmod pool.ko
insmod pool_replay.ko bench_what=contention bench_size="${bench_size:?}"
uname -r >/dev/ttyS1
echo 1 >/sys/kernel/debug/pool_replay/bench
cat /sys/kernel/debug/pool_replay/result >/dev/ttyS1
