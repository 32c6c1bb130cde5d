#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Loads, uses and unloads pool.ko on a kernel, and checks all that it shows; once more
# without debugfs, and once more with a constructor that sleeps.
#
#	stock.sh stock-6.1|stock-6.12|stock-X.Y|debug [TOPIC...]
#
# The topics are the files of guest/stock/, which run in the machine; else all of them
# do.  DEBUG and VARIANT are for build-modules.sh.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

[ $# -ge 1 ] || die "usage: ${0##*/} stock-6.1|stock-6.12|stock-X.Y|debug [TOPIC...]"
what=$1
shift
topics=$*
# This run has a folder of its own, because other jobs have test modules in this kernel's
# folder.
users=$here/../../build/kernel/$what-users

# users_modules - a build without tests, as users get it
users_modules() {
	local dir

	dir=$(VARIANT=users POOL_TESTS='' "$here/build-modules.sh" "$what" | tail -n 1) &&
		[ "$(sed 's|.*/||; s|\.k*o$||' "$dir/modules.order")" = pool ]
}

# exports_no_test - a build for users must export only what users may call
exports_no_test() {
	local symvers=$users/Module.symvers

	grep -qP '\tpool_alloc\t.*\tLIBPOOL$' "$symvers" &&
		! grep -vP '\tLIBPOOL$' "$symvers" && ! grep -P '\tplat_' "$symvers"
}

# installs_alone - a build for users must install, by the goal that our Makefile gives to kbuild
installs_alone() {
	local dir goal

	dir=$(cd "$users" && pwd)
	goal=$(make -s -C "$here/../.." MAKE=echo modules_install)
	kernel "$what"
	rm -rf "$dir/installed"
	kmake "$dir" "$dir" INSTALL_MOD_PATH="$dir/installed" \
		CONFIG_MODULE_COMPRESS_XZ= "${goal##* }" &&
		same "$(find "$dir/installed" -name '*.ko*' -printf '%f\n')" \
			"$(find "$dir/installed" -name 'pool.ko*' -printf '%f\n' | head -n 1)" &&
		[ -n "$(find "$dir/installed" -name 'pool.ko*')" ]
}

# says_all MODULE - modinfo must show each field, and a text and a type for each parameter
says_all() {
	local version param field status=0

	version=$(sed -n 's/^.define POOL_VERSION[^"]*"\(.*\)"/\1/p' "$here/../../common/pool.h")
	objcopy -O binary --only-section=.modinfo "$1" "$tmp/info"
	tr '\0' '\n' <"$tmp/info" >"$tmp/fields"
	for field in 'description=..*' 'author=..*' license=GPL "version=${version:?}" \
		     'vermagic=..*' 'name=pool'; do
		grep -qx "$field" "$tmp/fields" || { echo "no $field"; status=1; }
	done
	sed -nE 's/.*\bmodule_param(_named)?\((\w+),.*/\2/p' "$here"/../../kernel/*.c >"$tmp/params"
	while read -r param; do
		grep -q "^parm=$param:..*" "$tmp/fields" || { echo "no text for $param"; status=1; }
		grep -q "^parmtype=$param:..*" "$tmp/fields" ||
			{ echo "no parameter $param"; status=1; }
	done <"$tmp/params"
	same "$(grep -c '^parmtype=' "$tmp/fields")" "$(wc -l <"$tmp/params")" &&
		return "$status"
}

# kunit_compiles - the cases must compile, although this kernel has no KUnit
kunit_compiles() {
	VARIANT=kunit TARGET=pool_kunit.o \
		"$here/build-modules.sh" "$what" CONFIG_KUNIT=m >/dev/null
}

# module_of_readme - prints README's second block of C, for this kernel
module_of_readme() {
	local readme=$here/../../README.md my=$dir.my import='MODULE_IMPORT_NS(LIBPOOL)'

	rm -rf "$my" && mkdir "$my"
	kernel "$what"
	awk '/^```/ { on = /^```c$/ && ++n == 2; next } on' "$readme" >"$my/my.c"
	case $what in
	stock-6.* | debug) grep -qF "$import" "$my/my.c" ;;
	*) sed -i "s/$import/MODULE_IMPORT_NS(\"LIBPOOL\")/" "$my/my.c" ;;
	esac &&
		printf 'obj-m := my.o\nccflags-y := -I%s/common\n' "$dir" >"$my/Kbuild" &&
		kmake "${dir%/*}" "$my" KBUILD_EXTRA_SYMBOLS="$dir/Module.symvers" modules
}

check "users get pool.ko and no test" users_modules
check "... which exports nothing for tests" exports_no_test
check "... and says all that modinfo shows" says_all "$users/pool.ko"
check "modules_install installs pool.ko alone" installs_alone
case $what in
stock-6.12* | debug) ;;	# the debug kernels, which are 6.12, run them
*) check "the KUnit cases compile" kunit_compiles ;;
esac
dir=$("$here/build-modules.sh" "$what" | tail -n1)
check "the module of README builds" module_of_readme
"$here/../pages/commands.py" kernel >"$tmp/pages"

need xz-utils libncurses-dev
# A machine has no libraries.
make -s -C "$here/../.." B=build/user-static LDFLAGS=-static \
	CURSES_LIBS='-lncursesw -ltinfo' build/user-static/poolctl
xz -dc "$here"/../replay/data/kernel-6.12.trace.xz >"$tmp/trace"
# RCU is lazy where a kernel can be so.
boots() {
	"$here/boot.sh" --show --mem 1024 --append "rcu_nocbs=all $1" "${@:2}" \
		"$what" "$here/guest/stock.sh" "$here/guest/stock" \
		"$here/../lib/results.sh" "$dir/pool.ko" "$dir/pool_example.ko" \
		"$dir/pool_replay.ko" "$dir/pool_second.ko" "$dir/pool_third.ko" "$tmp/trace" \
		"$here/../../build/user-static/poolctl" "$tmp/pages" "$dir.my/my.ko" \
		"$tmp/no-debugfs" >"$tmp/out" 2>"$tmp/err"
}


# without_debugfs - builds a pool.ko for kernels that have no debugfs
without_debugfs() {
	local dir built

	dir=$(cd "$here/../.." && pwd)/build/kernel/$what-no-debugfs
	built=$(VARIANT=no-debugfs POOL_TESTS='' \
		DEBUG="-include $dir/tests/vm/no_debugfs.h" \
		"$here/build-modules.sh" "$what" | tail -n 1) &&
		cp "$built/pool.ko" "$tmp/no-debugfs/"
}

# What kernels say about code that sleeps where it must not.
SLEPT='BUG: (sleeping function called|scheduling while atomic|scheduling in a non-blocking)|Call Trace:'

mkdir "$tmp/no-debugfs"
case "$topics" in
no-debugfs | sleeps) ;;
*) boots_well "${topics:+topics=${topics// /,}}" ;;
esac
# The sources that are equal have equal code without debugfs.
case "$topics,$what" in
,stock-6.12-rt | ,debug) ;;
,* | no-debugfs,*)
	check "pool.ko builds without CONFIG_DEBUG_FS" without_debugfs
	boots_well "topics=no-debugfs debugfs=off"
	;;
esac
case "$topics" in
"" | sleeps) boots_well "topics=sleeps kernel=$what" --expect-bad "$SLEPT" ;;
esac
finish
