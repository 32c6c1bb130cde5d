#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The example for Python reads the pools of a library that it has loaded.  Prints a line per
# promise, "ok - NAME" or "not ok - NAME".
#
#	python.sh BUILD-FOLDER

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

export LD_LIBRARY_PATH=$out
gcc -shared -fPIC -I"$tmp" -o "$tmp/work.so" tests/install/python/work.c -L"$out" -lpool

pools() {
	python3 -B user/examples/python/pools.py "$@"
}
shows() {
	pools "$tmp/work.so" work >"$tmp/shown" && cat "$tmp/shown" &&
		tail -n 1 "$tmp/shown" | grep -qE '^things +size 112 used 3 cached [0-9]+ '
}
# Python must have each number that the C table has.
numbers() {
	(cd user/examples/python && python3 -B - "$tmp/work.so") <<'END'
import ctypes, sys
from pools import Pools
ctypes.CDLL(sys.argv[1]).work()
pools = Pools()
columns = pools.text("raw").splitlines()[1].split()[1:]
assert len(columns) > 30 and "need" in columns, columns
assert all(sorted(one) == sorted(columns) for one in pools.stats()), pools.stats()
assert any(one["name"] == "things" for one in pools.stats())
END
}
# refused SAYS ARG... - the script must exit with 2 and one line that has SAYS
refused() {
	local says=$1 status=0

	shift
	pools "$@" >"$tmp/said" 2>&1 || status=$?
	cat "$tmp/said"
	[ $status = 2 ] && [ "$(wc -l <"$tmp/said")" = 1 ] && grep -qF "$says" "$tmp/said"
}

check python_reads_the_pools_of_a_running_program shows
check python_has_each_number_that_c_has numbers
check a_library_that_is_not_there_is_named refused /no/such.so /no/such.so work
check a_function_that_is_not_there_is_named refused no_such "$tmp/work.so" no_such
check a_wrong_number_of_arguments_is_told_the_usage refused usage: "$tmp/work.so"
finish
