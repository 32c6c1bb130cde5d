#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# README's two blocks, on a Debian that has nothing: each command is run as it is written
# there, in its order.  Those of a program are run by a user who is not root, in a copy of the
# source in the user's home folder.  Then come the commands of the guide that start a program,
# an installation with the default folders, and removal.  Prints a line per promise, "ok - NAME"
# or "not ok - NAME", and how long each block took.
#
#	first.sh COMMANDS	what "tests/pages/commands.py root user module program" printed
#
# Runs in a fresh Debian, as root, in a clone; "make check-first" calls it there.  It
# installs packages and the library.

set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh
export DEBIAN_FRONTEND=noninteractive LC_ALL=C PATH=/usr/local/bin:$PATH
commands=$1
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)

# block N FILE - prints the N-th block of C in README
block() {
	awk -v n="$1" '/^```/ { on = /^```c$/ && ++seen == n; next } on' README.md >"$2"
}
useradd -m reader
home=/home/reader
cp -r . "$home/libpool"
block 1 "$home/libpool/prog.c"
chown -R reader: "$home/libpool"
mkdir my
block 2 my/my.c

# tree FOLDER - prints a line for each file, link and folder
tree() {
	find "$1" -path "$1/libpool" -prune -o -printf '%y %m %p %l\n' | sort
}
tree "$home" >"$tmp/home"

# expect COMMAND - sets the pattern of what the command must print, and the status it must end with
expect() {
	prints='' ends=0
	case $1 in
	*'&& ./prog') prints='^conn ' ;;
	*' ./bug') prints='allocated by main\+.*, freed by main\+' ends=134 ;;
	# The graph has a low column, and a high one behind it.
	*' ./leak '*) prints='^most [^ ]+ +[:.].*#' ;;
	*hot_size=128k* | *fail_alloc=5*) prints='^conn ' ;;
	*) return ;;
	esac
	expected=$((expected + 1))
}
expected=0

# Variables that a step exports must hold for the steps that follow.
exported=:
as_user() {
	runuser -u reader -- env -C "$home/libpool" HOME="$home" timeout 900 bash -c "$exported; $1"
}
as_root() {
	timeout 900 bash -c "$1"
}

# follow HOW COMMAND - runs a command, and compares its output and its status
follow() {
	local status=0

	"$1" "$2" >"$tmp/out" 2>&1 || status=$?
	tail -n 40 "$tmp/out"
	same "$status" "$ends" && { [ -z "$prints" ] || grep -qE "$prints" "$tmp/out"; }
}

# each HOW WHO... - runs the commands of these users, and prints the seconds that they took
each() {
	local how=$1 who where command name begun=$SECONDS

	shift
	while IFS=$'\t' read -r who where command; do
		[[ " $* " = *" $who "* ]] || continue
		n=$((n + 1)) where=${where##*/}
		expect "$command"
		name=$(tr -sc 'a-z0-9\n' _ <<<"$command" | cut -c 1-40)
		check "first_${release}_${n}_${where%%[.:]*}_$name" follow "$how" "$command"
		[[ $command != 'export '* ]] || exported+="; $command"
	done <<<"$commands"
	echo "# $release: $((SECONDS - begun)) seconds: $*"
}
n=0

apt-get -qy update >&2
each as_root root
each as_user user

# Programs of the guide have this name.
cp "$home/libpool/prog" "$home/libpool/program"
each as_user program
check "first_${release}_each_expectation_was_met_by_a_command" same $expected 5

# returns FOLDER LIST - the folder must be as it was when LIST was written
returns() {
	tree "$1" | diff "$2" -
}
as_user "make -s uninstall PREFIX=$home/.local" || true
check "first_${release}_uninstall_leaves_the_home_as_it_was" returns "$home" "$tmp/home"

# The default folders are found without an environment, after ldconfig.
# shellcheck disable=SC2046	# words of pkg-config
by_default() {
	make -s -C "$home/libpool" install install-tools && ldconfig &&
		cc -o "$tmp/prog" "$home/libpool/prog.c" $(pkg-config --cflags --libs libpool) &&
		"$tmp/prog" 2>&1 | grep '^conn ' && poolctl --help >/dev/null
}
# Packages that were installed above have made folders there.
tree /usr/local >"$tmp/local"
check "first_${release}_the_default_folders_are_found" by_default
make -s -C "$home/libpool" uninstall || true
check "first_${release}_uninstall_leaves_the_default_folders_as_they_were" \
	returns /usr/local "$tmp/local"

# The kernel is the newest of this Debian; ours runs instead.
newest=$(apt-cache depends linux-headers-amd64 | sed -n 's/.*Depends: linux-headers-//p')
mkdir "$tmp/bin"
printf '#!/bin/sh\n[ "$*" = -r ] && echo %s || exec /usr/bin/uname "$@"\n' "$newest" \
	>"$tmp/bin/uname"
chmod +x "$tmp/bin/uname"
export PATH=$tmp/bin:$PATH
each as_root module
check "first_${release}_a_module_of_ones_own_needs_pool" \
	grep -qx 'pool' <(/sbin/modinfo -F depends my/my.ko)
finish
