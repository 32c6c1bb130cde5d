# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# gc.sh - pools give back what they have cached

echo "# gc and flush; a small bound makes clusters leave the CPUs"
check "loads with hot_size=16k" start hot_size=16k
check "there are evictions" within more_than ex_conn evictions 10
check "the bound is kept on each CPU" sh -c "awk 'NR > 1 && \$9 > 16384 { exit 1 }' \
	$P/by-name/ex_conn/percpu"
check "clusters come into the shared pool" within more_than ex_conn shared 0
before=$(number ex_conn store_puts)
gc() { echo 1 >$P/gc; more_than ex_conn store_puts "$before"; }
check "gc gives them back" within gc
before=$(number ex_conn store_puts)
flush() { echo "$1" >$P/flush; more_than ex_conn store_puts "$before"; }
check "flush of one pool, too" within flush ex_conn
before=$(number ex_conn store_puts)
check "flush of all, too" within flush all
reclaim() { echo all >$P/gc; awk 'NR > 1 && $6 { exit 1 }' $P/by-name/ex_conn/percpu; }
check "there are clusters on the CPUs" within sh -c \
	"awk 'NR > 1 && \$6 { n++ } END { exit !n }' $P/by-name/ex_conn/percpu"
check "gc of all takes them, too" within reclaim
forget
check "flush of an unknown pool is refused" \
	not sh -c "echo ex_none >$P/flush" 2>/dev/null
check "... by a line that names it" says '"ex_none"'
forget
check "a wrong word for gc is refused" not sh -c "echo 2 >$P/gc" 2>/dev/null
check "... by a line that names it" says '"2"'
check "... and both that are right" says 'neither "1" nor "all"'
forget
check "one with a NUL behind it is, too" \
	not sh -c "printf 'all\\0x' >$P/gc" 2>/dev/null
check "... by a line that says so" says "a NUL among the words"
forget
check "a long word is refused" \
	not sh -c "echo ex_conn_and_very_much_more_than_that >$P/flush" 2>/dev/null
check "... by a line that names it" says '"ex_conn_and_very'
check "unloads" stop

echo "# gc gives pages to the system"
slabs() { cut -d' ' -f1 /sys/kernel/slab/pool-sc_burst-*/slabs; }
check "loads without caches" insmod pool.ko hot_size=0 age=0
check "... and a pool after a burst of 1000 pages" insmod pool_second.ko burst=1000
check "... whose objects are free" more "$(number sc_burst shared)" 100
check "... and have pages" more "$(slabs)" 10
echo 1 >$P/gc
check gc_gives_each_free_page_to_the_system same "$(slabs)" 0
check "unloads" rmmod pool_second pool
