#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# libpool.hpp with both compilers, both libraries, checks and AddressSanitizer: prints a
# line per promise, "ok - NAME" or "not ok - NAME".
#
#	cxx.sh BUILD-FOLDER

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
out=$(cd "$1" && pwd)
# shellcheck source=tests/lib/programs.sh
. tests/lib/programs.sh

W='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
SO="-L$out -lpool -Wl,-rpath,$out"
src=tests/install/cxx

# builds CXX FLAGS LIBS - words of FLAGS and LIBS
# shellcheck disable=SC2086
builds() {
	$1 -std=c++17 $W $2 -I"$tmp" -o "$tmp/prog" $src/containers.cc $3 -pthread
}

# runs [OPTIONS] - it ends with 0 and says nothing
runs() {
	local said

	said=$(LIBPOOL_OPTIONS=${1:-} timeout 120 "$tmp/prog" 2>&1) ||
		{ echo "$? $said"; return 1; }
	[ -z "$said" ] || { echo "$said"; return 1; }
}

for cxx in g++ clang++; do
	name=${cxx/++/xx}
	check "containers_build_with_$name" builds $cxx -O2 "$SO"
	check "containers_of_${name}_work" runs
	check "containers_of_${name}_work_with_checks" runs tag,integrity,caller
	check "containers_build_with_${name}_as_a_later_standard" \
		builds $cxx "-std=c++20 -O0" "$out/libpool.a"
	check "containers_of_${name}_work_with_the_archive" runs
	check "containers_build_with_${name}_and_asan" \
		builds $cxx "-O1 -g -fsanitize=address,undefined" "$SO"
	check "containers_of_${name}_work_under_asan" runs
done
finish
