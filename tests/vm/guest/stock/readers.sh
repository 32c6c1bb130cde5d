# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# readers.sh - files are read while their pools are destroyed

echo "# readers while pools come and go"
check "loads" start
while :; do
	cat $P/pools $P/totals $P/by-name/*/* >/dev/null 2>&1
	dd if=$P/pools bs=50 count=3 >/dev/null 2>&1
done &
reader=$!
again() {
	for _ in 1 2 3 4 5; do
		rmmod pool_example && insmod pool_example.ko || return 1
	done
}
check "the example comes and goes" again
kill $reader
wait $reader 2>/dev/null
check "unloads after that" within stop
