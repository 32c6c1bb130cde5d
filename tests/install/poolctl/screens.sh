# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# screens.sh - poolctl on screens of tmux: sessions, what is seen on them, keys
#
# poolctl.sh sources it.

# Between two sessions there may be none.
"${tmux[@]}" start-server \; set -g exit-empty off

# session NAME WIDTH HEIGHT ARG... - top in a session of tmux; its exit status is in NAME.exit
session() {
	local name=$1 width=$2 height=$3

	shift 3
	"${tmux[@]}" new-session -d -s "$name" -x "$width" -y "$height" \
		"$(printf '%q ' "$ctl" "$@") 2>$tmp/$name.err; echo \$? >$tmp/$name.exit"
}
seen() {
	"${tmux[@]}" capture-pane -p -t "$1"
}
# on NAME PATTERN - a line of the screen must match
on() {
	within eval "seen $1 | tee $tmp/screen | grep -E -- '$2'" ||
		{ cat "$tmp/screen"; return 1; }
}
keys_to() {
	"${tmux[@]}" send-keys -t "$1" "${@:2}"
}
ends() {
	within test -s "$tmp/$1.exit" && same "$(cat "$tmp/$1.exit")" "$2"
}
