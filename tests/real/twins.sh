#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Builds HAProxy twice from the upstream archive in Debian's source package: as it is, and with
# our patch.
#
#	twins.sh BUILD-FOLDER [RELEASE-LINE]
#
# BUILD-FOLDER has libpool.  RELEASE-LINE is 2.6, the default, or 3.0.  The archive is fetched
# on first use: apt compares its checksum with the one that Debian has signed.  Archive and
# programs are kept in the cache folder, see vm/lib.sh.  Prints lines for the shell to evaluate:
#
#	ORIGINAL='program'
#	POOLS='program, which needs libpool.so in its path of libraries'

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
# shellcheck source=tests/vm/lib.sh
. tests/vm/lib.sh

# Per release line: Debian's suite, the version there, and our patch for it.
case ${2:-2.6} in
2.6) row="bookworm 2.6.12 user/examples/haproxy/libpool.patch" ;;
3.0) row="trixie 3.0.11 tests/real/haproxy-3.0.patch" ;;
*) die "no release line $2; there are 2.6 and 3.0" ;;
esac
read -r suite version patch <<<"$row"
out=$(cd "$1" && pwd)

# source_apt COMMAND... - runs apt-get with a list of sources and folders of its own
source_apt() {
	apt-get -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" \
		-o APT::Sandbox::User="$(id -un)" "$@"
}

fetch() {
	local keys=/usr/share/keyrings/debian-archive-keyring.gpg

	mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
	echo "deb-src [signed-by=$keys] http://deb.debian.org/debian $suite main" \
		>"$work/sources.list"
	source_apt update
	# All revisions of a version in Debian share this archive, while an archive server may lack
	# the other files of the latest one.
	(cd "$work" && source_apt --only-source --download-only --tar-only source haproxy)
	rm -rf "$work/lists" "$work/cache"
	mkdir "$work/source"
	tar -xf "$work/haproxy_$version".orig.tar.* --strip-components=1 -C "$work/source"
}

# build MAKE-ARGUMENT... - builds $work/haproxy of $work/source, and removes the source
build() {
	make -C "$work/source" -j2 TARGET=linux-glibc ARCH_FLAGS= DEBUG_CFLAGS= "$@" haproxy
	mv "$work/source/haproxy" "$work/haproxy"
	rm -rf "$work/source"
}

original() {
	cp -r "$source/source" "$work"
	build
}

# The headers of libpool are compiled in; libpool.so may change.
pools() {
	make -s install B="$out" PREFIX="$work/usr" LIBDIR="$work/usr/lib" \
		INCLUDEDIR="$work/usr/include"
	cp -r "$source/source" "$work"
	patch --batch --fuzz=0 -d "$work/source" -p1 <"$top/$patch"
	PKG_CONFIG_PATH=$work/usr/lib/pkgconfig build USE_LIBPOOL=1
	rm -rf "${work:?}/usr"
}

# entry NAME FUNCTION - makes a folder of the cache by FUNCTION, unless it is there
entry() {
	[ ! -d "$LIBPOOL_CACHE/$1" ] || return 0
	begin "$LIBPOOL_CACHE/$1"
	"$2" >>"$log" 2>&1
	finish "$LIBPOOL_CACHE/$1"
}

# only DIR - removes older builds of a program, with other headers or patches
only() {
	local old

	for old in "$LIBPOOL_CACHE/haproxy-$version-pools-"*/; do
		[ "$old" = "$LIBPOOL_CACHE/$1/" ] || rm -rf "$old"
	done
}

key=$({ cat "$patch" tests/real/twins.sh; make -s headers | xargs cat; } | sha256sum | cut -c 1-16)
name=haproxy-$version
open_log haproxy
lock haproxy
source=$LIBPOOL_CACHE/$name-source
entry "$name-source" fetch
entry "$name-original" original
entry "$name-pools-$key" pools
only "$name-pools-$key"
printf "ORIGINAL='%s'\nPOOLS='%s'\n" "$LIBPOOL_CACHE/$name-original/haproxy" \
	"$LIBPOOL_CACHE/$name-pools-$key/haproxy"
