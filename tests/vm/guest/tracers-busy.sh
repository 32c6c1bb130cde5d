# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# tracers-busy.sh - each event of pool.ko happens, while pools come and go
#
# Run by busybox sh in a machine, as what perf and trace-cmd record: they end when it ends.

# shellcheck source=tests/vm/guest/stock/lib.sh
. ./stock/lib.sh

for _ in 1 2 3; do
	insmod pool_example.ko && insmod pool_second.ko twice=1 || exit 1
	echo +trace >$P/by-name/ex_conn/debug
	sleep 1
	rmmod pool_second pool_example || exit 1
done
