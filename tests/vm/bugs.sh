#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs the matrix of bugs and options in one kernel.
#
#	bugs.sh WHAT [boot.sh option...]
#
# WHAT is uml or debug.  Writes a line per cell to build/bug-matrix/WHAT.txt.
# Fails if the kernel's log has a bad line.  What a cell loses stays lost: so
# nobody looks for leaks.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

[ $# -ge 1 ] || die "usage: ${0##*/} WHAT [boot.sh option...]"
what=$1
shift
top=$(cd "$here/../.." && pwd)
out=$top/build/bug-matrix

mkdir -p "$out"
rm -f "$out/$what.txt"
dir=$("$here/build-modules.sh" "$what" | tail -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/script" <<'END'
[ ! -e /sys/kernel/debug/kmemleak ] || echo off >/sys/kernel/debug/kmemleak
insmod pool.ko || exit 1
insmod pool_bugs.ko || exit 1
cat /sys/kernel/debug/pool_bugs >/tmp/matrix
[ -s /tmp/matrix ] || exit 1
emit /tmp/matrix
rmmod pool_bugs || exit 1
rmmod pool || exit 1
END

"$here/boot.sh" --log "$out/$what.log" --extract-to "$work" "$@" \
	"$what" "$work/script" "$dir/pool.ko" "$dir/pool_bugs.ko"
mv "$work/matrix" "$out/$what.txt"
