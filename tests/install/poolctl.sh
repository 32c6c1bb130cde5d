#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# poolctl, beside programs that serve their pools, that die, and that are no such programs;
# top on screens of tmux.
#
#	poolctl.sh BUILD-FOLDER
#
# The tool is the build with AddressSanitizer.  It leaves its memory to exit().

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

export ASAN_OPTIONS=detect_leaks=0:exitcode=99 UBSAN_OPTIONS=exitcode=99
export LC_ALL=C.UTF-8
ctl=$tmp/poolctl
ln -s "$out/poolctl-asan" "$ctl"
src=tests/install/poolctl
sock=$tmp/pool.sock
started=()
tmux=(tmux -L "poolctl-$$" -f /dev/null)

# Ends all programs that the script has started.
end() {
	"${tmux[@]}" kill-server 2>/dev/null || true
	kill -9 "${started[@]}" 2>/dev/null || true
	rm -rf "$tmp"
}
trap end EXIT

# program SOCKET ARG... - starts prog.c with a control socket; sets $program to its process, and
# $to_program to its standard input
program() {
	local path=$1

	shift
	rm -f "$tmp/in" "$tmp/said"
	mkfifo "$tmp/in"
	exec {to_program}<>"$tmp/in"
	LIBPOOL_OPTIONS=ctl=$path "$tmp/prog" "$@" <"$tmp/in" >"$tmp/said" &
	program=$!
	started+=("$program")
	disown
	within grep -q ready "$tmp/said"
}

ask() {
	"$src/ask.py" ask "$sock" "$1"
}

gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -I"$tmp" -o "$tmp/prog" "$src/prog.c" \
	"$out/libpool.a" -pthread
program "$sock" 5

### Formats

# The program also has classes of slabs.
without_classes() {
	sed '/^"classes":/,/],$/d; /libpool_class_bytes/d; /^slabs of /d'
}

# alike OPTIONS LINE - poolctl list OPTIONS must print what the socket answers to LINE
alike() {
	# shellcheck disable=SC2086	# words
	"$ctl" --socket "$sock" list $1 >"$tmp/ours" && ask "$2" | without_classes >"$tmp/its" &&
		[ -s "$tmp/its" ] && diff "$tmp/ours" "$tmp/its"
}
check list_is_the_table_of_the_program alike '' 'pools'
check list_may_be_raw alike --raw 'pools raw'
check list_may_be_json alike --json 'pools json'
check list_may_be_for_prometheus alike --prometheus 'pools prometheus'
check list_takes_a_prefix alike 'pool' 'pools match pool'
check list_takes_a_count alike '--count 2 --raw' 'pools raw 2'
check list_sorts_by_name alike '--sort name' 'pools byname'
check list_sorts_by_size alike '--sort size' 'pools bysize'

detailed() {
	"$ctl" --socket "$sock" --json show twin >"$tmp/ours" &&
		ask 'pools json detailed match twin' | without_classes >"$tmp/its" &&
		[ -s "$tmp/its" ] && diff "$tmp/ours" "$tmp/its"
}
check show_has_what_details_have detailed
shows_all() {
	"$ctl" --socket "$sock" show 'a%20%22name%22%09' >"$tmp/show" &&
		grep -qx 'size          64' "$tmp/show" &&
		grep -q "prog.c:" "$tmp/show" && grep -qx 'options       none' "$tmp/show"
}
check show_has_numbers_creations_and_options shows_all
namesakes() {
	gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -I"$tmp" -o "$tmp/namesakes" \
		"$src/namesakes.c" "$out/libpool.a" -pthread &&
		LIBPOOL_OPTIONS=ctl=$tmp/same.sock "$tmp/namesakes" \
			"for i in same all; do '$ctl' --socket '$tmp/same.sock' show \$i; done" |
		grep '^options' | diff - <(printf 'options       %s\n' poison memstats trace)
}
check show_has_the_options_of_each_of_several_pools_of_a_name namesakes
keys() {
	"$ctl" --socket "$sock" --json list | python3 -c '
import json, sys
dump = json.load(sys.stdin)
header = sys.argv[1].split()[1:]
assert dump["version"] == 5 and not dump["truncated"]
assert all(list(pool) == header for pool in dump["pools"])
assert [pool["name"] for pool in dump["pools"]][5:] == ["a \"name\"\t", "twin"]
' "$(ask 'pools raw' | sed -n 2p)"
}
check keys_of_json_are_the_columns keys
prometheus() {
	"$ctl" --socket "$sock" --prometheus list | "$src/ask.py" prometheus
}
check the_text_for_prometheus_is_one prometheus

# replaced - the file must fit the textfile collector: complete, readable for all, with no other
# file beside it
replaced() {
	mkdir -p "$tmp/textfile"
	echo old >"$tmp/textfile/pools.prom"
	(umask 022; "$ctl" --socket "$sock" --prometheus \
		--output "$tmp/textfile/pools.prom" list) &&
		"$src/ask.py" prometheus <"$tmp/textfile/pools.prom" &&
		same "$(stat -c %a "$tmp/textfile/pools.prom")" 644 &&
		same "$(ls "$tmp/textfile")" pools.prom
}
check an_output_file_is_replaced_as_a_whole replaced
by_a_link() {
	echo old >"$tmp/textfile/real"
	ln -s textfile/real "$tmp/link"
	"$ctl" --socket "$sock" --raw --output "$tmp/link" list && [ -L "$tmp/link" ] &&
		ask 'pools raw' | diff - "$tmp/textfile/real"
}
check a_file_behind_a_link_is_replaced_and_the_link_stays by_a_link
keeps_mode() {
	local mode

	for mode in 600 664 0; do
		chmod $mode "$tmp/textfile/real"
		(umask 022; "$ctl" --socket "$sock" --raw --output "$tmp/textfile/real" list) &&
			same "$(stat -c %a "$tmp/textfile/real")" $mode || return 1
	done
}
check a_file_that_is_replaced_keeps_its_mode keeps_mode
full() {
	local status=0

	"$ctl" --socket "$sock" list >/dev/full 2>"$tmp/full" || status=$?
	cat "$tmp/full"
	same "$status" 1 && grep -q 'cannot be written' "$tmp/full"
}
check a_full_disk_is_an_error full

### Commands

by_pid() {
	"$ctl" --pid "$program" list --raw >"$tmp/ours" && ask 'pools raw' >"$tmp/its" &&
		[ -s "$tmp/its" ] && diff "$tmp/ours" "$tmp/its"
}
check a_process_is_found_by_its_number by_pid

# serves FILE COMMAND... - starts a program that lasts as long as the script; sets $server to its
# process
serves() {
	local said=$1

	shift
	"$@" < <(exec tail --pid=$$ -f /dev/null) >"$said" &
	server=$!
	started+=("$server")
	disown
	within grep -q ready "$said"
}
apart() {
	LIBPOOL_OPTIONS=ctl=$tmp/apart.sock serves "$tmp/apart" unshare -rn "$tmp/prog" 1
	"$ctl" --pid "$server" list
}
if unshare -rn true 2>/dev/null; then
	check a_process_is_found_in_a_network_of_its_own apart
else
	echo "n/a - a_process_is_found_in_a_network_of_its_own # unshare -rn is not allowed here"
fi
mistaken() {
	local first

	LIBPOOL_OPTIONS=ctl=$tmp/first.sock serves "$tmp/first" "$tmp/prog" 1
	first=$server
	LIBPOOL_OPTIONS=ctl=$tmp/other.sock serves "$tmp/second" "$tmp/prog" 1
	"$ctl" --pid "$first" list >/dev/null || return
	mv "$tmp/other.sock" "$tmp/first.sock"
	! "$ctl" --pid "$first" list 2>"$tmp/why" && grep -q 'another program' "$tmp/why" &&
		"$ctl" --socket "$tmp/first.sock" list
}
check a_process_is_not_taken_for_one_whose_socket_is_in_that_place mistaken
saved() {
	"$ctl" --socket "$sock" list --raw >"$tmp/before"
	"$ctl" --socket "$sock" list --json >"$tmp/before.json"
	echo >&"$to_program"
	within grep -q more "$tmp/said"
	"$ctl" --socket "$sock" list --raw >"$tmp/after"
	"$ctl" diff "$tmp/before" "$tmp/after" >"$tmp/diff"
	cat "$tmp/diff"
	grep -Eq '^pool1 +40B changed .* \+10 ' "$tmp/diff" &&
		same "$(tail -n 1 "$tmp/diff")" "7 pools, 2 as before" &&
		"$ctl" diff "$tmp/before.json" "$tmp/after" | diff - "$tmp/diff" &&
		"$ctl" --json diff "$tmp/before" "$tmp/after" | python3 -c '
import json, sys
pools = {p["name"]: p for p in json.load(sys.stdin)["pools"]}
assert pools["pool1"]["used"] == 10 and pools["pool1"]["what"] == "changed"
assert pools["twin"]["used"] == 0 and pools["twin"]["what"] == "same"'
}
check diff_shows_what_has_changed saved
gone() {
	grep -v ' pool1 ' "$tmp/after" >"$tmp/less"
	"$ctl" diff "$tmp/after" "$tmp/less" | grep -Eq '^pool1 .* gone .* -13 ' &&
		"$ctl" diff "$tmp/less" "$tmp/after" | grep -Eq '^pool1 .* new .* \+13 '
}
check diff_shows_pools_that_came_and_went gone
nothing_changes() {
	same "$("$ctl" --socket "$sock" diff 0.2 | tail -n 1)" "7 pools, 7 as before"
}
check diff_waits_for_what_changes nothing_changes
watched() {
	"$ctl" --socket "$sock" watch 0.1 3 >"$tmp/watch" &&
		same "$(wc -l <"$tmp/watch")" 4 &&
		same "$("$ctl" --socket "$sock" --json watch 0.1 3 | grep -c version)" 3
}
check watch_prints_a_line_each_time watched
watched_as_listed() {
	"$ctl" --socket "$sock" --output "$tmp/watched" watch 0.1 1 &&
		"$ctl" --socket "$sock" list | diff - "$tmp/watched"
}
check watch_writes_to_a_file_what_list_prints watched_as_listed
# silent ARG... - poolctl must succeed and print nothing
silent() {
	same "$("$ctl" "$@" 2>&1 || echo $?)" ''
}
check gc_is_asked_for silent --socket "$sock" gc
check reclaim_is_asked_for silent --socket "$sock" reclaim
check flush_is_asked_for silent --socket "$sock" flush all
check flush_of_a_name_is_asked_for silent --socket "$sock" flush $'a "name"\t'
switches() {
	"$ctl" --socket "$sock" debug pool1 +poison &&
		same "$("$ctl" --socket "$sock" show pool1 | tail -n 1)" \
			"options       poison" &&
		"$ctl" --socket "$sock" debug no-poison,integrity &&
		same "$("$ctl" --socket "$sock" debug)" "cold-first integrity" &&
		"$ctl" --socket "$sock" set no-integrity,hot_size=4096 &&
		same "$("$ctl" --socket "$sock" debug)" "hot_size=4096"
}
check options_are_switched switches
# has_poison NAME - the option must be on for this pool
has_poison() {
	"$ctl" --socket "$sock" show "$1" | grep -q '^options .*poison'
}
switches_off() {
	"$ctl" --socket "$sock" debug pool1 poison && has_poison pool1 &&
		"$ctl" --socket "$sock" debug pool1 -- -poison && ! has_poison pool1
}
check words_that_look_like_options_come_behind_two_dashes switches_off
switches_blanks() {
	local name=$'a "name"\t'

	"$ctl" --socket "$sock" debug "$name" poison && has_poison "$name" &&
		"$ctl" --socket "$sock" debug "$name" no-poison && ! has_poison "$name"
}
check options_of_a_name_with_blanks_are_switched switches_blanks
### Memstats for other tools: 300 objects of one place, 100 of another

gcc -std=gnu11 -O1 -Wall -Wextra -Werror -I"$tmp" -rdynamic -o "$tmp/sites" "$src/sites.c" \
	"$out/libpool.a" -pthread
LIBPOOL_OPTIONS=memstats,ctl=$tmp/sites.sock "$tmp/sites" >"$tmp/sites.said" &
started+=($!)
disown
within grep -q ready "$tmp/sites.said"
sites() {
	"$ctl" --socket "$tmp/sites.sock" memstats "$@"
}
folded() {
	sites --folded | sort | sed -E 's/\+0x[0-9a-f]+//' | tee "$tmp/folded"
	diff "$tmp/folded" - <<-'END'
		first;take_one 12800
		second;take_two 38400
	END
}
check memstats_are_folded_for_flame_graphs folded
# pprof_says OPTION NAME NUMBER... - the line of NAME must begin with NUMBER
pprof_says() {
	sites --pprof >"$tmp/prof" &&
		google-pprof --text "$1" "$tmp/prof" 2>/dev/null | sed 's/+0x.*//' |
			tee "$tmp/text"
	awk -v name="$2" -v n="$3" '$NF == name && $1 == n { found = 1 }
		END { exit !found }' "$tmp/text"
}
check google_pprof_is_there command -v google-pprof
check pprof_counts_objects_in_use pprof_says --inuse_objects take_two 300
check pprof_counts_objects_in_use_of_another_place pprof_says --inuse_objects take_one 100
check pprof_counts_all_objects pprof_says --alloc_objects take_one 150
pprof_stack() {
	sites --pprof >"$tmp/prof" &&
		google-pprof --collapsed "$tmp/prof" 2>/dev/null | tee "$tmp/text"
	grep -qE '^second;take_two[^;]* 38400$' "$tmp/text"
}
check pprof_knows_the_pool_of_a_place pprof_stack

# A made-up server, with what a library says rarely: frees of objects from before a reset, a place
# without a name, a line that is cut off.
"$src/ask.py" serve "$tmp/odd.sock" 'ok\nmemstats version 1\n# what pool ...
alloc reset 2 102 128 6528 -6400 take_three+0x1
alloc plain 5 2 320 128 192 take_four+0x1
alloc noname 3 1 192 64 128 \nalloc cut 7 7
BALANCE allocs=10 frees=105\n' >"$tmp/odd.said" &
started+=($!)
disown
within grep -q ready "$tmp/odd.said"
odd_folded() {
	"$ctl" --socket "$tmp/odd.sock" memstats --folded | tee "$tmp/odd"
	diff "$tmp/odd" - <<-'END'
		plain;take_four+0x1 192
		noname;unknown 128
	END
}
check folded_memstats_have_a_line_for_each_place odd_folded
odd_pprof() {
	"$ctl" --socket "$tmp/odd.sock" memstats --pprof >"$tmp/odd" || return 1
	cat "$tmp/odd"
	grep -qx 'heap profile: 5: 320 \[ 10: 640\] @ heapprofile' "$tmp/odd" &&
		grep -q '^0: 0 \[ 2: 128\] @' "$tmp/odd"
}
check frees_behind_a_reset_are_no_negative_numbers odd_pprof

check memstats_are_shown eval \
	"'$ctl' --socket '$sock' memstats all | grep -q '^memstats version'"

### The kernel's files, in a folder that is like theirs

made_up() {
	local name id=0

	mkdir -p "$tmp/debugfs/by-name"
	touch "$tmp/debugfs/"{gc,flush}
	echo none >"$tmp/debugfs/debug"
	for name in 'twin~7' %2Edot plain; do
		mkdir "$tmp/debugfs/by-name/$name"
		id=$((id + 1))
		printf 'id %d\nname %s\nsize 64\nalignment 8\nregistrations 1\n' $id "${name%~*}" \
			>"$tmp/debugfs/by-name/$name/stats"
		printf 'mode global\nbuckets 1\ncluster 8\nallocated %d\nused 1\nto_come 5\n' $id \
			>>"$tmp/debugfs/by-name/$name/stats"
		printf '# name size flags align file:line\n%s 64 shared 8 a file.c:1\n' "${name%~*}" \
			>"$tmp/debugfs/by-name/$name/registrations"
		echo tag >"$tmp/debugfs/by-name/$name/debug"
	done
	sed -i 's/ shared / shared,exact,typesafe,usercopy /' \
		"$tmp/debugfs/by-name/plain/registrations"
}
made_up
kernel() {
	"$ctl" --debugfs "$tmp/debugfs" "$@"
}
check the_kernels_pools_are_in_order same \
	"$(kernel --raw list | awk '/^[0-9]/ { print $1, $2, $5, $6 }' | tr '\n' ,)" \
	'1 twin 1 1,2 %2Edot 2 1,3 plain 3 1,'
kernel_shows() {
	kernel show .dot | grep -x '%2Edot size=64 flags=0x1 align=8 \[a file.c:1\]' &&
		kernel show plain | grep -x 'options       tag' &&
		kernel show plain | grep -x 'plain size=64 flags=0xf align=8 \[a file.c:1\]' &&
		same "$(kernel debug)" none
}
check the_kernels_pools_are_shown kernel_shows
kernel_obeys() {
	kernel gc && kernel flush plain && kernel debug +poison &&
		kernel debug plain no-tag &&
		same "$(cat "$tmp/debugfs/"{gc,flush,debug})" $'1plain+poison' &&
		same "$(cat "$tmp/debugfs/by-name/plain/debug")" no-tag
}
truncate -s 0 "$tmp/debugfs/debug" "$tmp/debugfs/by-name/plain/debug"
check the_kernels_files_are_written kernel_obeys
all_twins() {
	cp -r "$tmp/debugfs/by-name/"{twin~7,twin~9}
	kernel debug twin trace &&
		same "$(cat "$tmp/debugfs/by-name/"twin~{7,9}/debug)" tracetrace
}
truncate -s 0 "$tmp/debugfs/by-name/twin~7/debug"
check all_pools_of_a_name_are_switched_in_the_kernel_too all_twins
rm -r "$tmp/debugfs/by-name/twin~9"

### What is wrong

# refused STATUS WHY ARG... - poolctl must exit with STATUS and print a line that matches WHY
refused() {
	local status=0 want=$1 why=$2

	shift 2
	timeout 30 "$ctl" "$@" >"$tmp/refused" 2>&1 </dev/null || status=$?
	cat "$tmp/refused"
	same "$status" "$want" && grep -Eq "^poolctl: .*$why" "$tmp/refused" &&
		[ "$(wc -l <"$tmp/refused")" -le 2 ]
}
# wrong NAME WHY ARG... - these arguments must be refused, with status 2 and WHY
wrong() {
	local name=$1 why=$2

	shift 2
	check "${name}_is_refused" refused 2 "$why" "$@"
}
s=(--socket "$sock")
long=$(printf 'x%.0s' {1..300})
wrong no_command 'what is to be done'
wrong an_unknown_command 'no such command: "lsit"' "${s[@]}" lsit
wrong no_source 'whose pools' list
wrong two_sources 'only one of' "${s[@]}" --kernel list
wrong two_sources_with_a_process 'only one of' --kernel --pid 1 list
wrong an_unknown_option '--help' --bogus list
wrong an_option_without_its_value '--help' list --socket
wrong a_value_for_an_option_without_one '--help' --json=5 list
wrong debugfs_of_a_program 'for --kernel' "${s[@]}" --debugfs /tmp list
nth=0
for n in '' 0 -1 1x x 99999999999999999999 0x10 ' 1'; do
	nth=$((nth + 1))
	wrong "bad_count_$nth" 'not a number from 1' "${s[@]}" --count "$n" list
	wrong "bad_process_$nth" 'not a number from 1' --pid "$n" list
	wrong "bad_number_of_times_$nth" 'not a number from 1' "${s[@]}" watch -- 1 "$n"
done
for n in '' 0 -1 1x nan inf 1e3 99999 0.01 .; do
	nth=$((nth + 1))
	for command in top watch diff; do
		wrong "bad_seconds_${nth}_of_$command" 'not 0.1 to 86400 seconds' \
			"${s[@]}" -- $command "$n"
	done
done
wrong an_unknown_column 'no column "hled"; they are name held' "${s[@]}" --sort hled list
wrong an_empty_path '1 to 107 bytes' --socket '' list
wrong a_path_that_is_too_long '1 to 107 bytes' --socket "$long" list
wrong show_without_a_pool 'something is missing' "${s[@]}" show
wrong show_with_two 'too many words' "${s[@]}" show a b
wrong a_line_that_is_too_long 'too long' "${s[@]}" flush "$long"
wrong a_line_of_two_lines 'a newline' "${s[@]}" flush $'a\ngc'
wrong set_of_the_kernel 'set is for programs' --debugfs "$tmp/debugfs" set poison
wrong a_path_as_a_name 'no name of a pool' --debugfs "$tmp/debugfs" debug ../x poison
wrong a_form_of_memstats_for_list 'are for memstats' "${s[@]}" --folded list
wrong a_form_of_memstats_for_top 'are for memstats' "${s[@]}" --pprof top
wrong a_format_of_memstats 'no such format' "${s[@]}" --json memstats
wrong a_format_of_top 'no such format' "${s[@]}" --json top
wrong an_output_of_top 'for list, watch and plot' "${s[@]}" --output /tmp/x top
wrong a_sorted_diff 'sort is for' --sort used diff "$tmp/before" "$tmp/after"
wrong a_sorted_line_of_watch 'sort is for' "${s[@]}" --sort name watch 1 1
wrong a_count_of_top 'count is for' "${s[@]}" --count 1 top
wrong an_output_that_is_no_file 'no file that can be replaced' \
	"${s[@]}" --output "$tmp/in" list
ln -s nowhere "$tmp/nowhere.link"
wrong an_output_by_a_link_to_nothing 'no file that can be replaced' \
	"${s[@]}" --output "$tmp/nowhere.link" list
wrong a_word_that_looks_like_an_option 'come behind "--"' "${s[@]}" debug pool1 -poison
wrong diff_without_a_source 'needs --pid' diff 1
wrong diff_of_a_program 'a NUL' diff "$tmp/prog" "$tmp/before"
wrong diff_of_what_is_no_dump 'neither a raw dump' diff "$tmp/before" "$src/prog.c"
wrong top_without_a_terminal 'needs a terminal' "${s[@]}" top
# shellcheck source=tests/install/poolctl/advise.sh
. $src/advise.sh
# shellcheck source=tests/install/poolctl/bugs.sh
. $src/bugs.sh
check a_file_that_is_not_there_is_told_of refused 1 'No such file' diff /nowhere /nowhere
check a_pool_that_is_not_there_is_told_of refused 1 'no pool "pool"' "${s[@]}" show pool
check flush_of_no_pool_is_told_of refused 1 'neither "all" nor' "${s[@]}" flush nothing
check a_wrong_word_is_told_of refused 1 '"poisson": unknown word' "${s[@]}" debug poisson
check a_wrong_option_is_told_of refused 1 'poison is 0-255: "poison=999"' "${s[@]}" set poison=999
check a_socket_that_is_not_there_is_told_of refused 1 'No such file' --socket "$tmp/none" list
check a_file_that_is_no_socket_is_told_of refused 1 'no program serves' \
	--socket "$tmp/prog" list
check a_process_that_is_gone_is_told_of refused 1 'no such process' --pid 1073741823 list
check a_process_that_serves_nothing_is_told_of refused 1 'offers no pools' --pid $$ list
check a_name_without_pools_is_told_of refused 1 'no pool "twi"' \
	--debugfs "$tmp/debugfs" debug twi poison
check a_folder_without_pools_is_told_of refused 1 'is pool.ko loaded' --debugfs "$tmp" list
printf 'id x\n' >"$tmp/debugfs/by-name/plain/stats"
check files_with_nonsense_are_told_of refused 1 'no numbers of a pool' \
	--debugfs "$tmp/debugfs" list

# Saved dumps that are damaged: cut off after each byte, and with each byte changed.
damaged() {
	local file=$1 at size status=0 ended

	size=$(wc -c <"$file")
	for ((at = 0; at < size; at += 7)); do
		head -c "$at" "$file" >"$tmp/cut"
		perl -0777 -pe 'substr($_, '"$at"', 1) ^= "\x15"' "$file" >"$tmp/changed"
		for bad in cut changed; do
			ended=0
			"$ctl" diff "$tmp/$bad" "$file" >"$tmp/said.bad" 2>&1 || ended=$?
			case $bad$ended in
			cut2 | changed[012]) ;;
			*) echo "$bad at $at: $ended"; head -n 3 "$tmp/said.bad"; status=1 ;;
			esac
		done
	done
	return "$status"
}
grep -v "pool[234]" "$tmp/before" >"$tmp/short"
"$ctl" --socket "$sock" --json list twin >"$tmp/short.json"
check damaged_raw_dumps_are_refused damaged "$tmp/short"
check damaged_json_is_refused damaged "$tmp/short.json"

### Servers that are none

# says NAME WHY TEXT - poolctl must refuse a server that answers TEXT, and say WHY
says() {
	local path=$tmp/serves-$1

	check "a_server_that_says_$1_is_told_of" says_it "$2" "$3" "$path"
}
says_it() {
	local why=$1 text=$2 path=$3 pid status=0

	rm -f "$tmp/served"
	"$src/ask.py" serve "$path" "$text" >"$tmp/served" &
	pid=$!
	within grep -q ready "$tmp/served" && refused 1 "$why" --socket "$path" list || status=1
	kill "$pid"
	wait "$pid" 2>/dev/null || true
	return "$status"
}
says nothing 'gone, or is none' ''
says nonsense 'no program with pools' 'HTTP/1.1 400 Bad Request\r\n\r\n'
says a_nul 'NUL' 'ok\n\0'
says bytes 'gone, or is none' '\xff\xfe\x80'
says ok_alone 'no dump of pools' 'ok\n'
says an_escape 'no dump of pools' 'ok\npools version 5\n# id name\n1 \x1b[2J\n'
# Terminals obey it.
harmless() {
	"$src/ask.py" serve "$tmp/harmful" \
		'ok\npools version 5\n# id name size\n1 a 8\n  > \x1b]0;x\x07\ntotal x\n' &
	started+=($!)
	disown
	within test -S "$tmp/harmful"
	"$ctl" --socket "$tmp/harmful" show a >"$tmp/harmless" 2>&1
	cat -v "$tmp/harmless"
	grep -qF '?]0;x?' "$tmp/harmless" && ! grep -q $'\x1b' "$tmp/harmless"
}
check what_a_server_says_does_nothing_to_a_terminal harmless
# says_no_controls ARG... - nothing that poolctl prints may have ESC or U+009B in it
says_no_controls() {
	"$ctl" "$@" >"$tmp/controls" 2>&1 || true
	cat -v "$tmp/controls"
	[ -s "$tmp/controls" ] && ! grep -q $'[\x1b\u009b]' "$tmp/controls"
}
check a_wrong_argument_does_nothing_to_a_terminal says_no_controls \
	"${s[@]}" show $'a\u009b31m\x1b[2J'
check a_wrong_path_does_nothing_to_a_terminal says_no_controls \
	--socket $'/none\u009b31m\x1b[2J' list
printf 'pools version 5\n# id name size\n1 %%C2%%9B31m%%1B 8\ntotal pools=1\n' >"$tmp/named"
check json_does_nothing_to_a_terminal says_no_controls --json diff "$tmp/named" "$tmp/named"
printed_as_it_is() {
	! "$ctl" "${s[@]}" show é 2>"$tmp/controls" && grep é "$tmp/controls"
}
check other_characters_of_an_argument_are_printed printed_as_it_is
says half_a_dump 'the end of the answer is missing' 'ok\npools version 5\n# id name size\n1 a 8\n'
says too_few_columns 'no dump of pools' 'ok\npools version 5\n# id name size\n1 a\ntotal x\n'
says other_columns 'no dump of pools' 'ok\npools version 5\n# x y\n'
says silent 'does not answer' silent
says slow 'or not to the end' slow
says endless 'longer than 64 MiB' endless

# A library of another version may have other columns.
other_version() {
	"$src/ask.py" serve "$tmp/other" \
		'ok\npools version 9\n# id name size moons used\n1 a 8 77 5\ntotal pools=1\n' &
	started+=($!)
	disown
	within test -S "$tmp/other"
	"$ctl" --socket "$tmp/other" list --raw | grep -qE '^1 a 8 0 0 5 0'
}
check columns_that_are_not_known_are_passed_over other_version

# shellcheck source=tests/install/poolctl/screens.sh
. $src/screens.sh
# shellcheck source=tests/install/poolctl/plot.sh
. $src/plot.sh
# The last of those who need that program: it ends there.
# shellcheck source=tests/install/poolctl/top.sh
. $src/top.sh

# exit() removes the socket; a program that is ended by its input ends so.
removed() {
	LIBPOOL_OPTIONS=ctl=$tmp/brief-%p.sock "$tmp/prog" 1 </dev/null >"$tmp/brief.said" &&
		grep -q ready "$tmp/brief.said" && ! compgen -G "$tmp/brief-*.sock" || return 1
	LIBPOOL_OPTIONS=ctl=$tmp/exits.sock "$tmp/prog" 1 \
		< <(within test -e "$tmp/listed") >"$tmp/exits" &
	within grep -q ready "$tmp/exits" &&
		"$ctl" --socket "$tmp/exits.sock" list >"$tmp/at_exit" &&
		touch "$tmp/listed" &&
		within test ! -e "$tmp/exits.sock"
}
check exit_removes_the_socket removed
taken() {
	LIBPOOL_OPTIONS=poison,ctl=$sock,tag "$tmp/prog" 1 </dev/null 2>"$tmp/taken" >/dev/null &&
		cat "$tmp/taken" && same "$(wc -l <"$tmp/taken")" 1 &&
		grep -q "^pool: the control socket is not started: \"$sock\": Address already in use" "$tmp/taken"
}
check a_program_runs_on_where_its_socket_is_taken taken

### 20,000 pools

program "$tmp/many.sock" 20000
many() {
	timeout 60 "$ctl" --socket "$tmp/many.sock" list "$1" >"$tmp/many" &&
		ls -l "$tmp/many" && same "$(grep -cE "$2" "$tmp/many")" 20000
}
check 20000_pools_are_listed many --raw '^[0-9]+ pool'
check 20000_pools_are_listed_as_json many --json '"name":"pool'
check 20000_pools_are_plotted eval \
	"timeout 60 '$ctl' --socket '$tmp/many.sock' plot 0.1 2 | grep '^20002 pools: '"
check bugs_of_20000_pools_are_none eval \
	"same \"\$(timeout 60 '$ctl' --socket '$tmp/many.sock' bugs)\" '0 faults in 0 of 20002 pools'"
check 20000_pools_are_listed_for_prometheus \
	timeout 60 "$ctl" --socket "$tmp/many.sock" list --prometheus
session many 80 24 --socket "$tmp/many.sock" --sort name top 0.5
check 20000_pools_are_on_a_screen on many '^20002 pools: held'
keys_to many NPage NPage
check a_screen_of_20000_pools_scrolls on many '^pool10031 '
keys_to many q
check a_screen_of_20000_pools_ends_by_q ends many 0
finish
