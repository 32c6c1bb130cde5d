# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# options.sh - options that are switched while pools live

echo "# options of live pools"
check "loads with hot_size=16k" start hot_size=16k
conn=$P/by-name/ex_conn/debug
refused() { forget; not sh -c "echo '$1' >$2" 2>/dev/null && says "$3"; }
check "new pools have nothing on" same "$(cat $P/debug)" "hot_size=16384"
check "nor has this one" same "$(cat $conn)" none
check "help has a line per option" same "$(wc -l <$P/help)" 28
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
check "an unknown word is refused" refused "poison bogus" $P/debug '"bogus"'
check "... and nothing is changed" same "$(cat $conn)" none
check "it goes on" moves ex_conn spills
check "unloads" stop
