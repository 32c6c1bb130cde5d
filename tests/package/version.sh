#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# All that is made of this tree has one version, that of common/pool.h, and its archive
# is the same file wherever it is made.  Prints a line per promise, "ok - NAME" or
# "not ok - NAME".
#
#	version.sh BUILD-FOLDER

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(cd "$1" && pwd)
cd "$top"
# shellcheck source=tests/lib/programs.sh
. tests/lib/programs.sh

version=$(make -s version)

# says TEXT COMMAND... - that is what the command prints
says() {
	local text=$1 said

	shift
	said=$("$@")
	echo "$said"
	[ "$said" = "$text" ]
}

check the_version_has_three_numbers grep -qxE '[0-9]+(\.[0-9]+){2}' <<<"$version"
check the_changelog_begins_with_it \
	says "$version" sed -nE '0,/^## /s/^## ([0-9.]+) .*/\1/p' CHANGELOG.md
check the_package_begins_with_it \
	says "$version" sed -nE '1s/^libpool \(([0-9.]+)-[0-9]+\) .*/\1/p' debian/changelog
notes() {
	make -s release-notes >"$tmp/notes"
	head -n 3 "$tmp/notes"
	[ "$(grep -c '^## ' "$tmp/notes")" = 1 ] && grep -q "^## $version - " "$tmp/notes" &&
		grep -q '^- ' "$tmp/notes"
}
check its_release_notes_are_its_part_of_the_changelog notes
make -s install "B=$out" "DESTDIR=$tmp/here" LIBDIR=/lib
check pkg_config_has_it \
	says "$version" sed -n 's/^Version: //p' "$tmp/here/lib/pkgconfig/libpool.pc"
check cmake_has_it \
	says "$version" sed -nE 's/^set\(PACKAGE_VERSION "(.*)"\)/\1/p' \
	"$tmp/here/lib/cmake/pool/pool-config-version.cmake"
symbols() {
	diff <(sed -nE 's/^\t\t(\w+);$/\1/p' user/libpool.map | sort) \
		<(sed -nE 's/^ (\w+)@LIBPOOL_0 [0-9.]+$/\1/p' debian/libpool0.symbols |
		  grep -vx LIBPOOL_0 | sort)
}
check the_package_has_the_symbols_of_the_map symbols
check no_other_file_of_the_source_has_it \
	says common/pool.h grep -rlF "\"$version\"" common kernel user Makefile Kbuild \
	dkms.conf Documentation/conf.py

# clone - makes the archive in a clone with another umask, time zone and language
clone() {
	(
		umask 0077
		export TZ=Pacific/Kiritimati LC_ALL=C.UTF-8
		git clone -q . "$tmp/clone"
		make -s -C "$tmp/clone" dist
	)
}
same() {
	make -s dist && clone &&
		cmp "build/libpool-$version.tar.xz" "$tmp/clone/build/libpool-$version.tar.xz"
}
check the_archive_is_the_same_from_everywhere same

# The archive must build outside of git.
archive_builds() {
	tar -C "$tmp" -xJf "build/libpool-$version.tar.xz" &&
		make -s -C "$tmp/libpool-$version" CFLAGS=-O0 install DESTDIR="$tmp/dest" &&
		[ -e "$tmp/dest/usr/local/lib/libpool.so.$version" ]
}
check the_archive_builds_and_installs archive_builds
finish
