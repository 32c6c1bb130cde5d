#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Counts the instructions of a pair of calls where there are many pools, under callgrind, and
# compares them with scale.table.  malloc() does the same work beside it.  Counts page faults and
# KiB, too, where most of the pools are not used, or most threads have ended.
#
#	scale.sh BUILD		BUILD: the folder with manypools, manypools-malloc, idlepools, threads, start
#
# Instructions are counted twice, with R and with 3 R rounds; the difference leaves out what
# a program does once.  Prints a result for each row.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/results.sh
. "$here/../../lib/results.sh"
# shellcheck source=tests/bench/scale/rows.sh
. "$here/rows.sh"
[ $# -eq 1 ] || {
	echo "usage: ${0##*/} BUILD" >&2
	exit 2
}
build=$1

# instructions PROGRAM WHAT ROUNDS [SIZE] - prints the instructions of a run
instructions() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --max-threads=600 "$@" \
		2>"$tmp/log" >"$tmp/pairs" ||
		{ cat "$tmp/log" >&2; return 1; }
	sed -n 's/.*Collected : //p' "$tmp/log"
}

# pair PROGRAM WHAT ROUNDS [SIZE] - prints the instructions of one pair of calls
pair() {
	local program=$1 what=$2 rounds=$3 once thrice
	shift 3

	once=$(instructions "$program" "$what" "$rounds" "$@")
	thrice=$(instructions "$program" "$what" $((3 * rounds)) "$@")
	echo $(((thrice - once) / (2 * rounds * $(head -n 1 "$tmp/pairs"))))
}

# start UNIT PROGRAM OBJECTS - prints the instructions of a whole run, or the fewest page faults of
# several
start() {
	local program=$2 objects=$3 i

	if [ "$1" = instructions ]; then
		instructions "$build/$program" "$objects"
	else
		for i in {1..9}; do "$build/$program" "$objects"; done | sort -n | head -n 1
	fi
}

# measure_start NAME - as measure: what libpool adds to a program, beside what an empty library
# adds; or, with objects, a program in percent of one that has its objects from malloc()
measure_start() {
	local bare empty pool objects=${1##*_}

	unit=instructions
	case $1 in *faults_*) unit=faults ;; esac
	bare=$(start $unit start-bare "$objects")
	pool=$(start $unit start "$objects")
	if [ "$objects" -gt 0 ]; then
		unit="per cent of malloc's $unit"
		beside=$bare
		is=$((100 * pool / bare))
	else
		empty=$(start $unit start-empty "$objects")
		beside="none, an empty library $((empty - bare))"
		is=$((pool - bare))
	fi
}

# measure NAME ROUNDS - sets $is to the figure, $unit to its unit, and $beside to the figure of
# malloc()
measure() {
	local what=${1%%_*} rounds=$2 size=${1#*_}

	beside=none
	unit=instructions
	case $1 in
	start_*)
		measure_start "$1"
		return ;;
	faults_* | KiB_*)
		unit=$what
		is=$("$build/idlepools" "${size%_*}" "$rounds" "${size#*_}" | sed -n 2p)
		return ;;
	exit_* | idle_* | sums_* | dump_* | made_* | age_* | shrink_*)
		is=$(pair "$build/idlepools" "$what" "$rounds" "$size")
		return ;;
	forked_*)
		unit=faults
		# shellcheck disable=SC2086	# words
		is=$("$build/threads" "$what" "$rounds" ${size//_/ })
		return ;;
	refused_* | created_*)
		is=$(pair "$build/threads" "$what" "$rounds" "${size%_*}" "${size#*_}")
		return ;;
	*_*) set -- "$what" "$rounds" "$size" ;;
	esac
	is=$(pair "$build/manypools" "$@")
	beside=$(pair "$build/manypools-malloc" "$@")
}

# row NAME ROUNDS MOST GOAL [missed]
row() {
	local unit is beside

	measure "$1" "$2"
	judge_row "$1" "$is" "$unit" "malloc() $beside" "${@:3}"
}

while read -r name rounds most goal missed; do
	case $name in '#'* | '') continue ;; esac
	row "$name" "$rounds" "$most" "$goal" "$missed"
done <"$here/scale.table"
echo "# kernels, with the shrinker: tests/vm/gate.sh [stock-7.3]; hits: make bench-gate"
echo "# pools32, shuffled, trace, lifo and fifo, beside peers: make bench-goals"
finish
