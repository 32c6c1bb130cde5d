# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# builtin.sh - a kernel that has pools built in
#
# Run by busybox sh in a machine, for tests/vm/builtin.sh.  TOPIC is one of the functions
# below; "right" and "wrong" are about the parameters that the kernel was booted with.

# shellcheck source=tests/lib/results.sh
. ./results.sh

P=/sys/kernel/debug/pool
PARAMETERS=/sys/module/pool/parameters
USER=/sys/module/pool_user/parameters

# says TEXT - one line of the log must be of pools and have TEXT
says() {
	dmesg | sed -n 's/^\[[^]]*\] pool: //p' >/tmp/said
	cat /tmp/said
	same "$(grep -cF -- "$1" /tmp/said)" 1
}

# parameter NAME VALUE - the parameter must be shown with this value
parameter() { same "$(cat $PARAMETERS/"$1")" "$2"; }

# readable - each file of pools must be readable, except those that are only written to
readable() {
	find $P -type f -perm -444 >/tmp/files
	cat /tmp/files
	[ "$(wc -l </tmp/files)" -gt 10 ] || return 1
	while read -r file; do
		cat "$file" >/dev/null || return 1
	done </tmp/files
}

# cases - all cases of pool_kunit.ko must run, and none may fail
cases() {
	insmod pool_kunit.ko scale=20 || return 1
	cat /sys/kernel/debug/kunit/pool_*/results >/tmp/results
	rmmod pool_kunit || return 1
	grep -E '^ +not ok ' /tmp/results && return 1
	skipped=$(grep -cE '^ +ok .* # SKIP' /tmp/results)
	passed=$(grep -E '^ +ok ' /tmp/results | grep -vc ' # SKIP')
	echo "# $passed passed, $skipped cannot run here"
	[ "$passed" -gt $((CASES / 2)) ] && same $((passed + skipped)) "$CASES"
}

starts() {
	check "no module is loaded" same "$(cat /proc/modules)" ''
	check "a user that comes before pools gets none" same "$(cat $USER/early)" 0
	check "... and the log says why" says \
		'create_pool("plain", 100) refused: pools have not started'
	check "... of one with attributes, too" says \
		'create_pool("aligned", 100) refused: pools have not started'
	check "a user that comes later gets all" same "$(cat $USER/late)" 3
	check "... its pool is listed" grep -E '^kept  *' $P/pools
	check "... with its object" grep -x 'used 1' $P/by-name/kept/stats
	check "... and the one that it ended is not" not [ -e $P/by-name/ended ]
	check "... nor those that it did not get" not grep -E 'plain|aligned' $P/registrations
	check "the log names it by what its module would be called" says \
		'pool_set_limit(NULL) by module pool_user is refused'
	check "each file can be read" readable
}

# The checks count what is left behind, so the built-in user makes no pool.
unit() {
	check "the cases pass, each that can run here" cases
}

right() {
	check "hot_size is shown" parameter hot_size 64k
	check "... and used" same "$(cat $P/hot_size)" 65536
	check "debug is shown" parameter debug no-global,tag
	check "... and used" same "$(cat $P/debug)" \
		"fail no-global tag hot_size=65536 fail_alloc=100"
	check "no allocation fails on purpose at boot" same "$(cat $USER/late)" 3
	check "... though its pool would fail" grep -x 'fail no-global tag' $P/by-name/kept/debug
	check "... for users that are built in" \
		grep -x 'mode no-global' $P/by-name/kept/stats
	check "age is shown" parameter age 20
	check "no parameter is complained of" same "$(dmesg | grep 'pool: parameter')" ''
}

# Right options hold although others are wrong.
wrong() {
	check "a wrong hot_size is in the log" says 'parameter: hot_size is 0-1g: "hot_size=bogus"'
	check "... the default holds" same "$(cat $P/hot_size)" 524288
	check "a wrong debug is, too" says '"nonsense"'
	check "... nothing of it holds" same "$(cat $P/debug)" cluster=8
	check "so is a wrong age" says 'parameter age: not 0 to 86400: "86401"'
	check "... the default holds" parameter age 10
	check "a right cluster holds" grep -x 'cluster 8' $P/by-name/kept/stats
	check "users that are built in get their pools" same "$(cat $USER/late)" 3
}

"$TOPIC"
finish
