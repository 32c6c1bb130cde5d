# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
#
# promise.sh - for scripts that print a line per promise, "ok NAME" or "not ok NAME"
#
# Sourced in the top folder.  Makes $tmp, which goes at exit, with the installed
# headers in $tmp/libpool.  A script ends with "exit $failed".

failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# promise NAME COMMAND... - the command succeeds
promise() {
	local name=$1
	shift
	if "$@" >"$tmp/said" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/# /' "$tmp/said"
		# shellcheck disable=SC2034	# the script's last word
		failed=1
	fi
}

mkdir "$tmp/libpool"
for header in $(make -s headers); do
	cp "$header" "$tmp/libpool"
done
