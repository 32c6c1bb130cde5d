#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# gcc -fanalyzer and clang's analyzer find mistakes with objects of pools as they find
# them with malloc(): prints a line per promise, "ok - NAME" or "not ok - NAME".

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
# shellcheck source=tests/lib/programs.sh
. tests/lib/programs.sh

bad=tests/install/analyzer/bad.c
by_gcc() {
	gcc -std=gnu11 -O1 -Wall -Wextra -Wno-use-after-free -fanalyzer -DPOOL_NO_INLINE -I"$tmp" "$@" \
		-c -o "$tmp/bad.o" $bad 2>&1
}
by_clang() {
	clang --analyze -Xclang -analyzer-config \
		-Xclang unix.DynamicMemoryModeling:Optimistic=true -I"$tmp" "$@" \
		-o "$tmp/bad.plist" $bad 2>&1
}

# warns PATTERN COMMAND... - one line of warning must be printed, and it must match
warns() {
	local pattern=$1 said

	shift
	said=$("$@" | grep 'warning:') || true
	echo "$said"
	[ "$(wc -l <<<"$said")" = 1 ] && grep -qE "$pattern" <<<"$said"
}
silent() {
	local said

	said=$("$@") || return 1
	echo "$said"
	[ -z "$said" ]
}

check gcc_finds_no_mistake_where_there_is_none silent by_gcc
check gcc_finds_a_leak warns 'Wanalyzer-malloc-leak' by_gcc -DLEAK
check gcc_finds_a_double_free warns "double-.pool_free" by_gcc -DTWICE
check gcc_finds_a_use_after_free warns "use after .pool_free" by_gcc -DAFTER
check gcc_finds_a_free_by_the_wrong_function \
	warns 'Wmismatched-dealloc' by_gcc -DMISMATCH -fno-analyzer
check clang_finds_no_mistake_where_there_is_none silent by_clang
check clang_finds_a_leak warns 'leak of memory' by_clang -DLEAK
check clang_finds_a_double_free warns 'free released memory' by_clang -DTWICE
check clang_finds_a_use_after_free warns 'after it is freed' by_clang -DAFTER
finish
