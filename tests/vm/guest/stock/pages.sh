# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# pages.sh - commands that README and the guide show for the kernel, and README's module

echo "# commands of pages"

# one NAME - runs an example with and without pool.ko, as its reader would
one() {
	case $2 in
	insmod*) gone pool || rmmod pool ;;
	*) loaded pool || insmod pool.ko ;;
	esac && sh -ec "$2"
}
while IFS='	' read -r _ where command; do
	check "$where: $command" one "$where" "$command" </dev/null
done </files/pages
loaded pool || insmod pool.ko
check "the module of README loads" insmod my.ko
check "... its pool is there" grep -q '^conn ' $P/pools
check "... it holds pool.ko" not rmmod pool 2>/dev/null
check "... and goes" rmmod my
check "... with its pool" not grep -q '^conn ' $P/pools
rmmod pool
