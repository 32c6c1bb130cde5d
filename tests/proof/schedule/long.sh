#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What takes too long for check: schedules with three preemptions at least, the mutants,
# also under torture, more kernels and machines, data races, nonsense for debugfs, all of
# "make lint", many pools, tracers, signed modules, what boots and judges machines, pools in a
# kernel tree and built into a kernel, twins in more kernels, a driver on pools, the site of the pages, real programs,
# and all of package/check.sh.  "make check-long" calls it.
#
#	long.sh BUILD-FOLDER

set -euo pipefail

top=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$top"
# shellcheck source=tests/lib/worlds.sh
. tests/lib/worlds.sh

# few LOG - names the scenarios that ran out of states before three preemptions
few() {
	awk '/^# . CPUs, [012] preemptions/ { few = 1 }
	     /^(not )?ok - / { if (few) print $NF; few = 0 }' "$1"
}

# three PROGRAM - each scenario gets three preemptions at least, some with more states
three() {
	local log=${results:?}/user-schedule-long.log status=0 again

	tests/proof/schedule/check.sh "$1" 4000000 3 || status=1
	again=$(few "$log")
	[ -n "$again" ] || return $status
	# shellcheck disable=SC2086 # names have no blanks
	"$1" -p 3 -s 60000000 $again || status=1
	! grep -qE '^# . CPUs, [012] preemptions' <<<"$(sed '1,/ passed, .* failed$/d' "$log")" || status=1
	return $status
}

job user-schedule-long three build/tests/schedule
job user-schedule-mutants tests/proof/schedule/mutants.sh
job torture-mutants tests/vm/torture-mutants.sh
world debug-rt tests/vm/kunit.sh debug-rt 20 --cpus 4 --timeout 1800
world kcsan tests/vm/kunit.sh kcsan 40 --cpus 4 --timeout 1800
world kasan tests/vm/kunit.sh kasan 40 --cpus 4 --mem 1024 --timeout 3600
SUITE=kasan world kasan-kasan tests/vm/kunit.sh kasan 40 --cpus 4 --mem 1024
SUITE=kfence BOOT=kfence.sample_interval=100 \
	world kasan-kfence-kfence.sample_interval \
		tests/vm/kunit.sh kasan 40 --cpus 4 --mem 1024
world kmsan tests/vm/kunit.sh kmsan 40 --cpus 4 --mem 2048 --timeout 6000
world i386 tests/vm/kunit.sh i386 20 --cpus 4 --timeout 1800
job bugs-i386 tests/vm/bugs.sh i386 --cpus 4
world arm64 tests/vm/kunit.sh arm64 20 --cpus 4 --timeout 1800
TWIN_KERNEL=arm64 job twins-arm64 tests/vm/twin-check.sh
job torture-kcsan tests/vm/torture.sh kcsan 60
job failures-rt tests/vm/failures.sh debug-rt
job fuzz tests/vm/fuzz.sh kasan
job lint-whole tests/lint/lint.sh
job irqs-off tests/vm/irqs-off.sh
job latency tests/vm/latency.sh
job many tests/vm/many.sh stock-6.12
job many-preempt-none tests/vm/many.sh stock-6.12 preempt=none
job tracers tests/vm/tracers.sh stock-6.12
job tracers-6.1 tests/vm/tracers.sh stock-6.1
job signed tests/vm/signed.sh
job selftest tests/vm/selftest.sh
job into-tree tests/vm/into-tree.sh
job builtin tests/vm/builtin.sh
newest=$(tests/vm/kernel.sh newest) || newest=stock-newest
world "uml-${newest#stock-}" tests/vm/kunit.sh "uml-${newest#stock-}" 20 --timeout 900
world "debug-${newest#stock-}" \
	tests/vm/kunit.sh "debug-${newest#stock-}" 20 --cpus 4 --timeout 1800
for kernel in stock-6.1 "$newest"; do
	TWIN_KERNEL=$kernel job "twins-$kernel" tests/vm/twin-check.sh
done
VARIANT=hostile DEBUG="-DPOOL_CLUSTER_SIZE=2 -DPOOL_BUCKETS=1 -DPOOL_HOT_MAX=2 -DPOOL_FAIL_EVERY=7" \
	world uml-hostile tests/vm/kunit.sh uml 20 --timeout 900
job bugs-uml tests/vm/bugs.sh uml
job into-tree-newest tests/vm/into-tree.sh "${newest#stock-}"
job null_blk tests/vm/null_blk.sh
job contention tests/vm/contention.sh
job user-site tests/pages/site.sh
job user-real tests/real/check.sh "$1"
tests/package/check.sh "$1" || true
tests/lib/summary.sh all || exit
