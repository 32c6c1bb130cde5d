#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs the kernel tests on one kernel, all suites of pool_kunit.ko.
#
#	[DEBUG="-D..."] [VARIANT=name] [SUITE=name] [BOOT=parameter] kunit.sh
#		WHAT [SCALE [boot.sh option...]]
#
# WHAT is a kernel of ours, see kernel.sh.  SCALE divides the iterations of the cases (20).  SUITE
# runs one suite alone.  BOOT is one more parameter of the kernel, KEY=VALUE.
# Writes a line per case, ok, not ok, or n/a with the reason, to
# build/results/WHAT[-VARIANT][-SUITE][-KEY]; see tests/lib/worlds.sh.  Fails if a case
# does, if one that is listed did not run, or if the kernel's log has a bad line.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

[ $# -ge 1 ] || die "usage: ${0##*/} WHAT [SCALE [boot.sh option...]]"
what=$1
scale=${2:-20}
shift $(($# > 1 ? 2 : 1))
top=$(cd "$here/../.." && pwd)
world=$what${VARIANT:+-$VARIANT}${SUITE:+-$SUITE}${BOOT:+-${BOOT%%=*}}
results=$top/build/results

mkdir -p "$results"
rm -f "$results/$world"
dir=$("$here/build-modules.sh" "$what" | tail -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Cases make calls of the slab fail, by current->fail_nth.
cat >"$work/script" <<'END'
F=/sys/kernel/debug/failslab
[ ! -e $F ] || { echo N >$F/ignore-gfp-wait; echo 0 >$F/verbose; }
insmod pool.ko age=0 || exit 1
step on
insmod pool_kunit.ko scale=$SCALE $ALONE || exit 1
step off
cat /sys/kernel/debug/kunit/pool_*/results >/tmp/results
[ -s /tmp/results ] || exit 1
emit /tmp/results
sort /proc/kallsyms >/tmp/functions
rmmod pool_kunit || exit 1
rmmod pool || exit 1
if [ -e /sys/kernel/debug/kcsan ]; then
	cat /sys/kernel/debug/kcsan
	grep -q '^setup_watchpoints: [1-9]' /sys/kernel/debug/kcsan || exit 1
fi
leaks >/tmp/lost || exit 1
[ ! -s /tmp/lost ] || awk -f lost.awk /tmp/functions /tmp/lost
END

# KASAN and kmemleak keep a stack of each object, each for itself.  With both, a burst of 100,000
# objects takes so long that the kernel reports a task that is blocked.  "debug" looks for leaks.
more=
[ "$what" != kasan ] || more="kmemleak=off sysctl.kernel.hung_task_timeout_secs=600"
[ "$what" != kmsan ] || more="sysctl.kernel.hung_task_timeout_secs=600"

# Cases provoke these messages on purpose, and check what follows.
expected='BUG: KMSAN: uninit-value in read_unwritten|kmemleak: \d+ new suspected memory leaks'

# In its suite alone a case has KASAN report once.
[ "$what-${SUITE:-}" != kasan-kasan ] ||
	expected+='|BUG: KASAN: slab-use-after-free in read_freed|Call Trace:'

# Objects that cases have spoilt are never freed, so lines of the cases have some of them when
# their module goes.  A trace of anything else has a bad line above it.
if [[ $what = debug* ]]; then
	more="sysctl.vm.mem_profiling=1"
	expected+='|WARNING: .* alloc_tag_module_unload|Call Trace:'
fi

suites="kunit.filter_glob=pool_${SUITE:-*} ALONE=${SUITE:+alone=1}"
status=0
"$here/boot.sh" --log "$work/log" --extract-to "$work" \
	--append "SCALE=$scale $suites ${BOOT:-} ${more:-}" \
	--expect-bad "$expected" "$@" "$what" "$work/script" \
	"$dir/pool.ko" "$dir/pool_kunit.ko" "$here/lost.awk" || status=1
[ -s "$work/results" ] || die "$world: no results"

# KTAP: "    ok 3 name # SKIP reason" for cases, "ok 1 pool_x" for suites.
sed -nE 's/^ +(not )?ok [0-9]+ ([a-z0-9_]+)( # SKIP (.*))?$/\1ok - \2 \4/p' \
	"$work/results" |
	sed -E 's/^ok - ([a-z0-9_]+) (.+)$/n\/a - \1 # \2/; s/ +$//' \
	>"$results/$world"
cat "$top"/tests/{promise,inside,worlds/kernel}/cases.list |
	sed -nE "/^SUITE\(${SUITE:-.*}\)/,/^END/s/^CASE\((.*)\)/\1/p" |
while read -r name; do
	grep -qE "^(ok|not ok|n/a) - $name( |$)" "$results/$world" ||
		echo "not ok - $name" >>"$results/$world"
done
[ -z "${SUITE:-}" ] || grep -q '^ok' "$results/$world" ||
	echo "not ok - a_case_of_the_suite_runs" >>"$results/$world"
# A bad line in the log fails the world even if all cases passed.
[ $status = 0 ] || echo "not ok - kernel_log_is_clean" >>"$results/$world"

if grep '^not ok' "$results/$world" >&2; then
	cp "$work/log" "$results/$world.log"
	echo "$world: log in build/results/$world.log" >&2
	status=1
fi
echo "$world: $(grep -c '^ok' "$results/$world") passed," \
	"$(grep -c '^not ok' "$results/$world" || true) failed," \
	"$(grep -c '^n/a' "$results/$world" || true) n/a"
exit $status
