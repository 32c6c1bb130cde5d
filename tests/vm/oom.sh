#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that the kernel gets back what pools have unused, when memory is short: in a
# machine of 512 MB a module holds 60,000 objects of 4 KiB and frees them, 40 times, and
# then a program wants 200 MB.  It lives; without the shrinker it does not.
#
#	oom.sh [KERNEL]			a kernel of kernel.sh (stock-6.12)
#
# Prints results as those of all scripts, and what was free.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=${1:-stock-6.12}
modules=$("$here/build-modules.sh" "$what" | tail -n 1)

# When the program is killed the kernel says so, with a trace.
EXPECTED='Call Trace|invoked oom-killer|Out of memory|OOM'

# ends HOW SHRINK - the program must end so with this parameter of pool.ko
ends() {
	"$here/boot.sh" --show --mem 512 --append "SHRINK=$2" \
		--expect-bad "$EXPECTED" "$what" "$here/guest/oom.sh" \
		"$modules/pool.ko" "$modules/pool_second.ko" \
		>"$tmp/out" 2>"$tmp/err" || { cat "$tmp/out" "$tmp/err"; return 1; }
	tr -d '\r' <"$tmp/out" | grep '^# ' >&3 || true
	grep -qE "^OOM-PROGRAM $1" "$tmp/out" || { cat "$tmp/out"; return 1; }
}

exec 3>&1
check a_program_gets_200_mb_that_a_pool_had_unused ends lives Y
check without_the_shrinker_it_is_killed ends "dies of 137" N
finish
