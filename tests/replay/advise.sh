#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# poolreplay --advise, on a trace whose numbers are known, and on bad input.
#
#	advise.sh BUILD-FOLDER

set -euo pipefail

out=$(cd "$1" && pwd)
# shellcheck source=tests/lib/results.sh
. "$(dirname "$0")/../lib/results.sh"
unset LIBPOOL_OPTIONS

# 64 bytes come and go a thousand times, from two call sites; 100 bytes stay; 50000 bytes
# are too large; 72 bytes are seldom.
events() {
	awk 'BEGIN {
		for (i = 0; i < 1000; i++) {
			printf "a 0 %d %d\n", i % 4 == 3, i
			printf "f 0 %d\n", i
		}
		for (; i < 1050; i++)
			printf "a 0 2 %d\n", i
		for (; i < 1070; i++)
			printf "a 0 3 %d\nf 0 %d\n", i, i
		for (; i < 1075; i++)
			printf "a 0 4 %d\nf 0 %d\n", i, i
	}'
}
{
	cat <<-'END'
		# libpool trace 2
		mode global
		cpus 1
		buckets 4
		cluster 64
		hot_size 524288
		pools 5
		events 2100
		objects 1075
		pool 0 64 prog+0x10
		pool 1 64 prog+0x20
		pool 2 100 prog+0x30
		pool 3 50000 prog+0x10
		pool 4 72 prog+0x20
	END
	events
} >"$tmp/body"
crc=$(gzip -c <"$tmp/body" | tail -c 8 | od -An -N4 -tx4 -v | tr -d ' ')
{ cat "$tmp/body"; echo "end 2100 $crc"; } >"$tmp/trace"

# says LINE... - the lines of the advice must match these patterns, with single blanks
says() {
	local line

	"$out/poolreplay" --advise "$tmp/trace" >"$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
	cat "$tmp/said"
	for line; do
		tr -s ' ' <"$tmp/said" | grep -qxE " ?$line" || { echo "no line: $line"; return 1; }
	done
}
check the_size_that_comes_and_goes_gains \
	says '64 1000 93 1 1000 100 (9[0-9]|100) [0-9]+ pool' \
	'sizes that would gain have 93 % of 1075 allocations'
check others_do_not says '100 50 5 50 1 0 [0-9]+ [0-9]+ no: kept' \
	'50000 20 2 1 20 100 - [0-9]+ no: too large' \
	'72 5 0 1 5 100 [0-9]+ [0-9]+ no: seldom'
check call_sites_have_their_sizes says '770 72 2 100 64 97 prog[+]0x10' \
	'255 24 2 100 64 98 prog[+]0x20' '50 5 50 0 100 100 prog[+]0x30'
# Without caches each allocation is one of the backend.
check without_caches_nothing_gains \
	eval "LIBPOOL_OPTIONS=no-cache says '64 1000 93 1 1000 100 50 [0-9]+ no: misses'"

# A trace with strings of 20 to 39 bytes and objects of 64 bytes, both allocated by one function,
# which may be an xmalloc(); with a struct of 30 bytes, as frequent as all strings, that has its own
# call site; and with names of 42 bytes.
strings() {
	awk 'BEGIN {
		print "# libpool trace 2\nmode global\ncpus 1\nbuckets 4\ncluster 64"
		print "hot_size 524288\npools 23\nevents 16000\nobjects 8000"
		for (i = 0; i < 20; i++)
			printf "pool %d %d prog+0x10\n", i, 20 + i
		print "pool 20 64 prog+0x10\npool 21 30 prog+0x20\npool 22 42 prog+0x30:strdup"
		for (i = 0; i < 8000; i++)
			printf "a 0 %d %d\nf 0 %d\n", i % 5 < 2 ? int(i / 5) % 20 : 18 + i % 5, i, i
	}' >"$tmp/body"
	crc=$(gzip -c <"$tmp/body" | tail -c 8 | od -An -N4 -tx4 -v | tr -d ' ')
	{ cat "$tmp/body"; echo "end 16000 $crc"; } >"$tmp/strings"
	"$out/poolreplay" --advise "$tmp/strings" >"$tmp/said" || { cat "$tmp/said"; return 1; }
	cat "$tmp/said"
	same "$(awk 'NF == 9 && $9 == "pool" { print $1 }' "$tmp/said")" 30 &&
		same "$(grep -c 'no: mixed' "$tmp/said")" 19 &&
		grep -q '^ *42 .* no: mixed$' "$tmp/said"
}
check only_structs_are_candidates strings
wrappers() {
	strings && same "$(tail -n 1 "$tmp/said")" 'pooltrace --skip prog+0x10'
}
check what_may_allocate_for_its_callers_is_named wrappers
no_wrappers() {
	says '64 .*' && ! grep -q skip "$tmp/said"
}
check nothing_else_is_named no_wrappers

# refused PATTERN ARG...
refused() {
	local pattern=$1 status=0

	shift
	"$out/poolreplay-asan" "$@" >"$tmp/said" 2>&1 || status=$?
	cat "$tmp/said"
	same "$status" 2 && grep -q -- "$pattern" "$tmp/said"
}
check no_trace refused '^poolreplay.*: usage: ' --advise
check two_traces refused '^poolreplay.*: usage: ' --advise "$tmp/trace" "$tmp/trace"
check with_another_option refused '^poolreplay.*: usage: ' --advise --malloc "$tmp/trace"
check trace_is_not_there refused 'No such file' --advise "$tmp/none"
head -c 1000 "$tmp/trace" >"$tmp/short"
check trace_is_cut_off refused 'event [0-9]*, byte ' --advise "$tmp/short"
sed 1s/2/3/ "$tmp/trace" >"$tmp/other"
check trace_of_another_version refused 'another version than 1 and 2' --advise "$tmp/other"
check memory_is_given_back env ASAN_OPTIONS=detect_leaks=1:exitcode=99 \
	"$out/poolreplay-asan" --advise "$tmp/trace"
finish
