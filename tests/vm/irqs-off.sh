#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The longest sections of pool.ko with interrupts off, in instructions.
#
#	irqs-off.sh		a line per function: instructions, and where the section ends;
#				fails where one takes more than 450
#
# Debian's 6.12 on one CPU, with a clock of one ns per instruction, runs pool_torture.ko and
# the benchmark of pool_replay.ko on a pool.ko that times its sections: irqs_off.h.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=stock-6.12
most=450

dir=$top/build/kernel/$what-irqs-off
modules=$("$here/build-modules.sh" "$what" | tail -n 1)
# Build no test again; those that are built already need what POOL_TESTS exports.
timed=$(VARIANT=irqs-off POOL_TESTS='' \
	DEBUG="-DPOOL_TESTS -include $dir/tests/bench/longest/irqs_off.h" \
	"$here/build-modules.sh" "$what" | tail -n 1)
"$here/boot.sh" --icount --append "mitigations=off init_on_alloc=0" --timeout 900 \
	--log "$tmp/log" "$what" "$here/guest/irqs-off.sh" \
	"$timed/pool.ko" "$modules/pool_torture.ko" "$modules/pool_replay.ko" >&2
sed -nE 's/.*irqs off: ([0-9]+) (\S+)( \[pool\])?\r?$/\1 \2/p' "$tmp/log" | awk '
	$1 + 0 > worst[$2] + 0 { worst[$2] = $1 + 0 }
	END { for (name in worst) print worst[name], name }' | sort -rn >"$tmp/table"
[ -s "$tmp/table" ] || die "no section was timed"
cat "$tmp/table"
awk -v most=$most '$1 > most { print $2 ": more than " most; bad = 1 } END { exit bad }' "$tmp/table"
