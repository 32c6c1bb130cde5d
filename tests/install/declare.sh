#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Compiles and runs programs, libraries and plugins with declared pools.
#
#	declare.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

src=$top/tests/install/declare
W='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wredundant-decls -Werror'
C="-std=c11 -D_GNU_SOURCE $W -g -I$tmp -I$src"
CXX="-std=c++17 $W -g -I$tmp -I$src"
SO="-L$out -lpool -Wl,-rpath,$out"

# builds_and_runs CC FLAGS LIBS SOURCE... - words of FLAGS and LIBS
# shellcheck disable=SC2086
builds_and_runs() {
	local cc=$1 flags=$2 libs=$3

	shift 3
	$cc $flags -o "$tmp/prog" "$@" $libs -pthread && runs "$tmp/prog"
}

for cc in gcc clang; do
	check "c11_declarations_work_with_${cc}_and_the_shared_library" \
		builds_and_runs $cc "$C" "$SO" $src/all.c $src/other.c
	check "c11_declarations_work_with_${cc}_and_the_archive" \
		builds_and_runs $cc "$C" "$out/libpool.a" $src/all.c \
		$src/other.c
done
for cc in g++ clang++; do
	check "cxx17_declarations_work_with_${cc/++/xx}_and_the_shared_library" \
		builds_and_runs $cc "$CXX" "$SO" $src/all.cc
	check "cxx17_declarations_work_with_${cc/++/xx}_and_the_archive" \
		builds_and_runs $cc "$CXX" "$out/libpool.a" $src/all.cc
done
# With -O2 gcc may place variables, and so the declarations, in reverse order.
check the_first_of_equal_declarations_gives_its_name_where_compilers_reorder \
	builds_and_runs gcc "$C -O2" "$SO" $src/all.c $src/other.c
check declarations_work_in_a_static_program \
	builds_and_runs gcc "$C -static" "$out/libpool.a" $src/all.c \
	$src/other.c
check declarations_work_without_inline \
	builds_and_runs gcc "$C -DPOOL_NO_INLINE" "$SO" $src/all.c \
	$src/other.c

# merges_in_any_order CC FLAGS - three files with a declaration each, linked in all orders
merges_in_any_order() {
	local cc="$1 $C $2" order var

	# shellcheck disable=SC2086
	for var in large=3216 small=3184 far=3168; do
		$cc -DVAR="${var%=*}" -DSIZE="${var#*=}" -c \
			-o "$tmp/${var%=*}.o" $src/order.c || return 1
	done
	for order in "large small far" "large far small" "small large far" \
		     "small far large" "far large small" "far small large"; do
		# shellcheck disable=SC2046,SC2086
		$cc -o "$tmp/prog" $src/order.c \
			$(printf "$tmp/%s.o " $order) $SO || return 1
		runs "$tmp/prog" || { echo "$order"; return 1; }
	done
}
check declared_pools_merge_alike_in_any_order_of_files \
	merges_in_any_order gcc "-O2"
check declarations_stay_where_unused_sections_go \
	merges_in_any_order clang \
	"-fdata-sections -Wl,--gc-sections -Wno-unused-command-line-argument"
check declarations_stay_where_the_whole_program_is_optimised \
	merges_in_any_order gcc "-O2 -flto"

# Options hold for declared pools, too: with no-merge, three names are three pools.
no_merge() {
	# shellcheck disable=SC2086
	gcc $C -o "$tmp/prog" $src/all.c $src/other.c $SO || return 1
	LIBPOOL_OPTIONS=no-merge "$tmp/prog"
	[ $? = 2 ]
}
check options_of_the_environment_come_before_declarations no_merge

# The compiler refuses a size that does not fit its type.
too_large() {
	printf '#include <libpool/pool.h>\n%s\n' \
		'DECLARE_STATIC_POOL(p, "large", 0x100000040);' >"$tmp/large.c"
	cp "$tmp/large.c" "$tmp/large.cc"
	# shellcheck disable=SC2086
	! gcc $C -c -o "$tmp/large.o" "$tmp/large.c" &&
		! g++ $CXX -c -o "$tmp/large.o" "$tmp/large.cc"
}
check a_size_above_4_gib_does_not_compile too_large

# In C++ a size that is not constant would be 0 when the pool is made.
not_constant() {
	local cc

	printf '%s\n' '#include <libpool/pool.h>' 'extern unsigned int size();' \
		'static const unsigned int now = size();' \
		'DECLARE_STATIC_POOL(p, "late", now);' >"$tmp/late.cc"
	for cc in g++ clang++; do
		# shellcheck disable=SC2086
		! $cc $CXX -c -o "$tmp/late.o" "$tmp/late.cc" 2>"$tmp/why" || return 1
		grep -qE 'constant (init|expr)' "$tmp/why" || { cat "$tmp/why"; return 1; }
	done
}
check a_size_that_is_not_constant_does_not_compile not_constant

# says TEXT STATUS ARGUMENT... - options.c must print TEXT and exit with STATUS
says() {
	local text=$1 status=$2 said

	shift 2
	# shellcheck disable=SC2086
	[ -x "$tmp/options" ] ||
		gcc $C -o "$tmp/options" $src/options.c $SO || return 1
	said=$("$tmp/options" "$@" 2>"$tmp/said_of_it")
	[ $? = "$status" ] && [ "$said" = "$text" ] && return
	echo "$? $said"
	cat "$tmp/said_of_it"
	return 1
}
abort=134
found() {
	says "$@" && grep -q 'FAULT: freed' "$tmp/said_of_it"
}
check a_program_without_options_finds_no_double_free \
	says "one, 64, none" 0 no-tag
check options_of_main_hold_for_declared_pools \
	found "one, 61, cold-first integrity caller tag" $abort caller,tag,integrity
check options_of_main_part_declared_pools \
	found "two, 61, tag" $abort tag,no-merge
check guarded_pages_reach_declared_pools \
	found "one, 61, no-cache uaf" $abort uaf
check what_comes_after_the_first_use_is_named \
	says "no-merge,tag: too late for 1 pool: first; one, 64, none" 0 \
	tag,no-merge used

# A bad declaration ends the program, unless the program has a handler for it.
bad_declaration() {
	# shellcheck disable=SC2086
	gcc $C -o "$tmp/bad" $src/bad.c $SO || return 1
	"$tmp/bad" 2>"$tmp/line"
	[ $? = 1 ] && cat "$tmp/line" && [ "$(wc -l <"$tmp/line")" = 2 ] &&
		grep -q 'bad.c:[0-9]*: create_pool("", 64) refused' \
		"$tmp/line" &&
		grep -q 'bad.c:[0-9]*: .* cannot be made: the program ends' \
		"$tmp/line"
}
check a_bad_declaration_ends_the_program_with_two_lines bad_declaration
handled_declaration() {
	# shellcheck disable=SC2086
	gcc $C -DHANDLED -o "$tmp/bad" $src/bad.c $SO && "$tmp/bad" 2>"$tmp/line" &&
		cat "$tmp/line" && [ "$(wc -l <"$tmp/line")" = 1 ]
}
check a_handler_is_told_of_a_bad_declaration_and_the_program_goes_on \
	handled_declaration

# Plugins: two that share a pool, in C, and one in C++ with static objects.
plugins() {
	# shellcheck disable=SC2086
	gcc $C -shared -fPIC -o "$tmp/one.so" $src/plugin.c $SO &&
		gcc $C -shared -fPIC -DNAME='"two"' -o "$tmp/two.so" \
			$src/plugin.c $SO &&
		g++ $CXX -shared -fPIC -o "$tmp/three.so" $src/plugin.cc $SO &&
		gcc $C -o "$tmp/host" $src/host.c $SO -ldl -pthread &&
		gcc $C -o "$tmp/bare" $src/bare.c -ldl
}
check plugins_build plugins
# host WHAT - run host.c, which does WHAT with the plugins
host() {
	runs "$tmp/host" "$1" "$tmp/one.so" "$tmp/two.so" "$tmp/three.so"
}
# often WHAT - run host.c twenty times, because the outcome depends on timing
often() {
	local i

	for ((i = 0; i < 20; i++)); do
		host "$1" || return 1
	done
}
check plugins_pools_exist_when_dlopen_returns host exists
check dlclose_gives_registrations_back host gives_back
check a_hundred_loads_leave_nothing host cycles
check what_was_destroyed_is_not_given_back host gone
check exit_leaves_pools_to_threads_that_use_them often exits
check exit_leaves_pools_of_plugins_that_come_late often late
# stays FILE REGISTRATIONS - a library with pools loads FILE before they are made: exit() gives
# none back, neither its own nor those of FILE and of a plugin that main() loads
# shellcheck disable=SC2086
stays() {
	gcc $C -shared -fPIC -DNAME='"early"' -DEARLY="\"$1\"" -o "$tmp/early.so" \
		$src/plugin.c $SO -ldl &&
		gcc $C -o "$tmp/linked" $src/host.c -Wl,--no-as-needed "$tmp/early.so" $SO \
			-ldl -pthread &&
		STAYS=$2 runs "$tmp/linked" stays "$tmp/one.so" "$tmp/two.so" "$tmp/three.so"
}
gcc -shared -o "$tmp/nothing.so" -x c /dev/null
check exit_leaves_pools_of_libraries_beside_what_their_constructors_load \
	stays "$tmp/nothing.so" 5
check exit_leaves_pools_that_are_loaded_before_the_program_starts \
	stays "$tmp/one.so" 7
check a_plugin_may_bring_the_library_along \
	runs "$tmp/bare" "$tmp/one.so"
finish
