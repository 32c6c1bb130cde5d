#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs "make check-user" in another release of Debian, in a clone of what is committed.
#
#	check-debian.sh SUITE		trixie
#
# The Debian is a fresh installation, which has neither make nor a compiler.  The clone is
# build/SUITE; its results are in there.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
# shellcheck source=tests/vm/lib.sh
. tests/vm/lib.sh
[ $# -eq 1 ] || die "usage: ${0##*/} SUITE"
tree=$top/build/$1
root=$LIBPOOL_CACHE/check-$1
trap 'rm -rf "$root"' EXIT

rm -rf "$tree" "$root"
mkdir -p "$top/build"
git clone -q "$top" "$tree"
tests/vm/chroot.sh make "$1" "$root"
tests/vm/chroot.sh run "$root" "$tree" sh -euc '
	DEBIAN_FRONTEND=noninteractive \
		apt-get -qy install --no-install-recommends make >/dev/null
	exec make check-user'
