# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# queue.sh - runs jobs of worlds.sh beside each other, and says how far they are
#
# Sourced in the top folder, behind worlds.sh.
#
#	add SHARE NAME COMMAND...	a job, if a pattern of $wanted is its name; SHARE is 1, or
#					2 for one that keeps a CPU busy, 4 for one that keeps all
#	queue_order			the longest first, as measured
#	queue_run			runs all, and removes them from the queue
#
# There are two shares for each CPU, and four at least.  A job that takes longer than
# QUEUE_LIMIT seconds is killed, with all of its processes, and has failed.

queue=()		# names
wanted=('*')
declare -A queue_share queue_command queue_pid queue_start
QUEUE_LIMIT=${QUEUE_LIMIT:-3000}
QUEUE_SHARES=${QUEUE_SHARES:-$(($(nproc) > 2 ? 2 * $(nproc) : 4))}
QUEUE_PULSE=${QUEUE_PULSE:-30}
MEASURED=${MEASURED:-tests/jobs.measured}
queue_total=0 queue_ended=0

add() {
	local pattern is=

	for pattern in "${wanted[@]}"; do
		# shellcheck disable=SC2053	# a pattern
		[[ $2 != $pattern ]] || is=1
	done
	[ -n "$is" ] || return 0
	[ -z "${queue_command[$2]:-}" ] || die "job $2 is there twice"
	queue+=("$2")
	queue_share[$2]=$1
	queue_command[$2]=$(printf '%q ' "${@:3}")
	queue_total=$((queue_total + 1))
}

# measured_seconds - lines "SECONDS NAME" of the queue; one that was not measured has "?"
measured_seconds() {
	printf '%s\n' "${queue[@]}" | awk -v file="$MEASURED" '
		BEGIN { while ((getline line <file) > 0) {
			split(line, word, " ")
			seconds[word[1]] = word[2]
		} }
		{ print ($1 in seconds ? seconds[$1] : "?"), $1 }'
}

# queue_order - of those that were not measured the large ones come first, since they may be long
queue_order() {
	local seconds name

	[ ${#queue[@]} -gt 0 ] || return 0
	mapfile -t queue < <(measured_seconds | while read -r seconds name; do
		[ "$seconds" != '?' ] || seconds=$((queue_share[$name] > 1 ? 99999 : 50))
		echo "$seconds $name"
	done | sort -s -k1,1nr | cut -d' ' -f2)
}

# queue_minutes - what the queue takes, of the jobs that were measured
queue_minutes() {
	local seconds name sum=0

	while read -r seconds name; do
		[ "$seconds" = '?' ] || sum=$((sum + seconds * queue_share[$name]))
	done < <(measured_seconds)
	echo $(((sum / QUEUE_SHARES + 59) / 60))
}

# clock - minutes and seconds since the script has begun
clock() {
	printf '[%2d:%02d]' $((SECONDS / 60)) $((SECONDS % 60))
}

# queue_start_one NAME - in a process group of its own, which can be killed
queue_start_one() {
	set -m
	eval "${queue_command[$1]}" </dev/null >"$results/$1.out.log" 2>&1 &
	set +m
	queue_pid[$1]=$!
	queue_start[$1]=$SECONDS
}

# queue_kill NAME - all of its processes, and those that do not listen
queue_kill() {
	kill -TERM -- "-${queue_pid[$1]}" 2>/dev/null || true
	sleep 3
	kill -KILL -- "-${queue_pid[$1]}" 2>/dev/null || true
}

# queue_stop - when the script is interrupted
queue_stop() {
	local name

	trap - INT TERM
	for name in "${!queue_pid[@]}"; do
		queue_kill "$name"
	done
	say "interrupted; these jobs did not end: ${!queue_pid[*]}"
	exit 130
}

# queue_judge NAME - counts its results, and shows what failed
queue_judge() {
	local name=$1 took=$((SECONDS - queue_start[$1])) bad

	queue_ended=$((queue_ended + 1))
	[ -s "$results/$name" ] || echo "not ok - ran" >"$results/$name"
	[ -s "$results/$name.seconds" ] || echo "$took" >"$results/$name.seconds"
	[ -s "$results/$name.out.log" ] || rm -f "$results/$name.out.log"
	bad=$(grep -cv '^ok - \|^n/a - ' "$results/$name" || true)
	printf '%s %d of %d: %s, %d s, %s\n' "$(clock)" $queue_ended $queue_total "$name" "$took" \
		"$(grep -c '^ok - ' "$results/$name" || true) passed, $bad failed"
	if [ "$bad" != 0 ]; then
		grep -v '^ok - \|^n/a - ' "$results/$name" | sed -n '1,20s/^/    /p'
		tail -qn 15 "$results/$name.log" "$results/$name.out.log" 2>/dev/null |
			sed 's/^/    | /' || true
	fi
}

# queue_pulse - what runs, when nothing has ended for a while; ends a job that hangs
queue_pulse() {
	local name line=

	for name in "${!queue_pid[@]}"; do
		line+="${line:+, }$name $((SECONDS - queue_start[$name])) s"
		if [ $((SECONDS - queue_start[$name])) -gt "$QUEUE_LIMIT" ]; then
			queue_kill "$name"
			echo "not ok - ended_within_${QUEUE_LIMIT}_seconds" >"$results/$name"
		fi
	done
	[ -z "$line" ] || echo "$(clock) $queue_ended of $queue_total; running: $line"
}

# queue_fill - starts what fits; a job that fits may overtake one that does not
queue_fill() {
	local name busy=0 rest=()

	for name in "${!queue_pid[@]}"; do
		busy=$((busy + queue_share[$name]))
	done
	for name in "${queue[@]}"; do
		if [ $((busy + queue_share[$name])) -le "$QUEUE_SHARES" ]; then
			busy=$((busy + queue_share[$name]))
			queue_start_one "$name"
		else
			rest+=("$name")
		fi
	done
	queue=("${rest[@]}")
}

# queue_reap - judges the jobs that have ended
queue_reap() {
	local name

	for name in "${!queue_pid[@]}"; do
		kill -0 "${queue_pid[$name]}" 2>/dev/null && continue
		queue_judge "$name"
		unset "queue_pid[$name]"
	done
}

queue_run() {
	local ticker

	trap queue_stop INT TERM
	sleep "$QUEUE_PULSE" &
	ticker=$!
	while :; do
		queue_fill
		[ ${#queue_pid[@]} -gt 0 ] || break
		# With nothing to wait for it returns at once.
		wait -n || sleep 0.2
		queue_reap
		if ! kill -0 $ticker 2>/dev/null; then
			queue_pulse
			sleep "$QUEUE_PULSE" &
			ticker=$!
		fi
	done
	kill $ticker 2>/dev/null || true
	trap - INT TERM
}
