#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Measures what a tool costs a pool: nanoseconds per allocation and free.
#
#	cost.sh BUILD-FOLDER

set -euo pipefail

top=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$top"
out=$(cd "$1" && pwd)
# shellcheck source=tests/lib/programs.sh
. tests/lib/programs.sh

for cc in "gcc" "gcc -fsanitize=address"; do
	name=$tmp/cost-${cc##*=}
	# shellcheck disable=SC2086	# a compiler and its flags
	$cc -std=gnu11 -O2 -I"$tmp" -o "$name" tests/install/tools/cost.c \
		"$out/libpool.a" -pthread
done

# row NAME COMMAND...
row() {
	local name=$1

	shift
	printf '%-20s %8s %10s\n' "$name" "$("$@")" \
		"$(LIBPOOL_OPTIONS=no-tools "$@")"
}

printf '%-20s %8s %10s\n' "ns per object" tools no-tools
row "no tool" "$tmp/cost-gcc" 8000000
row AddressSanitizer "$tmp/cost-address" 2000000
row valgrind valgrind -q "$tmp/cost-gcc" 200000
