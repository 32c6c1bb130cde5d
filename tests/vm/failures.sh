#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Uses pools while calls of the slab and of the page allocator fail, at random: all calls of
# pool_torture.ko from all contexts, a module that makes pools, and the example.  Calls that
# get no memory return NULL, nothing is lost, and the kernel does not complain.
#
#	failures.sh [KERNEL]		a kernel of kernel.sh with CONFIG_FAILSLAB (debug)
#
# Prints results as those of all scripts.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=${1:-debug}
modules=$("$here/build-modules.sh" "$what" | tail -n 1)

# The kernel prints a trace where it cannot make a cache of the slab, and kmemleak a line where it
# has no memory for a hint, or counts what the kernel itself has lost.  None is a fault.
EXPECTED='Call Trace:|kmemleak: Cannot allocate a scan area|kmemleak: \d+ new suspected memory leaks'

boots() {
	"$here/boot.sh" --show --cpus 4 --timeout 580 --expect-bad "$EXPECTED" "$1" \
		"$here/guest/failures.sh" "$here/../lib/results.sh" \
		"$modules/pool.ko" "$modules/pool_torture.ko" \
		"$modules/pool_example.ko" "$modules/pool_second.ko" \
		>"$tmp/out" 2>"$tmp/err"
}

boots_well "$what"
finish
