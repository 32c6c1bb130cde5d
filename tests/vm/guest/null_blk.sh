# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Loads on null_blk, without and with its pool: run by tests/vm/null_blk.sh.
#
# PAGES is how many pages are written.  Writes to /dev/ttyS1 lines "WORLD LOAD VALUE", of
# instructions per page, lines "count LOAD NAME VALUE" of what the pool counted, and lines
# "slow WORLD LOAD SLAB POOL" of slow paths per 1000 pages: of the slab, and of the pool.

ROUNDS=8
WARM=4
DEV=/dev/nullb0
TRACING=/sys/kernel/debug/tracing
STATS=/sys/kernel/debug/pool/by-name/nullb_page/stats

now() {
	sed -n 's/^now at \([0-9]*\) nsecs/\1/p' /proc/timer_list
}

fail() {
	echo "NULL-BLK: $*"
	exit 1
}

# write CPU, discard CPU - all pages, on that CPU; larger requests would be split
write() {
	taskset "$1" dd if=/dev/zero of=$DEV bs=1M count=$((PAGES / 256)) oflag=direct \
		2>/dev/null || fail "dd to $DEV"
}

discard() {
	taskset "$1" blkdiscard -o 0 -l $((PAGES * 4096)) $DEV || fail "blkdiscard $DEV"
}

# number NAME - of the pool
number() {
	sed -n "s/^$1 //p" $STATS
}

COUNTED="fills spills evictions gets puts store_gets store_puts nested failed"
counts() {
	[ "$world" = pool ] || return 0
	for name in $COUNTED; do
		eval "old_$name=$(number "$name")"
	done
}

counted() {
	[ "$world" = pool ] || return 0
	for name in $COUNTED; do
		eval "old=\$old_$name"
		# shellcheck disable=SC2154	# eval has set it
		echo "count $1 $name $(($(number "$name") - old))" >/dev/ttyS1
	done
}

# used OBJECTS - so many are in use
used() {
	[ "$world" = pool ] || return 0
	[ "$(number used)" = "$1" ] || fail "used is $(number used), not $1"
}

# bursts NAME CPU CPU - all pages are written by one CPU, then discarded by the other.
# The first rounds are not measured: CPUs cache more in each, until they meet their bound.
bursts() {
	written=0
	discarded=0
	for _ in $(seq $WARM); do
		write "$2"
		used "$PAGES"
		discard "$3"
		used 0
	done
	counts
	for _ in $(seq $ROUNDS); do
		t0=$(now)
		write "$2"
		t1=$(now)
		discard "$3"
		t2=$(now)
		written=$((written + t1 - t0))
		discarded=$((discarded + t2 - t1))
	done
	counted "$1"
	echo "$world $1-write $((written / ROUNDS / PAGES))" >/dev/ttyS1
	echo "$world $1-discard $((discarded / ROUNDS / PAGES))" >/dev/ttyS1
}

# paths - prints slow paths until now: of the slab, in all its caches, and of the pool.  No
# program is started, since it would allocate, too.
paths() {
	slab=0 pool=0
	while read -r _ n _; do
		slab=$((slab + n))
	done <$TRACING/kprobe_profile
	[ "$world" = pool ] || return 0
	while read -r name n; do
		case $name in
		fills | spills) pool=$((pool + n)) ;;
		esac
	done <$STATS
}

# took NAME SLAB POOL - in all rounds
took() {
	echo "slow $world $1 $(($2 * 1000 / ROUNDS / PAGES)) $(($3 * 1000 / ROUNDS / PAGES))" \
		>/dev/ttyS1
}

# slow NAME CPU CPU - as bursts, but without a clock, since probes cost time
slow() {
	slab_written=0 pool_written=0 slab_discarded=0 pool_discarded=0
	for _ in $(seq $WARM); do
		write "$2"
		discard "$3"
	done
	for _ in $(seq $ROUNDS); do
		paths
		slab_0=$slab pool_0=$pool
		write "$2"
		paths
		slab_1=$slab pool_1=$pool
		discard "$3"
		paths
		slab_written=$((slab_written + slab_1 - slab_0))
		pool_written=$((pool_written + pool_1 - pool_0))
		slab_discarded=$((slab_discarded + slab - slab_1))
		pool_discarded=$((pool_discarded + pool - pool_1))
	done
	took "$1-write" $slab_written $pool_written
	took "$1-discard" $slab_discarded $pool_discarded
}

# probe - counts calls of the slab's slow paths
probe() {
	printf 'p:%s\n' 'slow_alloc ___slab_alloc' 'slow_free __slab_free' \
		>$TRACING/kprobe_events || fail "no probe in the slab"
	echo 1 >$TRACING/events/kprobes/enable
}

# unprobe - and no more
unprobe() {
	echo 0 >$TRACING/events/kprobes/enable
	echo >$TRACING/kprobe_events
}

# keeps - what was written is read again
keeps() {
	dd if=/dev/urandom of=/tmp/data bs=1M count=8 2>/dev/null
	dd if=/tmp/data of=$DEV bs=1M oflag=direct 2>/dev/null
	dd if=$DEV bs=1M count=8 iflag=direct 2>/dev/null | cmp - /tmp/data ||
		fail "$world: other data"
	rm /tmp/data
	discard 1
	used 0
}

# A queue per CPU, so that a CPU works off what it has submitted.
load() {
	insmod "$world/null_blk.ko" gb=1 memory_backed=1 discard=1 submit_queues=2 "$@" ||
		fail "insmod $world/null_blk.ko"
}

insmod configfs.ko || exit 1
insmod pool.ko age=0 || exit 1
sleep 3	# until the work of the boot has ended
for world in slab pool; do
	load
	keeps
	bursts same 1 1
	bursts other 1 2
	rmmod null_blk || fail "rmmod null_blk"
	# Each page goes to the device's own cache of 1 MB first, and leaves it as another one.
	load cache_size=1
	bursts cached 1 1
	rmmod null_blk || fail "rmmod null_blk"
done
probe
for world in slab pool; do
	load
	slow same 1 1
	slow other 1 2
	rmmod null_blk || fail "rmmod null_blk"
	load cache_size=1
	slow cached 1 1
	rmmod null_blk || fail "rmmod null_blk"
done
unprobe
[ ! -e $STATS ] || fail "the pool is left"
rmmod pool configfs
