# shellcheck shell=dash disable=SC2086,SC2012,SC2231
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# many.sh - 10,000 pools: files, walks, and other tasks meanwhile
#
# Run by busybox sh in a machine, for tests/vm/many.sh.

# shellcheck source=tests/lib/results.sh
. ./results.sh
# shellcheck source=tests/vm/guest/stock/lib.sh
. ./stock/lib.sh

MANY=10000
T=/sys/kernel/tracing
ALL=$((MANY + 2))		# pool_second has two more

now() { cut -d' ' -f1 /proc/uptime; }

# timed WHAT COMMAND... - as check, and prints how long it took
timed() {
	begun=$(now)
	check "$@"
	echo "# $(awk "BEGIN { print $(now) - $begun }") s: $1"
}

# begin_read, end_read - read the first byte of the file "pools", then the rest
begin_read() {
	exec 3<$P/pools
	dd bs=1 count=1 of=/tmp/slow <&3 2>/dev/null
}
end_read() {
	cat <&3 >>/tmp/slow
	exec 3<&-
}

# meanwhile FILE - prints how often two pools were created and destroyed while a task reads FILE
meanwhile() {
	times=0
	cat "$1" >/tmp/read &
	while kill -0 $! && insmod pool_example.ko && rmmod pool_example; do
		times=$((times + 1))
	done
	wait
	echo "# $times times: $1"
	[ $times -ge 8 ]
}

# whole FORM - what was read must be complete: a whole order, or all details
whole() {
	ask "$1" && cat $P/pools >/tmp/read &&
		same "$(grep -o 'many[0-9]*' /tmp/read | sort -u | wc -l)" $MANY
}

# takes FORM - prints how long it takes to read, in hundredths of a second
takes() {
	ask "$1"
	begun=$(now)
	cat $P/pools >/dev/null
	awk "BEGIN { print int(100 * ($(now) - $begun) + 1) }"
}

# ordered - the names of the last read must ascend
ordered() {
	sed -n 's/.*\(many[0-9]*\).*/\1/p' /tmp/read >/tmp/names &&
		sort -c /tmp/names
}

# dumps COMMAND... - how many dumps it makes; those before are counted, too
dumps() {
	"$@" >/dev/null
	awk '$1 == "many_dumps" { print $2 }' $T/kprobe_profile
}

# each_stats - reads the files of all pools, some of which end meanwhile
each_stats() {
	for dir in $P/by-name/many*; do
		cat "$dir"/stats "$dir"/percpu "$dir"/registrations >/dev/null 2>&1
	done
}

[ ! -f /proc/sys/kernel/hung_task_timeout_secs ] ||
	echo 10 >/proc/sys/kernel/hung_task_timeout_secs
[ -d $T/events ] || mount -t tracefs none $T
P_MODE=/sys/kernel/debug/sched/preempt
echo "# preemption: $(cat $P_MODE 2>/dev/null || echo fixed)"
case " $(cat /proc/cmdline) " in
*" preempt=none "*) check "nothing preempts the kernel" grep -F '(none)' $P_MODE ;;
esac

check "pool.ko loads" insmod pool.ko age=1
timed "$MANY pools are made" insmod pool_second.ko many=$MANY
check "there is a folder for each" same "$(ls $P/by-name | wc -l)" $ALL
for form in "" raw json prometheus "raw byname" "raw bysize" detailed; do
	timed "pools is whole: ${form:-a table}" whole "$form"
	[ "$form" != "raw byname" ] || check "... and sorted" ordered
done
raw=$(takes raw) byname=$(takes "raw byname")
echo "# unsorted $((raw * 10)) ms, the names reversed $((byname * 10)) ms"
check "to sort takes no more than four times as long" not more "$byname" $((5 * raw))
ask raw
check "the raw table has a row for each" table $ALL

echo 'p:many_dumps pool_dump' >$T/kprobe_events
echo 1 >$T/events/kprobes/many_dumps/enable
before=$(dumps true)
times=$(($(dumps cat $P/pools) - before))
echo "# a read is $times dumps"
check "a long file takes no more than two dumps" not more $times 2
echo 0 >$T/events/kprobes/many_dumps/enable
echo >$T/kprobe_events

begin_read
check "pools are made while a file is half read" insmod pool_example.ko
check "... and ended" rmmod pool_example
end_read
check "... and the rest of it comes" table $ALL /tmp/slow
begin_read
insmod pool_example.ko
check "another reader is not kept waiting" table $((ALL + 2))
end_read
check "... nor does the first see what is new" table $ALL /tmp/slow
rmmod pool_example
for form in prometheus "prometheus byname"; do
	ask "$form"
	check "pools come and go while others are shown: $form" meanwhile $P/pools
	grep '^# [0-9]' "$tmp/printed"
done

for walk in "echo 1 >$P/gc" "echo all >$P/gc" "echo all >$P/flush" "cat $P/totals" \
	    "echo +integrity >$P/debug" "echo -integrity >$P/debug" \
	    "echo 2 >/proc/sys/vm/drop_caches"; do
	timed "a walk ends: $walk" sh -c "$walk"
done

each_stats &
reader=$!
timed "all pools end while their files are read" rmmod pool_second
kill $reader
wait $reader
check "no pool is left" table 0
check "pool.ko unloads" rmmod pool
finish
