#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# pooltrace, beside programs whose allocations are known: all of them are in the traces,
# and no others.
#
#	pooltrace.sh BUILD-FOLDER
#
# The tool is the build with AddressSanitizer, and so is poolreplay.

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99
src=tests/install/pooltrace
mkdir "$tmp/bin"
cp "$out/pooltrace-asan" "$tmp/bin/pooltrace"
cp "$out/libpooltrace.so" "$tmp/bin"
pooltrace=$tmp/bin/pooltrace
prog=$tmp/prog
ulimit -c 0

gcc -std=gnu11 -D_GNU_SOURCE -O1 -g -fno-builtin -rdynamic -Wall -Wextra -Werror -o "$prog" \
	"$src/prog.c" -pthread
for size in 7001 7003; do
	gcc -std=gnu11 -O1 -DSIZE=$size -Wall -Wextra -Werror -shared -fPIC \
		-o "$tmp/plugin$size.so" "$src/plugin.c"
done

# trace STATUS ARG... - pooltrace must exit with STATUS; the traces are $tmp/t, $tmp/t.2, ...
trace() {
	local status=0 expected=$1

	shift
	rm -f "$tmp"/t "$tmp"/t.*
	timeout 120 "$pooltrace" -o "$tmp/t" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	cat "$tmp/err"
	same "$status" "$expected"
}

# counts MODULE TRACE - prints "SIZE:ALLOCATIONS:FREES" of the calls that MODULE's code makes
counts() {
	awk -v module="$1+" '
		$1 == "pool" { size[$2] = index($4, module) == 1 ? $3 : 0 }
		$1 == "a" { of[$4] = size[$3]; a[size[$3]]++ }
		$1 == "f" { f[of[$3]]++ }
		END { for (s in a) if (s + 0) printf "%d:%d:%d\n", s, a[s], f[s] }' "$2" |
		sort -n | tr '\n' ' '
}

# traced STATUS COUNTS ARG... - the first trace must have these counts, and can be replayed
traced() {
	local expected=$2

	trace "$1" "${@:3}" || return 1
	same "$(counts prog "$tmp/t")" "$expected " && replays "$tmp/t"
}

replays() {
	"$out/poolreplay-asan" "$1" 2>"$tmp/said" || { cat "$tmp/said"; return 1; }
}

### What is recorded

each_function() {
	traced 0 "1001:20:13 1005:1:1 1007:1:1 1011:1:1 1013:1:1 1017:1:1 1019:1:1 1021:1:1 \
1023:1:1 1088:1:1 3027:1:1 7021:1:1" --skip '' "$prog" functions &&
		grep -q '^# 0 frees of unseen objects left out, 0 frees implied' "$tmp/t"
}
check each_function_is_recorded each_function

of_a_library() {
	trace 0 --skip '' "$prog" functions &&
		[[ " $(counts libc.so.6 "$tmp/t")" == *" 17:1:1 "* ]]
}
check the_call_site_is_the_callers_module of_a_library

# called_by SKIP FUNCTION SIZE - with SKIP, objects of SIZE must be allocated by FUNCTION
called_by() {
	local site

	trace 0 --skip "$1" "$prog" functions || return 1
	site=$(sed -n "s/^pool [0-9]* $3 prog+\([^:]*\).*/\1/p" "$tmp/t")
	same "$(addr2line -f -e "$prog" "$site" | head -n 1)" "$2"
}
check a_wrapper_is_the_call_site called_by '' get 1005
check a_wrapper_that_is_skipped_is_not called_by get functions 1005
check nor_is_a_function_of_the_c_library called_by strdup functions 17
check nor_is_a_module called_by libc.so.6 functions 17
by_site() {
	trace 0 --skip '' "$prog" functions &&
		called_by "$(sed -n 's/^pool [0-9]* 1005 //p' "$tmp/t")" functions 1005
}
check nor_is_a_call_site by_site
default_list() {
	trace 0 "$prog" functions && same "$(counts libc.so.6 "$tmp/t" | grep -c ' 17:')" 0
}
check strdup_is_skipped_if_nothing_is_said default_list
default_list_too() {
	trace 0 --skip other "$prog" functions && same "$(counts libc.so.6 "$tmp/t" | grep -c ' 17:')" 0
}
check and_if_other_functions_are default_list_too
string_site() {
	trace 0 "$prog" functions &&
		same "$(sed -n 's/^pool [0-9]* \([0-9]*\) prog.*:strdup$/\1/p' "$tmp/t")" 17
}
check a_call_site_of_strdup_says_so string_site

# call_site - addr2line must find the function of a call site
call_site() {
	local site

	trace 0 "$prog" functions || return 1
	site=$(sed -n 's/^pool [0-9]* 1013 prog+//p' "$tmp/t")
	addr2line -f -e "$prog" "$site" | grep -qx functions
}
check the_offset_is_that_of_the_call call_site

all_threads() {
	traced 0 "2001:5000:5000 2003:5000:5000" "$prog" threads &&
		grep -q '^# source: prog, process [0-9]*, 201 threads,' "$tmp/t" &&
		grep -qx 'cpus 64' "$tmp/t"
}
check all_threads_are_recorded all_threads
not_reused() {
	grep -q '^# 0 frees of unseen objects left out, 0 frees implied' "$tmp/t"
}
check the_order_of_threads_is_that_of_their_calls not_reused

a_child() {
	traced 0 "3001:10:10" "$prog" "$1" || return 1
	same "$(counts prog "$tmp/t.2")" "3003:7:6 " && replays "$tmp/t.2" &&
		grep -q '^# 4 frees of unseen objects left out' "$tmp/t.2" &&
		grep -q '^# 0 frees of unseen objects left out' "$tmp/t"
}
check a_child_of_fork_has_a_trace_of_its_own a_child fork
check and_so_has_one_without_handlers a_child raw-fork
check a_crash_loses_nothing traced 137 4001:5:2 "$prog" crash
exec_too() {
	traced 0 5001:3:0 "$prog" exec &&
		same "$(counts prog "$tmp/t.2")" "5003:2:1 " && replays "$tmp/t.2"
}
check exec_begins_a_trace exec_too
unloaded() {
	trace 0 "$prog" plugins "$tmp"/plugin700[13].so || return 1
	same "$(counts plugin7001.so "$tmp/t")" "7001:1:1 " &&
		same "$(counts plugin7003.so "$tmp/t")" "7003:1:1 "
}
check plugins_that_come_and_go_are_told_apart unloaded

### Signals

passed_on() {
	# shellcheck disable=SC2016	# of the command
	trace 143 sh -c 'kill -TERM $PPID; while :; do :; done' && replays "$tmp/t"
}
check a_signal_is_passed_on passed_on
# Look while the trace is being written.
late() {
	local pid status=0

	rm -f "$tmp"/t "$tmp"/t.*
	"$pooltrace" -o "$tmp/t" sh -c "$prog many 500000; echo ended" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until grep -q ended "$tmp/out" && ! pgrep -P "$pid"; do
		kill -0 "$pid" || return 1
	done
	while kill -TERM "$pid" 2>"$tmp/gone"; do
		sleep 0.02
	done
	wait "$pid" || status=$?
	same "$status" 0 && same "$(counts prog "$tmp/t.2")" "6001:500000:500000 "
}
check a_signal_behind_the_end_does_no_harm late
same_mask() {
	trace 0 grep SigBlk /proc/self/status &&
		same "$(cat "$tmp/out")" "$(grep SigBlk /proc/self/status)"
}
check the_command_holds_back_no_signals same_mask

# Nobody reads its messages.
no_reader() {
	local to status=0

	rm -f "$tmp"/t "$tmp"/t.*
	exec {to}> >(exec true)
	wait $!
	"$pooltrace" -o "$tmp/t" "$prog" fork >"$tmp/out" 2>&"$to" || status=$?
	exec {to}>&-
	same "$status" 0 && replays "$tmp/t" && replays "$tmp/t.2" &&
		[ -z "$(find "$tmp" -name '*.raw.*')" ]
}
check all_is_written_where_nobody_reads_the_messages no_reader
ignored_children() {
	env --ignore-signal=CHLD "$pooltrace" -o "$tmp/t" grep SigIgn /proc/self/status \
		>"$tmp/out" && replays "$tmp/t" &&
		same "$(cat "$tmp/out")" \
			"$(env --ignore-signal=CHLD grep SigIgn /proc/self/status)"
}
check a_parent_may_have_ignored_its_children ignored_children

# wild - the program writes into the records, behind their head
wild() {
	# shellcheck disable=SC2016	# of perl
	trace 0 perl -e 'system @ARGV;
		for (glob "$ENV{POOLTRACE_DIR}/*") {
			open F, "+<", $_;
			for ($at = 458752 + 16; $at < -s F; $at += 24) {
				seek F, $at, 0;
				print F "\1\0\0\100\377\377";
			}
		}' "$prog" functions && replays "$tmp/t" && replays "$tmp/t.2"
}
check a_file_that_the_command_has_damaged_is_read wild

### Bounds

a_million() {
	traced 0 6001:500000:500000 --limit 10000000 "$prog" many 500000
}
check a_million_operations_are_recorded a_million
# The start of the program makes a few of the 5000 events.
stopped() {
	local events

	trace 0 --limit 5000 "$prog" many 500000 || return 1
	events=$(sed -n 's/^events //p' "$tmp/t")
	[ "$events" -gt 4990 ] && [ "$events" -le 5000 ] && replays "$tmp/t" &&
		grep -qx '# stopped: the limit of 5000 events was reached' "$tmp/t" &&
		grep -q '5000 events of prog, process [0-9]*, stopped at the limit$' "$tmp/err"
}
check the_limit_stops_it_and_is_told_of stopped
# A head of half a megabyte, 24 bytes an event, and at most a megabyte of growth.
file_size() {
	trace 0 --limit 100000 sh -c "$prog many \$0; stat -c %s \$POOLTRACE_DIR/*.*" "$1" ||
		return 1
	sort -n "$tmp/out" | tail -n 1
}
small_file() {
	local size

	size=$(file_size 1000000 | tail -n 1) && [ "$size" -lt 4700000 ] &&
		[ "$size" -gt 2400000 ]
}
check the_recorders_file_does_not_grow_behind_the_limit small_file
check it_records_behind_the_back_of_a_program_that_closes_files \
	traced 0 6001:100000:100000 "$prog" closed
full() {
	trace 2 "$prog" small-files && replays "$tmp/t" &&
		grep -qx '# stopped: no room for more: File too large' "$tmp/t" &&
		grep -q 'stopped for lack of room: File too large$' "$tmp/err"
}
check a_file_that_cannot_grow_is_told_of full
told_of() {
	traced 2 8001:1:1 "$prog" unrecorded &&
		grep -q '^pooltrace: process [0-9]* is not recorded: .*: File too large$' "$tmp/err"
}
check a_process_that_is_not_recorded_is_told_of told_of
data_file() {
	traced 2 8001:1:1 "$prog" unrecorded "$tmp/data" && same "$(cat "$tmp/data")" data
}
check a_data_file_in_the_place_of_stderr_is_left_alone data_file
# The library is readable for all; the folder of the records is not.
if [ "$(id -u)" = 0 ]; then
	chmod 755 "$tmp" "$tmp/bin"
	check a_daemon_that_drops_root_is_recorded_to_its_end \
		traced 0 6001:100001:100001 "$prog" drops
	check a_child_that_is_not_recorded_is_told_by_the_status \
		traced 2 8001:1:1 "$prog" drops-and-forks
else
	echo "n/a - a_daemon_that_drops_root_is_recorded_to_its_end # not root"
	echo "n/a - a_child_that_is_not_recorded_is_told_by_the_status # not root"
fi
check errno_is_the_programs traced 0 6001:100000:100000 "$prog" errno

# instructions PAIRS COMMAND... - prints the instructions of COMMAND, whose program makes PAIRS
# pairs of malloc() and free()
instructions() {
	local pairs=$1

	shift
	"$@" valgrind --tool=callgrind "--callgrind-out-file=$tmp/calls" "$prog" many \
		"$pairs" >"$tmp/valgrind" 2>&1 || { cat "$tmp/valgrind"; return 1; }
	sed -n 's/^totals: //p' "$tmp/calls"
}
per_pair() {
	local few many

	few=$(instructions 10000 "$@") && many=$(instructions 30000 "$@") || return 1
	echo $(((many - few) / 20000))
}
# costs LIMIT MOST - instructions that recording adds to a pair
costs() {
	local plain traced

	plain=$(per_pair env) &&
		traced=$(per_pair "$pooltrace" -o "$tmp/t" --limit "$1") || return 1
	echo "$plain instructions, and $traced with pooltrace"
	[ $((traced - plain)) -le "$2" ] && [ "$traced" -gt "$plain" ]
}
check what_a_recorded_pair_costs_is_bounded costs 1000000 300
check behind_the_limit_it_costs_less costs 100 120

### Bad input

# refused PATTERN ARG... - pooltrace must exit with 2 and a message, and leave no folder
refused() {
	local pattern=$1 status=0

	shift
	"$pooltrace" "$@" >"$tmp/out" 2>&1 </dev/null || status=$?
	cat "$tmp/out"
	same "$status" 2 && grep -Eq -- "$pattern" "$tmp/out" &&
		[ -z "$(find "$tmp" -name '*.raw.*')" ]
}
check no_command refused 'there is no command' -o "$tmp/t"
check nothing_at_all refused '^usage: '
check unknown_option refused 'unrecognized option.*--colour' --colour -- true
for limit in 0 -1 x 5x '' 99999999999999999999; do
	check "limit_of_'$limit'" refused 'is not a number from 1 to' --limit "$limit" true
done
check no_number_of_a_limit refused "requires an argument" --limit
check command_not_found refused 'no-such-command: No such file' -o "$tmp/t" no-such-command
check command_that_is_a_folder refused 'Permission denied' -o "$tmp/t" /
check folder_of_the_trace_is_not_there refused 'no/t.*cannot be written' \
	-o "$tmp/no/t" true
check trace_is_a_folder refused "cannot be written" -o "$tmp" true
# Run as another user, because root has no limit of processes.  Without LeakSanitizer, which would
# start a process.
no_process() {
	local as=() status=0

	[ "$(id -u)" != 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	chmod 755 "$tmp" && mkdir -m 777 "$tmp/open" || return 1
	ASAN_OPTIONS=detect_leaks=0 "${as[@]}" prlimit --nproc=0 \
		"$pooltrace" -o "$tmp/open/t" true >"$tmp/out" 2>&1 || status=$?
	cat "$tmp/out"
	same "$status" 2 && grep -q 'true: Resource temporarily unavailable' "$tmp/out" &&
		rmdir "$tmp/open"
}
check no_process_is_to_be_had no_process
printf 'int main(void) { return 0; }\n' | gcc -static -x c -o "$tmp/static" -
check static_program_is_told_of refused 'nothing was recorded' -o "$tmp/t" "$tmp/static"
# of_folder NAME - a tool in a folder of this name is refused with one line
of_folder() {
	mkdir "$tmp/$1" && cp "$tmp"/bin/* "$tmp/$1" || return 1
	pooltrace=$tmp/$1/pooltrace refused "$1/libpooltrace.so: cannot be preloaded" \
		-o "$tmp/t" true && same "$(wc -l <"$tmp/out")" 1
}
check a_space_in_the_librarys_path of_folder 'b c'
check a_colon_in_the_librarys_path of_folder b:c
rm "$tmp/bin/libpooltrace.so"
no_library() {
	refused 'libpooltrace.so is not there' -o "$tmp/t" true &&
		same "$(wc -l <"$tmp/out")" 1
}
check library_is_not_there no_library
finish
