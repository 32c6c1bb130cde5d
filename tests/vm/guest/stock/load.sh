# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# load.sh - loads, looks at each file in debugfs, unloads

echo "# load, look"

complete_stats() {
	same "$(cut -d' ' -f1 "$P/by-name/ex_conn/stats" | tr '\n' ' ')" \
	     "id name size alignment registrations mode buckets cluster allocated used cached shared parked reserved quarantined abandoned moving limit min_avail need allocs fills spills evictions gets get_objs puts put_objs nested store_gets store_puts failed refused injected written overflow underflow double_free foreign interior wrong_pool elsewhere cpu_least cpu_most "
}

complete_percpu() {
	awk 'NR == 1 { width = NF - 1; next }
	     { rows++; bad = bad || NF != width || $1 != rows - 1 }
	     END { exit bad || rows < 2 || width != 9 }' \
		"$P/by-name/ex_conn/percpu"
}

check "pool.ko loads" insmod pool.ko
check "no file of a pool is there before there is one" \
	same "$(ls $P/by-name)" ""
check "the table for people has a head and a total" aligned 0
check "the raw table is empty" table 0
check "the example loads" insmod pool_example.ko
check "pool.ko is held by it" not rmmod pool 2>/dev/null
check "the table for people has its two pools" sh -c "echo >$P/pools"
check "... aligned" aligned 2
check "the raw table has them, too" table 2
check "reading by 7 bytes gives the same" \
	sh -c "dd if=$P/pools bs=7 2>/dev/null >/tmp/small"
check "... a whole table" table 2 /tmp/small
check "totals has its lines" complete_totals
check "stats has its lines" complete_stats
check "percpu has a row per CPU" complete_percpu
check "... its alignment" same "$(number ex_conn alignment)" 16
check "registrations has who declared it" same \
	"$(sed 's/\([^ ]*\/\)*\([^/ ]*:\)[0-9]*$/\2N/' $P/by-name/ex_conn/registrations | tr '\n' ' ')" \
	"# name size flags align file:line ex_conn 192 shared 16 main.c:N "
check "... in another file, too" same \
	"$(sed -n '2s/.*[/ ]\([^/ ]*\):.*/\1/p' $P/by-name/ex_event/registrations)" \
	events.c
check "a declaration is shown as no parameter" \
	same "$(ls /sys/module/pool_example/parameters)" leave
check "... nor described as one" \
	not grep -aq 'parm[a-z]*=pool_decl' pool_example.ko
check "who may read and write what" same \
	"$(cd $P && stat -c '%n %a' pools totals gc flush debug help hot_size by-name/ex_conn/* |
	   tr '\n' ' ')" \
	"pools 444 totals 444 gc 200 flush 200 debug 444 help 444 hot_size 444 by-name/ex_conn/debug 444 by-name/ex_conn/limit 444 by-name/ex_conn/percpu 444 by-name/ex_conn/registrations 444 by-name/ex_conn/stats 444 by-name/ex_conn/validate 400 "
check "the thread's pool lives" moves ex_conn fills
check "... and spills" moves ex_conn spills
check "the timer's pool lives" within more_than ex_event allocated 0
skewed() {
	awk '{ v[$1] = $2 } END { exit !(v["cpu_most"] && v["cpu_least"] <= v["cpu_most"]) }' \
		"$P/by-name/ex_conn/stats"
}
check "a CPU caches most of its objects, and one the fewest" within skewed
check "its lists are whole while it is used" \
	same "$(tail -n1 $P/by-name/ex_conn/validate)" ok
check "... a line per CPU, at least" more \
	"$(grep -c '^cpu [0-9]* clusters [0-9]* objects [0-9]*' $P/by-name/ex_conn/validate)" 1
check "allocated is not 0 in totals" \
	more "$(sed -n 's/PoolAlloc_bytes: //p' $P/totals)" 0
exec 3<$P/by-name/ex_conn/stats
check "an open file does not hold the pool" rmmod pool_example
check "... and has nothing to say any more" not read -r line <&3 2>/dev/null
check "an open file holds pool.ko" not rmmod pool 2>/dev/null
exec 3<&-
check "pool.ko unloads" rmmod pool
check "debugfs is clean" not ls $P 2>/dev/null
check "no cache is left" same "$(caches_left '.*')" 0
