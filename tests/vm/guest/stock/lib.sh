# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# lib.sh - what the topics of stock.sh have in common
#
# pool.ko with its files in debugfs, pool_example.ko, which has the pools ex_conn and
# ex_event, and pool_second.ko, which has others.  pool_third.ko is a copy of that.

P=/sys/kernel/debug/pool

more() { [ "$1" -gt "$2" ] || { echo "$1 is not above $2"; false; }; }

# within COMMAND... - the command must succeed within ten seconds
within() {
	tries=100
	until "$@" 2>/dev/null; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

# forget, logged - the lines of pool.ko since "forget", each once, because insmod tries two
# system calls and may log a line twice
forget() { dmesg -c >/dev/null; }
logged() { dmesg | sed -n 's/^\[[^]]*\] pool: //p' | sort -u; }
says() { same "$(logged | wc -l)" 1 && logged | grep -qF -- "$1"; }

# number POOL KEY
number() { sed -n "s/^$2 //p" "$P/by-name/$1/stats"; }
more_than() { [ "$(number "$1" "$2")" -gt "$3" ]; }
moves() { within more_than "$1" "$2" "$(number "$1" "$2")"; }

# column POOL CPU NUMBER - prints a column of percpu
column() {
	awk -v cpu="$2" -v c="$3" '$1 == cpu { print $c }' \
		"$P/by-name/$1/percpu"
}
caches() { [ $(($(column "$1" "$2" 3) + $(column "$1" "$2" 6))) -gt 0 ]; }

loaded() { [ -d "/sys/module/$1" ]; }
gone() { ! loaded "$1"; }
start() { insmod pool.ko "$@" && insmod pool_example.ko; }
stop() { rmmod pool_example && rmmod pool; }
# shellcheck disable=SC2010	# names of caches are words
caches_left() { ls /sys/kernel/slab | grep -c "^pool-$1-"; }

# ask WORDS - chooses what later reads of the file "pools" print
ask() { echo "$1" >$P/pools; }
names() { sed -n 's/^[0-9]* \([^ ]*\) .*/\1/p' $P/pools | tr '\n' ' '; }
lists() { ask "raw $1" && same "$(names)" "$2"; }

# folders - the folders of pools; what follows a ~ depends on the run
# shellcheck disable=SC2012
folders() { ls $P/by-name | sed 's/~.*/~/' | tr '\n' ' '; }

# table N [FILE] - the raw table must have a head, N rows with as many columns, and a total
table() {
	[ $# -gt 1 ] || echo raw >$P/pools
	awk 'NR == 1 { bad = $0 != "pools version 5" }
	     NR == 2 { bad = bad || $1 != "#" || $2 != "id"; width = NF - 1 }
	     NR > 2 && $1 == "total" { total++; next }
	     NR > 2 { rows++; bad = bad || NF != width || total }
	     END { exit bad || width < 10 || total != 1 || rows != '"$1"' }' \
		"${2:-$P/pools}"
}

# aligned N - the table for people must have a head, N lines of the same length, and a total
aligned() {
	awk 'NR == 1 { bad = $1 != "pool" || $2 != "size"; width = length }
	     /^total of / { total++; next }
	     NR > 1 && !/^  / { rows++; bad = bad || length != width || total }
	     END { exit bad || width > 120 || total != 1 || rows != '"$1"' }' \
		$P/pools
}

complete_totals() {
	same "$(tr '0-9' '#' <$P/totals | tr -s '#\n' '# ')" \
	     "PoolFailed: # PoolAlloc_MB: # PoolUsed_MB: # PoolAlloc_bytes: # PoolUsed_bytes: # "
}
