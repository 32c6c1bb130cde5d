#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# perf, bpftrace and trace-cmd see each tracepoint of pool.ko, in a machine with Debian's
# kernel.  The programs and their libraries are those of this Debian.  "make check-long"
# calls it.
#
#	tracers.sh [KERNEL]		a kernel of kernel.sh (stock-6.12)

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

what=${1:-stock-6.12}
modules=$("$here/build-modules.sh" "$what" | tail -n 1)
need linux-perf bpftrace trace-cmd

# tools - prints the programs, the libraries they are linked with, and the loader
tools() {
	local program programs=()

	for program in perf bpftrace trace-cmd; do
		programs+=("$(command -v "$program")")
	done
	mkdir "$tmp/tools"
	cp -L "${programs[@]}" "$tmp/tools/"
	ldd "${programs[@]}" | sed -nE 's|.* => (/[^ ]*) .*|\1|p; s|^\s(/[^ ]*) \(.*|\1|p' |
		sort -u | xargs cp -Lt "$tmp/tools"
}

boots() {
	"$here/boot.sh" --show --mem 2560 --timeout 580 "$what" "$here/guest/tracers.sh" \
		"$here/guest/tracers-busy.sh" \
		"$here/../lib/results.sh" "$here/guest/stock" "$tmp/tools" \
		"$modules/pool.ko" "$modules/pool_example.ko" "$modules/pool_second.ko" \
		>"$tmp/out" 2>"$tmp/err"
}

check "the programs are there" tools
boots_well
finish
