#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks the commands of gdb, on a program that knows where its objects are, and on a core
# file of it, which gdb writes.
#
#	gdb.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

# No file of the user, no question, no download.
gdb=(timeout 300 gdb -batch -nx -iex 'set debuginfod enabled off'
     -iex "set auto-load safe-path $out:$tmp")
script=$out/libpool.so.0-gdb.py
export LC_ALL=C

# build NAME LIBRARY... - the program, optimised, so that calls of pools are inline
build() {
	local name=$1

	shift
	gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -D_GNU_SOURCE -Icommon -Iuser \
		-o "$tmp/$name" tests/install/gdb/prog.c "$@" -pthread
}

# The questions to a program and its core file; the answer to each follows a line "[NAME]".
places=(use hot other cluster shared parked checked uaf unmapped twin slab big nowhere)
looks() {
	local place command

	for command in list leaks 'leaks counted' 'objects conn' 'objects checked' \
		       'objects twin' 'objects big' 'objects nothing'; do
		printf 'echo [%s]\\n\n' "$command"
		printf 'python ask("pool %s")\n' "$command"
	done
	for place in "${places[@]}"; do
		printf 'echo [%s]\\n\nprintf "%%p\\n", at.%s\n' "$place" "$place"
		printf 'python ask("pool owner at.%s")\n' "$place"
		printf 'python ask("pool owner (long)at.%s + 5")\n' "$place"
	done
}

# A command that fails would end the script of commands.
ask='python
def ask(command):
    try:
        gdb.execute(command)
    except gdb.error as e:
        print("error:", e)
end'

# live NAME - runs the program, asks, and writes a core file; then asks that
live() {
	{
		echo "$ask"
		# As without gdb: the first object of a slab is a random one.
		echo 'set disable-randomization off'
		printf 'break placed\nrun >%s 2>%s\n' "$tmp/$1.said" "$tmp/$1.log"
		printf 'shell echo ANSWERS\n'
		looks
		printf 'echo [end]\\n\ngcore %s\n' "$tmp/$1.core"
	} >"$tmp/$1.live"
	"${gdb[@]}" "${@:2}" -x "$tmp/$1.live" "$tmp/$1" >"$tmp/$1.all" 2>&1 || return 1
	sed '1,/^ANSWERS$/d; /^\[end\]$/,$d' "$tmp/$1.all" >"$tmp/$1.answers"
	[ -s "$tmp/$1.answers" ] || { cat "$tmp/$1.all"; return 1; }
}
on_core() {
	{
		echo "$ask"
		printf 'shell echo ANSWERS\n'
		looks
	} >"$tmp/$1.post"
	"${gdb[@]}" "${@:2}" -x "$tmp/$1.post" "$tmp/$1" "$tmp/$1.core" 2>&1 |
		sed '1,/^ANSWERS$/d' >"$tmp/$1.core-answers"
	# gdb numbers the threads of a core file anew, so numbers of threads may differ.
	diff <(sed 's/thread [0-9]*/thread N/' "$tmp/$1.answers") \
		<(sed 's/thread [0-9]*/thread N/' "$tmp/$1.core-answers")
}

# answer NAME SECTION - the lines that follow "[SECTION]"
answer() {
	awk -v name="[$2]" '/^\[/ { on = $0 == name; next } on' "$tmp/$1.answers"
}

# says NAME SECTION PATTERN - one of these lines has it
says() {
	answer "$1" "$2" | tee "$tmp/answer"
	grep -qE -- "$3" "$tmp/answer"
}

# owned NAME PLACE PATTERN - what is said of an object, and of an address within it
owned() {
	says "$1" "$2" "^0x[0-9a-f]+: $3" &&
		grep -qE "^0x[0-9a-f]+( \+ 5)?: $3" <(tail -n 1 "$tmp/answer") &&
		same "$(sed -n '2s/:.*//p' "$tmp/answer")" "$(head -n 1 "$tmp/answer")"
}

# listed - the table must have the numbers that the program has read by pool_stats_get()
listed() {
	answer "$1" list | sed 1,2d | grep -v '^other' |
		awk '{ print $1, $2, $3, $4, $5, $6, $7 }' | diff - "$tmp/$1.said"
}

# asked NAME - all that a program with its symbols is asked
asked() {
	local conn='object of pool "conn", size 64:' twins='"twin" or "other%20twin"'

	check "pool_list_has_the_programs_numbers_$1" listed "$1"
	check "an_object_in_use_is_found_$1" \
		owned "$1" use 'object of pool "conn": allocated$'
	check "an_object_in_a_hot_array_is_found_$1" \
		owned "$1" hot "$conn free, in the hot array of thread 1, slot 0$"
	check "an_object_in_the_hot_array_of_another_thread_is_found_$1" \
		owned "$1" other "$conn free, in the hot array of thread [23], slot 1$"
	check "an_object_in_a_cluster_is_found_$1" \
		owned "$1" cluster "$conn free, in a cluster of thread 1$"
	check "an_object_in_the_shared_pool_is_found_$1" \
		owned "$1" shared "$conn free, in the shared pool, bucket [0-9]+$"
	check "a_parked_object_is_found_$1" \
		owned "$1" parked '.* "parks", size 128: free, parked by thread 1$'
	check "an_object_of_a_checked_pool_is_found_with_its_caller_$1" \
		owned "$1" checked '.* "checked", size 100: allocated by .*keep_here at .*prog.c'
	check "an_object_with_pages_of_its_own_is_found_$1" \
		owned "$1" uaf '.* "guarded", size 72: allocated$'
	check "an_unmapped_object_is_found_$1" owned "$1" unmapped '.* uaf has unmapped'
	check "an_object_of_shared_slabs_is_of_one_of_two_pools_$1" \
		owned "$1" twin "object of pool $twins: allocated$"
	check "an_object_in_its_slab_is_found_$1" \
		owned "$1" slab "given back to its slab, which is for pool $twins$"
	check "an_object_in_use_of_malloc_is_unknown_$1" owned "$1" big 'unknown$'
	check "an_address_of_nothing_is_unknown_$1" says "$1" nowhere '^0x5: unknown$'
	check "pool_objects_lists_those_in_use_$1" \
		says "$1" "objects conn" '^5 objects of pool "conn" are in use$'
	check "pool_objects_of_a_checked_pool_has_callers_$1" \
		says "$1" "objects checked" '^0x[0-9a-f]+  .*leak_here at .*prog.c'
	check "pool_objects_says_whose_slabs_are_shared_$1" \
		says "$1" "objects twin" '^error: pool: .*other pools.*LIBPOOL_OPTIONS=caller$'
	check "pool_objects_says_that_malloc_does_not_tell_$1" \
		says "$1" "objects big" '^error: pool: .* are of malloc\(\)'
	check "pool_leaks_names_the_function_$1" \
		says "$1" leaks '^ *7 +700  checked +.*leak_here at .*prog.c'
	check "pool_leaks_of_the_profile_name_the_function_$1" \
		says "$1" "leaks counted" '^ *7 +336  counted +.*leak_here at .*prog.c'
	check "a_name_that_no_pool_has_is_an_error_$1" \
		says "$1" "objects nothing" '^error: pool: there is no pool "nothing"'
}

# The other end of each DAMAGE() of prog.c: what a command that walks all lists prints of it.
damages() {
	cat <<-'END'
		nothing	0x5: unknown
		wild	pool: the list in a cluster of thread 1 has 0x8, which cannot be read
		many	0x5: unknown
		array	0x5: unknown
		circle	pool: the list parked by thread 1 is a circle at 0x
	END
}
damage() {
	cat >"$tmp/damage" <<-END
		break damaged
		commands
		silent
		printf "[%s]\n", what
		pool owner 5
		continue
		end
		run >$tmp/said 2>$tmp/log
	END
	"${gdb[@]}" -x "$tmp/damage" "$tmp/prog" >"$tmp/damage.answers" 2>&1 || true
	cat "$tmp/damage.answers"
	[ "$(grep -c '^0x5: unknown$' "$tmp/damage.answers")" = 5 ] &&
		! grep -q Traceback "$tmp/damage.answers"
}

check gdb_asks_a_program build prog "$out/libpool.so.0" "-Wl,-rpath,$out"
check gdb_loads_the_commands_by_itself live prog
asked prog
check a_core_file_has_the_same_answers on_core prog

check gdb_asks_a_damaged_program damage
while IFS=$'\t' read -r what pattern; do
	check "a_walk_ends_where_lists_are_damaged_$what" says damage "$what" "^$pattern"
done < <(damages)

# hardened - inline calls must find no array in a hardened pool, though it has arrays
hardened() {
	LIBPOOL_OPTIONS=harden "${gdb[@]}" -ex 'break placed' \
		-ex "run >$tmp/hardened.said 2>$tmp/log" -ex 'echo [list]\n' -ex 'pool list' \
		"$tmp/prog" >"$tmp/hardened.answers" 2>&1
	says hardened list '^conn .*  harden$'
}
check gdb_asks_a_hardened_program hardened
check pool_list_has_the_numbers_of_hardened_pools listed hardened

# A static program has no file of the library's name, so the user loads the script.
check gdb_asks_a_static_program build static "$out/libpool.a" -static
check gdb_loads_the_commands_for_a_static_program live static -iex "source $script"
asked static
check a_core_file_of_a_static_program_has_the_same_answers \
	on_core static -iex "source $script"

# refused PATTERN GDB-WORDS... - each command ends with this error, and without a traceback
refused() {
	local pattern=$1 command

	shift
	for command in list 'owner 0' 'objects conn' leaks; do
		"${gdb[@]}" "$@" -ex "pool $command" >"$tmp/refused" 2>&1 || true
		if ! grep -qE "$pattern" "$tmp/refused" || grep -q Traceback "$tmp/refused"; then
			cat "$tmp/refused"
			return 1
		fi
	done
}
sed 's/^VERSION = .*/VERSION = "0.1.2"/' "$script" >"$tmp/other.py"
check another_version_is_refused refused \
	'are for libpool 0\.1\.2; .*libpool.so.0 has [0-9.]+$' \
	-iex 'set auto-load python-scripts off' \
	-iex "source $tmp/other.py" "$tmp/prog" "$tmp/prog.core"
check a_program_that_does_not_run_is_refused refused 'the program does not run' \
	-iex "source $script" "$tmp/prog"
# The core file has the library's path.  So the program gets one that is stripped later.
stripped() {
	cp "$out/libpool.so.0" "$tmp" &&
		build bare "$tmp/libpool.so.0" "-Wl,-rpath,$tmp" &&
		strip "$tmp/libpool.so.0" &&
		live bare -iex "source $script"
}
check a_program_without_symbols_of_the_library_runs stripped
check a_library_without_symbols_is_refused refused 'no debug information of libpool' \
	-iex "source $script" "$tmp/bare" "$tmp/bare.core"
check a_core_without_its_program_is_refused refused 'no debug information of libpool' \
	-iex "source $script" -iex 'set sysroot /nowhere' -core "$tmp/prog.core"

# Installed, the script is found by the path of the library, to which its name leads.
installed() {
	local lib=$tmp/usr/lib/libpool.so

	make -s install-gdb "B=$out" PREFIX="$tmp/usr" &&
		install -D "$out/libpool.so.0" "$lib.$(make -s version)" &&
		ln -s "libpool.so.$(make -s version)" "$lib.0" &&
		build moved "$lib.0" "-Wl,-rpath,$tmp/usr/lib" &&
		"${gdb[@]}" -iex "set auto-load scripts-directory $tmp/usr/share/gdb/auto-load" \
			-ex 'break placed' -ex "run >$tmp/said 2>$tmp/log" -ex 'pool objects conn' \
			"$tmp/moved" | tee "$tmp/answer" &&
		grep -q '^5 objects of pool "conn" are in use$' "$tmp/answer"
}
check an_installed_library_has_its_commands installed
finish
