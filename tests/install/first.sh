#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# README's first ten minutes, on a Debian that has nothing: each command of that section is
# run as it is written there, in its order.  Then each command of README and the guide that
# starts a program.  Prints a line per promise, "ok - NAME" or "not ok - NAME".
#
#	first.sh COMMANDS	what "tests/pages/commands.py first program" printed
#
# Runs in a fresh Debian, as root, in a clone; "make check-first" calls it there.  It
# installs packages and the library.

set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

# Its kernel is the newest of this Debian; ours runs instead.
apt-get -qy update >&2
newest=$(apt-cache depends linux-headers-amd64 | sed -n 's/.*Depends: linux-headers-//p')
printf '#!/bin/sh\n[ "$*" = -r ] && echo %s || exec /usr/bin/uname "$@"\n' "$newest" \
	>/usr/local/bin/uname
chmod +x /usr/local/bin/uname
export PATH=/usr/local/bin:$PATH

# block N - the N-th block of C in README
block() {
	awk -v n="$1" '/^```/ { on = /^```c$/ && ++seen == n; next } on' README.md
}
mkdir my
block 1 >prog.c
block 2 >my/my.c

# expect COMMAND - sets what it must print, an extended regular expression, and its status
expect() {
	prints='' ends=0
	case $1 in
	*'&& ./prog') prints='^conn ' ;;
	*' ./bug') prints='freed twice' ends=134 ;;
	*' ./loop '*) prints='conn' ;;
	*hot_size=128k* | *fail_alloc=5*) prints='^conn ' ;;
	*) return ;;
	esac
	expected=$((expected + 1))
}
expected=0

# follow COMMAND - runs it, and compares
follow() {
	local status=0

	timeout 900 bash -c "$1" >"$tmp/out" 2>&1 || status=$?
	tail -n 40 "$tmp/out"
	same "$status" "$ends" && { [ -z "$prints" ] || grep -qE "$prints" "$tmp/out"; }
}

# Programs of the guide have this name.
n=0
while IFS=$'\t' read -r where command; do
	n=$((n + 1))
	[ ! -f prog ] || cp prog program
	expect "$command"
	where=${where##*/}
	check "first_${n}_${where%%[.:]*}_$(tr -sc 'a-z0-9\n' _ <<<"$command" | cut -c 1-40)" \
		follow "$command"
done <<<"$1"
check first_each_expectation_was_met_by_a_command same $expected 5
check first_a_module_of_ones_own_needs_pool \
	grep -qx 'pool' <(/sbin/modinfo -F depends my/my.ko)
finish
