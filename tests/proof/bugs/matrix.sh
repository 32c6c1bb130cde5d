#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# "make bug-matrix": which option finds which bug, when, and with what report.
#
#	matrix.sh		runs all cells in user space, in User-Mode Linux and
#				in the SMP debug kernel; prints the tables, then what
#				is not as expected, and fails if there is any
#	matrix.sh accept	makes what it found last the expected table
#
# A line per cell is in build/bug-matrix: user.txt, kernel.txt.  A cell must be the
# same in both kernels.

set -euo pipefail

top=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$top"
out=build/bug-matrix

if [ "${1:-}" = accept ]; then
	tests/proof/bugs/expected.sh join $out/user.txt $out/kernel.txt >$out/expected.txt
	cp $out/expected.txt tests/proof/bugs/expected.txt
	tests/proof/bugs/page.sh write
	exit
fi

mkdir -p $out
rm -f $out/*.txt
env -u LIBPOOL_OPTIONS build/tests/bugs >$out/user.txt
for kernel in uml debug; do
	tests/vm/bugs.sh $kernel --cpus 4 >$out/$kernel.out 2>&1 ||
		echo "$kernel: not as expected, see $out/$kernel.out" >&2
done
diff $out/uml.txt $out/debug.txt >&2 || { echo "the kernels differ" >&2; exit 1; }
cp $out/debug.txt $out/kernel.txt
tests/proof/bugs/table.sh $out/user.txt $out/kernel.txt
status=0
for world in user kernel; do
	tests/proof/bugs/expected.sh $world >$out/expected.txt
	tests/proof/bugs/compare.sh $out/expected.txt $out/$world.txt |
		sed -n "s/^#/$world:/p" >&2 || status=1
done
[ $status = 0 ] || echo "not as expected; make bug-matrix-accept makes it so" >&2
exit $status
