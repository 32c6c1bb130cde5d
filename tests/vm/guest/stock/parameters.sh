# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# parameters.sh - parameters of the module, wrong and right

echo "# wrong parameters"
# At the first load the kernel says that the module taints it.
check "loads without parameters" insmod pool.ko
check "unloads" rmmod pool
for wrong in debug=bogus debug=no-cache,nonsense hot_size=9999999999 \
	     hot_size=1025m hot_size=2g hot_size= hot_size=64k,no-cache \
	     max_cached=1025m max_cached=2g max_cached= max_cached=64k,no-cache \
	     buckets=3 buckets=0 buckets=128 buckets=x cluster=0 cluster=65 cluster=x \
	     debug=fail_alloc=101 faults=abort faults= \
	     fail_alloc=-1 fail_alloc=101 fail_alloc=x \
	     poison=256 poison=0xg uaf_keep=1025m uaf_keep=x; do
	forget
	check "$wrong is refused" not insmod pool.ko $wrong 2>/dev/null
	word=${wrong#*=}
	check "... by a line that names it" says "${word##no-cache,}\""
	check "... and the parameter" says "${wrong%%=*}"
done
# The kernel itself reads these; age.sh has ages that are out of range.
for wrong in age=x shrink=maybe shrink=2 shrink=; do
	forget
	check "$wrong is refused" not insmod pool.ko $wrong 2>/dev/null
	check "... by a line that names it" says \
		"\`${wrong#*=}' invalid for parameter \`${wrong%%=*}'"
done
check "nothing is loaded" gone pool
check "right parameters are accepted" \
	start debug=no-global hot_size=1m buckets=4 cluster=8
check "... and used: mode" same "$(number ex_conn mode)" no-global
check "... cluster" same "$(number ex_conn cluster)" 8
check "... and shown" same "$(cat /sys/module/pool/parameters/hot_size)" 1m
check "unloads" stop
check "values are parameters, too" start max_cached=2m faults=continue poison=0x41 \
	uaf_keep=1m shrink=N
check "... of new pools" same "$(cat $P/debug)" \
	"poison max_cached=2097152 poison=65 uaf_keep=1048576 faults=continue"
check "... and used" same "$(cat $P/by-name/ex_conn/debug)" poison
check "unloads" stop
check "all words are known" start debug=no-fail,no-merge,hot-first,no-integrity,no-tag,no-caller,no-uaf,no-backup,no-memstats,no-tools,no-merge-modules,no-harden,no-trace,merge
check "... and these are the default" same "$(cat $P/debug)" none
check "unloads" stop
forget
check "debug=help loads" start debug=no-global,help
check "... and prints the help to the log, which it says" \
	sh -c "dmesg | grep -q 'pool: parameter debug: help: the options'"
check "... a line per option" same \
	"$(dmesg | sed 's/^\[[^]]*\] //' | grep -cFx -f $P/help)" "$(wc -l <$P/help)"
check "... and the rest holds" same "$(cat $P/debug)" no-global
check "unloads" stop
check "no-cache, 4 buckets" start debug=no-cache,cache,global buckets=4
check "... the last word wins" same "$(number ex_conn mode)" global
check "... buckets" same "$(number ex_conn buckets)" 4
check "unloads" stop
check "no-cache loads" start debug=no-cache
check "... caches nothing" same "$(number ex_conn cached)" 0
check "... and works" moves ex_conn store_puts
check "unloads" stop
