#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# A kernel that has pools built in, by scripts/into-tree: it links, boots, has what pools
# promise to users that are built in, and takes parameters of its command line.
# "make check-long" calls it.
#
#	builtin.sh

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

cd "$here/../.."

# boots TOPIC PARAMETER...
boots() {
	"$here/boot.sh" --show --whole --append "TOPIC=$1 CASES=$cases ${*:2}" \
		builtin "$here/guest/builtin.sh" tests/lib/results.sh \
		build/builtin/kernel/lib/pool/tests/pool_kunit.ko >"$tmp/out" 2>"$tmp/err"
}

cases=$(cat tests/{promise,inside,worlds/kernel}/cases.list | grep -c '^CASE(')
check "it compiles and links" "$here/kernel.sh" builtin
[ "$failed" = 0 ] || finish
boots_well starts
boots_well unit pool.age=0 pool_user.idle=1
boots_well right pool.hot_size=64k pool.debug=no-global,tag pool.age=20 \
	pool.fail_alloc=100
boots_well wrong pool.hot_size=bogus pool.debug=tag,nonsense pool.age=86401 pool.cluster=8
finish
