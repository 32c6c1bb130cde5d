#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs programs and plugins that are built with DEBUG_MEM_STATS.
#
#	memstats.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

W='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wredundant-decls -Werror'
C="-std=c11 -D_GNU_SOURCE $W -g -I$tmp -Itests/install/memstats"
src=tests/install/memstats
so=$out/libpool.so.0
SO="$so -Wl,-rpath,$out"

# prog.c prints a line per call.  @x stands for the number of the source line with @x in a
# comment.
numbered() {
	local line file mark

	while read -r line; do
		file=${line##* }
		mark=${file#*@}
		[ "$mark" = "$file" ] ||
			line=${line%@*}$(grep -nw "@$mark" "$src/${file%:*}" |
					 cut -d: -f1)
		echo "$line"
	done
}
numbered <<'END' | sort >"$tmp/expected"
memstats version 1
# what pool allocs frees allocated freed balance site
malloc - 40000 0 960000 0 960000 prog.c:@loop
free - 0 40000 0 960000 -960000 prog.c:@loop_free
calloc - 1 0 40 0 40 prog.c:@calloc
strdup - 1 0 24 0 24 prog.c:@strdup
strndup - 1 0 24 0 24 prog.c:@strndup
realloc - 1 1 104 40 64 prog.c:@realloc
realloc - 1 1 24 24 0 prog.c:@same
strdup - 1 0 24 0 24 prog.c:@twice
free - 0 1 0 24 -24 prog.c:@twice
free - 0 1 0 24 -24 prog.c:@free_c
free - 0 1 0 104 -104 prog.c:@free_a
free - 0 1 0 24 -24 prog.c:@free_b
malloc - 1 0 40 0 40 part.c:@kept
malloc - 1 0 56 0 56 part.c:@gone
free - 0 1 0 56 -56 part.c:@gone
BALANCE allocs=40008 frees=40007 allocated=960336 freed=960296 balance=40
END
export ASAN_OPTIONS=detect_leaks=0	# the program leaks on purpose

# counted CC FLAGS LIBS - builds and runs prog.c, and compares what it counted; FLAGS and LIBS are
# words
# shellcheck disable=SC2086
counted() {
	$1 $C -DDEBUG_MEM_STATS $2 -o "$tmp/prog" $src/prog.c $src/part.c \
		$3 -pthread &&
		timeout 60 "$tmp/prog" | sort | diff "$tmp/expected" -
}
for cc in gcc clang; do
	check "each_call_is_counted_at_its_place_with_$cc" \
		counted $cc -O2 "$SO"
	check "each_call_is_counted_at_its_place_with_${cc}_and_the_archive" \
		counted $cc -O0 "$out/libpool.a"
done
check each_call_is_counted_in_a_static_program \
	counted gcc "-O2 -static" "$out/libpool.a"
check each_call_is_counted_where_sections_are_collected \
	counted gcc "-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections" \
	"$out/libpool.a"
check each_call_is_counted_under_asan \
	counted gcc "-O1 -fsanitize=address,undefined" "$SO"

# Without the define the functions are no macros, and nothing is counted.
# shellcheck disable=SC2086
uncounted() {
	gcc $C -o "$tmp/prog" $src/prog.c $src/part.c $SO -pthread &&
		timeout 60 "$tmp/prog" | tee "$tmp/text" &&
		[ "$(wc -l <"$tmp/text")" = 3 ] &&
		! nm "$tmp/prog" | grep pool_mem_
}
check without_the_option_nothing_is_counted uncounted

# C++ has no such macros, and the define must not disturb a C++ program.
# shellcheck disable=SC2086
cxx() {
	printf '#include <libpool/pool.h>\n#include <cstdlib>\n%s\n' \
		'int main() { std::free(std::malloc(3)); }' >"$tmp/use.cc"
	g++ -std=c++17 $W -DDEBUG_MEM_STATS -I"$tmp" -o "$tmp/use" \
		"$tmp/use.cc" $SO && "$tmp/use"
}
check the_option_does_no_harm_to_cxx cxx

# Load a plugin that was built with the define into a program that was built without it.
# shellcheck disable=SC2086
plugin() {
	gcc $C -DDEBUG_MEM_STATS -shared -fPIC -o "$tmp/part.so" \
		$src/part.c $SO &&
		gcc $C -o "$tmp/host" $src/host.c $SO -ldl &&
		timeout 60 "$tmp/host" "$tmp/part.so"
}
check places_of_a_plugin_come_and_go_with_it plugin

# Name the calls of a plugin in one thread while another thread unloads the plugin.
# shellcheck disable=SC2086
unloaded() {
	gcc $C -shared -fPIC -o "$tmp/caller.so" $src/caller.c $SO &&
		gcc $C -o "$tmp/unload" $src/unload.c $SO -pthread -ldl &&
		timeout 120 "$tmp/unload" "$tmp/caller.so"
}
check a_plugin_may_be_unloaded_while_its_calls_are_named unloaded

# pools_say COUNT OPTIONS COMPILER-WORDS... - COUNT lines of the output must be of calls of pools
# shellcheck disable=SC2086
pools_say() {
	local count=$1 options=$2

	shift 2
	gcc $C "$@" -pthread -o "$tmp/pools" &&
		LIBPOOL_OPTIONS=$options "$tmp/pools" >"$tmp/text" &&
		cat "$tmp/text" &&
		[ "$(grep -cE '^p_(alloc|free) (made|declared) ' "$tmp/text")" = "$count" ]
}
P=$src/pools.c
# shellcheck disable=SC2086
for lib in "$SO" "$out/libpool.a"; do
	case $lib in *.a) and=_and_the_archive ;; *) and= ;; esac
	check "without_caches_calls_of_pools_are_counted_too$and" \
		pools_say 4 no-cache -DDEBUG_MEM_STATS $P $lib
	check "with_caches_calls_of_pools_are_not_counted$and" \
		pools_say 0 "" -DDEBUG_MEM_STATS $P $lib
	check "without_caches_alone_nothing_is_counted$and" \
		pools_say 0 no-cache $P $lib
done
C="-std=gnu11 -D_GNU_SOURCE -DPOOL_NO_INLINE -Icommon -Iuser -I$tmp"
check both_build_options_count_calls_of_pools \
	pools_say 4 "" -DDEBUG_MEM_STATS -DDEBUG_NO_POOLS $P common/*/*.c user/*.c user/*/*.c
finish
