#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The tables of Documentation/bug-matrix.rst are those of the expected matrices.
#
#	page.sh [write]		without "write" fails if they are not

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
page=Documentation/bug-matrix.rst
begins='.. tables begin: make bug-matrix-accept'
ends='.. tables end'
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# One of each marker, in their order: else nothing would be replaced.
[ "$(grep -xF -e "$begins" -e "$ends" "$page")" = "$begins"$'\n'"$ends" ]

{
	sed "/^$begins\$/q" "$page"
	echo
	tests/bugs/table.sh tests/bugs/expected-user.txt \
		tests/bugs/expected-kernel.txt
	echo
	sed -n "/^$ends\$/,\$p" "$page"
} >"$tmp/page"
if [ "${1:-}" = write ]; then
	cp "$tmp/page" "$page"
else
	diff -u "$page" "$tmp/page"
fi
