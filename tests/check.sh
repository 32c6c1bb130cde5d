#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs every test: in user space, in User-Mode Linux, in an SMP debug kernel and in stock
# kernels; compares both worlds with each other, and instructions with their limits.  A
# world that did not run has failed.
#
#	check.sh [kunit]	"make check" and "make kunit" call it
#
# Results, a line per case, go to build/results; summary.sh prints what came out.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
vm=tests/vm
# shellcheck source=tests/lib/worlds.sh
. tests/lib/worlds.sh
export WERROR=-Werror
HOSTILE='-DPOOL_CLUSTER_SIZE=2 -DPOOL_BUCKETS=1 -DPOOL_HOT_MAX=2'
HOSTILE+=' -DPOOL_FAIL_EVERY=7'

# script NAME COMMAND... - a command that prints results
script() {
	echo "== $1"
	job "$@"
	grep -q '^not ok' "$results/$1" || return 0
	tail -n 30 "$results/$1.log"
}

kunit() {
	world uml $vm/kunit.sh uml 20 --timeout 900
	VARIANT=hostile DEBUG="$HOSTILE" \
		world uml-hostile $vm/kunit.sh uml 20 --timeout 900
	for key in init_on_alloc init_on_free; do
		for suite in gfp check fill; do
			SUITE=$suite BOOT=$key=1 world uml-$suite-$key \
				$vm/kunit.sh uml
		done
	done
	world debug $vm/kunit.sh debug 20 --cpus 4 --timeout 1500
	VARIANT=hostile DEBUG="$HOSTILE" \
		world debug-hostile $vm/kunit.sh debug 20 --cpus 4 --timeout 1500
	SUITE=lost world debug-lost $vm/kunit.sh debug 20 --cpus 4
	SUITE=numa world debug-numa $vm/kunit.sh debug 20 --cpus 4 --nodes
	SUITE=kernel world debug-kernel $vm/kunit.sh debug 40 --cpus 4 \
		--singlestep --timeout 580
	script bugs-uml $vm/bugs.sh uml
	script bugs-debug $vm/bugs.sh debug --cpus 4
}

if [ "${1:-}" = kunit ]; then
	rm -rf "$results"
	mkdir -p "$results"
	tests/deps.sh vm
	kunit
	tests/lib/summary.sh kernel
	exit
fi

rm -rf "$results"
make -s check-user || true
mkdir -p "$results"
ls "$results"/user-* >/dev/null 2>&1 || echo "not ok - user_ran" >"$results/user-none"
tests/deps.sh vm
kunit
script first-ten-minutes make -s check-first
script lint tests/lint/lint.sh quick
newest=$($vm/kernel.sh newest) || newest=stock-newest
for kernel in stock-6.1 stock-6.12 stock-6.12-rt "$newest" debug; do
	script "load-$kernel" $vm/stock.sh "$kernel"
done
for kernel in debug stock-6.12; do
	script "torture-$kernel" $vm/torture.sh "$kernel" 60
done
for kernel in stock-6.1 stock-6.12 "$newest"; do
	TWIN_KERNEL=$kernel script "twins-$kernel" $vm/twin-check.sh
done
script failures $vm/failures.sh
script oom $vm/oom.sh
script nodes $vm/nodes.sh
script gate-kernel $vm/gate.sh
# There are limits for this kernel and no other.
if [ "$newest" = stock-7.3 ]; then
	script gate-stock-7.3 $vm/gate.sh stock-7.3
else
	echo "n/a - instructions_in_stock-7.3 # the newest kernel is $newest" \
		>"$results/gate-stock-7.3"
fi
tests/lib/summary.sh all
