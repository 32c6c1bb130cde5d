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

# costs FILE - below each figure its ratio to that of kmem_cache.
costs() {
	awk -F, '
	NR == 2 { title = "Linux " $1 ", " $2 }
	NR > 1 { key = $3 "," $4
		 if (!(key in seen)) { order[++n] = key; seen[key] = 1 }
		 cost[key, $5] = $6; ratio[key, $5] = $7 }
	function rule(    i) {
		printf "============  ===="
		for (i = 1; i <= peers; i++)
			printf "  ========="
		print ""
	}
	END {
		peers = split("kmem_cache kmem-bulk mempool objpool pool " \
			      "pool-call pool-bulk empty", peer, " ")
		print title
		gsub(/./, "-", title)
		print title "\n"
		rule()
		printf "%-12s  %-4s", "workload", "size"
		for (i = 1; i <= peers; i++)
			printf "  %-9s", i == 1 ? "kmem" : peer[i]
		print ""
		rule()
		for (k = 1; k <= n; k++) {
			split(order[k], part, ",")
			printf "%-12s  %-4s", part[1], part[2]
			for (i = 1; i <= peers; i++) {
				c = cost[order[k], peer[i]]
				printf "  %-9s", c == "" ? "\\-" : \
				       sprintf(c < 100000 ? "%.1f" : "%.0f", c)
			}
			printf "\n%-12s  %-4s", "", ""
			for (i = 1; i <= peers; i++) {
				r = ratio[order[k], peer[i]]
				printf "  %-9s", i == 1 || r == "" ? "" : \
				       sprintf("(%.2f)", r)
			}
			print ""
		}
		rule()
		print ""
	}' "$1" | sed 's/ *$//'
}

refused() {
	awk -F, '
	function rule() { print "==========  ====  ============" }
	NR == 2 {
		title = "Linux " $1 ", refused, " $2
		print title
		gsub(/./, "-", title)
		print title "\n"
		rule()
		printf "%-10s  %-4s  %s\n", "peer", "CPUs", "instructions"
		rule()
	}
	NR > 1 { printf "%-10s  %-4s  %.1f\n", $5, $3, $6 }
	END { rule(); print "" }' "$1"
}

visits() {
	awk -F, '
	function rule() {
		print "============  ====  ======  ======  =====  =====  " \
		      "=========  ======  ======  ======"
	}
	NR == 2 {
		title = "Linux " $1 ", visits per 1000 operations"
		print title
		gsub(/./, "-", title)
		print title "\n"
		rule()
		printf "%-12s  %-4s  %-6s  %-6s  %-5s  %-5s  %-9s  %-6s  " \
		       "%-6s  %-6s\n", "workload", "CPUs", "fills", "spills",
		       "gets", "puts", "evictions", "nested", "from", "to"
		rule()
	}
	NR > 1 {
		printf "%-12s  %-4s  %-6.2f  %-6.2f  %-5.2f  %-5.2f  %-9.2f  " \
		       "%-6.2f  %-6.2f  %-6.2f\n", $3, $2, $5 * 1000 / $4,
		       $6 * 1000 / $4, $7 * 1000 / $4, $8 * 1000 / $4,
		       $9 * 1000 / $4, $10 * 1000 / $4, $11 * 1000 / $4,
		       $12 * 1000 / $4
	}
	END { rule(); print "" }' "$1" | sed 's/ *$//'
}

# A pool counts what is BUSY, lost and refused; a kmem_cache counts nothing.
contention() {
	awk -F, '
	function rule() {
		print "============  ====  ====  =======  =====  =====  =====  " \
		      "============  =====  ====="
	}
	NR == 2 {
		title = "Linux " $1 ", contention per 1000 operations"
		print title
		gsub(/./, "-", title)
		print title "\n"
		rule()
		printf "%-12s  %-4s  %-4s  %-7s  %-5s  %-5s  %-5s  %-12s  %-5s  %-5s\n",
		       "workload", "size", "peer", "refused", "BUSY", "lost", "waits",
		       "instructions", "lines", "far"
		rule()
	}
	function rate(count, own) {
		return $4 != "pool" && own ? "\\-" : sprintf("%.2f", count * 1000 / $5)
	}
	NR > 1 {
		printf "%-12s  %-4s  %-4s  %-7s  %-5s  %-5s  %-5s  %-12.1f  %-5.0f  %-5.0f\n",
		       $3, $2, $4 == "pool" ? "pool" : "kmem", rate($6, 1), rate($7, 1),
		       rate($8, 1), rate($9, 0), $10 / $5, $11 * 1000 / $5, $12 * 1000 / $5
	}
	END { rule(); print "" }' "$1" | sed 's/ *$//'
}

latency() {
	awk -F, '
	function rule() { print "=======  =====  =======  =======  =========  ============" }
	NR == 2 {
		title = "Linux " $1 ", longest calls by context"
		print title
		gsub(/./, "-", title)
		print title "\n"
		rule()
		print "context  call   calls    refused  disturbed  instructions"
		rule()
	}
	NR > 1 { printf "%-7s  %-5s  %-7d  %-7d  %-9d  %d\n", $2, $3, $4, $5, $6, $7 }
	END { rule(); print "" }' "$1"
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
