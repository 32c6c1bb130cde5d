# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# memstats.sh - the file of calls by place; pool.ko has no such calls

echo "# calls by place"
M=$P/memstats
check "loads" start
check "memstats has a head and a sum" same "$(cat $M | tr '\n' '|')" \
	"memstats version 1|# what pool allocs frees allocated freed balance site|BALANCE allocs=0 frees=0 allocated=0 freed=0 balance=0|"
for good in "" all "match ex" "all match ex" reset "reset match ex"; do
	check "'$good' is taken" sh -c "echo '$good' >$M"
done
for wrong in site match "reset site" 5; do
	forget
	check "'$wrong' is refused" not sh -c "echo '$wrong' >$M" 2>/dev/null
	check "... in one line" says "words are reset all match <prefix>"
done
check "unloads" stop
