# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# programs.sh - for checks that build programs with the installed headers
#
# Sourced in the top folder.  The headers are in $tmp/libpool.  The functions and the
# end of a script are those of results.sh.

# shellcheck source=tests/lib/results.sh
. tests/lib/results.sh

mkdir "$tmp/libpool"
for header in $(make -s headers); do
	cp "$header" "$tmp/libpool"
done

# runs COMMAND... - must end with 0 within a minute, and print nothing
runs() {
	local printed

	printed=$(timeout 60 "$@" 2>&1) || { echo "$? $printed"; return 1; }
	[ -z "$printed" ] || { echo "$printed"; return 1; }
}

# within COMMAND... - must succeed in one of 600 tries: a minute, or longer where each try takes
# longer
within() {
	local tries=600

	until "$@" >"$tmp/within" 2>&1; do
		((tries--)) || { cat "$tmp/within"; return 1; }
		sleep 0.1
	done
}
