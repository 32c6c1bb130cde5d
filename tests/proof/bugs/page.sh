#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The tables of Documentation/bug-matrix.rst have what expected.txt has.
#
#	page.sh [write]		without "write" fails if they are not

set -euo pipefail

top=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$top"
page=Documentation/bug-matrix.rst
begins='.. tables begin: make bug-matrix-accept'
ends='.. tables end'
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Each marker must be there once, in this order; else nothing would be replaced.
[ "$(grep -xF -e "$begins" -e "$ends" "$page")" = "$begins"$'\n'"$ends" ]

for world in user kernel; do
	tests/proof/bugs/expected.sh $world >"$tmp/$world"
done
{
	sed "/^$begins\$/q" "$page"
	echo
	tests/proof/bugs/table.sh "$tmp/user" "$tmp/kernel"
	echo
	sed -n "/^$ends\$/,\$p" "$page"
} >"$tmp/page"
if [ "${1:-}" = write ]; then
	cp "$tmp/page" "$page"
else
	diff -u "$page" "$tmp/page"
fi
