#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Tools that watch memory: AddressSanitizer, with LeakSanitizer, ThreadSanitizer and
# valgrind tell of faults of programs that use pools as of those that use malloc(),
# and of nothing else.  Prints a line per promise, "ok NAME" or "not ok NAME".
#
#	tools.sh BUILD-FOLDER

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
out=$(cd "$1" && pwd)
# shellcheck source=tests/lib/promise.sh
. tests/lib/promise.sh

so=("$out/libpool.so.0" "-Wl,-rpath,$out")
memcheck=(valgrind --leak-check=full --error-exitcode=9)
export ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=report_objects=1
# What a program that is killed leaves is nobody's.
ulimit -c 0

# build PROGRAM COMPILER ARG... - tests/install/tools/PROGRAM.c
build() {
	local program=$1 cc=$2

	shift 2
	"$cc" -std=gnu11 -O1 -g -Wall -Wextra -Werror -I"$tmp" \
		-o "$tmp/$program" "tests/install/tools/$program.c" "$@" -pthread
}

# flagged PATTERN FAULT COMMAND... - the fault is told of, with its address or, if
# PATTERN begins with "no address: ", without; and ends the program.
flagged() {
	local pattern=$1 fault=$2 address

	shift 2
	! timeout 60 "$@" "$tmp/bad" "$fault" >"$tmp/stdout" 2>"$tmp/stderr" ||
		return 1
	address=$(cat "$tmp/stdout")
	cat "$tmp/stderr"
	[ -n "$address" ] || return 1
	case $pattern in
	"no address: "*) address=${pattern#no address: } ;;
	esac
	grep -qiE "(^|[^0-9a-z])${address}([^0-9a-z]|$)" "$tmp/stderr" &&
		grep -qE "${pattern#no address: }" "$tmp/stderr"
}

# faults NAME PATTERN-OF-LEAK COMMAND... - all that both tools tell of
faults() {
	local name=$1 leak=$2 fault

	shift 2
	for fault in {read,write}_{first,last}_byte_of_a_free_object; do
		promise "${name}_tells_of_$fault" flagged \
			'use-after-poison|Invalid (read|write) of size 1' \
			"$fault" "$@"
	done
	for fault in {read,write}_one_byte_too_many; do
		promise "${name}_tells_of_$fault" flagged \
			'AddressSanitizer: |Invalid (read|write) of size 1' \
			"$fault" "$@"
	done
	promise "${name}_sees_a_leak" flagged "$leak" leak "$@"
	# Ours, and it comes before the tool could tell.
	promise "libpool_tells_${name}_of_free_twice" flagged \
		'FAULT: freed twice' free_twice "$@"
}

# clean COMMAND... - a program without a fault runs, whatever else is checked
clean() {
	local options

	for options in '' no-cache no-global tag,backup,caller,integrity,poison \
		       tag,backup,no-cache uaf no-tools,integrity no-tools; do
		echo "# LIBPOOL_OPTIONS=$options"
		LIBPOOL_OPTIONS=$options timeout 120 "$@" "$tmp/good" || return 1
	done
}

# switched COMMAND... - pools are closed, but not with no-tools
switched() {
	timeout 60 "$@" "$tmp/bad" closed &&
		! LIBPOOL_OPTIONS=no-tools timeout 60 "$@" "$tmp/bad" closed
}

# asan NAME COMPILER LIBRARY... - everything under AddressSanitizer
asan() {
	local name=$1 cc=$2 program

	shift 2
	for program in bad good; do
		promise "${name}_builds_$program" \
			build "$program" "$cc" -fsanitize=address "$@"
	done
	faults "$name" 'LeakSanitizer: detected memory leaks' env
	promise "${name}_is_content_with_a_good_program" clean env
	promise "${name}_has_each_call_seen" switched env
}

asan asan_of_gcc gcc "${so[@]}"
asan asan_of_gcc_with_the_archive gcc "$out/libpool.a"
asan asan_of_clang clang "${so[@]}"
asan asan_of_clang_with_the_archive clang "$out/libpool.a"

# valgrind NAME LIBRARY... - everything under valgrind, which has no address of
# what leaked, but where it was allocated
valgrind_too() {
	local name=$1 program

	shift
	for program in bad good; do
		promise "${name}_builds_$program" build "$program" gcc "$@"
	done
	faults "$name" 'no address: definitely lost' "${memcheck[@]}"
	promise "${name}_tells_of_use_what_was_not_written" flagged \
		'no address: uninitialised' use_what_was_not_written \
		"${memcheck[@]}"
	promise "${name}_is_content_with_a_good_program" clean "${memcheck[@]}"
	promise "${name}_has_each_call_seen" switched "${memcheck[@]}"
}

valgrind_too valgrind "${so[@]}"
valgrind_too valgrind_with_the_archive "$out/libpool.a"

# tsan NAME COMPILER LIBRARY... - under ThreadSanitizer; the library knows of none
tsan() {
	local name=$1 cc=$2

	shift 2
	promise "${name}_builds_races" \
		build races "$cc" -fsanitize=thread "$@"
	promise "${name}_is_content_with_threads_in_order" \
		timeout 120 "$tmp/races"
	promise "${name}_tells_of_threads_that_race" racing
}
racing() {
	! timeout 120 "$tmp/races" bad >"$tmp/stderr" 2>&1 || return 1
	cat "$tmp/stderr"
	grep -q 'WARNING: ThreadSanitizer: data race' "$tmp/stderr"
}

tsan tsan_of_gcc gcc "${so[@]}"
tsan tsan_of_gcc_with_the_archive gcc "$out/libpool.a"
tsan tsan_of_clang clang "${so[@]}"
tsan tsan_of_clang_with_the_archive clang "$out/libpool.a"

# Others of valgrind's tools count what programs do; that should not change.
promise caches_are_open_under_callgrind eval \
	"! valgrind --tool=callgrind --callgrind-out-file=/dev/null $tmp/bad closed"
build bad gcc "${so[@]}"
promise caches_are_open_without_a_tool eval "! $tmp/bad closed"
exit $failed
