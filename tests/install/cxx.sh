#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# libpool.hpp with both compilers, both libraries, checks and AddressSanitizer: prints a
# line per promise, "ok - NAME" or "not ok - NAME".
#
#	cxx.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

W='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
SO="-L$out -lpool -Wl,-rpath,$out"
src=tests/install/cxx

# builds CXX FLAGS LIBS - words of FLAGS and LIBS
# shellcheck disable=SC2086
builds() {
	$1 -std=c++17 $W $2 -I"$tmp" -o "$tmp/prog" $src/containers.cc $3 -pthread
}

# hides CXX - build a library and a program with hidden symbols, and run them
# shellcheck disable=SC2086
hides() {
	local flags="-std=c++17 -O1 $W -fvisibility=hidden -I$tmp"

	$1 $flags -DLIBRARY -fPIC -shared -o "$tmp/libhidden.so" $src/hidden.cc $SO &&
		$1 $flags -o "$tmp/hidden" $src/hidden.cc -L"$tmp" -lhidden \
			"-Wl,-rpath,$tmp" $SO
}

# bare CXX - build without exceptions and run-time types: an allocation that fails ends the program
# shellcheck disable=SC2086
bare() {
	local status=0

	$1 -std=c++17 $W -fno-exceptions -fno-rtti -I"$tmp" -o "$tmp/bare" $src/bare.cc $SO &&
		runs "$tmp/bare" || return 1
	"$tmp/bare" limit >"$tmp/said" 2>&1 || status=$?
	cat "$tmp/said"
	[ $status = 134 ] && [ ! -s "$tmp/said" ]
}

# old CXX STANDARD - the first error must name the standard that libpool.hpp needs
old() {
	! $1 "-std=$2" -I"$tmp" -c -o "$tmp/bare.o" $src/bare.cc 2>"$tmp/said" &&
		grep -m1 'error:' "$tmp/said" | grep 'libpool.hpp needs C++17'
}

WMORE='-Wold-style-cast -Wzero-as-null-pointer-constant -Wsign-conversion -Wcast-qual -Wextra-semi'

for cxx in g++ clang++; do
	name=${cxx/++/xx}
	check "containers_build_with_$name" builds $cxx -O2 "$SO"
	check "containers_of_${name}_work" runs "$tmp/prog"
	check "containers_of_${name}_work_with_checks" \
		runs env LIBPOOL_OPTIONS=tag,integrity,caller "$tmp/prog"
	check "containers_build_with_${name}_as_a_later_standard" \
		builds $cxx "-std=c++20 -O0" "$out/libpool.a"
	check "containers_of_${name}_work_with_the_archive" runs "$tmp/prog"
	check "containers_build_with_${name}_and_asan" \
		builds $cxx "-O1 -g -fsanitize=address,undefined" "$SO"
	check "containers_of_${name}_work_under_asan" runs "$tmp/prog"
	check "a_program_of_${name}_without_exceptions_works" bare $cxx
	for std in c++98 c++11 c++14; do
		check "${name}_says_that_${std/++/xx}_is_too_old" old $cxx $std
	done
	check "containers_build_with_${name}_and_more_warnings" \
		builds $cxx "-fsyntax-only $WMORE" ""
	check "a_library_and_its_program_build_with_$name" hides $cxx
	check "pools_of_a_library_of_${name}_are_the_program_s" runs "$tmp/hidden"
	check "so_are_they_for_${name}_with_tags" \
		runs env LIBPOOL_OPTIONS=tag,no-merge "$tmp/hidden"
done
finish
