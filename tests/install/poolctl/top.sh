# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# top.sh - poolctl top, on screens of any size and on none, and beside targets that die
#
# poolctl.sh sources it.

session first 100 15 "${s[@]}" top 0.2
check top_shows_pools on first '^pool4 +1[.]0K '
check top_shows_totals on first '^7 pools: held '
sorted_by() {
	keys_to first "$1" && on first "sorted by $2  "
}
check a_key_sorts_by_the_next_column sorted_by '>' idle
check a_key_sorts_by_the_one_before sorted_by '<' held
check a_key_sorts_by_name sorted_by '<' name
first_is() {
	within eval "same \"\$(seen first | sed -n 4p | cut -d' ' -f1)\" $1"
}
check pools_are_sorted_by_name first_is a
keys_to first r
check a_key_turns_the_order_round first_is twin
keys_to first '?'
check a_key_shows_the_keys on first '^space  +look at once'
keys_to first '?'
check the_key_shows_the_pools_again on first '^pool4 +1[.]0K '
keys_to first Down
check a_key_goes_down first_is pool4
keys_to first Home
check a_key_goes_to_the_beginning first_is twin
resized() {
	"${tmux[@]}" resize-window -t first -x "$1" -y "$2" && on first "$3" &&
		same "$(seen first | grep -c '.\{'$(($1 + 1))'\}')" 0
}
check a_screen_of_20_columns_has_names_and_a_number resized 20 12 '^pool4 +1[.]0K'
check a_screen_of_1_line_will_do resized 20 1 '^7 pools: held'
check a_screen_of_2_columns_will_do resized 2 12 '^po$'
check a_large_screen_will_do resized 250 60 'faults'
keys_to first q
check top_ends_by_q ends first 0

# The program does not answer yet when the size of the screen changes, which is a signal.
waits_on() {
	local program to_program

	program "$tmp/waits.sock" 2
	session waits 80 12 --socket "$tmp/waits.sock" top 0.1
	on waits '^[0-9]+ pools: held' && kill -STOP "$program" && sleep 1 &&
		"${tmux[@]}" resize-window -t waits -x 100 -y 20 && sleep 1 &&
		"${tmux[@]}" resize-window -t waits -x 70 -y 14 && sleep 1 &&
		kill -CONT "$program" && on waits '^[0-9]+ pools: held' || return 1
	keys_to waits q
	ends waits 0
}
check a_screen_that_changes_while_its_program_is_slow_lives_on waits_on

counts_allocations() {
	local program to_program

	program "$tmp/allocs.sock,memstats" 1 busy
	session allocs 100 10 --socket "$tmp/allocs.sock" --sort allocs top 0.3
	on allocs '^pool0 +[1-9][0-9.]+M? ' && on allocs '^twin +- ' || return 1
	keys_to allocs q
	kill "$program"
}
check top_has_allocations_in_a_second_of_pools_with_memstats counts_allocations

session second 80 10 "${s[@]}" --sort used top 0.2
check top_starts_sorted_as_asked on second 'sorted by used'
keys_to second C-c
# The signal ends the shell of tmux, too.
check top_ends_by_a_signal within eval "! ${tmux[*]} has-session -t second"

# The server is that of plot.sh.
session rising 100 10 --socket "$tmp/rising" --sort fills top 0.3
check top_has_events_in_a_second on rising '^rising +([5-9]|1[0-9])[0-9]{2} '
keys_to rising q

# top must end with its terminal, and not later.
"${tmux[@]}" new-session -d -s hangup -x 80 -y 10 \
	"echo \$\$ >$tmp/hangup.pid; exec $(printf '%q ' "$ctl" "${s[@]}" top)"
hangs_up() {
	on hangup '^pool4' && "${tmux[@]}" kill-session -t hangup &&
		within eval '! kill -0 "$(cat "$tmp/hangup.pid")"'
}
check top_ends_with_its_terminal hangs_up

# no_screen TERMINAL WHY
no_screen() {
	local status=0

	TERM=$1 timeout 20 script -qec "'$ctl' --socket '$sock' top" /dev/null \
		</dev/null >"$tmp/unknown" || status=$?
	cat "$tmp/unknown"
	same "$status" 2 && grep -q "poolctl: the terminal \"$1\" $2" "$tmp/unknown"
}
check an_unknown_terminal_is_told_of no_screen nosuch 'is not known'
check a_terminal_that_only_prints_is_told_of no_screen dumb 'cannot move its cursor'

session third 80 10 "${s[@]}" top 0.2
check top_runs_before_its_target_dies on third '^pool1'
kill -9 "$program"
check top_says_that_its_target_died ends third 1
check top_says_it_after_the_screen grep -q "^poolctl: $sock: no program serves" "$tmp/third.err"
check a_target_that_is_dead_is_told_of refused 1 'no program serves' "${s[@]}" list
check watch_ends_with_its_target refused 1 'no program serves' "${s[@]}" watch

# Another program takes the socket of a killed one, and events per second must stay right.
program "$sock" 2 busy
session fourth 150 10 "${s[@]}" --sort get_objs top 0.3
busy() {
	"$ctl" --socket "$sock" watch 0.3 2 >"$tmp/busy" && cat "$tmp/busy" &&
		awk 'END { exit !($6 + $7 + $9 > 0) }' "$tmp/busy"
}
check watch_counts_events_of_a_busy_program busy
keys_to fourth q
check top_of_a_busy_program_ends_by_q ends fourth 0
