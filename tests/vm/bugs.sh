#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs the matrix of bugs and options in one kernel.
#
#	bugs.sh WHAT [boot.sh option...]
#
# WHAT is uml or debug.  Writes a line per cell to build/bug-matrix/WHAT.txt, and
# a line per bug, ok or not ok, to build/results/bugs-WHAT: whether all of its
# cells are as tests/bugs/expected-kernel.txt has them.  Fails if one is not, or if
# the kernel's log has a bad line.  What a cell loses stays lost: so nobody looks
# for leaks.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

[ $# -ge 1 ] || die "usage: ${0##*/} WHAT [boot.sh option...]"
what=$1
shift
top=$(cd "$here/../.." && pwd)
out=$top/build/bug-matrix
results=$top/build/results/bugs-$what

mkdir -p "$out" "${results%/*}"
rm -f "$out/$what.txt" "$results"
dir=$("$here/build-modules.sh" "$what" | tail -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/script" <<'END'
insmod pool.ko || exit 1
insmod pool_bugs.ko || exit 1
cat /sys/kernel/debug/pool_bugs >/tmp/matrix
[ -s /tmp/matrix ] || exit 1
emit /tmp/matrix
rmmod pool_bugs || exit 1
rmmod pool || exit 1
END

status=0
"$here/boot.sh" --log "$out/$what.log" --extract-to "$work" \
	--append kmemleak=off "$@" \
	"$what" "$work/script" "$dir/pool.ko" "$dir/pool_bugs.ko" || status=1
[ -s "$work/matrix" ] || die "$what: no matrix; log in build/bug-matrix/$what.log"
mv "$work/matrix" "$out/$what.txt"
"$top/tests/bugs/compare.sh" "$top/tests/bugs/expected-kernel.txt" \
	"$out/$what.txt" >"$work/verdict" || status=1
grep '^#' "$work/verdict" >&2 || true
grep -v '^#' "$work/verdict" >"$results"
[ $status = 0 ] || echo "not ok bugs_${what}_as_a_whole" >>"$results"
exit $status
