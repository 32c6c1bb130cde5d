#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that USDT probes cost nothing that counts while no tracer looks: a probe is a nop,
# the functions of the hit path are the same as in a library without probes, and a fill and
# a spill take at most MOST instructions more than there, the nop among them.
#
#	gate-probes.sh BUILD-FOLDER		with the program fillspill
#
# Builds the other library.

set -euo pipefail

top=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$top"
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh
[ $# -eq 1 ] || {
	echo "usage: ${0##*/} BUILD-FOLDER" >&2
	exit 2
}
MOST=2
HITS=(pool_alloc pool_zalloc __pool_alloc pool_free __pool_free)
with=$1
without=$tmp/without
so=libpool.so.0

# Build with the fallback of events.h, which the kernel uses, too.
other() {
	make -s -j2 B="$without" "$without/$so" CPPFLAGS="-D'POOL_TRACE(event,...)=((void)\
sizeof(pool_trace_nothing(#event, __VA_ARGS__)))'" &&
		! readelf -n "$without/$so" | grep libpool &&
		cp "$with/fillspill" "$without"
}

# Each location that the notes name must have the instruction "nop".
nops() {
	local at probes=0

	for at in $(readelf -n "$with/$so" | sed -nE '
			/Provider: libpool/,/Location/s/.*Location: (0x[0-9a-f]+),.*/\1/p'); do
		objdump -d --no-show-raw-insn --start-address="$at" \
			--stop-address=$((at + 1)) "$with/$so" | tee "$tmp/at"
		tail -n 1 "$tmp/at" | grep -qE ':\s+nop$' || return 1
		probes=$((probes + 1))
	done
	echo "$probes probes"
	[ "$probes" -ge 7 ]
}

# code LIBRARY FUNCTION - prints its instructions, without addresses
code() {
	objdump -d --no-show-raw-insn --disassemble="$2" "$1/$so" |
		awk '/^[0-9a-f]+ </ { on = 1; next } on' |
		sed -E 's/^ *[0-9a-f]+:\s*//; s/\b(0x)?[0-9a-f]{4,}\b//g; s/ *#.*//' |
		awk '$1 != "nopl" && $1 != "nopw" && $1 != "cs" && $1 != "data16"'
}
like() {
	code "$without" "$1" >"$tmp/without.code"
	grep -q ret "$tmp/without.code" && diff "$tmp/without.code" <(code "$with" "$1")
}

# more fill|spill - compares the instructions of a fill or spill with and without probes
more() {
	awk -v what="$1" -v most="$MOST" '
		$1 == what { is[++n] = $2 }
		END {
			printf "%s: %.1f without probes, %.1f with\n", what, is[1], is[2]
			exit !(n == 2 && is[1] > 0 && is[2] - is[1] <= most + 0.1)
		}' "$tmp/counts"
}
counted() {
	tests/bench/fillspill.sh "$without/fillspill" >"$tmp/counts" &&
		tests/bench/fillspill.sh "$with/fillspill" >>"$tmp/counts"
}

check a_probe_is_a_nop nops
check a_library_without_probes_is_built other
for hit in "${HITS[@]}"; do
	check "${hit}_is_the_same_with_and_without_probes" like "$hit"
done
check fills_and_spills_are_counted counted
check a_fill_takes_no_longer more fill
check a_spill_takes_no_longer more spill
sed 's/^/# /' "$tmp/counts"
finish
