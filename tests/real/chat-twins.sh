#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Builds the tutorial's server three times: as it is, with pools, and with all of its steps.
#
#	chat-twins.sh BUILD-FOLDER FOLDER
#
# Leaves FOLDER/malloc, FOLDER/pools and FOLDER/steps, which need libpool.so in their path
# of libraries.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
patches=$top/user/examples/tutorial

make -s -C "$top" install B="$out" PREFIX="$folder/usr" LIBDIR="$folder/usr/lib" \
	INCLUDEDIR="$folder/usr/include"
export PKG_CONFIG_PATH=$folder/usr/lib/pkgconfig
cp -r "$patches" "$folder/source"

# build NAME FLAG...
build() {
	local name=$1

	shift
	cc -O2 -o "$folder/$name" "$folder/source/server.c" "$@"
}
read -ra flags <<<"$(pkg-config --cflags --libs libpool)"

build malloc
for step in "$patches"/[1-9]-*.patch; do
	patch -s --batch -d "$folder/source" -p1 <"$step"
	case $step in
	*-pools.patch) build pools "${flags[@]}" ;;
	esac
done
build steps "${flags[@]}"
rm -rf "${folder:?}"/{source,usr}
