# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# results.sh - for every script that checks something
#
# A result is a line "ok - NAME" or "not ok - NAME"; summary.sh counts them.  Lines that
# begin with "#" say more.  Sourced by bash, and by busybox sh in virtual machines.
# Makes the folder $tmp, which is removed at exit.  The last command of a script is
# "finish".

if [ -n "${BASH_VERSION:-}" ]; then
	# Other shells do not know the name of this file.
	eval '. "${BASH_SOURCE[0]%/*}/why.sh"'
fi
passed=0
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# result ok|"not ok" NAME
result() {
	echo "$1 - $2"
	if [ "$1" = ok ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
}

# check NAME COMMAND... - prints "ok" if the command succeeds, else "not ok" and what it
# printed.  If the environment has ONLY, checks with other names are skipped.
check() {
	local name=$1

	case " ${ONLY:-$name} " in
	*" $name "*) shift ;;
	*) return 0 ;;
	esac
	if "$@" >"$tmp/printed" 2>&1; then
		result ok "$name"
	else
		result "not ok" "$name"
		sed 's/^/# /' "$tmp/printed"
	fi
}

# results COMMAND... - runs a command that prints results; if it fails without a printed
# failure, or prints no result, that is a failure
results() {
	local status=0

	"$@" >"$tmp/printed" 2>&1 || status=$?
	sed -E 's/^(not ok|ok) (- )?/\1 - /' "$tmp/printed"
	passed=$((passed + $(grep -c '^ok ' "$tmp/printed" || true)))
	failed=$((failed + $(grep -c '^not ok ' "$tmp/printed" || true)))
	if [ "$status" != 0 ] && ! grep -q '^not ok ' "$tmp/printed"; then
		result "not ok" "${1##*/} ends with status $status"
	elif ! grep -qE '^(not ok|ok) ' "$tmp/printed"; then
		result "not ok" "${1##*/} prints results"
	fi
}

# not COMMAND... - the command fails
not() {
	! "$@"
}

# same IS EXPECTED
same() {
	[ "$1" = "$2" ] || {
		echo "'$1' is not '$2'"
		return 1
	}
}

# finish - counts, and ends the script
finish() {
	echo "$passed passed, $failed failed"
	exit $((failed > 0))
}
