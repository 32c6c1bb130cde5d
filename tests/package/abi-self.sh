#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# abi.sh sees what breaks programs, and nothing else: prints a line per promise, "ok - NAME"
# or "not ok - NAME".

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
# shellcheck source=tests/lib/programs.sh
. tests/lib/programs.sh

copy=$tmp/copy
git clone -q . "$copy"
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x
git -C "$copy" tag -l | xargs -r git -C "$copy" tag -d >/dev/null

# abi STATUS - abi.sh ends with this status for the copy as it is
abi() {
	local status=0

	env -u MAKEFLAGS make -s -C "$copy" CFLAGS='-O1 -g' all || return 1
	"$copy/tests/package/abi.sh" "$copy/build/user" || status=$?
	[ $status = "$1" ]
}
# after FILE SED-SCRIPT STATUS - abi.sh ends with this status after a change, which is undone
after() {
	local status=0

	sed -i "$2" "$copy/$1"
	! git -C "$copy" diff --quiet || { echo "$1 is unchanged"; return 1; }
	abi "$3" || status=1
	git -C "$copy" checkout -q "$1"
	return $status
}

check without_a_tag_nothing_is_compared abi 77
check without_a_tag_another_hit_path_needs_another_number \
	after common/pool_hot.h 's/unsigned int cap;/unsigned long cap;/' 1
git -C "$copy" tag v0.0.1
git -C "$copy" commit -q --allow-empty -m next
check the_same_is_compatible abi 0
check a_function_that_goes_is_seen after user/libpool.map '/pool_thread_idle;/d' 1
# comes - the copy exports one more function, which is undone
comes() {
	local status=0

	sed -i 's/^void pool_thread_idle(void);/&\nvoid pool_comes(void);/' \
		"$copy/common/pool_memory.h"
	printf '\nvoid pool_comes(void)\n{\n}\n' >>"$copy/user/thread.c"
	sed -i 's/pool_thread_idle;/&\n\t\tpool_comes;/' "$copy/user/libpool.map"
	abi 0 && nm -D "$copy"/build/user/libpool.so.[0-9] | grep ' T pool_comes@' ||
		status=1
	git -C "$copy" checkout -q .
	return $status
}
check a_function_that_comes_is_compatible comes
check a_member_that_comes_is_seen \
	after common/pool_attr.h 's/^\tunsigned int min_avail;/&\n\tint more;/' 1
check a_statistic_that_comes_last_is_compatible \
	after common/pool_stats.h '/^struct pool_stats {/,/^};/s/^};/\tint more;\n&/' 0
check a_statistic_that_comes_first_is_seen \
	after common/pool_stats.h 's/^struct pool_stats {/&\n\tint more;/' 1
check another_hit_path_is_seen \
	after common/pool_hot.h 's/^\tunsigned int slots;/	unsigned long slots;/' 1
check another_number_is_seen \
	after common/pool.h 's/^#define POOL_ABI.*/#define POOL_ABI 99/' 1
check another_soname_allows_all after Makefile 's/^SOVER\t = 0/SOVER\t = 1/' 0
finish
