#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Brings pools into a copy of Debian's linux-source and builds them there: by
# scripts/into-tree, and patch by patch of scripts/patch-series.  "make check-long" calls it.
#
#	into-tree.sh [SERIES]		6.12, or the one of the backports
#
# Builds lib/pool only, with W=1, for x86_64, by gcc and by clang: in small kernels, and in
# one of allmodconfig.
# The copy and what is built are in build/into-tree[-SERIES]; what has not changed is not
# built again.

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
# shellcheck source=lib.sh
. tests/vm/lib.sh
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh
# shellcheck source=tests/lint/remarks.sh
. tests/lint/remarks.sh
lists=tests/lint/series.list

need make gcc bison flex bc libelf-dev rsync git perl sparse
words=$(tests/vm/kernel.sh "source${1:+-$1}")
eval "$words"
work=$top/build/into-tree${1:+-$1}
tree=$work/tree
mkdir -p "$work"
exec 9>"$work/lock"
flock 9

# Make the tree as Debian has it, without drivers, because none is built.
fresh_tree() {
	rsync -a --delete --exclude='/drivers/**.[ch]' --exclude='/sound/**.[ch]' \
		"$SOURCE/" "$tree"
}

# listed - prints the files that may be ours, with their times
listed() {
	(cd "$tree" && find lib include/linux Documentation/{core-api,ABI} MAINTAINERS -type f \
		-printf '%T@ %s %p\n') | sort
}

# kbuild NAME ARGUMENT... - runs make in the tree, for the objects in build/into-tree/NAME
kbuild() {
	local name=$1 compiler=()

	shift
	[ "${name%%-*}" != clang ] || compiler=(CC="$clang")
	make -s -C "$tree" O="$work/$name" ARCH=x86_64 -j2 "${compiler[@]}" "$@"
}

# clang_for_tree - prints this Debian's clang, or its newest one where the kernel needs that
clang_for_tree() {
	local least

	least=$("$tree/scripts/min-tool-version.sh" llvm)
	need clang
	if printf '%s\n' "$least" "$(clang -dumpversion)" | sort -V -C; then
		echo clang
	else
		need clang-19
		echo clang-19
	fi
}

# The goal that chooses what options leave open.
base=allnoconfig

# configure NAME OPTION... - configures a small kernel with these options; fails if one of them did
# not hold
configure() {
	local name=$1 option

	shift
	mkdir -p "$work/$name"
	kbuild "$name" KCONFIG_ALLCONFIG=<(printf '%s\n' 64BIT=y EXPERT=y PRINTK=y MULTIUSER=y \
		DEBUG_KERNEL=y RUNTIME_TESTING_MENU=y "$@" | sed 's/^/CONFIG_/') \
		"$base" || return 1
	for option; do
		case $option in
		*=n) ! grep -q "^CONFIG_${option%=n}=" "$work/$name/.config" ;;
		*) grep -qx "CONFIG_$option" "$work/$name/.config" ;;
		esac || { echo "$option is not set"; return 1; }
	done
	kbuild "$name" modules_prepare
}

# compiles NAME ARGUMENT... - compiles; a warning fails
compiles() {
	kbuild "$@" W=1 KCFLAGS=-Werror 2>&1 | tee "$tmp/said" || return 1
	! grep -qi 'warning' "$tmp/said"
}

# builds NAME OPTION... - compiles the folder in a kernel with these options
builds() {
	configure "$@" && compiles "$1" lib/pool/
}

# all_options COMPILER - compiles the folder with all that allmodconfig has, except one option,
# for allocation profiling
all_options() {
	base=allmodconfig builds "$1-allmod" "${MODULE[@]}" NUMA=y KASAN=y PROVE_LOCKING=y \
		TRACING=y DEBUG_FORCE_WEAK_PER_CPU=n MEM_ALLOC_PROFILING=y
}

# whole - no function of pool.ko may be missing, and no case of its tests
whole() {
	local bad=0

	nm -u "$work/gcc-module/lib/pool/pool.o" | grep -E ' (__)?(pool|plat)_' && bad=1
	nm "$work/gcc-module/lib/pool/tests/pool_kunit.o" >"$tmp/cases"
	cat tests/{promise,inside,worlds/kernel}/cases.list | sed -nE 's/^CASE\((.*)\)/\1/p' |
	while read -r name; do
		grep -q " T $name\$" "$tmp/cases" || { echo "no $name"; exit 1; }
	done || bad=1
	return "$bad"
}

# refused SCRIPT ARGUMENT... - the script must say why, and exit with 2
refused() {
	local status=0

	"$@" >"$tmp/why" 2>&1 || status=$?
	cat "$tmp/why"
	[ "$status" = 2 ] && grep -q "^${1##*/}: ." "$tmp/why"
}

# again - a second run of into-tree must change no file
again() {
	listed >"$tmp/before"
	sleep 0.1
	scripts/into-tree "$tree" && listed | diff "$tmp/before" -
}

# updated - outdated files must be updated, and files that we no longer have must go
updated() {
	echo '/* old */' >>"$tree/lib/pool/common/seam/plat.h"
	touch "$tree/lib/pool/common/core/gone.c"
	scripts/into-tree "$tree" &&
		not grep -q 'old \*/$' "$tree/lib/pool/common/seam/plat.h" &&
		not [ -e "$tree/lib/pool/common/core/gone.c" ]
}

# Begin a repository that has only the files that patches change.
start_git() {
	(
		cd "$tree"
		git init -q
		git add -f MAINTAINERS lib/Kconfig lib/Kconfig.debug lib/Makefile \
			Documentation/core-api/index.rst
		git -c commit.gpgsign=false commit -q -m base
	)
}

# A file that uses pools, as long as there is nothing else to compile.
write_user() {
	mkdir -p "$work/user"
	echo 'obj-m := user.o' >"$work/user/Kbuild"
	printf '%s\n' '#include <linux/pool.h>' 'void *f(struct pool_head *pool);' \
		'void *f(struct pool_head *pool) { return pool_zalloc(pool); }' \
		>"$work/user/user.c"
}

# patch_builds PATCH - the kernel must build after this patch and those before it
patch_builds() {
	git -C "$tree" -c commit.gpgsign=false am -q "$1" || return 1
	rm -f "$work/user/user.o"
	compiles gcc-module M="$work/user" user.o || return 1
	if [ -f "$tree/lib/pool/Kconfig" ]; then
		builds gcc-module "${MODULE[@]}"
	elif [ -f "$tree/lib/pool/Makefile" ]; then
		compiles gcc-module CONFIG_POOL=m lib/pool/
	fi
}

# bad_series - checkpatch must remark a surplus space in a patch
bad_series() {
	mkdir "$tmp/bad"
	sed 's/^+\tunsigned int i;$/+\tunsigned int  i ;/' "$work"/patches/0003-*.patch \
		>"$tmp/bad/0003.patch"
	not remarks series "$tmp/bad" >"$tmp/said"
	cat "$tmp/said"
	grep -q '^common/core/.*: SPACING: ' "$tmp/said"
}

MODULE=(MODULES=y SMP=y DEBUG_FS=y KUNIT=y POOL=m)
fresh_tree
start_git
write_user

mkdir "$tmp/empty"
check a_folder_without_a_kernel_is_refused refused scripts/into-tree "$tmp/empty"
check a_folder_that_is_not_there_is_refused refused scripts/into-tree "$tmp/none"
check nothing_is_left_in_a_folder_that_is_refused same "$(ls "$tmp/empty")" ''
mkdir "$tmp/old"
(cd "$tree" && grep -v '^#' "$top/scripts/in-tree/reads" | xargs cp --parents -t "$tmp/old")
sed -i 's/^VERSION = .*/VERSION = 6/; s/^PATCHLEVEL = .*/PATCHLEVEL = 1/' "$tmp/old/Makefile"
check an_old_kernel_is_refused refused scripts/into-tree "$tmp/old"
check the_reason_is_its_age grep -q 'older than' "$tmp/why"

rm -rf "$work/patches"
check patches_are_written scripts/patch-series "$tree" "$work/patches"
check patches_that_are_there_are_not_replaced \
	refused scripts/patch-series "$tree" "$work/patches"
check at_most_eight_patches test "$(find "$work/patches" -name '*.patch' | wc -l)" -le 9
check checkpatch_remarks_nothing_about_them remarks series "$work/patches"
check each_remark_on_the_list_is_made remarks unused tests/lint/series.list '[A-Z]'
check checkpatch_remarks_on_a_bad_one bad_series
check a_cover_letter_without_blanks not grep -q '\*\*\*' "$work"/patches/0000-*
check a_kernel_for_them configure gcc-module "${MODULE[@]:0:4}"
for patch in "$work"/patches/000[1-9]-*.patch; do
	name=${patch##*/}
	check "patch_${name:3:1}_applies_and_builds" patch_builds "$patch"
done
check a_tree_that_has_pools_gets_no_patches refused scripts/patch-series "$tree" "$tmp/none"
check into_tree_brings_what_the_patches_bring again
check into_tree_brings_what_is_new updated

MODULE+=(POOL_KUNIT_TEST=m)
check gcc_builds_a_module builds gcc-module "${MODULE[@]}"
check it_is_whole whole
check sparse_says_nothing compiles gcc-module C=2 lib/pool/
check gcc_builds_it_in builds gcc-builtin SMP=y DEBUG_FS=y KUNIT=y MODULES=y POOL=y \
	POOL_KUNIT_TEST=m
check gcc_builds_it_without_smp_numa_modules_and_debugfs builds gcc-least SMP=n NUMA=n \
	MODULES=n DEBUG_FS=n POOL=y
check gcc_builds_it_in_allmodconfig all_options gcc
clang=$(clang_for_tree)
check clang_builds_a_module builds clang-module "${MODULE[@]}"
check clang_builds_it_in builds clang-builtin SMP=y DEBUG_FS=y POOL=y
check clang_builds_it_in_allmodconfig all_options clang
finish
