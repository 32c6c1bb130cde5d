# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# options.sh - options that are switched while pools live

echo "# options of live pools"
check "loads with hot_size=16k" start hot_size=16k
conn=$P/by-name/ex_conn/debug
refused() { forget; not sh -c "echo '$1' >$2" 2>/dev/null && says "$3"; }
check "new pools have nothing on" same "$(cat $P/debug)" "hot_size=16384"
check "nor has this one" same "$(cat $conn)" none
check "help has a line per option" same "$(wc -l <$P/help)" 30
check "one pool is switched" sh -c "echo '+integrity no-global' >$conn"
check "... which it shows" same "$(cat $conn)" "cold-first integrity no-global"
check "... and only that one" same "$(cat $P/by-name/ex_event/debug)" none
check "... which works" moves ex_conn store_gets
check "... and back" sh -c "echo '-integrity,global' >$conn"
check "... which it shows" same "$(cat $conn)" none
check "all are switched" sh -c "echo '+poison no-merge faults=continue' >$P/debug"
check "... this one" same "$(cat $conn)" poison
check "... and new ones" same "$(cat $P/debug)" \
	"no-merge poison hot_size=16384 faults=continue"
check "... and back" sh -c "echo '-poison merge faults=warn' >$P/debug"
check "... this one" same "$(cat $conn)" none
check "what is fixed is refused" refused "poison tag" $conn \
	'"tag": cannot change on a live pool'
check "... for all, too" refused "poison -uaf" $P/debug \
	'"-uaf": cannot change on a live pool'
check "values of all pools are refused for one" refused poison=1 $conn \
	'"poison=1": values are of all pools'
check "... out of range, too" refused "poison fail_alloc=101" $conn \
	'"fail_alloc=101": values are of all pools'
check "... and for all if they are out of range" refused "poison fail_alloc=101" $P/debug \
	'"fail_alloc=101": fail_alloc is 0-100'
check "an unknown word is refused" refused "poison bogus" $P/debug '"bogus"'
check "... and nothing is changed" same "$(cat $conn) $(cat $P/debug)" \
	"none hot_size=16384"
check "... no allocation fails" same "$(number ex_conn injected)" 0
check "it goes on" moves ex_conn spills

echo "# numbers that are set while pools live"
limit=$P/by-name/ex_conn/limit
# Objects in caches are handed out above the limit, too, so empty the caches first.
refuses() { echo all >$P/gc; more_than ex_conn refused "$1"; }
check "a pool has no limit" same "$(cat $limit)" 0
check "it gets one" sh -c "echo 1 >$limit"
check "... which it shows" same "$(cat $limit) $(number ex_conn limit)" "1 1"
check "... and obeys" within refuses "$(number ex_conn refused)"
check "... and no other pool" same "$(cat $P/by-name/ex_event/limit)" 0
for wrong in "" x -1 4294967296 99999999999999999999 "1 2" 1k 0x10 1.5; do
	check "the limit '$wrong' is refused" refused "$wrong" $limit \
		"debugfs limit: not a number of objects, 0 to 4294967295: \"$wrong\""
done
check "a very long one is refused" refused "$(printf %099d 1)" $limit "too many words"
check "... and nothing is changed" same "$(cat $limit)" 1
check "the limit goes" sh -c "echo 0 >$limit"
check "... and it goes on" moves ex_conn spills
check "hot_size is shown" same "$(cat $P/hot_size)" 16384
check "it is set" sh -c "echo 8k >$P/hot_size"
check "... and shown" same "$(cat $P/hot_size) $(cat $P/debug)" "8192 hot_size=8192"
check "... and kept to" within sh -c \
	"awk 'NR > 1 && \$9 > 8192 { exit 1 }' $P/by-name/ex_conn/percpu"
for wrong in "" x -1 2g 9999999999 1.5; do
	check "the hot_size '$wrong' is refused" refused "$wrong" $P/hot_size \
		"\"hot_size=$wrong\""
done
check "two values are refused" refused "64k,no-cache" $P/hot_size \
	'not one value: "64k,no-cache"'
check "... and nothing is changed" same "$(cat $P/hot_size) $(cat $P/debug)" \
	"8192 hot_size=8192"
check "unloads" stop
