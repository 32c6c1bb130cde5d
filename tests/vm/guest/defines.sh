# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# defines.sh - what pool.ko has on that was built with defines
#
# Run by busybox sh in a machine, for tests/vm/defines.sh, whose table is /files/variants.

# shellcheck source=tests/lib/results.sh
. /files/results.sh
# shellcheck source=tests/vm/guest/stock/lib.sh
. /files/lib.sh

# numbers POOL KEY... - prints these numbers of a pool in one line
numbers() {
	pool=$1
	shift
	for key; do
		number "$pool" "$key"
	done | tr '\n' ' ' | sed 's/ $//'
}

# is_as_defined WORDS SIZES OBJECTS - checks the defaults, and a pool that had one object
is_as_defined() {
	same "$(cat $P/debug)" "$1" &&
		same "$(cat $P/hot_size) $(number sc_conn cluster)" "$2" &&
		same "$(numbers sc_conn allocated cached shared)" "$3"
}

while IFS='|' read -r name _ _ words sizes objects; do
	check "${name}_loads" insmod "$name.ko"
	check "... with a consumer" insmod pool_second.ko
	check "$name" is_as_defined "$words" "$sizes" "$objects"
	check "... and both go" rmmod pool_second pool
done </files/variants
finish
