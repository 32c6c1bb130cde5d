#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# A kernel with 10,000 pools: each file is whole, other tasks make and end pools while one
# is read, and no walk over all pools keeps a CPU or a lock for long.
#
#	many.sh [KERNEL [PARAMETER...]]		a kernel of kernel.sh (stock-6.12)
#
# With preempt=none only walks that offer their CPU give way.  The kernel reports a CPU that
# is kept for 4 seconds, a stall of RCU after 4, and a task that waits for 10.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=${1:-stock-6.12}
shift $(($# > 0))
modules=$("$here/build-modules.sh" "$what" | tail -n 1)

boots() {
	"$here/boot.sh" --show --mem 3072 --timeout 1500 \
		--append "watchdog_thresh=2 rcupdate.rcu_cpu_stall_timeout=4 $*" "$what" \
		"$here/guest/many.sh" "$here/../lib/results.sh" "$here/guest/stock" \
		"$modules/pool.ko" "$modules/pool_example.ko" "$modules/pool_second.ko" \
		>"$tmp/out" 2>"$tmp/err"
}

boots_well "$@"
finish
