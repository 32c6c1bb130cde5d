# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# limits.sh - for scripts that compare counts with the limits of a table
#
# Sourced by gate.sh, gate-object.sh and tests/vm/gate.sh.  A table has a line
#
#	NAME MACHINE COMPILER PROGRAM WORKLOAD LIMIT
#
# per limit, counts have a line "PROGRAM WORKLOAD INSTRUCTIONS" each.

# compiler FILE - gcc-12 and the like: what an object says that it was built by
compiler() {
	readelf -p .comment "$1" |
		sed -nE 's/.*\b(GCC|clang)[^0-9]*.* ([0-9]+)\.[0-9]+\.[0-9]+.*/\1-\2/p' |
		head -n 1 | tr '[:upper:]' '[:lower:]'
}

# limits TABLE COMPILER - its lines for this machine; none at all is a failure
limits() {
	local arch

	arch=$(uname -m)
	grep -E "^[a-z0-9_]+[[:space:]]+${arch}[[:space:]]+${2}[[:space:]]" "$1" || {
		echo "# no limits for $arch and ${2:-an unknown compiler} in $1" >&2
		echo "not ok ${1##*/}_has_limits" | tr '.' '_' >&2
		return 1
	}
}

# judge COUNTS NAME PROGRAM WORKLOAD LIMIT [LOOP] - less what the program LOOP takes
judge() {
	awk -v name="$2" -v program="$3" -v work="$4" -v limit="$5" \
	    -v loop="${6:-}" '
		$2 == work { cost[$1] = $3 }
		END {
			if (!(program in cost) || (loop && !(loop in cost))) {
				print "# " name ": not measured"
				print "not ok " name
				exit 1
			}
			net = cost[program] - (loop ? cost[loop] : 0)
			bad = net > limit
			printf "# %s: %.2f of %s\n", name, net, limit
			print (bad ? "not ok " : "ok ") name
			exit bad
		}' "$1"
}

# judge_all COUNTS LIMITS [LOOP] - fails if one does
judge_all() {
	local name program work limit status=0

	while read -r name _ _ program work limit; do
		judge "$1" "$name" "$program" "$work" "$limit" "${3:-}" ||
			status=1
	done <"$2"
	return $status
}
