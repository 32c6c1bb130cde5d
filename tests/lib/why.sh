# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# why.sh - a script that ends with a failure says why, in its last line
#
# Sourced by bash scripts that have "set -e".  die() names a reason.  A command that fails
# where nobody looks at its status is named by the ERR trap, unless it was a script of ours
# that has died: its status says that the reason was printed.

[ -z "${SAID:-}" ] || return 0

# The status of a script that has printed a reason.
readonly SAID=97

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
	say "$@"
	exit $SAID
}

# disk_full - the folders in which programs write here, of those whose disk is full
disk_full() {
	local dir

	for dir in build "${LIBPOOL_CACHE:-$HOME/.cache/libpool}" "${TMPDIR:-/tmp}" .; do
		[ -d "$dir" ] || continue
		[ "$(df --output=avail -k "$dir" | tail -n 1)" -ge 1024 ] || echo "$dir"
	done
}

# failed_at STATUS LINE COMMAND - what the ERR trap prints.  A subshell does not print it,
# because the shell above it may look at its status.
failed_at() {
	local status=$1 line=$2 command=${3%%$'\n'*} where

	[ "$BASH_SUBSHELL" = 0 ] && [ "$status" != $SAID ] && [[ $- = *e* ]] || return 0
	where=$(disk_full 2>/dev/null | head -n 1) || true
	if [ -n "$where" ]; then
		say "line $line: \"$command\" failed, because the disk of $where is full"
	else
		say "line $line: \"$command\" failed with status $status;" \
			"the lines above say more"
	fi
}

set -E
trap 'failed_at $? "$LINENO" "$BASH_COMMAND"' ERR

# reason LOG - why a command failed that has left this output: a common cause in plain
# words, or the last line.
reason() {
	local line

	if grep -qsE 'No space left on device|not have enough free space' "$1"; then
		echo "the disk is full"
		return
	fi
	line=$(grep -sE -m1 'Temporary failure resolving|Could not (resolve|connect)|Cannot initiate the connection|Network is unreachable' "$1") ||
		true
	if [ -n "$line" ]; then
		echo "no answer from the archive, so is there a network? ($line)"
		return
	fi
	line=$(grep -sv '^[[:space:]]*$' "$1" | tail -n 1) || true
	echo "${line:-it said nothing}"
}

# room MB DIR - the disk of that folder has so much free
room() {
	local dir=$2 free

	while [ ! -d "$dir" ]; do
		dir=$(dirname "$dir")
	done
	free=$(($(df --output=avail -k "$dir" | tail -n 1) / 1024))
	[ "$free" -ge "$1" ] || die "$2 needs $1 MB, and its disk has $free MB free"
}
