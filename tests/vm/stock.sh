#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Loads, uses and unloads pool.ko on a kernel, and looks at all it shows.
#
#	stock.sh stock-6.1|stock-6.12|stock-X.Y|debug
#
# Prints a line for each check, "ok - ..." or "not ok - ...", and exits with 0 if
# all are ok.  DEBUG and VARIANT are for build-modules.sh.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

[ $# -eq 1 ] || die "usage: ${0##*/} stock-6.1|stock-6.12|stock-X.Y|debug"
what=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

# build NAME COMMAND... - a check of a build, here
build() {
	if "${@:2}"; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		status=1
	fi
}

# users_modules - what is built for somebody who does not ask for tests
users_modules() {
	local dir

	dir=$(POOL_TESTS='' "$here/build-modules.sh" "$what" | tail -n 1) &&
		[ "$(sed 's|.*/||; s|\.k*o$||' "$dir/modules.order")" = pool ]
}

# kunit_compiles - the cases, although this kernel is without KUnit
kunit_compiles() {
	VARIANT=kunit TARGET=pool_kunit.o \
		"$here/build-modules.sh" "$what" CONFIG_KUNIT=m >/dev/null
}

build "users get pool.ko and no test" users_modules
case $what in
stock-6.* | debug) ;;	# debug, of 6.12, runs them
*) build "the KUnit cases compile" kunit_compiles ;;
esac
dir=$("$here/build-modules.sh" "$what" | tail -n1)

# From here to EOF it is busybox sh in the machine.
cat >"$tmp/script" <<'EOF_GUEST'
P=/sys/kernel/debug/pool
CPU1=/sys/devices/system/cpu/cpu1/online
failed=0

# check NAME COMMAND... - one line of the result
check() {
	name=$1
	shift
	if "$@"; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		failed=$((failed + 1))
	fi
}

not() { ! "$@"; }
same() { [ "$1" = "$2" ] || { echo "# '$1' is not '$2'"; false; }; }
more() { [ "$1" -gt "$2" ] || { echo "# $1 is not above $2"; false; }; }

# within COMMAND... - it succeeds sooner or later
within() {
	tries=100
	until "$@" 2>/dev/null; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

# logged - what pool.ko said since forget; insmod tries two system calls
forget() { dmesg -c >/dev/null; }
logged() { dmesg | sed -n 's/^\[[^]]*\] pool: //p' | sort -u; }
says() { same "$(logged | wc -l)" 1 && logged | grep -qF -- "$1"; }

# number POOL KEY
number() { sed -n "s/^$2 //p" "$P/by-name/$1/stats"; }
more_than() { [ "$(number "$1" "$2")" -gt "$3" ]; }
moves() { within more_than "$1" "$2" "$(number "$1" "$2")"; }

# column POOL CPU NUMBER - of percpu
column() {
	awk -v cpu="$2" -v c="$3" '$1 == cpu { print $c }' \
		"$P/by-name/$1/percpu"
}
caches() { [ $(($(column "$1" "$2" 3) + $(column "$1" "$2" 6))) -gt 0 ]; }

loaded() { [ -d "/sys/module/$1" ]; }
gone() { ! loaded "$1"; }
start() { insmod pool.ko "$@" && insmod pool_example.ko; }
stop() { rmmod pool_example && rmmod pool; }
caches_left() { ls /sys/kernel/slab | grep -c "^pool-$1-"; }

# table N [FILE] - the raw table has a head, N rows as wide as that, and a total
table() {
	[ $# -gt 1 ] || echo raw >$P/pools
	awk 'NR == 1 { bad = $0 != "pools version 3" }
	     NR == 2 { bad = bad || $1 != "#" || $2 != "id"; width = NF - 1 }
	     NR > 2 && $1 == "total" { total++; next }
	     NR > 2 { rows++; bad = bad || NF != width || total }
	     END { exit bad || width < 10 || total != 1 || rows != '"$1"' }' \
		"${2:-$P/pools}"
}

# aligned N - the table for people has a head, N lines as long as that, and a total
aligned() {
	awk 'NR == 1 { bad = $1 != "pool" || $2 != "size"; width = length }
	     /^total of / { total++; next }
	     NR > 1 && !/^  / { rows++; bad = bad || length != width || total }
	     END { exit bad || width > 120 || total != 1 || rows != '"$1"' }' \
		$P/pools
}

complete_stats() {
	same "$(cut -d' ' -f1 "$P/by-name/ex_conn/stats" | tr '\n' ' ')" \
	     "id name size alignment registrations mode buckets cluster allocated used cached shared parked reserved quarantined abandoned moving limit min_avail need fills spills evictions gets get_objs puts put_objs nested store_gets store_puts failed refused injected written overflow underflow double_free foreign interior wrong_pool "
}

complete_totals() {
	same "$(tr '0-9' '#' <$P/totals | tr -s '#\n' '# ')" \
	     "PoolFailed: # PoolAlloc_MB: # PoolUsed_MB: # PoolAlloc_bytes: # PoolUsed_bytes: # "
}

complete_percpu() {
	awk 'NR == 1 { width = NF - 1; next }
	     { rows++; bad = bad || NF != width || $1 != rows - 1 }
	     END { exit bad || rows < 2 || width != 9 }' \
		"$P/by-name/ex_conn/percpu"
}

echo "# load, look"
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
	"$(cd $P && stat -c '%n %a' pools totals gc flush debug help by-name/ex_conn/* |
	   tr '\n' ' ')" \
	"pools 444 totals 444 gc 200 flush 200 debug 444 help 444 by-name/ex_conn/debug 444 by-name/ex_conn/percpu 444 by-name/ex_conn/registrations 444 by-name/ex_conn/stats 444 "
check "the thread's pool lives" moves ex_conn fills
check "... and spills" moves ex_conn spills
check "the timer's pool lives" within more_than ex_event allocated 0
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

echo "# dumps as they are asked for"
check "pool.ko loads" insmod pool.ko
check "the example loads" insmod pool_example.ko
ask() { echo "$1" >$P/pools; }
names() { sed -n 's/^[0-9]* \([^ ]*\) .*/\1/p' $P/pools | tr '\n' ' '; }
lists() { ask "raw $1" && same "$(names)" "$2"; }
ask raw
check "by default in order of creation" awk \
	'/^[0-9]/ { bad = bad || $1 <= last; last = $1; n++ } END { exit bad || n != 2 }' $P/pools
check "by name" lists byname "ex_conn ex_event "
check "only two that match" lists "byname match ex_" "ex_conn ex_event "
check "only one that matches" lists "match ex_e" "ex_event "
check "only one line" lists "1 byname" "ex_conn "
check "... but the total of both" grep -q "^total pools=2 " $P/pools
check "none that matches" lists "match none" ""
check "the largest first" same "$(ask "raw bysize"; awk '/^[0-9]/ { print $3 }' $P/pools)" \
	"$(awk '/^[0-9]/ { print $3 }' $P/pools | sort -rn)"
check "details follow their pool" sh -c "echo raw detailed >$P/pools &&
	awk '/^[0-9]/ { name = \$2; n++ } /^  > / { bad = bad || \$2 != name; m++ }
	     END { exit bad || n != 2 || m < 2 }' $P/pools"
check "JSON" ask "json detailed byname"
check "... of two pools" same "$(grep -c '^{"id":' $P/pools)" 2
check "... begins" sh -c "head -n1 $P/pools | grep -qF '{\"version\":3,\"pools\":['"
check "... ends" sh -c "tail -n1 $P/pools | grep -qF '\"truncated\":false}'"
check "... as many brackets close as open" \
	same "$(cat $P/pools | tr -dc '[{' | wc -c)" "$(cat $P/pools | tr -dc ']}' | wc -c)"
check "Prometheus text" ask prometheus
check "... with a sample for each pool and state" same \
	"$(sed -n 's/^libpool_objects{pool="\([a-z_]*\)",id="[0-9]*",\(.*\)} [0-9]*$/\1 \2/p' \
	   $P/pools | sort | tr '\n' ' ')" \
	'ex_conn state="cached" ex_conn state="shared" ex_conn state="used" ex_event state="cached" ex_event state="shared" ex_event state="used" '
check "... of each metric in one place" sh -c "awk '
	/^# TYPE/ { bad = bad || seen[\$3]++; now = \$3; n++ }
	/^[^#]/ { split(\$1, m, \"{\"); bad = bad || m[1] != now }
	END { exit bad || n < 20 }' $P/pools"
check "... by 100 bytes the same" sh -c "
	dd if=$P/pools bs=100 2>/dev/null | sed 's/ [0-9]*$//' >/tmp/small &&
	sed 's/ [0-9]*$//' $P/pools | cmp - /tmp/small"
for wrong in bogus "byname bogus" match 0 "2147483648 json" "json,table"; do
	forget
	check "'$wrong' is refused" not sh -c "echo '$wrong' >$P/pools" 2>/dev/null
	word=${wrong#byname }
	check "... by a line that names it" says "\"${word% json}\""
	check "... and lists the words" says "byname bysize byusage detailed match"
done
check "... with EINVAL" sh -c "echo bogus 2>&1 >$P/pools | grep -q 'Invalid argument'"
forget
check "200 bytes are refused" not sh -c "printf '%200s' json >$P/pools" 2>/dev/null
check "... by a line that says so" says "200 bytes"
check "what was asked for before still holds" grep -q '^libpool_objects{' $P/pools
check "nothing asked for is the table of all" ask ""
check "... again" aligned 2

echo "# calls by place"
M=$P/memstats
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

echo "# two modules"
regs() { number "$1" registrations; }
dirs() { ls $P/by-name | sed 's/~.*/~/' | tr '\n' ' '; }
check "pool.ko loads" insmod pool.ko
decl=$(grep -ao 'pool_decl_[0-9][0-9]*' pool_example.ko | head -n 1)
for value in =1 ""; do
	forget
	check "a declaration is refused as parameter${value:+ with a value}" \
		not insmod pool_example.ko "$decl$value" 2>/dev/null
	check "... like any unknown one" same \
		"$(dmesg | sed 's/^\[[^]]*\] //' | grep -v 'tainting kernel' | sort -u)" \
		"pool_example: Unknown parameter \`$decl'"
done
check "... and nothing is left" table 0
check "the example loads" insmod pool_example.ko
check "a second user loads" insmod pool_second.ko
check "they share no pool" same "$(dirs)" "ex_conn ex_event sc_built sc_conn "
check "... of equal size" same "$(number ex_conn size)" "$(number sc_conn size)"
forget
check "the second departs by pool_destroy_all()" rmmod pool_second
check "... its own are gone" same "$(dirs)" "ex_conn ex_event "
check "... which nobody has to say" same "$(logged)" ""
check "... and those of the example live" moves ex_conn fills
forget
check "it loads again and leaves" sh -c \
	"insmod pool_second.ko leave=1 && rmmod pool_second"
check "... which is said" says "pool_second is gone without destroying pools: 1 "
check "... the pool with a destructor is gone" \
	same "$(dirs)" "ex_conn ex_event sc_conn "
check "... after undoing its object" \
	sh -c "dmesg | grep -q 'an object is undone'"
check "it loads again" insmod pool_second.ko
check "... and does not get what was left" \
	same "$(dirs)" "ex_conn ex_event sc_built sc_conn sc_conn~ "
check "... nor destroys it" rmmod pool_second
check "... as can be seen" same "$(dirs)" "ex_conn ex_event sc_conn "
forget
check "a user whose init fails does not load" \
	not insmod pool_second.ko fail=1 2>/dev/null
check "... and is known to be gone" says "pool_second is gone"
check "... the pool with a destructor is gone" not ls $P/by-name/sc_built* 2>/dev/null
forget
check "flags that mean nothing work" insmod pool_second.ko gfp=1
check "... and are named once" says '"sc_conn": gfp flags 0x'
rmmod pool_second
forget
check "who must not fail and cannot wait" insmod pool_second.ko gfp=2
check "... is refused, said once" says "__GFP_NOFAIL without"
check "... and counted" same "$(cat $P/by-name/sc_conn*/stats | sed -n 's/^failed //p' | sort -n | tail -n 1)" 3
rmmod pool_second
forget
check "unloading pool.ko ends all that was left" stop
check "... which had no object in use" same "$(logged)" ""
check "no cache is left" same "$(caches_left '.*')" 0
check "loads with merge-modules" start debug=merge-modules
check "a second user loads" insmod pool_second.ko
check "they share a pool" same "$(dirs)" "ex_conn ex_event sc_built "
check "... with a registration each" same \
	"$(sed -n 's/ .*//; 2,$p' $P/by-name/ex_conn/registrations | tr '\n' ' ')" \
	"sc_conn ex_conn "
check "the second departs by pool_destroy_all()" rmmod pool_second
check "... the example keeps the pool" same "$(regs ex_conn)" 1
check "... and uses it" moves ex_conn fills
check "it loads again" insmod pool_second.ko
check "the example departs" rmmod pool_example
check "... the second keeps the pool" same "$(regs ex_conn)" 1
check "unloads" rmmod pool_second pool
check "no cache is left" same "$(caches_left '.*')" 0

echo "# names that are no words"
check "pool.ko loads" insmod pool.ko
forget
check "a user with odd names loads" insmod pool_second.ko odd=1
check "... without a word" same "$(logged)" ""
check "each has a folder" same "$(dirs)" \
	"%2E %2E~ a%2Fb a%2Fb~ sc_built sc_conn session%20ser session%20ser~ "
check "... that says its name" same \
	"$(sed -n 's/^name //p' $P/by-name/a%2Fb~*/stats)" a%2Fb
check "... as the table does" lists "byname match a" "a%2Fb a%2Fb "
ask raw
check "the table has a line for each" table 8
check "each has a cache" same "$(caches_left 'session%20ser')" 2
check "a name as it is can be flushed" sh -c "echo 'session ser' >$P/flush"
check "... and as it is shown" sh -c "echo a%2Fb >$P/flush"
check "unloads" rmmod pool_second pool
check "no cache is left" same "$(caches_left '.*')" 0

echo "# a recorded trace, on two CPUs"
R=/sys/kernel/debug/pool_replay
result() { same "$(sed -n "s/^$1 //p" $R/result)" "$2"; }
check "pool.ko loads" insmod pool.ko
check "the replay loads" insmod pool_replay.ko trace=/files/trace
check "it runs" sh -c "echo cpus=2 >$R/run"
check "... all events" result events "$(sed -n 's/^events //p' trace)"
check "... without a failed allocation" result failed_allocations 0
check "... without wrong contents" result wrong_contents 0
check "the table has its pools" \
	table "$(sed -n 's/^pools //p' trace)"
check "it ends" sh -c "echo 1 >$R/end"
check "no pool is left" table 0
check "the replay loads for merged pools" \
	sh -c "rmmod pool_replay && insmod pool_replay.ko trace=/files/trace merge=1"
check "it runs" sh -c "echo cpus=2 >$R/run"
check "... without wrong contents" result wrong_contents 0
check "the table has fewer pools" \
	table "$(sed -n 's/^pools_made //p' $R/result)"
check "... than the trace" more "$(sed -n 's/^pools //p' trace)" \
	"$(sed -n 's/^pools_made //p' $R/result)"
check "... and all registrations" same "$(cat $P/by-name/*/stats |
	awk '/^registrations/ { n += $2 } END { print n }')" \
	"$(sed -n 's/^pools //p' trace)"
check "it ends" sh -c "echo 1 >$R/end"
check "no pool is left" table 0
check "unloads" rmmod pool_replay pool

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
check "a long word is refused" \
	not sh -c "echo ex_conn_and_very_much_more_than_that >$P/flush" 2>/dev/null
check "... by a line that names it" says '"ex_conn_and_very'

echo "# options of live pools"
conn=$P/by-name/ex_conn/debug
refused() { forget; not sh -c "echo '$1' >$2" 2>/dev/null && says "$3"; }
check "new pools have nothing on" same "$(cat $P/debug)" "hot_size=16384"
check "nor has this one" same "$(cat $conn)" none
check "help has a line per option" same "$(wc -l <$P/help)" 25
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

echo "# readers while pools come and go"
while :; do
	cat $P/pools $P/totals $P/by-name/*/* >/dev/null 2>&1
	dd if=$P/pools bs=50 count=3 >/dev/null 2>&1
done &
reader=$!
again() {
	for i in 1 2 3 4 5; do
		rmmod pool_example && insmod pool_example.ko || return 1
	done
}
check "the example comes and goes" again
kill $reader
wait $reader 2>/dev/null
check "unloads after that" within stop

echo "# wrong parameters"
for wrong in debug=bogus debug=no-cache,nonsense hot_size=9999999999 \
	     hot_size=1g hot_size= hot_size=64k,no-cache buckets=3 buckets=0 \
	     cluster=0 cluster=65 debug=fail_alloc=101 faults=abort \
	     fail_alloc=-1 poison=256 uaf_keep=1025m; do
	forget
	check "$wrong is refused" not insmod pool.ko $wrong 2>/dev/null
	word=${wrong#*=}
	check "... by a line that names it" says "${word##no-cache,}\""
done
check "nothing is loaded" gone pool
check "right parameters are accepted" \
	start debug=no-global hot_size=1m buckets=4 cluster=8
check "... and used: mode" same "$(number ex_conn mode)" no-global
check "... cluster" same "$(number ex_conn cluster)" 8
check "... and shown" same "$(cat /sys/module/pool/parameters/hot_size)" 1m
check "unloads" stop
check "values are parameters, too" start faults=continue poison=0x41 uaf_keep=1m
check "... of new pools" same "$(cat $P/debug)" \
	"poison poison=65 uaf_keep=1048576 faults=continue"
check "... and used" same "$(cat $P/by-name/ex_conn/debug)" poison
check "unloads" stop
check "all words are known" start debug=no-fail,no-merge,hot-first,no-integrity,no-tag,no-caller,no-uaf,no-backup,no-memstats,no-tools,no-merge-modules,merge
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

echo "# a CPU goes"
check "loads" start
pid=$(pidof pool_example)
check "the thread moves to CPU 1" sh -c "taskset -p 2 $pid >/dev/null"
check "CPU 1 has a cache" within caches ex_conn 1
puts=$(number ex_conn puts)
check "CPU 1 goes offline" sh -c "echo 0 >$CPU1"
check "its cache is empty: array" same "$(column ex_conn 1 3)" 0
check "... closed" same "$(column ex_conn 1 2)" 0
check "... clusters" same "$(column ex_conn 1 6)" 0
check "... and nothing is charged" same "$(column ex_conn 1 9)" 0
check "it went to the shared pool" more "$(number ex_conn puts)" "$puts"
check "the thread goes on" moves ex_conn spills
check "CPU 1 comes back" sh -c "echo 1 >$CPU1"
check "the thread moves to CPU 1" sh -c "taskset -p 2 $pid >/dev/null"
check "CPU 1 has a cache again" within caches ex_conn 1
if [ -e /sys/kernel/debug/kmemleak ]; then
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	check "no leak while in use" same "$(cat /sys/kernel/debug/kmemleak)" ""
fi
check "unloads" stop
if [ -e /sys/kernel/debug/kmemleak ]; then
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	check "no leak after" same "$(cat /sys/kernel/debug/kmemleak)" ""
fi

# From here on objects are lost on purpose, so nothing looks for leaks any more.
echo "# objects in use at the end of a module"
check "pool.ko loads" insmod pool.ko
check "a user that keeps an object loads" insmod pool_second.ko keep=1
forget
check "it departs by pool_destroy_all()" rmmod pool_second
check "... which says what is lost" says '"sc_conn" destroyed with 1 objects in use'
check "unloads" rmmod pool

echo "# a user departs without cleaning up, twice"
for round in 1 2; do
	check "loads" insmod pool.ko
	check "the example loads" insmod pool_example.ko leave=1
	check "the table has four pools" table 4
	check "one has two objects in use" same "$(number ex_busy used)" 2
	check "one has none" same "$(number ex_idle used)" 0
	check "... allocated = used + cached + shared" \
		same "$(number ex_idle allocated)" \
		"$(($(number ex_idle cached) + $(number ex_idle shared)))"
	check "the example departs" rmmod pool_example
	check "the table has two pools" table 2
	forget
	check "pool.ko unloads" rmmod pool
	check "... and names the pool in use" says '"ex_busy" destroyed with 2'
	check "... whose cache stays" same "$(caches_left ex_busy)" $round
	check "the other one goes" same "$(caches_left ex_idle)" 0
done
# Last: there is no way back, and unsigned modules are not loaded any more.
mount -t securityfs none /sys/kernel/security 2>/dev/null
if [ -e /sys/kernel/security/lockdown ]; then
	echo "# lockdown, as with Secure Boot"
	check "loads" start
	echo raw >$P/pools
	check "lockdown begins" \
		sh -c "echo integrity >/sys/kernel/security/lockdown"
	check "pools is readable" cp $P/pools /tmp/locked
	check "... a whole table" table 2 /tmp/locked
	check "totals is readable" complete_totals
	check "pools is not writable" \
		not sh -c "echo json >$P/pools" 2>/dev/null
	check "gc is not writable" not sh -c "echo 1 >$P/gc" 2>/dev/null
	check "unloads" stop
fi
check "all is unloaded" gone pool
exit $((failed > 0))
EOF_GUEST

need xz-utils
xz -dc "$here"/../replay/data/kernel-6.12.trace.xz >"$tmp/trace"
guest=0
"$here/boot.sh" --show --mem 1024 "$what" "$tmp/script" "$dir/pool.ko" \
	"$dir/pool_example.ko" "$dir/pool_replay.ko" "$dir/pool_second.ko" \
	"$tmp/trace" >"$tmp/out" 2>"$tmp/err" || guest=1
tr -d '\r' <"$tmp/out" | sed -n '/^ok - /p; /^not ok - /p; /^# /p'
if [ $guest -eq 0 ]; then
	echo "ok - the kernel had nothing to complain of"
else
	echo "not ok - the script ended well and the kernel did not complain"
	cat "$tmp/err" >&2
fi
exit $((status || guest))
