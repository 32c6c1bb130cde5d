#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks what the public header, the sources and the built library promise.
#
#	header.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

cat >"$tmp/use.c" <<'END'
#include <libpool/pool.h>

int main(void)
{
	struct pool_head *pool = create_pool("use", 64, MEM_F_SHARED);
	void *obj = pool ? pool_zalloc(pool) : 0;

	if (!obj)
		return 1;
	pool_free(pool, obj);
	return pool_destroy(pool) != 0;
}
END
cp "$tmp/use.c" "$tmp/use.cc"
W='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'

for cc in gcc clang; do
	# shellcheck disable=SC2086	# W is words
	check "header_is_clean_c11_for_$cc" \
		$cc -std=c11 $W -I"$tmp" -c -o "$tmp/use.o" "$tmp/use.c"
done
for cc in g++ clang++; do
	# shellcheck disable=SC2086	# W is words
	check "header_is_clean_cxx17_for_$cc" \
		$cc -std=c++17 $W -I"$tmp" -c -o "$tmp/use.o" "$tmp/use.cc"
done

# C++ programs may turn on warnings that C does not have.
cat >"$tmp/warn.cc" <<'END'
#include <libpool/pool.h>

DECLARE_POOL(declared, "declared", 64);

int main()
{
	pool_attr attr = {};
	char name[] = "name";
	pool_head *pool = create_pool(name, 64, MEM_F_SHARED);

	attr.name = name;
	attr.size = 64;
	pool_free(declared, pool_zalloc(declared));
	return create_pool_ext(&attr) && create_aligned_pool("name", 64, 64, 0) ?
	       pool_destroy(pool) != nullptr : 1;
}
END
WCXX='-Wold-style-cast -Wzero-as-null-pointer-constant -Wsign-conversion -Wcast-qual -Wextra-semi'
for cc in 'g++ -Wuseless-cast -Weffc++' clang++; do
	# shellcheck disable=SC2086	# W is words
	check "header_has_no_c_casts_and_zeros_for_${cc%% *}" \
		$cc -std=c++17 $W $WCXX -I"$tmp" -c -o "$tmp/use.o" "$tmp/warn.cc"
done

# Strict C89 is refused in words, by the first error; its dialect with extensions will do.
c89_is_refused() {
	! $1 -std=c89 -I"$tmp" -c -o "$tmp/use.o" "$tmp/use.c" 2>"$tmp/said" &&
		grep -m1 'error:' "$tmp/said" | grep 'libpool needs C99, C11 or gnu89'
}
for cc in gcc clang; do
	check "strict_c89_is_refused_by_name_for_$cc" c89_is_refused $cc
	for std in gnu89 c99; do
		check "header_compiles_as_${std}_for_$cc" \
			$cc -std=$std -Wall -Wextra -Werror -I"$tmp" -c -o "$tmp/use.o" "$tmp/use.c"
	done
done

# A program may use our macros' names for other things: in C after #undef, in C++ as they are.
cat >"$tmp/mine.c" <<'END'
#include <libpool/pool.h>
#ifndef __cplusplus
#undef create_pool
#undef create_pool_ext
#undef create_aligned_pool
#endif

struct factory {
	int (*create_pool)(int a, int b, int c);
	int (*create_pool_ext)(int a);
	int (*create_aligned_pool)(int a, int b, int c, int d);
};

int made(const struct factory *f);
int made(const struct factory *f)
{
	return f->create_pool(1, 2, 3) + f->create_pool_ext(4) +
	       f->create_aligned_pool(5, 6, 7, 8);
}

int main(void)
{
	char name[] = "mine";
	struct pool_head *one = create_pool(name, 64, 0);
	struct pool_head *two = create_aligned_pool(name, 64, 64, 0);
	struct pool_attr attr = { .name = name, .size = 5 };
	struct pool_head *three = create_pool_ext(&attr);

	return pool_destroy(one) || pool_destroy(two) || !three || pool_destroy(three);
}
END
cp "$tmp/mine.c" "$tmp/mine.cc"
mine() {
	# shellcheck disable=SC2086	# a compiler and its words
	$1 -Wall -Wextra -Werror -Wno-missing-field-initializers -I"$tmp" -o "$tmp/mine" "$2" \
		"$out/libpool.a" -pthread && "$tmp/mine"
}
check names_of_macros_are_free_in_c mine gcc "$tmp/mine.c"
check names_of_macros_are_free_in_cxx mine 'g++ -std=c++20' "$tmp/mine.cc"
check names_of_macros_are_free_in_clang_s_cxx mine 'clang++ -std=c++20' "$tmp/mine.cc"

check no_conditional_compilation_in_common \
	not grep -nE '^[[:space:]]*#[[:space:]]*(if|el|end)' common/*/*.c
check common_includes_no_system_header \
	not grep -nE '#[[:space:]]*include[[:space:]]*<' \
	common/*/*.[ch] common/seam/pool_impl.h common/seam/plat.h common/seam/config.h

# make -j may start with any target, so each target makes the folder that it writes to.
for target in settings.mk libpool.a poolreplay poolctl bench; do
	check "an_empty_folder_builds_${target/./_}" \
		make -s "B=$tmp/$target" "$tmp/$target/$target"
done

# Build options: all of the document's, and contradictions.
config() {
	local file

	for file in options/options base/registry shared/spare api/alloc; do
		gcc -std=gnu11 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE \
			-DPOOL_NO_INLINE -Icommon -Iuser "$@" \
			-S -o /dev/null common/$file.c || return
	done
}
for option in CONFIG_HAP_POOL_CACHE_SIZE=65536 CONFIG_HAP_POOL_CLUSTER_SIZE=8 \
	      POOL_CACHE_SIZE=0 POOL_CLUSTER_SIZE=1 POOL_CLUSTER_SIZE=64; do
	check "builds_with_${option//=/_}" config "-D$option"
done
# dumped WORDS -D... - a build with these defines must show WORDS after one object was freed
cat >"$tmp/dump.c" <<'END'
#include "pool.h"
#include <stdio.h>

int main(void)
{
	struct pool_head *pool = create_pool("dump", 64, 0);
	char text[2000];

	pool_free(pool, pool_alloc(pool));
	dump_pools_to_buf(text, sizeof(text), "raw");
	fputs(text, stderr);
	return pool_destroy(pool) != 0;
}
END
dumped() {
	local words=$1

	shift
	gcc -std=gnu11 -D_GNU_SOURCE -DPOOL_NO_INLINE -Icommon -Iuser "$@" \
		-o "$tmp/dump" "$tmp/dump.c" common/*/*.c user/*.c user/*/*.c \
		-pthread &&
		"$tmp/dump" 2>&1 | tee /dev/stderr | grep -F "$words reserved=" >/dev/null
}
check a_plain_build_caches dumped ' used=0 cached=64 shared=0'
check no_pools_caches_nothing \
	dumped ' allocated=0 used=0 cached=0 shared=0' -DDEBUG_NO_POOLS
check a_bound_of_0_leaves_all_shared \
	dumped ' cached=0 shared=64' -DCONFIG_HAP_POOL_CACHE_SIZE=0
check without_shared_pools_nothing_is_left \
	dumped ' allocated=0 used=0 cached=0 shared=0' \
	-DCONFIG_HAP_POOL_CACHE_SIZE=0 -DCONFIG_HAP_NO_GLOBAL_POOLS
check a_build_without_slabs_caches_too \
	dumped ' used=0 cached=64 shared=0' -DPOOL_SLAB_MAX=0
check slabs_of_the_largest_objects_work \
	dumped ' used=0 cached=64 shared=0' -DPOOL_SLAB_MAX=65536
check slabs_of_larger_objects_are_refused not config -DPOOL_SLAB_MAX=65537
check contradictory_modes_are_refused \
	not config -DCONFIG_HAP_GLOBAL_POOLS -DCONFIG_HAP_NO_GLOBAL_POOLS
check a_mode_against_no_pools_is_refused \
	not config -DCONFIG_HAP_GLOBAL_POOLS -DDEBUG_NO_POOLS
check contradictory_sizes_are_refused \
	not config -DPOOL_CACHE_SIZE=1 -DCONFIG_HAP_POOL_CACHE_SIZE=2
check a_cluster_of_65_is_refused not config -DPOOL_CLUSTER_SIZE=65
check a_mode_against_uaf_is_refused \
	not config -DCONFIG_HAP_GLOBAL_POOLS -DDEBUG_UAF

# defaults WORDS -D... - these defines must turn on exactly the options WORDS. Only options.c
# depends on them, so only that file is compiled again.
cat >"$tmp/defaults.c" <<'END'
#include "pool.h"
#include <stdio.h>

int main(void)
{
	char text[1000];

	pool_debug_to_buf(NULL, text, sizeof(text));
	return fputs(text, stdout) < 0;
}
END
# shellcheck disable=SC2012,SC2046	# names of objects are words
built_with() {
	local program=$1

	shift
	gcc -std=gnu11 -D_GNU_SOURCE -DPOOL_NO_INLINE -Icommon -Iuser "$@" \
		-o "$tmp/built" "$program" common/options/options.c \
		$(ls common/*/*.c user/*.c user/*/*.c |
		  sed "/\/options\.c$/d; s|^|$out/|; s|c$|o|") -pthread
}
defaults() {
	local words=$1

	shift
	built_with "$tmp/defaults.c" "$@" &&
		"$tmp/built" >"$tmp/on" && cat "$tmp/on" &&
		[ "$(cat "$tmp/on")" = "$words" ]
}
check a_plain_build_has_nothing_on defaults none
while read -r define synonym words; do
	check "$define" defaults "$words" "-D$define"
	[ "$synonym" = - ] ||
		check "$synonym" defaults "$words" "-D$synonym"
done <<'END'
DEBUG_NO_POOLS POOL_NO_CACHE no-cache
DEBUG_MEMORY_POOLS POOL_TAG tag
DEBUG_FAIL_ALLOC POOL_FAIL fail
DEBUG_DONT_SHARE_POOLS POOL_NO_MERGE no-merge
DEBUG_UAF POOL_UAF no-cache uaf
DEBUG_POOL_INTEGRITY POOL_INTEGRITY cold-first integrity
DEBUG_POOL_TRACING POOL_CALLER caller
DEBUG_MEM_STATS - none
CONFIG_HAP_GLOBAL_POOLS POOL_GLOBAL none
CONFIG_HAP_NO_GLOBAL_POOLS POOL_NO_GLOBAL no-global
END
check defines_add_up defaults "cold-first integrity caller tag" \
	-DDEBUG_MEMORY_POOLS -DDEBUG_POOL_INTEGRITY -DDEBUG_POOL_TRACING

# acts WORDS -D... - a build with these defines and without room in its caches must print WORDS:
# where objects are, and what the backend was asked for
acts() {
	local words=$1

	shift
	built_with tests/install/header/mode.c "$@" &&
		same "$(LIBPOOL_OPTIONS=hot_size=0 "$tmp/built")" "$words"
}
check the_define_of_shared_pools_keeps_what_caches_do_not \
	acts "gets=100 puts=0 cached=0 shared=100" -DCONFIG_HAP_GLOBAL_POOLS
check the_define_of_no_shared_pools_gives_that_back \
	acts "gets=100 puts=100 cached=0 shared=0" -DCONFIG_HAP_NO_GLOBAL_POOLS
check the_define_of_no_pools_has_the_backend_called_each_time \
	acts "gets=100 puts=100 cached=0 shared=0" -DDEBUG_NO_POOLS

# faults -D... - a read of a freed object must end the program by SIGSEGV
faults() {
	local status=0

	built_with tests/install/header/mode.c "$@" || return
	"$tmp/built" read || status=$?
	same $status 139
}
check the_define_of_guarded_objects_has_reads_of_freed_ones_fault faults -DDEBUG_UAF

# NVALGRIND stands for a machine that valgrind's headers do not know.
check valgrind_need_not_know_the_machine \
	gcc -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -DPOOL_NO_INLINE \
	-Icommon -Iuser -DNVALGRIND -fsyntax-only user/extra/tool.c

# The library exports what its map says, and nothing else.
nm -D --defined-only "$out/libpool.so.0" | awk '$2 != "A" { print $3 }' |
	sed 's/@.*//' | sort >"$tmp/exported"
sed -nE 's/^\t\t([a-z_]+);$/\1/p' user/libpool.map | sort >"$tmp/mapped"
check the_library_exports_its_map diff "$tmp/mapped" "$tmp/exported"

# Calls inside the library are bound when the library is linked, so that functions of the program
# with the same names are not called instead.
calls_itself() {
	nm -D --defined-only "$out/libpool.so.0" | awk '$2 == "T" { print $3 }' >"$tmp/functions"
	readelf -rW "$out/libpool.so.0" >"$tmp/relocations"
	[ -s "$tmp/functions" ] && grep -q malloc "$tmp/relocations" &&
		! grep -wFf "$tmp/functions" "$tmp/relocations"
}
check the_library_calls_its_own_functions calls_itself

# archive_shows - the archive must export the library's names only, since the program may use all
# other names
archive_shows() {
	nm -g --defined-only "$out/libpool.a" | awk 'NF == 3 { print $3 }' |
		sort >"$tmp/shown"
	diff "$tmp/mapped" "$tmp/shown" &&
		[ "$(readelf -sW "$out/libpool.a" |
		     awk '$5 == "GLOBAL" && $7 != "UND"' |
		     grep -vc ' HIDDEN ')" = 0 ]
}
check the_archive_shows_its_map archive_shows
no_executable_stack() {
	readelf -SW "$out/libpool.a" | grep ' .note.GNU-stack ' >"$tmp/stack" &&
		! grep ' X ' "$tmp/stack"
}
check the_archive_asks_for_no_executable_stack no_executable_stack
cat >"$tmp/names.c" <<'END'
#include <libpool/pool.h>

/* Names of libpool's own files, which are not the interface's. */
int plat_log = 1, pool_options = 2, pool_shared_put = 3;

int main(void)
{
	struct pool_head *pool = create_pool("names", 64, 0);

	pool_free(pool, pool_alloc(pool));
	return pool_destroy(pool) || plat_log + pool_options != pool_shared_put;
}
END
names() {
	gcc -I"$tmp" -o "$tmp/names" "$tmp/names.c" "$out/libpool.a" -pthread &&
		"$tmp/names"
}
check a_program_may_have_names_of_the_library names

# The hit path: no call, no lock, one screen.
cat >"$tmp/hit.c" <<'END'
#include <libpool/pool.h>

void *hit_get(struct pool_head *pool) { return pool_hot_get(pool); }
bool hit_put(struct pool_head *pool, void *obj)
{
	return pool_hot_put(pool, obj);
}
END
hit_path() {
	gcc -O2 -fcf-protection=none -I"$tmp" -c -o "$tmp/hit.o" "$tmp/hit.c"
	objdump -d --no-show-raw-insn "$tmp/hit.o" | grep -v '%ax,%ax' |
		tee "$tmp/code"
	! grep -qwE 'call|callq|lock|xchg|mfence' "$tmp/code" &&
		[ "$(grep -cE '^ +[0-9a-f]+:' "$tmp/code")" -le 56 ]
}
if [ "$(uname -m)" = x86_64 ]; then
	check the_hit_path_has_no_call_and_no_atomic hit_path
fi

# An option that is off costs nothing: whatever the library or the program is built with,
# a hit is the same instructions.  Only addresses may differ.
hit_code() {
	gcc -std=gnu11 -O2 -D_GNU_SOURCE -DPOOL_NO_INLINE -Icommon -Iuser "$@" \
		-c -o "$tmp/calls.o" common/api/hit.c &&
		gcc -O2 -I"$tmp" "$@" -c -o "$tmp/hit.o" "$tmp/hit.c" || return 1
	for function in pool_alloc pool_free hit_get hit_put; do
		objdump -dr --no-show-raw-insn --disassemble=$function \
			"$tmp/calls.o" "$tmp/hit.o"
	done | sed -nE 's/^ +[0-9a-f]+:\t//p' |
		sed -E 's/\b[0-9a-f]+ (<[^>]*>)/\1/'
}
same_hit_code() {
	hit_code >"$tmp/code.plain" &&
		[ "$(wc -l <"$tmp/code.plain")" -gt 60 ] || return 1
	for define in DEBUG_NO_POOLS DEBUG_MEMORY_POOLS DEBUG_FAIL_ALLOC \
		      DEBUG_UAF DEBUG_POOL_INTEGRITY DEBUG_POOL_TRACING \
		      DEBUG_MEM_STATS CONFIG_HAP_NO_GLOBAL_POOLS; do
		hit_code -D$define >"$tmp/code" &&
			diff "$tmp/code.plain" "$tmp/code" || return 1
	done
}
check options_leave_the_hit_path_alone same_hit_code

# The library is installed, found by pkg-config, and used by a program.
# shellcheck disable=SC2046	# words of pkg-config
installed() {
	make -s install DESTDIR="$tmp/dest" PREFIX=/usr B="$out" &&
	export PKG_CONFIG_PATH=$tmp/dest/usr/lib/pkgconfig \
	       PKG_CONFIG_SYSROOT_DIR=$tmp/dest &&
	gcc -o "$tmp/use" "$tmp/use.c" $(pkg-config --cflags --libs libpool) &&
	LD_LIBRARY_PATH=$tmp/dest/usr/lib "$tmp/use" &&
	gcc -o "$tmp/use-static" "$tmp/use.c" -I"$tmp/dest/usr/include" \
		"$tmp/dest/usr/lib/libpool.a" -pthread &&
	"$tmp/use-static"
}
check an_installed_library_is_found_and_used installed

# links LINKER WORDS... - a program with the archive must link, run, and have all probes, also when
# the linker drops sections that nothing refers to
links() {
	local linker=$1

	shift
	gcc "-fuse-ld=$linker" -Wl,--gc-sections -ffunction-sections "$@" -I"$tmp" \
		-o "$tmp/linked" "$tmp/use.c" "$out/libpool.a" -pthread &&
		"$tmp/linked" &&
		[ "$(readelf -n "$tmp/linked" | grep -c 'Provider: libpool')" = \
		  "$(readelf -n "$out/libpool.so.0" | grep -c 'Provider: libpool')" ] &&
		[[ $(readelf -SW "$tmp/linked") == *' .stapsdt.base '* ]]
}
# gold is no longer part of binutils in later systems.
for linker in bfd lld $(command -v ld.gold | sed 's|.*/ld.||'); do
	check "${linker}_links_the_archive_without_unused_sections" links "$linker"
	check "${linker}_links_a_static_program_in_the_same_way" links "$linker" -static
done

# Flags of a distribution must hold, a warning must not stop a build, and the installed files
# must be those that were built with these flags.
echo 'static void warned_of(void) { }' >"$tmp/warns.h"
echo 'static int included_with __attribute__((used)) = 1;' >"$tmp/marks.h"
build_with() {
	env -u WERROR make -s -j2 "B=$tmp/with" DEBUG=-DDEBUG_NO_POOLS \
		CPPFLAGS="-include $tmp/marks.h" \
		CFLAGS="-O1 -g -include $tmp/warns.h" \
		LDFLAGS=-Wl,--defsym=linked_with=0
}
installs_what_was_built() {
	env -u WERROR make -s install "B=$tmp/with" DESTDIR="$tmp/with/dest" \
		PREFIX=/usr >"$tmp/with.said" 2>&1 || return 1
	cat "$tmp/with.said"
	[ ! -s "$tmp/with.said" ] &&
		cmp "$tmp/with/libpool.so.0" "$tmp/with.so" &&
		cmp "$tmp/with/dest/usr/lib/libpool.so.0" "$tmp/with.so" &&
		cmp "$tmp/with/dest/usr/lib/libpool.a" "$tmp/with/libpool.a"
}
flags_hold() {
	readelf -sW "$tmp/with.so" | grep ' included_with' &&
		readelf -sW "$tmp/with.so" | grep ' linked_with'
}
check a_warning_does_not_stop_a_build build_with
cp "$tmp/with/libpool.so.0" "$tmp/with.so" || touch "$tmp/with.so"
check flags_of_a_distribution_hold flags_hold
check install_installs_what_was_built installs_what_was_built

# make -n prints the commands without running them.
debug_reaches_compilers() {
	make -n "B=$tmp/none" DEBUG=-DDEBUG_NO_POOLS | grep -E ' -c .*\.c$' >"$tmp/commands"
	[ "$(wc -l <"$tmp/commands")" -gt 50 ] && not grep -vw -- -DDEBUG_NO_POOLS "$tmp/commands"
}
check what_debug_has_is_given_to_each_compiler debug_reaches_compilers

# Jobs install from one build folder at the same time, so installing must not write there.
writes_no_build() {
	touch "$tmp/stamp"
	env -u WERROR make -s install "B=$tmp/with" DESTDIR="$tmp/with-dest" \
		PREFIX=/opt && find "$tmp/with" -newer "$tmp/stamp" >"$tmp/written"
	cat "$tmp/written"
	[ ! -s "$tmp/written" ]
}
check install_writes_nothing_where_it_was_built writes_no_build

# LIBPOOL_OPTIONS: a right word is silent; a wrong one is named once, and the program runs on.
environment() {
	local said

	said=$(LIBPOOL_OPTIONS=no-global,hot_size=1m "$tmp/use-static" 2>&1) ||
		return 1
	[ -z "$said" ] || return 1
	said=$(LIBPOOL_OPTIONS=no-global,nonsense "$tmp/use-static" 2>&1) ||
		return 1
	[ "$(grep -c nonsense <<<"$said")" = 1 ] &&
		[ "$(wc -l <<<"$said")" = 1 ]
}
check an_unknown_word_in_the_environment_is_named environment

# The help has every option of the table and its present state; then the program runs.
environment_help() {
	LIBPOOL_OPTIONS=no-global,help,poison=0x41 "$tmp/use-static" \
		>"$tmp/out" 2>"$tmp/help" || return 1
	cat "$tmp/help"
	[ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/help")" = 31 ] &&
		grep -q "^pool: LIBPOOL_OPTIONS: help: " "$tmp/help" &&
		grep -q '^no-global  *global  *on  ' "$tmp/help" &&
		grep -q '^poison  *no-poison  *on  ' "$tmp/help" &&
		grep -q '^no-cache  *cache  *off  ' "$tmp/help" &&
		grep -q '^poison  *0-255  *65  ' "$tmp/help"
}
check help_in_the_environment_is_printed_at_start environment_help
finish
