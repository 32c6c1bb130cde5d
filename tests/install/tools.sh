#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that AddressSanitizer, with LeakSanitizer, ThreadSanitizer and valgrind report
# the faults of programs that use pools as they do with malloc(), and nothing else.
#
#	tools.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

so=("$out/libpool.so.0" "-Wl,-rpath,$out")
memcheck=(valgrind --leak-check=full --error-exitcode=9)
export ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=report_objects=1
# Killed programs must leave no core file.
ulimit -c 0

# build PROGRAM COMPILER ARG... - builds tests/install/tools/PROGRAM.c
build() {
	local program=$1 cc=$2

	shift 2
	"$cc" -std=gnu11 -O1 -g -Wall -Wextra -Werror -I"$tmp" \
		-o "$tmp/$program" "tests/install/tools/$program.c" "$@" -pthread
}

# flagged PATTERN FAULT COMMAND... - the tool must report the fault and end the program.  The report
# must have the fault's address, unless PATTERN begins with "no address: ".
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

# faults NAME PATTERN-OF-LEAK COMMAND... - checks all faults that both tools report
faults() {
	local name=$1 leak=$2 fault

	shift 2
	for fault in {read,write}_{first,last}_byte_of_a_free_object; do
		check "${name}_tells_of_$fault" flagged \
			'use-after-poison|Invalid (read|write) of size 1' \
			"$fault" "$@"
	done
	for fault in {read,write}_one_byte_too_many; do
		check "${name}_tells_of_$fault" flagged \
			'AddressSanitizer: |Invalid (read|write) of size 1' \
			"$fault" "$@"
	done
	check "${name}_sees_a_leak" flagged "$leak" leak "$@"
	# libpool reports this fault before the tool can see it.
	check "libpool_tells_${name}_of_free_twice" flagged \
		'FAULT: freed twice' free_twice "$@"
}

# clean COMMAND... - a program without a fault must run silently, with each set of options
clean() {
	local options

	for options in '' no-cache no-global tag,backup,caller,integrity,poison \
		       tag,backup,no-cache uaf no-tools,integrity no-tools; do
		echo "# LIBPOOL_OPTIONS=$options"
		LIBPOOL_OPTIONS=$options timeout 120 "$@" "$tmp/good" || return 1
	done
}

# switched COMMAND... - pools must close their arrays, so that the tool sees each call; with
# no-tools they must not
switched() {
	timeout 60 "$@" "$tmp/bad" closed &&
		! LIBPOOL_OPTIONS=no-tools timeout 60 "$@" "$tmp/bad" closed
}

# asan NAME COMPILER LIBRARY... - checks all of these programs under AddressSanitizer
asan() {
	local name=$1 cc=$2 program

	shift 2
	for program in bad good; do
		check "${name}_builds_$program" \
			build "$program" "$cc" -fsanitize=address "$@"
	done
	faults "$name" 'LeakSanitizer: detected memory leaks' env
	check "${name}_is_content_with_a_good_program" clean env
	check "${name}_has_each_call_seen" switched env
}

asan asan_of_gcc gcc "${so[@]}"
asan asan_of_gcc_with_the_archive gcc "$out/libpool.a"
asan asan_of_clang clang "${so[@]}"
asan asan_of_clang_with_the_archive clang "$out/libpool.a"

# valgrind_too NAME LIBRARY... - checks all of them under valgrind, whose report of a leak names the
# place of the allocation instead of the address
valgrind_too() {
	local name=$1 program

	shift
	for program in bad good; do
		check "${name}_builds_$program" build "$program" gcc "$@"
	done
	faults "$name" 'no address: definitely lost' "${memcheck[@]}"
	check "${name}_tells_of_use_what_was_not_written" flagged \
		'no address: uninitialised' use_what_was_not_written \
		"${memcheck[@]}"
	check "${name}_is_content_with_a_good_program" clean "${memcheck[@]}"
	check "${name}_has_each_call_seen" switched "${memcheck[@]}"
}

valgrind_too valgrind "${so[@]}"
valgrind_too valgrind_with_the_archive "$out/libpool.a"

# tsan NAME COMPILER LIBRARY... - under ThreadSanitizer, without any support by the library
tsan() {
	local name=$1 cc=$2

	shift 2
	check "${name}_builds_races" \
		build races "$cc" -fsanitize=thread "$@"
	check "${name}_is_content_with_threads_in_order" \
		timeout 120 "$tmp/races"
	check "${name}_tells_of_threads_that_race" racing
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

# Other tools of valgrind count what a program does; pools must not change that.
# open COMMAND... - the program must exit with the status by which it says that its arrays are open
open() {
	local status=0

	"$@" "$tmp/bad" closed || status=$?
	same "$status" 1
}
check caches_are_open_under_callgrind open valgrind --tool=callgrind \
	--callgrind-out-file=/dev/null
build bad gcc "${so[@]}"
check caches_are_open_without_a_tool open
finish
