#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What tools for kernel code remark about what is installed or loaded: common/, kernel/
# and user/.  "make lint" calls it.
#
#	lint.sh [quick]		quick: what needs no kernel of our own; for "make check"
#
#   checkpatch    with --strict, of linux-source; and of the patches of scripts/patch-series
#   kernel-doc    comments of functions and types
#   sparse        all objects of pool.ko, for Debian's 6.12 and User-Mode Linux
#   coccicheck    each rule of linux-source that needs no OCaml compiler; and ours, of a sample
#   clang         with W=1, for linux-source
#
# Each build of the modules has gcc's W=1.  clang cannot build them for these kernels: one
# configured for gcc passes it options that it refuses, as -fconserve-stack.  So clang has
# headers of its own, configured for it.
#
# A remark that is wrong here is in allowed.list, with the reason.  Prints a line per
# tool, "ok - NAME" or "not ok - NAME", and remarks behind it.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cd "$top"
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh
# shellcheck source=tests/lint/remarks.sh
. tests/lint/remarks.sh
allowed=tests/lint/allowed.list
lists="$allowed tests/lint/series.list"
tests/deps.sh lint >&2
words=$(tests/vm/kernel.sh source)
eval "$words"

# sources DIR... - the C files there
sources() {
	find "$@" -name '*.[ch]' ! -name '*.mod.c' | sort
}

# judge NAME COMMAND...
judge() {
	check "$1_remarks_nothing" remarks "${@:2}"
}

# run_checkpatch - without .checkpatch.conf, which ignores whole kinds of remarks
run_checkpatch() {
	sources common kernel user | (
		cd "$tmp"
		sed "s|^|$top/|" |
			xargs perl "$SOURCE/scripts/checkpatch.pl" --no-tree --strict \
				--terse --show-types -f 2>&1 || true
	) | sed -nE "s|^$top/||; s/^(\S+:[0-9]+): [A-Z]+:([A-Z_0-9]+): /\1: \2: /p"
}

run_kernel_doc() {
	sources common kernel user | xargs perl "$SOURCE/scripts/kernel-doc" -none 2>&1 |
		sed -E 's/^(\S+:[0-9]+): \w+: /\1: kernel-doc: /' || true
}

# build NAME KERNEL ARGUMENT... - prints the warnings of a build of pool.ko
build() {
	local name=$1 kernel=$2

	shift 2
	if ! VARIANT=$name POOL_TESTS='' tests/vm/build-modules.sh "$kernel" "$@" \
	     >"$tmp/build" 2>&1; then
		sed -E "s|^$top/build/kernel/$kernel-$name/||" "$tmp/build"
	fi
}

# run_clang - compiles pool.o in a small kernel that is configured for clang
run_clang() {
	local dir=$top/build/lint-clang kernel=(make -s ARCH=x86_64 CC=clang -j2)

	mkdir -p "$dir/kernel" "$dir/pool"
	rsync -a --delete --include='*/' --include='*.[ch]' --include=Kbuild --exclude='*' \
		Kbuild common kernel "$dir/pool/"
	printf 'CONFIG_%s=y\n' 64BIT MODULES SMP DEBUG_FS EXPERT PRINTK >"$dir/options"
	{
		"${kernel[@]}" -C "$SOURCE" O="$dir/kernel" KCONFIG_ALLCONFIG="$dir/options" \
			allnoconfig modules_prepare &&
			"${kernel[@]}" -C "$dir/kernel" M="$dir/pool" W=1 KCFLAGS=-Werror pool.o
	} >"$tmp/build" 2>&1 || sed "s|^$dir/pool/||" "$tmp/build"
}

# report RULE - prints its remarks; given several folders, spatch would look at the last one
# only
report() {
	local dir

	for dir in common kernel; do
		spatch -D report --very-quiet --no-show-diff --no-includes \
			--include-headers --cocci-file "$1" --dir "$dir" \
			2>>"$tmp/spatch" </dev/null || return
	done
}

# Rules that find nothing in this code are left out, because each takes 3 s.
run_coccicheck() {
	local rule

	find "$SOURCE/scripts/coccinelle" -name '*.cocci' | sort |
	while read -r rule; do
		! grep -q '@ *\(script\|initialize\|finalize\):ocaml' "$rule" || continue
		report "$rule" |
			sed -nE "s|^(\S+:[0-9]+):[-0-9]+: |\1: ${rule##*/}: |p" || {
			tail "$tmp/spatch"
			exit 1
		}
	done
}

# rule_finds NAME - scripts/NAME.cocci remarks the lines of its sample that say so, and no other
rule_finds() {
	local sample=tests/lint/samples/$1.c

	diff <(grep -n '/\* wrong \*/$' "$sample" | cut -d: -f1) \
		<(spatch -D report --very-quiet --no-show-diff --cocci-file "scripts/$1.cocci" \
			"$sample" 2>/dev/null | cut -d: -f2 | sort -n)
}

check kfree_of_what_came_from_a_pool_is_found rule_finds kfree-of-pool
judge checkpatch run_checkpatch
judge kernel_doc run_kernel_doc
judge list_for_checkpatch unused $allowed '[A-Z]'
check patches_are_written scripts/patch-series "$SOURCE" "$tmp/patches"
lists=tests/lint/series.list judge checkpatch_of_patches series "$tmp/patches"
judge sparse_on_smp build sparse stock-6.12 C=2
if [ "${1:-}" != quick ]; then
	judge sparse build sparse uml C=2
	judge clang run_clang
	judge coccicheck run_coccicheck
	judge list_for_coccicheck unused $allowed cocci
fi
finish
