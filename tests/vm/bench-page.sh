#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The tables of what bench.sh has left, as text and for Documentation.
#
#	bench-page.sh costs FILE.csv	one boot's instructions
#	bench-page.sh refused FILE.csv	instructions at the limit, with more CPUs
#	bench-page.sh visits FILE.csv	one kernel's slow paths
#	bench-page.sh all DIR		all of these
#	bench-page.sh write [DIR]	the same, into tests/bench/figures (build/bench)
#
# Of others:
#
#	bench-page.sh contention FILE.csv	what contention.sh has left
#	bench-page.sh latency FILE.csv		what latency.sh has left
#	bench-page.sh waits FILE.txt		what waits.sh has left, and the programs limit and wait
#	bench-page.sh write-contention FILE..., write-latency FILE..., write-waits FILE
#					the same, into tests/bench/figures

set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)

# titled - prints a title, a blank line, and rows in columns two spaces apart.  Tabs separate
# the fields of the input, whose first line is the title.
titled() {
	awk -F '\t' '
	NR == 1 { print $0 "\n"; next }
	{
		rows++
		for (i = 1; i <= NF; i++) {
			cell[rows, i] = $i
			if (length($i) > width[i]) width[i] = length($i)
		}
		fields = NF
	}
	END {
		for (row = 1; row <= rows; row++) {
			line = ""
			for (i = 1; i <= fields; i++)
				line = line sprintf("%-" width[i] "s  ", cell[row, i])
			sub(/ +$/, "", line)
			print line
		}
		print ""
	}'
}

# costs FILE - a row per workload and size, a column per peer
costs() {
	awk -F, -v OFS='\t' '
	NR == 2 { print "Linux " $1 ", " $2 }
	NR > 1 {
		key = $3 OFS $4
		if (!(key in seen)) { order[++n] = key; seen[key] = 1 }
		cost[key, $5] = sprintf($6 < 100000 ? "%.1f" : "%.0f", $6)
	}
	END {
		peers = split("kmem_cache kmem-bulk mempool objpool pool " \
			      "pool-call pool-bulk empty", peer, " ")
		row = "workload" OFS "size" OFS "kmem"
		for (i = 2; i <= peers; i++)
			row = row OFS peer[i]
		print row
		for (k = 1; k <= n; k++) {
			row = order[k]
			for (i = 1; i <= peers; i++)
				row = row OFS ((order[k], peer[i]) in cost ? \
					       cost[order[k], peer[i]] : "-")
			print row
		}
	}' "$1" | titled
}

refused() {
	awk -F, -v OFS='\t' '
	NR == 2 { print "Linux " $1 ", refused, " $2; print "peer", "CPUs", "instructions" }
	NR > 1 { print $5, $3, sprintf("%.1f", $6) }' "$1" | titled
}

visits() {
	awk -F, -v OFS='\t' '
	NR == 2 {
		print "Linux " $1 ", visits per 1000 operations"
		print "workload", "CPUs", "fills", "spills", "gets", "puts", "evictions", "nested",
		      "from", "to"
	}
	NR > 1 {
		row = $3 OFS $2
		for (i = 5; i <= 12; i++)
			row = row OFS sprintf("%.2f", $i * 1000 / $4)
		print row
	}' "$1" | titled
}

# A pool counts what is BUSY, lost and refused; a kmem_cache counts nothing.
contention() {
	awk -F, -v OFS='\t' '
	function rate(count) { return sprintf("%.2f", count * 1000 / $5) }
	NR == 2 {
		print "Linux " $1 ", contention per 1000 operations"
		print "workload", "size", "peer", "refused", "BUSY", "lost", "waits",
		      "instructions", "lines", "far"
	}
	NR > 1 {
		pool = $4 == "pool"
		print $3, $2, pool ? "pool" : "kmem", pool ? rate($6) : "-",
		      pool ? rate($7) : "-", pool ? rate($8) : "-", rate($9),
		      sprintf("%.1f", $10 / $5), sprintf("%.0f", $11 * 1000 / $5),
		      sprintf("%.0f", $12 * 1000 / $5)
	}' "$1" | titled
}

latency() {
	awk -F, -v OFS='\t' '
	NR == 2 {
		print "Linux " $1 ", longest calls by context"
		print "context", "call", "calls", "refused", "disturbed", "instructions"
	}
	NR > 1 { print $2, $3, $4, $5, $6, $7 }' "$1" | titled
}

# waits FILE - its kernel, rows of tasks that wait and of limits; the programs' figures are beside it
waits() {
	awk '
	NF == 1 { kernel = $1; sub("[+].*", "", kernel) }
	$1 == "wait" {
		if (!n++)
			printf "%-9s  waiters  free   to waiter  average  fewest\n", kernel
		printf "%-9s  %-7d  %-5d  %-9d  %-7d  %d\n", $2, $3, $4, $5, $6, $7
	}
	$1 == "limited" {
		if (!m++)
			printf "\n%-10s  limit   one     batch\n", kernel
		printf "%-10s  %-6s  %-6s  %s\n", $2, $3 ? $3 : "none", $4, $5
	}' "$1"
	printf '\nUser space, on a machine with 2 CPUs that was busy:\n'
	for what in wait limit; do
		[ ! -f "${1%/*}/$what.txt" ] || sed 's/^/\t/; 1s/^/\n/' "${1%/*}/$what.txt"
	done
}

all() {
	local csv

	for csv in "$1"/kernel-*-init[01].csv; do
		costs "$csv"
	done
	for csv in "$1"/kernel-*-refused.csv; do
		[ ! -f "$csv" ] || refused "$csv"
	done
	for csv in "$1"/kernel-*-visits.csv; do
		visits "$csv"
	done
}

case ${1:-} in
costs | refused | visits | contention | latency | waits | all) "$1" "$2" ;;
write)
	text=$(all "${2:-$top/build/bench}")
	"$top/tests/bench/section.py" kernel <<<"$text"
	;;
write-contention | write-latency | write-waits)
	what=${1#write-}
	text=$(for csv in "${@:2}"; do "$what" "$csv"; done)
	"$top/tests/bench/section.py" "$what" <<<"$text"
	;;
*) sed -n '1,3d; /^#/!q; s/^# \{0,1\}//; p' "$0" >&2; exit 2 ;;
esac
