#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Compiles and runs programs that are written to the document: with its prototypes
# alone, and by its ways to end.
#
#	document.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

W='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
C="-std=c11 $W -Wstrict-prototypes"
CXX="-x c++ -std=c++17 $W"
SO="-L$out -lpool -Wl,-rpath,$out"
src=tests/install/document

# builds_and_runs CC FLAGS SOURCE LIBS - words of FLAGS and LIBS
# shellcheck disable=SC2086
builds_and_runs() {
	$1 $2 -I"$tmp" -c -o "$tmp/prog.o" "$3" &&
		$1 -o "$tmp/prog" "$tmp/prog.o" $4 -pthread &&
		runs "$tmp/prog" && runs env LIBPOOL_OPTIONS=no-cache "$tmp/prog"
}

for cc in gcc clang g++ clang++; do
	flags=$C
	[ "${cc%++}" = "$cc" ] || flags=$CXX
	check "the_documents_prototypes_are_enough_for_${cc/++/xx}" \
		builds_and_runs $cc "$flags" $src/prog.c "$SO"
	check "the_documents_prototypes_are_enough_for_${cc/++/xx}_and_the_archive" \
		builds_and_runs $cc "$flags" $src/prog.c "$out/libpool.a"
	check "the_documented_variable_is_read_without_pic_for_${cc/++/xx}" \
		builds_and_runs $cc "$flags -fno-pie" $src/prog.c "$SO -no-pie"
	check "each_documented_call_is_a_function_for_${cc/++/xx}" \
		builds_and_runs $cc "$flags" $src/functions.c "$SO"
	check "each_documented_call_is_a_function_for_${cc/++/xx}_and_the_archive" \
		builds_and_runs $cc "$flags" $src/functions.c "$out/libpool.a"
done
finish
