#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Debian packages of what is committed: built twice in a fresh Debian, judged by lintian,
# installed there and used.  Prints a line per promise, "ok - NAME" or "not ok - NAME".
#
#	debian.sh SUITE		bookworm, trixie; needs root
#
# The packages are left in build/package-SUITE/build/package.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
# shellcheck source=tests/vm/lib.sh
. tests/vm/lib.sh
[ $# -eq 1 ] || die "usage: ${0##*/} SUITE"
suite=$1
tree=$top/build/package-$suite
root=$LIBPOOL_CACHE/package-$suite
trap 'rm -rf "$root"' EXIT

rm -rf "$tree" "$root"
mkdir -p "$top/build"
git clone -q "$top" "$tree"
tests/vm/chroot.sh make "$suite" "$root"
tests/vm/chroot.sh run "$root" "$tree" tests/package/inside.sh
