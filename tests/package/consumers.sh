#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Programs that find an installed library by pkg-config and by CMake, shared and static.
# Prints a line per promise, "ok - NAME" or "not ok - NAME".
#
#	consumers.sh BUILD-FOLDER

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(cd "$1" && pwd)
cd "$top"
# shellcheck source=tests/lib/programs.sh
. tests/lib/programs.sh

src=$top/tests/package/consumers
version=$(make -s version)
soname=$(make -s soname)
# The library is where Debian has it, and later in a folder that no file knows.
lib=usr/lib/$(gcc -print-multiarch)
moved=$tmp/moved
make -s install "B=$out" DESTDIR="$tmp/dest" PREFIX=/usr "LIBDIR=/$lib"
mv "$tmp/dest" "$moved"
export PKG_CONFIG_PATH=$moved/$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$moved
export LD_LIBRARY_PATH=$moved/$lib

# is FILE LINKED - the program runs, and needs the shared library or not
is() {
	local needs=apart

	! grep -q "NEEDED.*\[$soname\]" <<<"$(readelf -d "$1")" || needs=shared
	echo "$needs"
	[ "$("$1")" = "$version" ] && [ $needs = "$2" ]
}

# by_pkg_config LINKED ARG... - words of pkg-config, and options of the compiler
by_pkg_config() {
	local linked=$1 words=$2

	shift 2
	# shellcheck disable=SC2046,SC2086	# words
	gcc -o "$tmp/prog" "$src/prog.c" $(pkg-config $words --cflags libpool) "$@" \
		$(pkg-config $words --libs libpool) && is "$tmp/prog" "$linked"
}
check pkg_config_finds_the_shared_library by_pkg_config shared ""
check pkg_config_links_a_static_program by_pkg_config apart --static -static

# configured VERSION - CMakeLists.txt that asks for this version
configured() {
	rm -rf "$tmp/project" "$tmp/cmake"
	cp -r "$src" "$tmp/project"
	sed -i "s/find_package(pool [0-9.]*/find_package(pool $1/" \
		"$tmp/project/CMakeLists.txt"
	cmake -S "$tmp/project" -B "$tmp/cmake" "-DCMAKE_PREFIX_PATH=$moved/usr"
}
refused() {
	! configured "$1"
}
check cmake_refuses_a_version_to_come refused "${version%%.*}.99"
check cmake_refuses_another_interface refused 0.1
check cmake_takes_this_version configured "$version"
check cmake_takes_what_is_as_new configured "${version%.*}"
check cmake_builds cmake --build "$tmp/cmake"
check cmake_links_the_shared_library is "$tmp/cmake/shared" shared
check cmake_links_the_archive is "$tmp/cmake/archive" apart
check cmake_links_a_static_program is "$tmp/cmake/static" apart
finish
