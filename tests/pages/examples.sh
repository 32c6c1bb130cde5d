#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Compiles the examples of README.md and of the pages: each block that is marked as C or
# C++.  A block that does not include the header gets it.  Blocks that include a header of
# the kernel are left out.

set -euo pipefail

cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/libpool"
for header in $(make -s headers); do
	cp "$header" "$tmp/libpool"
done

# Each block becomes a file PAGE-LINE.c, or .cc.
cut_out() {
	local page=$1

	awk -v to="$tmp/$(basename "$page")-" '
		/^```c$/ || /^\.\. code-block:: c(\+\+)?$/ {
			out = to NR (/\+$/ ? ".cc" : ".c"); fence = /^```/; next
		}
		out && (fence ? /^```$/ : /^[^ \t]/) { out = "" }
		out { print >out }' "$page"
}

for page in README.md Documentation/*.rst; do
	cut_out "$page"
done

failed=0 seen=0
for file in "$tmp"/*.c "$tmp"/*.cc; do
	grep -q '^[[:space:]]*#include <linux/' "$file" && continue
	seen=$((seen + 1))
	case $file in
	*.cc) compiler=("${CXX:-c++}" -std=c++17) header=libpool.hpp ;;
	*) compiler=("${CC:-cc}" -std=gnu11) header=pool.h ;;
	esac
	first=(-include "libpool/$header")
	grep -q "#include <libpool/$header>" "$file" && first=()
	"${compiler[@]}" -Wall -Wextra -Werror -Wno-unused-variable -fsyntax-only \
		-I"$tmp" "${first[@]}" "$file" || { basename "$file"; failed=1; }
done

# If there are fewer, then the pattern above does not find them.
[ "$seen" -ge 10 ] || failed=1
echo "$seen examples"
exit $failed
