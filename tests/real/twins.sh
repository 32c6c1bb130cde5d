#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Builds HAProxy twice from Debian's source package: as it is, and with our patch.
#
#	twins.sh BUILD-FOLDER
#
# BUILD-FOLDER has libpool.  The source is fetched on first use: apt compares its checksums
# with those that Debian has signed.  Source and programs are kept in the cache folder, see
# vm/lib.sh.  Prints lines for the shell to evaluate:
#
#	ORIGINAL='program'
#	POOLS='program, which needs libpool.so in its path of libraries'

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
# shellcheck source=tests/vm/lib.sh
. tests/vm/lib.sh

readonly SUITE=bookworm VERSION=2.6.12
patch=$top/user/examples/haproxy/libpool.patch
out=$(cd "$1" && pwd)

# source_apt COMMAND... - apt-get with one list of sources and folders of its own
source_apt() {
	apt-get -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" \
		-o APT::Sandbox::User="$(id -un)" "$@"
}

fetch() {
	local keys=/usr/share/keyrings/debian-archive-keyring.gpg

	mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
	echo "deb-src [signed-by=$keys] http://deb.debian.org/debian $SUITE main" \
		>"$work/sources.list"
	source_apt update
	(cd "$work" && source_apt --only-source --download-only source haproxy)
	rm -rf "$work/lists" "$work/cache"
	# It compares the checksums once more, with those of the .dsc.
	(cd "$work" && dpkg-source -x haproxy_"$VERSION"-*.dsc source)
}

# build MAKE-ARGUMENT... - of $work/source, to $work/haproxy; no more than is needed
build() {
	make -C "$work/source" -j2 TARGET=linux-glibc DEBUG_CFLAGS= "$@" haproxy
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
	patch --batch --fuzz=0 -d "$work/source" -p1 <"$patch"
	PKG_CONFIG_PATH=$work/usr/lib/pkgconfig build USE_LIBPOOL=1
	rm -rf "${work:?}/usr"
}

# entry NAME FUNCTION - a folder of the cache, made unless it is there
entry() {
	[ ! -d "$LIBPOOL_CACHE/$1" ] || return 0
	begin "$LIBPOOL_CACHE/$1"
	"$2" >>"$log" 2>&1
	finish "$LIBPOOL_CACHE/$1"
}

# Of programs with other headers or patches, only the last one is kept.
only() {
	local old

	for old in "$LIBPOOL_CACHE/haproxy-$VERSION-pools-"*/; do
		[ "$old" = "$LIBPOOL_CACHE/$1/" ] || rm -rf "$old"
	done
}

key=$({ cat "$patch" tests/real/twins.sh; make -s headers | xargs cat; } | sha256sum | cut -c 1-16)
name=haproxy-$VERSION
open_log haproxy
lock haproxy
source=$LIBPOOL_CACHE/$name-source
entry "$name-source" fetch
entry "$name-original" original
entry "$name-pools-$key" pools
only "$name-pools-$key"
printf "ORIGINAL='%s'\nPOOLS='%s'\n" "$LIBPOOL_CACHE/$name-original/haproxy" \
	"$LIBPOOL_CACHE/$name-pools-$key/haproxy"
