#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs the matrix of bugs and options in one kernel.
#
#	bugs.sh WHAT [boot.sh option...]
#
# WHAT is uml, debug or i386.  Writes a line per cell to build/bug-matrix/WHAT.txt, and
# prints a result per bug: all of its cells are as tests/proof/bugs/expected.txt has them.
# Fails if the kernel's log has a bad line.  What a cell loses stays lost, so the kernel
# does not look for leaks.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

[ $# -ge 1 ] || die "usage: ${0##*/} WHAT [boot.sh option...]"
what=$1
shift
out=$top/build/bug-matrix

mkdir -p "$out"
rm -f "$out/$what.txt"
dir=$("$here/build-modules.sh" "$what" | tail -n 1)
cat >"$tmp/script" <<'END'
insmod pool.ko || exit 1
insmod pool_bugs.ko || exit 1
cat /sys/kernel/debug/pool_bugs >/tmp/matrix
[ -s /tmp/matrix ] || exit 1
emit /tmp/matrix
rmmod pool_bugs || exit 1
rmmod pool || exit 1
END

check "the kernel had nothing to complain of" \
	"$here/boot.sh" --log "$out/$what.log" --extract-to "$tmp" \
	--append kmemleak=off "$@" \
	"$what" "$tmp/script" "$dir/pool.ko" "$dir/pool_bugs.ko"
[ -s "$tmp/matrix" ] || die "$what: no matrix; log in build/bug-matrix/$what.log"
mv "$tmp/matrix" "$out/$what.txt"
"$top/tests/proof/bugs/expected.sh" kernel >"$tmp/expected"
results "$top/tests/proof/bugs/compare.sh" "$tmp/expected" "$out/$what.txt"
finish
