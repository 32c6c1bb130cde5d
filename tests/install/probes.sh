#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that programs have libpool's USDT probes, that these fire as often as libpool's own
# numbers say, with the right arguments, and that the examples for bpftrace are right.
#
#	probes.sh BUILD-FOLDER
#
# gdb looks at the probes, which needs nothing of the kernel.

# shellcheck source=tests/install/begin.sh
. "$(dirname "$0")/begin.sh"

gdb=(timeout 300 gdb -batch -nx -iex 'set debuginfod enabled off'
     -iex 'set auto-load python-scripts off')
export LC_ALL=C
events=(alloc free fill spill evict backend_get backend_put refused fault)

# build NAME LIBRARY...
build() {
	gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -I"$tmp" -o "$tmp/$1" \
		tests/install/probes/prog.c "${@:2}" -pthread
}

# probes FILE - prints "EVENT ARGUMENTS..." of each probe that readelf finds
probes() {
	readelf -n "$1" | awk '
		$1 == "Provider:" { ours = $2 == "libpool" }
		$1 == "Name:" { name = $2 }
		$1 == "Arguments:" && ours { $1 = name; print }'
}

# has FILE - the file must have all events, each with its number of arguments
has() {
	probes "$1" | awk '{ print $1, NF - 1 }' | sort -u | tee "$tmp/has"
	diff "$tmp/has" - <<-END
		alloc 4
		backend_get 3
		backend_put 3
		evict 3
		fault 6
		fill 4
		free 4
		refused 3
		spill 3
	END
}

# A breakpoint on each event prints a line "[EVENT] POOL ARGUMENTS..." and goes on.
commands() {
	local event

	printf 'set breakpoint pending on\nset print finish off\n'
	for event in "${events[@]}"; do
		printf 'break -probe-stap libpool:%s\ncommands\nsilent\n' "$event"
		printf 'printf "[%s] %%s %%lu", $_probe_arg0 + $_probe_arg1, $_probe_arg2\n' \
			"$event"
		case $event in
		fill) printf 'printf " %%lu", $_probe_arg3\n' ;;
		fault) printf 'printf " %%lu <%%s>", $_probe_arg3, (char *)$_probe_arg4\n'
		       printf 'printf " "\ninfo symbol $_probe_arg5\n' ;;
		esac
		printf 'printf "\\n"\ncontinue\nend\n'
	done
	printf 'run >%s\n' "$1"
}

# traced NAME - runs a program, and sums up its events: "POOL EVENT EVENTS SUM"
traced() {
	commands "$tmp/$1.said" >"$tmp/$1.gdb"
	"${gdb[@]}" -x "$tmp/$1.gdb" "$tmp/$1" >"$tmp/$1.all" 2>&1 || return 1
	grep '^\[' "$tmp/$1.all" >"$tmp/$1.seen" || { cat "$tmp/$1.all"; return 1; }
	tail -n 3 "$tmp/$1.said"
}

# numbers NAME EVENT - the events of each pool, or their sum, must be those of its statistics
numbers() {
	local pool event count sum seen

	grep -E "^[^ ]+ $2 " "$tmp/$1.said" >"$tmp/want"
	while read -r pool event count sum; do
		seen=$(awk -v e="[$event]" -v p="$pool" '
			$1 == e && $2 == p { n++; s += $3 }
			END { print n + 0, s + 0 }' "$tmp/$1.seen")
		[ "$count" = - ] || same "$pool ${seen% *}" "$pool $count" || return 1
		[ "$sum" = - ] || same "$pool ${seen#* }" "$pool $sum" || return 1
	done <"$tmp/want"
	# Each pool must have only numbers that belong to events, and one pool at least must
	# have this event.
	grep -qE "^[^ ]+ $2 .*[1-9]" "$tmp/want" && grep -q "^\[$2\]" "$tmp/$1.seen"
}

# says NAME PATTERN
says() {
	grep -v '^\[fill\]\|^\[spill\]\|^\[backend_put\]' "$tmp/$1.seen" | tail -n 20
	grep -qE -- "$2" "$tmp/$1.seen"
}

# Objects that go from clusters to arrays and callers must have come there before, some through
# the shared pool.
balanced() {
	awk '$1 == "[fill]" { from[$4] += $3 }
		$1 == "[spill]" { spilled += $3 }
		END {
			print "filled", from[0], "and", from[1], "spilled", spilled
			exit !(from[0] > 0 && from[1] > 0 && from[0] <= spilled)
		}' "$tmp/$1.seen"
}

# asked NAME - makes all checks of one program
asked() {
	local event

	for event in "${events[@]}"; do
		check "probe_${event}_fires_as_often_as_libpool_counts_$1" numbers "$1" "$event"
	done
	check "probe_fill_tells_of_the_shared_pool_$1" balanced "$1"
	check "probe_refused_has_the_cause_$1" says "$1" '^\[refused\] few 2$'
	check "probe_fault_has_object_kind_words_and_caller_$1" says "$1" \
		"^\[fault\] checked $(object "$1") 3 <freed twice> give \+ [0-9]+ "
}

# object NAME - prints the address of the object that the program frees twice, as a number
object() {
	printf '%d' "$(sed -n 's/^object \([^ ]*\) .*/\1/p' "$tmp/$1.said")"
}

check the_library_has_the_probes has "$out/libpool.so.0"
check a_program_runs_with_the_library build shared "$out/libpool.so.0" "-Wl,-rpath,$out"
check gdb_traces_a_program traced shared
asked shared
check a_program_runs_with_the_archive build static "$out/libpool.a" -static
check a_static_program_has_the_probes has "$tmp/static"
check gdb_traces_a_static_program traced static
asked static
check a_program_keeps_the_probes_where_sections_are_collected eval \
	"build small '$out/libpool.a' -Wl,--gc-sections && strip '$tmp/small' && has '$tmp/small'"

# The examples for bpftrace run at once on a program that does not end.
shown() {
	cat <<-'END'
		fills	fills_of_a_thread	^@fills\[the%20big%20one, from this thread\]: [1-9]
		fills	fills_of_the_shared_pool	^@fills\[the%20.*, from the shared pool\]: [1-9]
		fills	spills	^@spills\[the%20big%20one\]: [1-9]
		evictions	clusters	^@clusters\[the%20big%20one\]: [1-9]
		evictions	objects	^@objects\[the%20big%20one\]: [1-9]
		backend	what_it_gave	^@get\[the%20big%20one\]:
		backend	what_it_took	^@put\[the%20big%20one\]:
		backend	refusals	^@refused\[few, 2\]: [1-9]
		faults	the_call	^pool "checked": 0x[0-9a-f]+: freed twice, found by give
		faults	a_stack	^ +pool_report\+
	END
}
traces() {
	local name pids=()

	for name in fills evictions backend faults; do
		timeout -s INT 10 bpftrace -p "$1" "user/examples/bpftrace/$name.bt" \
			>"$tmp/$name.traced" 2>"$tmp/$name.errors" &
		pids+=($!)
	done
	wait "${pids[@]}" || true
}
finds() {
	cat "$tmp/$1.errors" "$tmp/$1.traced"
	grep -qE -- "$2" "$tmp/$1.traced"
}
examples() {
	local pid name what pattern

	"$tmp/shared" 60 >"$tmp/log" 2>&1 &
	pid=$!
	traces "$pid"
	while IFS=$'\t' read -r name what pattern; do
		check "the_example_${name}_shows_$what" finds "$name" "$pattern"
	done < <(shown)
	kill "$pid"
}
check bpftrace_is_there command -v bpftrace
if bpftrace -e 'BEGIN { exit(); }' >"$tmp/bpf" 2>&1; then
	examples
else
	sed 's/^/# not found: a kernel that runs bpftrace; its examples were not run: /' "$tmp/bpf"
fi
finish
