#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Replays the recorded programs on pools, and on malloc() of the C library and of each peer
# that is one.  Each object is looked at when it is freed.
#
#	programs.sh BUILD-FOLDER
#
# On pools it is the build with AddressSanitizer.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
out=$1
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99

# replayed ALLOCATOR COMMAND... - the command must replay all events of its trace on this allocator
replayed() {
	local allocator=$1 trace=${*: -1}

	shift
	"$@" 2>"$tmp/report" || { cat "$tmp/report"; return 1; }
	cat "$tmp/report"
	same "$(value allocator)" "$allocator" &&
		same "$(value events)" "$(xz -dc "$trace" | sed -n 's/^events //p')"
}
value() {
	sed -n "s/^$1 //p" "$tmp/report"
}

# Most objects must come from pools, and some sizes from malloc().
pooled() {
	replayed pool "$out/poolreplay-asan" --cpus 1 "$1" || return 1
	[ $(($(value unpooled) * 10)) -lt "$(value allocations)" ] &&
		[ "$(value unpooled)" -gt 0 ] && [ "$(value pools_made)" -gt 9 ]
}

# The peer's malloc() must be called instead of the C library's.
on_peer() {
	local library

	library=$(gcc -print-file-name="$1")
	[ -f "$library" ] || { echo "$1: not found"; return 1; }
	LD_PRELOAD=$library LD_DEBUG=bindings "$out/poolreplay" --malloc --word "$2" \
		>"$tmp/bindings" 2>&1
	grep -q "/poolreplay .* to .*/${1%.so}.*symbol .malloc'" "$tmp/bindings" ||
		{ echo "$1 does not replace malloc()"; return 1; }
	LD_PRELOAD=$library replayed malloc "$out/poolreplay" --malloc "$2"
}

# Pages that show a dump and advice must show the same.
as_numbers_says() {
	"$out/poolreplay" --cpus 1 --dump='byusage 3' tests/replay/data/kernel-6.12.trace.xz |
		sed '/^total/q' | diff - \
		<(sed -n '/^\tpool  .*evictions$/,/^\ttotal/s/^\t//p' Documentation/numbers.rst)
}
check a_replay_ends_with_the_numbers_of_the_page as_numbers_says
as_trace_format_says() {
	"$out/poolreplay" --advise tests/replay/data/lighttpd.trace.xz >"$tmp/advice"
	sed -n '/^\t     size    allocs/,/^\tpooltrace --skip/s/^\t//p' Documentation/trace-format.rst |
		grep -v '^\.\.\.$' >"$tmp/shown"
	[ -s "$tmp/shown" ] && ! grep -vxFf "$tmp/advice" "$tmp/shown"
}
check advice_is_as_the_page_shows as_trace_format_says

for program in cc1 sqlite3 lighttpd; do
	trace=tests/replay/data/$program.trace.xz
	check "${program}_on_pools" pooled "$trace"
	check "${program}_on_pools_that_merge" replayed merged-pool \
		"$out/poolreplay-asan" --merge "$trace"
	check "${program}_on_malloc" replayed malloc "$out/poolreplay" --malloc "$trace"
	for peer in jemalloc mimalloc tcmalloc_minimal; do
		check "${program}_on_$peer" on_peer "lib$peer.so" "$trace"
	done
	check "${program}_is_a_trace_by_all_rules" eval \
		"xz -dc '$trace' | python3 tests/replay/convert.py check"
done
finish
