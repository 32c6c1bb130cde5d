# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# plot.sh - poolctl plot: of dumps with numbers of ours, of a program, as SVG, on screens
#
# poolctl.sh sources it.  $tmp/after is a dump of 7 pools that need nothing; dump() of
# advise.sh changes numbers of pool1 in it, whose objects have 40 bytes.

# Five dumps in one file: objects in use rise, then cached ones; fills happen in between.
for numbers in 'used=0 cached=3 fills=0' 'used=100 cached=3 fills=10' \
	'used=200 cached=3 fills=50' 'used=400 cached=1000 fills=90' 'used=400 cached=50 fills=90'; do
	# shellcheck disable=SC2086	# words
	dump $numbers store_puts=7
	cat "$tmp/changed"
done >"$tmp/dumps"
sed 1d "$src/plot.txt" >"$tmp/plot.txt"
check a_graph_is_as_it_was diff <("$ctl" plot pool1 "$tmp/dumps" 0.5) "$tmp/plot.txt"
check a_graph_may_be_plain_ascii diff <(LC_ALL=C "$ctl" plot pool1 "$tmp/dumps" 0.5) \
	<(sed 'y/▁▂▃▄▅▆▇█/..::||##/' "$tmp/plot.txt")

# The same dumps as JSON must have the same numbers.
apart() {
	local n=0

	rm -f "$tmp"/dump.*
	csplit -s -f "$tmp/dump." "$tmp/dumps" '/^pools version/' '{*}'
	rm "$tmp/dump.00"
	"$ctl" plot pool1 "$tmp"/dump.0* 0.5 | diff - "$tmp/plot.txt" &&
		python3 "$src/ask.py" json <"$tmp/dumps" >"$tmp/dumps.json" &&
		"$ctl" plot pool1 "$tmp/dumps.json" 0.5 | diff - "$tmp/plot.txt"
}
check dumps_may_be_in_files_of_their_own_and_json apart
shuffled() {
	awk '/^[0-9]/ { line[n++] = $0; next }
		/^total/ { while (n) print line[--n] }
		{ print }' "$tmp/dumps" >"$tmp/backwards"
	! cmp -s "$tmp/dumps" "$tmp/backwards" &&
		"$ctl" plot pool1 "$tmp/backwards" 0.5 | diff - "$tmp/plot.txt"
}
check dumps_may_be_in_any_order shuffled
unknown_keys() {
	sed 's/{"id"/{"ratio":0.5,"moons":[1,{"x":"y"}],"id"/g' "$tmp/dumps.json" >"$tmp/keys.json"
	! cmp -s "$tmp/dumps.json" "$tmp/keys.json" &&
		"$ctl" plot pool1 "$tmp/keys.json" 0.5 | diff - "$tmp/plot.txt"
}
check keys_that_are_not_known_may_have_any_value unknown_keys
counted() {
	"$ctl" plot all "$tmp/dumps" >"$tmp/plot" && cat "$tmp/plot" &&
		same "$(head -n 1 "$tmp/plot")" '7 pools: 5 dumps' &&
		grep -q '^fills/dump ' "$tmp/plot" &&
		tail -n 1 "$tmp/plot" | grep -q 'dump 1  *dump 5$'
}
check dumps_without_a_time_are_counted counted
gone_for_a_while() {
	grep -v ' pool1 ' "$tmp/after" >"$tmp/without"
	"$ctl" plot pool1 "$tmp/without" "$tmp/after" "$tmp/without" >"$tmp/plot" &&
		cat "$tmp/plot" && sed -n 3p "$tmp/plot" | grep -q '^0B in 0 ' &&
		sed -n 4p "$tmp/plot" | grep -q '^most 520B '
}
check a_pool_may_come_and_go gone_for_a_while

# huge - a number of bytes that is too large must be shown as the largest one
huge() {
	dump used=18446744073709551615
	"$ctl" plot pool1 "$tmp/changed" >"$tmp/plot" && cat "$tmp/plot" &&
		grep -q '^most 15.9E ' "$tmp/plot"
}
check numbers_may_be_too_large huge

### SVG

# Reads a graph back from its points on the screen.
drawn() {
	"$ctl" --svg plot pool1 "$tmp/dumps" 0.5 >"$tmp/plot.svg" &&
		"$src/ask.py" svg "$tmp/plot.svg" \
			used:0,4000,8000,16000,16000 cached:120,4120,8120,56000,18000 \
			fills:20,80,80,0 store_puts:0,0,0,0
}
check an_svg_has_the_numbers drawn
svg_stays() {
	"$ctl" --svg --output "$tmp/again.svg" plot pool1 "$tmp/dumps" 0.5 &&
		cmp "$tmp/plot.svg" "$tmp/again.svg"
}
check an_svg_of_the_same_is_the_same svg_stays
escaped() {
	sed 's/ pool1 / a<b\&c> /' "$tmp/dumps" >"$tmp/markup"
	"$ctl" --svg plot 'a<b&c>' "$tmp/markup" >"$tmp/markup.svg" &&
		"$src/ask.py" svg "$tmp/markup.svg" used:0,4000,8000,16000,16000 &&
		grep -q '<title id="title">pool a&lt;b&amp;c&gt;: 5 dumps</title>' "$tmp/markup.svg"
}
check a_name_is_no_markup escaped
one_dump() {
	"$ctl" --svg plot all "$tmp/after" >"$tmp/one.svg" &&
		"$src/ask.py" svg "$tmp/one.svg" fills: && "$ctl" plot all "$tmp/after"
}
check one_dump_is_enough one_dump
no_pools() {
	printf 'pools version 5\n# id name size used\ntotal pools=0\n' >"$tmp/empty"
	"$ctl" --svg plot all "$tmp/empty" "$tmp/empty" >"$tmp/empty.svg" &&
		"$src/ask.py" svg "$tmp/empty.svg" used:0,0 && "$ctl" plot all "$tmp/empty"
}
check a_program_without_pools_has_an_empty_graph no_pools
# A day with a dump per second must not need a larger picture.
many_dumps() {
	for _ in {1..700}; do cat "$tmp/dump.01" "$tmp/dump.02"; done >"$tmp/many.dumps"
	"$ctl" --svg plot all "$tmp/many.dumps" >"$tmp/many.svg" && ls -l "$tmp/many.svg" &&
		[ "$(wc -c <"$tmp/many.svg")" -lt 61440 ]
}
check many_dumps_are_a_small_svg many_dumps

### Of a program

live() {
	"$ctl" "${s[@]}" plot 0.1 5 >"$tmp/plot" && cat "$tmp/plot" &&
		grep -q '^7 pools: [0-9.]* s$' "$tmp/plot" && grep -q '^used' "$tmp/plot" &&
		same "$(wc -l <"$tmp/plot")" 23
}
check a_program_is_plotted live
check a_pool_of_a_program_is_plotted eval \
	"'$ctl' --socket '$sock' plot a%20%22name%22%09 0.1 2 | grep '^pool a%20%22name%22%09: [0-9.]* s$'"
rm -r "$tmp/debugfs"
made_up
check the_kernel_is_plotted eval \
	"'$ctl' --debugfs '$tmp/debugfs' plot .dot 0.1 2 | grep '^pool %2Edot: [0-9.]* s$'"
# A server that dies must leave the graph until then, and a message; not an empty file.
dies() {
	local program to_program status=0

	program "$tmp/dies.sock" 2
	{ sleep 2; kill -9 "$program"; } &
	"$ctl" --socket "$tmp/dies.sock" --svg --output "$tmp/dies.svg" plot 0.1 \
		2>"$tmp/dies.err" || status=$?
	cat "$tmp/dies.err"
	same "$status" 1 && grep -qE 'no program serves|its program is gone' "$tmp/dies.err" &&
		"$src/ask.py" svg "$tmp/dies.svg"
}
check a_target_that_dies_leaves_its_graph dies
# rates - a rate must not be a fifth too low, as if the time between two looks counted; a busy
# machine is not exact
rates() {
	"$ctl" --socket "$tmp/rising" plot 0.2 6 >"$tmp/plot" && cat "$tmp/plot" &&
		sed -n 13p "$tmp/plot" | grep -Eq '^most ([5-9]|1[0-9])[0-9]{2} '
}
"$src/ask.py" serve "$tmp/rising" rising >"$tmp/rising.said" &
started+=($!)
disown
within grep -q ready "$tmp/rising.said"
check plot_has_events_in_a_second rates

interrupted() {
	local status=0

	timeout -s "$1" 1 "$ctl" "${s[@]}" plot 0.1 >"$tmp/plot" || status=$?
	cat "$tmp/plot"
	# The status that timeout uses itself.
	same "$status" 124 && same "$(wc -l <"$tmp/plot")" 23
}
check an_interrupt_ends_the_graph interrupted INT
check a_signal_ends_the_graph interrupted TERM

### On screens

# The screen stays until a key is pressed, and with it the text that is printed afterwards.
"${tmux[@]}" new-session -d -s plot -x 90 -y 30 \
	"$(printf '%q ' "$ctl" "${s[@]}" plot 0.1); echo ended \$?; read -r _"
check a_screen_has_a_graph on plot '^used  '
check a_screen_has_a_large_graph_in_blocks on plot '█{70}$'
resized_plot() {
	"${tmux[@]}" resize-window -t plot -x "$1" -y "$2" && on plot "$3"
}
check a_graph_on_20_columns_has_names_and_bars resized_plot 20 24 '^used  .*█{5}$'
check a_graph_on_1_line_will_do resized_plot 20 1 '^7 pools'
check a_graph_on_2_columns_will_do resized_plot 2 12 '^7$'
check a_graph_grows_with_its_screen resized_plot 100 40 '█{80}$'
keys_to plot q
check a_key_ends_the_graph_which_stays on plot '^ended 0$'
check the_graph_stays on plot '█{60}$'
keys_to plot Enter

"${tmux[@]}" new-session -d -s ascii -x 80 -y 24 \
	"LC_ALL=C $(printf '%q ' "$ctl" "${s[@]}" plot 0.1)"
check a_screen_may_have_ascii_only on ascii '#{60}$'
keys_to ascii Q
session dead 60 24 --socket "$tmp/dead.sock" plot 0.1
check plot_of_what_is_not_there_ends ends dead 1

### What is wrong

wrong plot_of_nothing 'plot needs' plot
wrong plot_without_dumps 'plot needs' plot all
wrong plot_of_a_time_alone 'plot needs' plot all 1
for n in 0 -1 1x 1e3 99999 0.01 .01; do
	nth=$((nth + 1))
	wrong "bad_seconds_${nth}_of_plot" 'not 0.1 to 86400 seconds' "${s[@]}" -- plot "$n"
	wrong "bad_seconds_${nth}_of_plot_of_a_pool" 'not 0.1 to 86400 seconds' \
		"${s[@]}" -- plot pool1 "$n"
done
for n in 0 99999 0.01 . ...; do
	nth=$((nth + 1))
	wrong "bad_seconds_${nth}_of_plot_of_dumps" 'not 0.1 to 86400 seconds' \
		plot all "$tmp/dumps" "$n"
done
wrong a_bad_count_of_plot 'not a number from 1' "${s[@]}" plot 1 x
wrong plot_with_four_words 'too many words' "${s[@]}" plot pool1 1 2 3
wrong plot_of_what_is_no_dump 'neither a raw dump' plot all "$tmp/dumps" "$src/prog.c"
wrong plot_of_half_a_dump 'its end is missing' plot all "$tmp/dump.01" \
	<(head -n 4 "$tmp/dump.01")
wrong plot_as_json 'no such format' --json plot all "$tmp/dumps"
wrong list_as_svg 'no such format' "${s[@]}" --svg list
wrong svg_with_a_value '--help' --svg=x plot all "$tmp/dumps"
wrong diff_of_many_dumps 'more than one dump' diff "$tmp/dumps" "$tmp/after"
check plot_of_a_pool_that_is_not_there_is_told_of refused 1 'no pool "pool"' \
	"${s[@]}" plot pool 0.1 2
check plot_of_dumps_without_a_pool_is_told_of refused 1 'no pool "pool"' \
	plot pool "$tmp/dumps"
check a_folder_that_is_not_there_is_told_of refused 1 'cannot be made' \
	--svg --output /nowhere/x.svg plot all "$tmp/dumps"
