#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs programs that come and go with the library: C++ thread_locals and exceptions,
# plugins, libpool itself loaded by dlopen(), and programs with few addresses.
#
#	life.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

W='-O2 -g -Wall -Wextra -Werror'
so=$out/libpool.so.0

# thread_locals COMPILER LIBRARY...
thread_locals() {
	local cxx=$1

	shift
	# shellcheck disable=SC2086	# W is words
	$cxx -std=c++17 $W -I"$tmp" -o "$tmp/thread_locals" \
		tests/install/life/thread_locals.cc "$@" -pthread &&
		[ "$(timeout 60 "$tmp/thread_locals")" = "in use 0" ]
}
check cxx_thread_locals_free_at_thread_exit \
	thread_locals g++ "$so" "-Wl,-rpath,$out"
check cxx_thread_locals_free_with_the_static_library \
	thread_locals clang++ "$out/libpool.a"

# throws COMPILER LIBRARY...
throws() {
	local cxx=$1

	shift
	# shellcheck disable=SC2086	# W is words
	$cxx -std=c++17 $W -I"$tmp" -o "$tmp/throws" tests/install/life/throws.cc "$@" \
		-pthread &&
		[ "$(timeout 60 "$tmp/throws")" = \
		  "in use 0, allocated 0 above what is cached" ]
}
check cxx_exceptions_leave_nothing_behind throws g++ "$so" "-Wl,-rpath,$out"
check cxx_exceptions_leave_nothing_behind_in_the_static_library \
	throws clang++ "$out/libpool.a"

# exits - the shared library must find the unwinder when a first thread ends
exits() {
	# shellcheck disable=SC2086	# W is words
	gcc $W -std=gnu11 -I"$tmp" -o "$tmp/exits" tests/install/life/exits.c "$so" \
		"-Wl,-rpath,$out" -pthread || return 1
	! readelf -d "$so" | grep 'NEEDED.*libgcc_s' || [[ $(gcc -dumpmachine) = arm* ]] || return 1
	[ "$(timeout 60 "$tmp/exits")" = "in use 0, allocated 0" ]
}
check constructors_end_threads_of_a_program_without_an_unwinder exits

# binds_nothing [WORDS] - no function of libpool may be bound lazily, because a first call in a
# signal handler would run the loader on the handler's stack
binds_nothing() {
	# shellcheck disable=SC2086	# W is words
	gcc $W -std=gnu11 -I"$tmp" -o "$tmp/handler" tests/install/life/handler.c "$so" \
		"-Wl,-rpath,$out" || return 1
	LD_DEBUG=bindings timeout 60 "$tmp/handler" "$@" 2>"$tmp/bound" || return 1
	grep -q 'binding file .*libpool' "$tmp/bound" &&
		grep -q '^handler ends$' "$tmp/bound" &&
		! sed -n '/^handler begins/,/^handler ends/p' "$tmp/bound" |
			grep 'binding file [^ ]*libpool'
}
check a_handler_has_the_loader_bind_nothing binds_nothing
check a_handler_that_pools_check_has_the_loader_bind_nothing binds_nothing harden,poison

# cancelled COMPILER FLAGS - threads of a statically linked program are cancelled
cancelled() {
	# shellcheck disable=SC2086	# W and flags are words
	$1 -std=gnu11 $W -I"$tmp" $2 -o "$tmp/cancelled" tests/install/life/cancelled.c \
		"$out/libpool.a" -pthread && timeout 60 "$tmp/cancelled"
}
check a_thread_of_a_static_program_is_cancelled cancelled gcc -static
check a_thread_of_a_static_program_by_clang_is_cancelled cancelled clang -static
check a_thread_of_a_static_pie_is_cancelled cancelled gcc -static-pie

# closed - a program is started without stderr, and with a wrong word in LIBPOOL_OPTIONS
closed() {
	# shellcheck disable=SC2086	# W is words
	gcc -std=gnu11 $W -I"$tmp" -o "$tmp/closed" tests/install/life/closed.c "$so" \
		"-Wl,-rpath,$out" || return 1
	LIBPOOL_OPTIONS=nonsense "$tmp/closed" "$tmp/data" 2>&- &&
		[ "$(cat "$tmp/data")" = data ]
}
check a_file_that_was_opened_as_stderr_gets_no_lines closed

# loaded MODE FILE... - a program that is not linked with libpool loads it
loaded() {
	# shellcheck disable=SC2086	# W is words
	gcc -std=gnu11 $W -I"$tmp" -o "$tmp/host" tests/install/life/host.c -pthread -ldl &&
		! ldd "$tmp/host" | grep libpool &&
		timeout 60 "$tmp/host" "$@"
}
# shellcheck disable=SC2086	# W is words
check a_plugin_with_pools_builds \
	gcc -std=c11 $W -Wpedantic -shared -fPIC -I"$tmp" -o "$tmp/plugin.so" \
	tests/install/life/plugin.c "$so" "-Wl,-rpath,$out"
check a_plugin_with_pools_is_loaded_a_hundred_times \
	loaded plugin "$tmp/plugin.so" "$so"
check a_program_loads_libpool_and_lets_go_of_it loaded library "$so"

# apart FLAGS LIBRARY... - a plugin that contains libpool.a must have a libpool of its own, whatever
# library the program has; the plugin is linked with the words of FLAGS
apart() {
	local flags=$1

	shift
	# shellcheck disable=SC2086	# words
	gcc -std=c11 $W -Wpedantic -shared -fPIC -I"$tmp" -o "$tmp/own.so" \
		tests/install/life/plugin.c "$out/libpool.a" $flags -Wl,-z,nodelete \
		-pthread &&
		! nm -D --defined-only "$tmp/own.so" | grep -v ' plugin_' &&
		gcc -std=gnu11 $W -I"$tmp" -o "$tmp/apart" \
			tests/install/life/apart.c "$@" -pthread -ldl &&
		timeout 60 "$tmp/apart" "$tmp/own.so"
}
for flags in '' -Wl,-Bsymbolic-functions -Wl,-Bsymbolic; do
	name=${flags#-Wl,-B}
	check "a_plugin_with_the_archive_is_apart${name:+_${name//-/_}}" \
		apart "$flags" "$so" "-Wl,-rpath,$out"
done
check programs_and_plugins_with_the_archive_are_apart \
	apart '' "$out/libpool.a" -rdynamic

# sealed LIBRARY... - a program that may open no more files uses pools, as programs do that read
# untrusted data
sealed() {
	# shellcheck disable=SC2086	# W is words
	gcc -std=gnu11 $W -I"$tmp" -o "$tmp/sealed" tests/install/life/sealed.c "$@" \
		-pthread || return 1
	(ulimit -c 0 && ! "$tmp/sealed" open) && "$tmp/sealed"
}
check pools_open_no_files_once_a_program_runs sealed "$so" "-Wl,-rpath,$out"
check pools_of_the_archive_open_no_files_either sealed "$out/libpool.a"

# limited KIBIBYTES OBJECTS - a program with so few addresses uses pools: enough for the arena of
# all objects, of some, or for no arena
limited() {
	# shellcheck disable=SC2086	# W is words
	gcc -std=gnu11 $W -I"$tmp" -o "$tmp/limited" tests/install/life/limited.c \
		"$out/libpool.a" -pthread &&
		(ulimit -v "$1" && timeout 60 "$tmp/limited" "$2")
}
check a_program_may_have_all_addresses limited unlimited 400000
check a_program_may_have_few_addresses limited 100000 400000
check a_program_may_have_hardly_any_addresses limited 12000 40000

# With the same addresses at each run, the stack lies just above the libraries.
fixed=(setarch -R)
setarch -R true 2>"$tmp/refused" || fixed=()

# deep LIMIT MEBIBYTES - a stack must be able to grow so far, with this limit in KiB
deep() {
	# shellcheck disable=SC2086	# W is words
	gcc -std=gnu11 $W -I"$tmp" -o "$tmp/deep" tests/install/life/deep.c "$so" \
		"-Wl,-rpath,$out" &&
		(ulimit -s "$1" && runs "${fixed[@]}" "$tmp/deep" "$2" 300)
}
check the_stack_may_grow_though_there_are_many_pools deep 102400 95
check a_stack_without_a_limit_may_grow_too deep unlimited 500

# locked LIBRARY... - a program locks its memory, below the limit of this system, which often is 8
# MiB
locked() {
	# shellcheck disable=SC2086	# W is words
	gcc -std=gnu11 $W -I"$tmp" -o "$tmp/locked" tests/install/life/locked.c "$@" \
		-pthread && "$tmp/locked"
}
check a_program_may_lock_its_memory_without_privileges \
	locked "$so" "-Wl,-rpath,$out"
check a_program_with_the_archive_may_lock_its_memory locked "$out/libpool.a"

# Nothing is left on the heap, and nothing is used before it was written.
# clean LIBRARY... - by valgrind
clean() {
	# shellcheck disable=SC2086	# W is words
	gcc -std=gnu11 $W -I"$tmp" -o "$tmp/clean" tests/install/life/clean.c "$@" \
		-pthread &&
		valgrind --leak-check=full --show-leak-kinds=all \
			--errors-for-leak-kinds=all --error-exitcode=9 \
			"$tmp/clean"
}
check valgrind_sees_nothing_left clean "$so" "-Wl,-rpath,$out"
check valgrind_sees_nothing_left_of_the_archive clean "$out/libpool.a"
finish
