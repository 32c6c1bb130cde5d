#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The tutorial, as a reader follows it: each patch is applied, what comes out is built by the
# page's own command with an installed library, and clients see what the page promises.
#
#	tutorial.sh BUILD-FOLDER [write]	write: the graph, into Documentation/

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

export ASAN_OPTIONS=detect_leaks=0:exitcode=99 UBSAN_OPTIONS=exitcode=99
export LC_ALL=C
page=Documentation/tutorial.rst
patches=$top/user/examples/tutorial
chat=$tmp/chat
started=()

end() {
	kill -9 "${started[@]}" 2>/dev/null || true
	rm -rf "$tmp"
}
trap end EXIT

make -s install "B=$out" PREFIX="$tmp/usr" LIBDIR="$tmp/usr/lib" INCLUDEDIR="$tmp/usr/include"
export PKG_CONFIG_PATH=$tmp/usr/lib/pkgconfig LD_LIBRARY_PATH=$tmp/usr/lib
cp -r "$patches" "$chat"
build=$(sed -n 's/^\t\(cc .*\)/\1/p' $page)

ctl() {
	"$out/poolctl-asan" --socket "$tmp/sock" "$@"
}
clients() {
	python3 -B tests/install/tutorial/clients.py "$port" "$@"
}

# number POOL KEY
number() {
	ctl show "$1" | awk -v key="$2" '$1 == key { print $2 }'
}
is() {
	same "$(number "$1" "$2")" "$3"
}

# start [OPTIONS] - starts the server; sets $server and $port
start() {
	rm -f "$tmp/said"
	LIBPOOL_OPTIONS=${1:+$1,}ctl=$tmp/sock timeout -k 5 300 "$chat/server" \
		>"$tmp/said" 2>"$tmp/log" &
	server=$!
	started+=("$server")
	within grep -q port "$tmp/said"
	port=$(sed 's/port //' "$tmp/said")
}

# stopped STATUS - the server must end with this status, and without a line if that is 0
stopped() {
	local status=0

	kill "$server" 2>/dev/null || true
	wait "$server" || status=$?
	cat "$tmp/log"
	same "$status" "$1" && { [ "$1" != 0 ] || [ ! -s "$tmp/log" ]; }
}

# with OPTIONS STATUS COMMAND... - runs a server and its clients; the server must exit with STATUS
with() {
	local options=$1 status=$2 failed=0

	shift 2
	start "$options" || return 1
	"$@" || failed=1
	stopped "$status" && return $failed
}

# applies FILE
applies() {
	(cd "$chat" && patch --batch -p1 <"$1")
}
# The page's command lacks -Werror, because later compilers may have more warnings.
builds() {
	[ -n "$build" ] && (cd "$chat" && sh -euc "$build -Wall -Wextra -Werror")
}

# step NAME - applies the patch of this name, builds, and lets clients talk.  If a step fails,
# the next ones are left out, because each patch needs the one before.
step() {
	[ "$failed" = 0 ] || finish
	[ "$1" = server ] || check "the_patch_${1#*-}_applies" applies "$1.patch"
	check "the_step_${1#*-}_builds" builds
	check "clients_talk_in_step_${1#*-}" with '' 0 clients chat
	check "a_crowd_talks_in_step_${1#*-}" with '' 0 clients crowd 60 0
}

# slow LINES MORE FULL ANSWERED - while one client does not read, FULL must hold; then the client
# reads
slow() {
	local full=$3 failed=0 to_clients pid

	rm -f "$tmp/in" "$tmp/heard"
	mkfifo "$tmp/in"
	exec {to_clients}<>"$tmp/in"
	timeout 200 python3 -B tests/install/tutorial/clients.py "$port" slow "$1" "$2" \
		<"$tmp/in" >"$tmp/heard" 2>&1 &
	pid=$!
	started+=("$pid")
	until grep -q full "$tmp/heard" || ! kill -0 "$pid" 2>/dev/null; do
		sleep 0.1
	done
	"$full" || failed=1
	echo >&"$to_clients"
	exec {to_clients}>&-
	wait "$pid" || failed=1
	cat "$tmp/heard"
	grep -qE "$4" "$tmp/heard" && return $failed
}
# empty - waits until the server has noticed that its clients have gone
empty() {
	within is conn used 0 && within is msg used "${1:-0}"
}

step server

step 1-pools
unlimited() {
	[ "$(number msg used)" -gt 5000 ]
}
grows() {
	slow 6000 2 unlimited '^heard 6000 answered 0 ' && empty
}
check messages_for_a_slow_client_have_no_limit_in_step_pools with '' 0 grows

step 2-limit
# table - of lines "POOL ... " prints what is the same in each run
table() {
	awk '$1 ~ /^(pool|conn|msg)$/ && NF > 8 { print $1, $2, $3, $5, $9 }'
}
limited() {
	ctl list msg >"$tmp/list"
	cat "$tmp/list"
	is msg allocated 4000 && [ "$(number msg refused)" -gt 0 ] &&
		diff <(sed -n 's/^\t//p' $page | table) <(table <"$tmp/list")
}
stops() {
	slow 6000 2 limited '^heard 40[0-9][0-9] answered 0 ' && empty
}
check messages_have_a_limit_in_step_limit with '' 0 stops
check a_client_too_many_is_told_so_in_step_limit with '' 0 clients crowd 70 6

step 3-reserve
told() {
	slow 6000 200 limited_as_well '^heard 39[0-9][0-9] answered [1-9][0-9]* of ' &&
		awk '/^heard/ { exit $4 != $6 }' "$tmp/heard" && empty 64
}
limited_as_well() {
	is msg allocated 4000 && is conn used 2
}
check each_line_that_is_lost_is_answered_in_step_reserve with '' 0 told
check a_client_too_many_is_told_so_in_step_reserve with '' 0 clients crowd 70 6

step 4-bug
quit() {
	same "$(clients quit 200)" 200
}
check nobody_sees_the_bug with '' 0 quit

# Use the options of the page.
options=$(sed -n 's/^\tLIBPOOL_OPTIONS=\([a-z,-]*\) \.\/server$/\1/p' $page)
check the_page_names_the_options same "$options" caller,tag,integrity,no-merge
# plain - replaces what differs from run to run in reports
plain() {
	sed -E 's/0x[0-9a-f]{5,}/ADDRESS/; s/\+0x[0-9a-f]+/+N/g; s/thread [0-9]+/thread N/'
}
reported() {
	! quit || return 1
	diff <(sed -n 's/^\t\(pool: \)/\1/p' $page | plain) <(head -n 3 "$tmp/log" | plain)
}
check an_option_finds_the_bug with "$options" 134 reported
# Prints the function and the line of each report of gdb.
faults() {
	local gdb=(timeout 100 gdb -batch -nx -iex 'set debuginfod enabled off' -ex run)

	rm -f "$tmp/said"
	LIBPOOL_OPTIONS=uaf "${gdb[@]}" "$chat/server" >"$tmp/said" 2>&1 &
	server=$!
	started+=("$server")
	within grep -q '^port' "$tmp/said"
	port=$(sed -n 's/^port //p' "$tmp/said")
	clients quit 1
	wait "$server"
	cat "$tmp/said"
	place=$(grep -A 1 'conn_receive (.* at server.c' "$tmp/said" | tail -n 1)
	[ -n "$place" ] && grep -qxF "$(printf '\t%s' "$place")" $page
}
check another_option_stops_at_its_line faults

step 5-mend
check clients_go_in_step_mend with '' 0 quit
check an_option_finds_nothing_in_step_mend with "$options" 0 quit
check nor_with_many_clients with "$options" 0 clients crowd 70 6
check nor_where_the_access_would_fault with uaf 0 quit

step 6-graph
dumps() {
	grep -c '"total"' "$tmp/dumps"
}
# recorded N - waits until there are N more dumps
recorded() {
	local want=$(($(dumps) + $1))

	within eval "[ \$(dumps) -ge $want ]"
}
full_for_a_while() {
	recorded 5
}
watched() {
	"$out/poolctl-asan" --socket "$tmp/sock" --json watch 0.1 >"$tmp/dumps" &
	local watch=$! failed=0

	started+=("$watch")
	within eval '[ $(dumps) -ge 5 ]' || failed=1
	slow 6000 2 full_for_a_while '^heard' || failed=1
	recorded 5 || failed=1
	ctl gc || failed=1
	recorded 5 || failed=1
	kill "$watch"
	wait "$watch" || true
	return $failed
}
check the_memory_is_watched with '' 0 watched
drawn() {
	python3 "$chat/graph.py" <"$tmp/dumps" >"$tmp/memory.svg" &&
		python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$tmp/memory.svg"
}
check the_graph_is_drawn drawn
[ "${2:-}" != write ] || cp "$tmp/memory.svg" Documentation/tutorial.svg
# heights CURVE - prints the first, the most and the last, in percent of the graph's height
heights() {
	sed -n "s/.* id=\"$1\" points=\"\([^\"]*\)\".*/\1/p" "$tmp/memory.svg" | tr ' ' '\n' |
		awk -F, '{ h = (260 - $2) / 2.4 } NR == 1 { first = h } h > most { most = h }
			END { printf "%d %d %d\n", first, most, h }'
}
# between CURVE FIRST MOST LAST - the last is at least 20 percent below the most
rises_and_falls() {
	local first most last

	read -r first most last < <(heights "$1")
	echo "$first $most $last"
	((first < 10 && most > 90 && last < $2))
}
check what_is_used_rises_and_falls rises_and_falls used 10
check what_is_held_falls_to_what_caches_hold rises_and_falls held 60
# stays - after the client's last reading the pools must keep what they have, until gc
stays() {
	local held used

	read -r held used < <(grep '"total"' "$tmp/dumps" | tail -n 8 | head -n 1 |
		sed -E 's/.*"allocated":([0-9]+),"used":([0-9]+).*/\1 \2/')
	echo "$held $used"
	((held > 1000000 && used < 100000))
}
check what_is_held_stays_until_gc stays
no_dump() {
	echo nonsense | python3 "$chat/graph.py" >"$tmp/graph" 2>&1 && return 1
	same "$(cat "$tmp/graph")" "graph.py: no dump of poolctl --json"
}
check a_graph_of_nonsense_is_refused no_dump
finish
