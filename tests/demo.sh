#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Shows the main job on real input, in both worlds: replays what Linux allocated while it
# worked, on pools and on what a user would have used instead.
#
#	demo.sh			"make demo" calls it
#
# The kernel's part runs in a virtual machine; nothing is loaded into this one.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
# shellcheck source=tests/vm/lib.sh
. tests/vm/lib.sh
trace=tests/replay/data/kernel-6.12.trace
ahead 100 stock-6.12
tests/deps.sh build
tests/deps.sh vm
make -s all build/user/poolreplay

title() {
	printf '\n== %s\n' "$*"
}

# pick KEY... - these lines of a result, side by side
pick() {
	awk -v keys="$*" 'BEGIN { n = split(keys, k, " ") }
		{ v[$1] = $2 }
		END { for (i = 1; i <= n; i++) printf "  %s %s\n", k[i], v[k[i]] }'
}
KEYS='allocator events ns_per_event peak_live peak_held failed_allocations wrong_contents'

title "User space: $trace.xz on libpool and on malloc, one thread"
echo '(in turn, five times each; the middle time)'
results=$(mktemp -d)
for run in 1 2 3 4 5; do
	build/user/poolreplay --cpus 1 $trace.xz 2>"$results/pool.$run"
	build/user/poolreplay --cpus 1 --malloc $trace.xz \
		2>"$results/malloc.$run"
done
for allocator in pool malloc; do
	middle=$(grep -H ns_per_event "$results/$allocator".* | sort -k 2n |
		sed -n '3s/:.*//p')
	# shellcheck disable=SC2086	# words
	pick $KEYS <"$middle"
done
rm -rf "$results"

title 'The same on two threads, as it was recorded: 20 % are freed elsewhere'
build/user/poolreplay $trace.xz 2>&1 |
	pick allocator workers events waits failed_allocations wrong_contents

title 'The same on pools that may be merged: how many pools for how many caches'
build/user/poolreplay --cpus 1 --merge $trace.xz 2>&1 |
	pick allocator pools pools_made peak_held failed_allocations wrong_contents

title 'The same with each object checked: LIBPOOL_OPTIONS=integrity,tag'
LIBPOOL_OPTIONS=integrity,tag build/user/poolreplay --cpus 1 $trace.xz 2>&1 |
	pick allocator events ns_per_event failed_allocations wrong_contents

title 'The pools that hold most at the end of it, as a table, JSON and Prometheus text'
for words in 'byusage 3' 'json byusage 1' 'prometheus byusage 1'; do
	build/user/poolreplay --cpus 1 --dump="$words" $trace.xz 2>/dev/null |
		grep -v '^# HELP' | sed -n '1,6p' | cut -c 1-78 | sed 's/^/  /'
done

modules=$(tests/vm/build-modules.sh stock-6.12 | tail -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
xz -dc $trace.xz >"$work/trace"
{
	echo "KEYS='${KEYS// /|}'"
	cat <<'END'
set -e
insmod pool.ko
insmod pool_example.ko
insmod pool_replay.ko trace=/files/trace
cd /sys/kernel/debug
result() {
	grep -E "^($KEYS) " pool_replay/result | sed 's/^/  /'
}
echo "== Kernel $(uname -r): the trace on pool.ko and on kmem_cache, one CPU"
for words in cpus=1 'cpus=1 kmem_cache'; do
	echo "$words" >pool_replay/run
	[ "$words" = cpus=1 ] && cat pool/pools >/tmp/pools
	echo 1 >pool_replay/end
	result
done
echo '== The same on two CPUs, as it was recorded'
echo cpus=2 >pool_replay/run
echo 1 >pool_replay/end
result | grep -v ns_per_event
echo '== /sys/kernel/debug/pool/pools after the first, and what a consumer does'
head -n 8 /tmp/pools
grep -E '^(pool |ex_|total )' pool/pools
cat pool/totals
echo '== /sys/kernel/debug/pool/debug, and one pool switched while it is in use'
cat pool/debug
one=pool/by-name/ex_conn
for word in +integrity -integrity; do
	echo $word >$one/debug
	sleep 1
	echo "after $word: $(cat $one/debug); $(grep ^quarantined $one/stats)"
done
cd /
rmmod pool_replay pool_example pool
END
} >"$work/script"
echo
echo "(The next times are those of an emulated machine; \"make bench\" counts"
echo "instructions instead.)"
tests/vm/boot.sh --mem 1024 --timeout 600 --log "$work/log" stock-6.12 \
	"$work/script" "$modules/pool.ko" "$modules/pool_example.ko" \
	"$modules/pool_replay.ko" "$work/trace"
sed -n '/VM-SCRIPT-START/,/VM-SCRIPT-EXIT/p' "$work/log" |
	grep -v -e VM-SCRIPT -e '^\[ *[0-9]*\.[0-9]*\]' | tr -d '\r'
