#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs pool_torture.ko in a kernel: all calls from all contexts at once, while CPUs,
# modules, options and limits come and go.
#
#	torture.sh [KERNEL [SECONDS [PARAMETER=VALUE...]]]
#
# KERNEL is one of kernel.sh (debug), SECONDS the least time (60).  The parameters are those of
# the module: Documentation/testing.rst.  Fails unless the module says SUCCESS and the kernel's
# log has no bad line.  The log is build/torture/KERNEL.log.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

# Linux 6.12 counts the fair server as a task.  So where the machine is so busy that this server
# runs, the scheduler warns of a CPU that goes offline: in that function, or in that file, where
# no call of a pool leads.
SCHEDULER='WARNING: .* at kernel/sched/(core\.c:\d+ sched_cpu_dying|deadline\.c:)|Call Trace:'

what=${1:-debug}
seconds=${2:-60}
shift $(($# > 2 ? 2 : $#))
words="seconds=$seconds $*"
log=$here/../../build/torture/$what.log

mkdir -p "${log%/*}"
rm -f "$log"
dir=$("$here/build-modules.sh" "$what" | tail -n 1)

# The module may take ten times its seconds where the machine is slow.
boots() {
	"$here/boot.sh" --cpus 4 --timeout $((seconds * 11 + 300)) --log "$log" \
		--append "torture=${words// /;}" --expect-bad "$SCHEDULER" \
		"$what" "$here/guest/torture.sh" "$here/../lib/results.sh" \
		"$dir/pool.ko" "$dir/pool_torture.ko" "$dir/pool_second.ko"
}

check "torture_of_${seconds}_s_in_$what" boots
check "torture_ends_with_SUCCESS_in_$what" grep -q -- '--- End of test: SUCCESS:' "$log"
results sed -nE 's/\r$//; s/^\[[^]]*\] ((not )?ok - |# )/\1/p' "$log"
sed -nE 's/\r$//; s/^\[[^]]*\] pool_torture: /# /p' "$log"
finish
