#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that damaged traces are refused.
#
#	bad-traces.sh PROGRAM
#
# PROGRAM is poolreplay, built with AddressSanitizer.  Each damaged trace must make it exit
# with 1 and one line that names an event and a byte.  Where it misuses or loses memory,
# AddressSanitizer makes it exit with another status.

set -euo pipefail

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
	echo "usage: ${0##*/} PROGRAM" >&2
	exit 2
fi
program=$1
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99
# shellcheck source=tests/lib/results.sh
. "$(dirname "$0")/../lib/results.sh"

# seal - prints the standard input as a trace, with the end line that fits it
seal() {
	local body=$tmp/body crc count

	cat >"$body"
	crc=$(gzip -c <"$body" | tail -c 8 | od -An -N4 -tx4 -v | tr -d ' ')
	count=$(grep -c '^[af] ' "$body") || true
	cat "$body"
	echo "end ${1:-$count} $crc"
}

# refused [WHY] - the program must refuse $tmp/bad, because of WHY
refused() {
	local status=0

	"$program" "$tmp/bad" >"$tmp/out" 2>&1 || status=$?
	[ "$status" -eq 1 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ] &&
		grep -Eq ': event [0-9]+, byte [0-9]+: ' "$tmp/out" &&
		grep -Eq -- "${1-}" "$tmp/out" && return
	head -n 3 "$tmp/out"
	return 1
}

# changed NAME WHY SED... - the good trace, changed by sed and sealed again, must be refused
changed() {
	local name=$1 why=$2

	shift 2
	sed "$@" "$tmp/body.good" >"$tmp/changed"
	seal <"$tmp/changed" >"$tmp/bad"
	check "$name" differs_and_is_refused "$why"
}
differs_and_is_refused() {
	! cmp "$tmp/changed" "$tmp/body.good" && refused "$1"
}

# at_each_byte COMMAND... - COMMAND prints a bad trace for the number of a byte; each must be
# refused
at_each_byte() {
	local at size status=0

	size=$(wc -c <"$tmp/good")
	for ((at = 0; at < size; at++)); do
		"$@" $at >"$tmp/bad"
		refused || { echo "byte $at"; status=1; }
	done
	return $status
}
cut_off() {
	head -c "$1" "$tmp/good"
}
one_byte_changed() {
	perl -0777 -pe 'substr($_, '"$1"', 1) ^= "\x01"' "$tmp/good"
}

cat >"$tmp/body.good" <<'END'
# libpool trace 1
# source: by hand, 2 CPUs
mode global
cpus 2
buckets 2
cluster 4
hot_size 4096
pools 3
events 14
objects 5
pool 0 64 sixtyfour
pool 1 7 seven
pool 2 2000 twothousand
a 0 0 0
a 0 1 1
a 1 2 2
f 1 0
a 0 0 3
a 1 0 4
f 0 2
f 0 1
a 1 1 0
a 0 2 2
f 1 3
f 0 4
f 1 2
a 0 0 1
END
seal <"$tmp/body.good" >"$tmp/good"

### The good trace is accepted, and would not count as refused

check "good trace" "$program" "$tmp/good"
cp "$tmp/good" "$tmp/bad"
check "the good trace does not count as refused" not refused

### Cut off, at every byte; and every byte changed

check "cut off after each byte" at_each_byte cut_off
check "each byte changed" at_each_byte one_byte_changed
{ cat "$tmp/good"; echo; } >"$tmp/bad"
check "more after the end" refused "more after"
cat "$tmp/good" "$tmp/good" >"$tmp/bad"
check "given twice" refused "more after"

### Whole and sealed, but not consistent

changed "object live twice" "event 5, .*live" 's/^a 0 0 3$/a 0 0 2/'
changed "object never allocated" "event 4, .*not live" 's/^f 1 0$/f 1 3/'
changed "object freed twice" "event 8, .*not live" 's/^f 0 1$/f 0 2/'
changed "no such processor" "event 3, .*too large" 's/^a 1 2 2$/a 2 2 2/'
changed "no such processor, free" "event 4, .*too large" 's/^f 1 0$/f 2 0/'
changed "no such pool" "event 3, .*too large" 's/^a 1 2 2$/a 1 3 2/'
changed "no such object" "event 6, .*too large" 's/^a 1 0 4$/a 1 0 5/'
changed "object above 2^32" "event 6, .*too large" 's/^a 1 0 4$/a 1 0 4294967296/'
changed "object above 2^64" "event 6, .*too large" \
	's/^a 1 0 4$/a 1 0 18446744073709551620/'
changed "negative number" "event 6, .*not a number" 's/^a 1 0 4$/a 1 0 -4/'
changed "leading zero" "event 6, .*not a number" 's/^a 1 0 4$/a 1 0 04/'
changed "no number" "event 6, .*not a number" 's/^a 1 0 4$/a 1 0 /'
changed "two spaces" "event 6, .*not a number" 's/^a 1 0 4$/a 1  0 4/'
changed "one word more" "event 6, .*not a number" 's/^a 1 0 4$/a 1 0 4 4/'
changed "unknown event" "event 6, .*not an event" 's/^a 1 0 4$/r 1 0 4/'
changed "empty line" "event 6, .*not an event" 's/^a 1 0 4$//'
changed "events missing" "event 15, .*events are missing" 's/^events 14$/events 15/'
changed "too many events" "event 13, .*no end" 's/^events 14$/events 13/'
changed "too few objects" "event 6, .*too large" 's/^objects 5$/objects 4/'
changed "too many objects" "event 14, .*fewer objects" 's/^objects 5$/objects 6/'
changed "pool missing" "event 0, .*pools are missing" '/^pool 2 /d'
changed "pool too many" "event 1, .*not an event" 's/^pool 2 .*/&\npool 3 8 more/'
changed "pools not in order" "event 0, .*not in order" 's/^pool 1 /pool 2 /'
changed "pool of size 0" "event 0, .*too small" 's/^pool 1 7 /pool 1 0 /'
changed "pool far too large" "event 0, .*too large" 's/^pool 1 7 /pool 1 99999999 /'
changed "pool without a name" "event 0, .*not a name" 's/ seven$/ /'
changed "bad name" "event 0, .*not a name" 's/seven/sev en/'
changed "long name" "event 0, .*too long" 's/seven/&&&&&&&&&&&&&&&&&&&&/'
for key in cpus pools events objects buckets cluster; do
	changed "no $key" "event 0, .*too small" "s/^$key .*/$key 0/"
	changed "far too many $key" "event 0, .*too large" \
		"s/^$key .*/$key 4294967295/"
done
changed "hot_size too large" "event 0, .*too large" \
	's/^hot_size .*/hot_size 1073741825/'
for key in mode cpus buckets cluster hot_size pools events objects; do
	changed "$key missing" "event 0, .*missing" "/^$key /d"
	changed "$key twice" "event 0, .*twice" "s/^$key .*/&\n&/"
done
changed "unknown key" "event 0, .*not a header line" 's/^cpus 2$/&\ncolour 2/'
changed "tab in a comment" "event 0, .*comment" '2s/by hand/by\thand/'
changed "unknown mode" "event 0, .*not a mode" 's/^mode .*/mode local/'
changed "more objects than events" "event 0, .*more objects" \
	's/^objects 5$/objects 15/'
changed "another version" "event 0, byte 16: .*another version than 1 and 2" '1s/1$/3/'
changed "no version" "event 0, byte 16: .*another version" '1s/1$//'
changed "longer version" "event 0, byte 16: .*another version" '1s/1$/10/'
changed "too many pools for version 1" "event 0, .*more pools than version 1" \
	's/^pools .*/pools 4097/'
changed "name of version 2" "event 0, .*not a name" 's/seven/sev+en/'
seal 13 <"$tmp/body.good" >"$tmp/bad"
check "another count in the end" refused "another count"
seal <"$tmp/body.good" | sed 's/\(end [0-9]* \).*/\100000000/' >"$tmp/bad"
check "checksum" refused "event 14, .*checksum"
: >"$tmp/bad"
check "empty file" refused "event 0, byte 0: .*first line"

### Version 2 has larger sizes, more pools and other names

version_2() {
	sed "1s/1\$/2/; $1" "$tmp/body.good" | seal >"$tmp/bad"
}
version_2 's/^pool 1 7 seven/pool 1 2147483647 libc.so.6+0x1f/'
check "version 2" "$program" --malloc "$tmp/bad"
version_2 's/^pool 1 7 /pool 1 2147483648 /'
check "pool too large for version 2" refused "event 0, .*too large"
version_2 's/^pools .*/pools 65537/'
check "far too many pools for version 2" refused "event 0, .*too large"
version_2 's/seven/sev@en/'
check "bad name in version 2" refused "event 0, .*not a name"

### Not even text

printf '\3757zXZ\0garbage' >"$tmp/bad"
not_by_xz() {
	local status=0

	"$program" "$tmp/bad" >"$tmp/out" 2>&1 || status=$?
	cat "$tmp/out"
	[ "$status" -eq 1 ] && grep -q 'not by xz, after byte 0$' "$tmp/out"
}
check "bad xz" not_by_xz
# ends STATUS PATTERN ARG... - the program must exit with STATUS and print PATTERN; its output is
# /dev/full
ends() {
	local status=0 wanted=$1 pattern=$2

	shift 2
	"$program" "$@" >/dev/full 2>"$tmp/out" || status=$?
	cat "$tmp/out"
	[ "$status" -eq "$wanted" ] && grep -q -- "$pattern" "$tmp/out"
}
check "full disk" ends 1 'output cannot be written' --dump "$tmp/good"
check "full disk, advice" ends 2 'output cannot be written' --advise "$tmp/good"
check "wrong words of a dump" ends 2 jsno --dump=jsno "$tmp/good"
not_replayed() {
	! grep -q ns_per_event "$tmp/out"
}
check "wrong words are told of before the replay" not_replayed
sed 's/^buckets .*/buckets 3/' "$tmp/body.good" | seal >"$tmp/bad"
check "buckets that are no power of 2" ends 1 'bad: its settings are refused' "$tmp/bad"
by_convert() {
	! python3 tests/replay/convert.py check <"$tmp/bad" 2>"$tmp/out" &&
		grep -q "$1" "$tmp/out"
}
check "buckets that are no power of 2, by convert.py" by_convert 'buckets 3'
sed '2s/by hand/by\thand/' "$tmp/body.good" | seal >"$tmp/bad"
check "tab in a comment, by convert.py" by_convert 'line 2: .*by'
xz -k "$tmp/good"
check "xz, without stdin" "$program" "$tmp/good.xz" <&-
from_a_pipe() {
	xz -c "$tmp/good" | ends 1 'by xz, and no file that can be read twice' /dev/stdin
}
check "xz by a pipe" from_a_pipe
check "children that are ignored" env --ignore-signal=CHLD "$program" "$tmp/good.xz"
finish
