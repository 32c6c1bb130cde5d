#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Programs that were linked with the last release run with this library, or the SONAME
# says that they do not.  Prints a line per promise, "ok - NAME" or "not ok - NAME"; where
# there is no release to compare with, "n/a - NAME # reason" as well, and ends with 77.
#
#	abi.sh BUILD-FOLDER
#
# A release is a tag vX.Y.Z before the last commit.  It is built in build/abi.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(cd "$1" && pwd)
cd "$top"
# shellcheck source=tests/lib/programs.sh
. tests/lib/programs.sh

# soname_of TREE, number_of TREE - the number of the soname, and that of the header
soname_of() {
	sed -nE 's/^SOVER[ \t]*= ([0-9]+)/\1/p' "$1/Makefile"
}
number_of() {
	cc -E -dM -x c "$1/common/pool.h" | sed -n 's/^#define POOL_ABI //p'
}
# Compiled into programs.
hit_path_of() {
	cc -E -P -x c "$1/common/pool.h" |
		sed -n '/^struct pool_hot {/,/^}/p; /^struct pool_head {/,/^}/p'
}
# stats_of - prints the members of the statistics; new ones may come only at the end
stats_of() {
	cc -E -P -x c common/pool.h | sed -n '/^struct pool_stats {/,/^}/p' | sed '$d'
}

# known - abi.number must have the number that belongs to these structs.  A change to them needs
# a higher number there, so that programs of the old header are refused.
known() {
	[ "$(sed -n 2p tests/package/abi.number)" = \
	  "$(number_of .) $(hit_path_of . | sha256sum | cut -c1-16)" ]
}
check the_number_of_the_abi_belongs_to_the_hit_path known
# begins - the third line of abi.number has the least number of members, and their hash
begins() {
	local lines

	lines=$(sed -nE '3s/^stats ([0-9]+) .*/\1/p' tests/package/abi.number)
	[ "$(sed -n 3p tests/package/abi.number)" = \
	  "stats $lines $(stats_of | head -n "$lines" | sha256sum | cut -c1-16)" ]
}
check members_of_the_statistics_stay_where_they_are begins
[ "$failed" = 0 ] || finish

tag=$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD^ 2>/dev/null) || {
	echo "n/a - the_abi_is_that_of_the_last_release # no tag vX.Y.Z to compare with"
	exit 77
}
old=$top/build/abi/$tag

built() {
	[ -e "$old/done" ] && return
	rm -rf "$old"
	mkdir -p "$old" && git archive "$tag" | tar -C "$old" -x &&
		env -u MAKEFLAGS make -s -C "$old" CFLAGS='-O1 -g' all && touch "$old/done"
}
check "the_release_${tag}_builds" built

headers() {
	mkdir -p "$2"
	# shellcheck disable=SC2046	# words
	(cd "$1" && cp $(env -u MAKEFLAGS make -s headers) "$2")
}
headers "$old" "$tmp/old"
headers "$top" "$tmp/new"
new=("$out"/libpool.so.[0-9])
compatible() {
	abidiff --suppressions tests/package/abi.suppr --no-added-syms \
		--drop-private-types --headers-dir1 "$tmp/old" --headers-dir2 "$tmp/new" "$old"/build/user/libpool.so.[0-9] "${new[0]}"
}

if [ "$(soname_of "$old")" != "$(soname_of "$top")" ]; then
	echo "# the SONAME has changed since $tag, so all else may"
	finish
fi
check "functions_and_types_are_those_of_$tag" compatible
check "the_number_of_the_abi_is_that_of_$tag" \
	[ "$(number_of "$old")" = "$(number_of "$top")" ]
check "the_hit_path_has_the_structs_of_$tag" \
	diff <(hit_path_of "$old") <(hit_path_of "$top")
finish
