# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# poolctl.sh - the tool poolctl, and the kernel's pools

# status N ARG... - poolctl must end with N; its output is in /tmp/said
status() {
	want=$1
	shift
	is=0
	./poolctl --kernel "$@" >/tmp/said 2>&1 || is=$?
	cat /tmp/said
	same $is "$want"
}
# alike OPTION - the text must be the kernel's, except for numbers
alike() {
	echo "${1#--}" >$P/pools
	sed 's/[0-9][0-9]*/N/g' $P/pools >/tmp/kernel
	./poolctl --kernel "$1" list | sed 's/[0-9][0-9]*/N/g' | cmp - /tmp/kernel
}

echo "# poolctl and the kernel"
check "without pool.ko it says so" status 1 list
check "... in one line" grep -q '^poolctl: .*is pool.ko loaded' /tmp/said
check "pool.ko and the example load" start
for format in --raw --json --prometheus; do
	check "$format is the kernel's" alike $format
done
ask table
check "a table for people" status 0 list
check "... of both pools" same "$(awk '/^ex_/ { print $1 }' /tmp/said | tr '\n' ' ')" \
	"ex_conn ex_event "
ask json
check "words of others stay" sh -c "./poolctl --kernel list >/dev/null &&
	grep -q '^{\"version\"' $P/pools"
check "one pool" status 0 show ex_conn
check "... with its creation" grep -q '^ex_conn size=.*main.c:' /tmp/said
check "options of one pool" status 0 debug ex_conn +poison
check "... are on" grep -q poison $P/by-name/ex_conn/debug
check "... and shown" sh -c "./poolctl --kernel show ex_conn | grep -q '^options .*poison'"
check "... of no other" not grep -q poison $P/by-name/ex_event/debug
check "options of all pools" status 0 debug no-poison
check "... are off" not grep -q poison $P/by-name/ex_conn/debug
forget
check "a wrong word" status 1 debug poisson
check "... is named in the log" says '"poisson"'
for command in gc reclaim "flush ex_conn" "flush all"; do
	check "$command" status 0 $command
done
check "a pool that is not there" status 1 flush nothing
check "a process has no part in it" status 2 --pid 1 list
check "two looks" status 0 watch 0.2 2
check "... are two lines" same "$(wc -l </tmp/said)" 3
check "what changes" status 0 diff 0.5
check "a graph" status 0 plot ex_conn 0.2 3
check "... of that pool" grep -q '^pool ex_conn: ' /tmp/said
check "no bugs" status 0 bugs
check "unloads" stop
