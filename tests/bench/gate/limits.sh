# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# limits.sh - for scripts that compare counts with the limits of a table
#
# Sourced together with tests/lib/results.sh, by gate.sh and others.  A table has a line
# per limit,
#
#	NAME MACHINE COMPILER PROGRAM WORKLOAD LIMIT
#
# and counts have a line "PROGRAM WORKLOAD INSTRUCTIONS" each.

# compiler FILE - prints the compiler of an object, as the object names it, for example gcc-12
compiler() {
	readelf -p .comment "$1" |
		sed -nE 's/.*\b(GCC|clang)[^0-9]*.* ([0-9]+)\.[0-9]+\.[0-9]+.*/\1-\2/p' |
		head -n 1 | tr '[:upper:]' '[:lower:]'
}

# nearest TABLE MACHINE COMPILER - prints the compiler of the same make, or else of any, with the
# nearest number; of two that are as near, the older one
nearest() {
	awk -v arch="$2" -v cc="$3" '
		/^#/ || $2 != arch { next }
		{
			split(cc, want, "-")
			split($3, has, "-")
			far = has[2] - want[2]
			far = 2 * (far < 0 ? -far : far) + (far > 0)
			if (has[1] != want[1])
				far += 10000
			if (!found || far < least) {
				found = $3
				least = far
			}
		}
		END { print found }' "$1"
}

# limits TABLE COMPILER - its lines for this machine
#
# A compiler without limits gets those of the nearest one and a quarter more, and a line
# says so.  A machine without any limit is a failure.
limits() {
	local arch known

	arch=$(uname -m)
	known=$(nearest "$1" "$arch" "$2")
	if [ -z "$known" ] || [ -z "$2" ]; then
		echo "# no limits for $arch and ${2:-an unknown compiler} in $1" >&2
		echo "not ok - ${1##*/}_has_limits" | tr '.' '_' >&2
		return 1
	fi
	[ "$known" = "$2" ] ||
		echo "# no limits for $2 in ${1##*/}: a quarter above those of $known" >&2
	awk -v arch="$arch" -v known="$known" -v cc="$2" '
		!/^#/ && $2 == arch && $3 == known {
			if (known != cc)
				$6 = $6 * 1.25
			print
		}' "$1"
}

# judge COUNTS NAME PROGRAM WORKLOAD LIMIT [LOOP] - the count of the program LOOP is
# subtracted
judge() {
	awk -v name="$2" -v program="$3" -v work="$4" -v limit="$5" \
	    -v loop="${6:-}" '
		$2 == work { cost[$1] = $3 }
		END {
			if (!(program in cost) || (loop && !(loop in cost))) {
				print "# " name ": not measured"
				print "not ok - " name
				exit 1
			}
			net = cost[program] - (loop ? cost[loop] : 0)
			bad = net > limit
			printf "# %s: %.2f of %s\n", name, net, limit
			print (bad ? "not ok - " : "ok - ") name
			exit bad
		}' "$1"
}

# judge_all COUNTS LIMITS [LOOP] - judges each limit; fails if a count is above its limit
judge_all() {
	local name program work limit status=0

	while read -r name _ _ program work limit; do
		judge "$1" "$name" "$program" "$work" "$limit" "${3:-}" ||
			status=1
	done <"$2"
	return $status
}

# judge_visits WORLD COUNTS TABLE - slow paths per 1000 operations
#
# Counts have a line "SIZE SEQUENCE OPERATIONS" and eight columns each, as visits.c prints
# them.  More than in the table fails, rounding apart; 0 in the table allows none.  Where
# the last column of the table is "promised", the backend must not be called at all,
# whatever the other columns say.
judge_visits() {
	awk -v world="$1" '
		function judged(name, bad) {
			print (bad ? "not ok - " : "ok - ") name
			failed = failed || bad
		}
		FILENAME != ARGV[1] {
			for (i = 3; i <= NF; i++)
				count[$1, $2, i] = $i
			next
		}
		$1 == world { row[++rows] = $0 }
		END {
			for (r = 1; r <= rows; r++) {
				split(row[r], f, " ")
				name = world "_" f[3] "_" f[2]
				ops = count[f[2], f[3], 3]
				bad = !ops
				line = ""
				for (i = 4; i <= 11 && ops; i++) {
					n = count[f[2], f[3], i]
					is = n * 1000 / ops
					line = line sprintf(" %.2f", is)
					if (is > f[i] + 0.005 || (n && !+f[i]))
						bad = 1
				}
				print "# " name ":" line
				judged("visits_" name, bad)
				if (f[12] == "promised")
					judged("steady_" name "_calls_no_backend",
					       !ops ||
					       count[f[2], f[3], 10] ||
					       count[f[2], f[3], 11])
			}
			if (!rows)
				judged("visits_" world "_have_limits", 1)
			exit failed
		}' "$3" "$2"
}
