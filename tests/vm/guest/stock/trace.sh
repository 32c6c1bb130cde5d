# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# trace.sh - tracepoints

echo "# tracepoints"
T=/sys/kernel/tracing
[ -d $T/events ] || mount -t tracefs none $T

# seen EVENT TEXT - the buffer must have such an event
seen() { grep -q ": pool_$1: name=$2" $T/trace || { tail -n 5 $T/trace; false; }; }
# objects EVENT POOL - prints how many objects all of its events had
objects() {
	sed -n "s/.*: pool_$1: name=$2 objects=\([0-9]*\)/\1/p" $T/trace |
		awk '{ n += $1 } END { print n + 0 }'
}
# balanced - a pool that is gone must have returned to the backend all that it got
balanced() { more "$(objects backend_get $1)" 0 && same "$(objects backend_get $1)" "$(objects backend_put $1)"; }
quiet() { same "$(grep -c ': pool_' $T/trace)" 0; }

check "pool.ko loads" insmod pool.ko hot_size=16k fail_alloc=1
check "it has nine events" same "$(ls -d $T/events/pool/pool_* | wc -l)" 9
echo 16384 >$T/buffer_size_kb
echo >$T/trace
check "the example loads" insmod pool_example.ko
check "it works" moves ex_conn spills
check "what nobody traces leaves no event" quiet
check "... and unloads" rmmod pool_example
echo 1 >$T/events/pool/enable
check "the example loads" insmod pool_example.ko
for event in fill spill evict; do
	check "an event of each $event" within seen $event ex_conn
done
check "a fill says where from" seen fill 'ex_conn objects=[0-9]* from=cpu'
check "a failure says why" within seen refused 'ex_event cause=injected'
check "the example unloads" rmmod pool_example
echo 0 >$T/events/pool/enable
check "no event was lost" same "$(cat $T/per_cpu/*/stats | grep overrun | grep -cv ': 0$')" 0
check "backend events of a connection's pool balance" balanced ex_conn
check "... of an event's, too" balanced ex_event
# calls NAME - prints events of calls; calls are events only where that is asked for
calls() { grep -c ": pool_$1: name=ex_conn call_site=[a-z_]*+[^ ]* \[pool_example\] ptr=.* bytes_alloc=192" $T/trace; }
check "no call was an event" same "$(grep -c ': pool_\(alloc\|free\): ' $T/trace)" 0
echo >$T/trace
check "the example loads" insmod pool_example.ko
echo +trace >$P/by-name/ex_conn/debug
echo 1 >$T/events/pool/pool_alloc/enable
echo 1 >$T/events/pool/pool_free/enable
check "with trace allocations are" within eval '[ "$(calls alloc)" -gt 100 ]'
check "... and frees" within eval '[ "$(calls free)" -gt 100 ]'
echo 0 >$T/events/pool/enable
check "the example unloads" rmmod pool_example
check "unloads" rmmod pool
