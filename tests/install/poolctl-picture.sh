#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The picture of poolctl top in poolctl.rst, recorded from a screen of tmux.
#
#	poolctl-picture.sh BUILD-FOLDER		checks that it is like one of today
#	poolctl-picture.sh BUILD-FOLDER write	writes it, for "make doc-top"

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

export LC_ALL=C.UTF-8
src=tests/install/poolctl
picture=Documentation/poolctl-top.svg
tmux=(tmux -L "picture-$$" -f /dev/null)
demo=

# Ends all programs that the script has started.
end() {
	"${tmux[@]}" kill-server 2>/dev/null || true
	[ -z "$demo" ] || kill "$demo" 2>/dev/null || true
	rm -rf "$tmp"
}
trap end EXIT

gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -I"$tmp" -o "$tmp/demo" "$src/demo.c" \
	"$out/libpool.a" -pthread
ln -s "$out/poolctl" "$tmp/poolctl"
mkfifo "$tmp/in"
# The demo runs as long as this is open.
exec {to_demo}<>"$tmp/in"

# on TEXT - the screen must show TEXT
on() {
	"${tmux[@]}" capture-pane -p -t top | grep -q "$1"
}
# Record in the home folder, as a user would, so that the path on the screen is short.
record() {
	local frame

	cd "$tmp"
	LIBPOOL_OPTIONS=ctl=demo.sock ./demo <&"$to_demo" &
	demo=$!
	disown
	within test -S demo.sock || return 1
	"${tmux[@]}" new-session -d -s top -x 100 -y 12 './poolctl --socket demo.sock top 1'
	within on '^header ' || return 1
	for frame in 1 2 3 4 5 6; do
		sleep 1
		if [ "$frame" = 5 ]; then
			"${tmux[@]}" send-keys -t top '>' '>' '>'
			within on 'sorted by cached' || return 1
		fi
		"${tmux[@]}" capture-pane -e -p -t top >"frame.$frame"
	done
	"${tmux[@]}" send-keys -t top q
	cd "$top"
	cat "$tmp/frame.1"
	grep -q 'sorted by held' "$tmp/frame.1" && grep -q 'sorted by cached' "$tmp/frame.6"
}
check a_screen_is_recorded record
cd "$top"
drawn() {
	"$src/screen.py" 'poolctl top: the pools of a program, renewed each second' 1 \
		"$tmp"/frame.* >"$tmp/top.svg" &&
		python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$tmp/top.svg"
}
check the_picture_is_drawn drawn
check the_picture_is_small test "$(wc -c <"$tmp/top.svg")" -lt 61440
[ "${2:-}" != write ] || cp "$tmp/top.svg" "$picture"

# words PICTURE - prints the names of columns and pools, and all else that is no number
words() {
	sed -n 's/<text[^>]*>\([^<]*\)<.*/\1/p' "$1" | tr ' ' '\n' | grep '^[a-z]' | sort -u
}
check the_picture_has_todays_columns_and_pools diff <(words "$picture") <(words "$tmp/top.svg")

# refused WHY ARG... - the script must fail with one line that has WHY
refused() {
	local why=$1 status=0

	shift
	"$src/screen.py" "$@" >/dev/null 2>"$tmp/said" || status=$?
	cat "$tmp/said"
	same "$status" 1 && grep -q "$why" "$tmp/said" && same "$(wc -l <"$tmp/said")" 1
}
printf 'a\033[5mb\n' >"$tmp/blinks"
printf 'a\033[2Jb\n' >"$tmp/erases"
printf 'a\n' >"$tmp/low"
check a_picture_of_nothing_is_refused refused usage title 1
check a_picture_of_no_file_is_refused refused 'No such file' title 1 /nowhere
check a_colour_that_is_not_known_is_refused refused 'colour 5 is not' title 1 "$tmp/blinks"
check other_sequences_are_refused refused 'unknown sequence' title 1 "$tmp/erases"
check frames_of_different_heights_are_refused refused 'different heights' title 1 \
	"$tmp/low" "$tmp/frame.1"
finish
