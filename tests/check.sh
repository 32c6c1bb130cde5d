#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs the jobs of jobs.sh, some beside each other.  A world that did not run has failed.
#
#	check.sh check		what a newcomer waits for: "make check"
#	check.sh all		the same, then all others: "make check-all" and CI
#	check.sh user		what needs no virtual machine: "make check-user"
#	check.sh kunit		the cases in User-Mode Linux and in QEMU: "make kunit"
#	check.sh only NAME...	these jobs
#	check.sh list		the names of all jobs
#
# It begins with a plan: jobs, minutes, download and disk.  Results, a line per case, go to
# build/results; summary.sh prints what came out.  The last line is "N passed, N failed".

set -euo pipefail

cd "$(dirname "$0")/.."
# shellcheck source=tests/vm/lib.sh
. tests/vm/lib.sh
# shellcheck source=tests/lib/worlds.sh
. tests/lib/worlds.sh
# shellcheck source=tests/lib/queue.sh
. tests/lib/queue.sh
# shellcheck source=tests/jobs.sh
. tests/jobs.sh
export WERROR=-Werror

usage() {
	die "usage: ${0##*/} check|all|user|kunit|only NAME...|list"
}

what=${1:-}
kernels=()
case $what in
check) read -ra kernels <<<"$KERNELS_CHECK" ;;
all) read -ra kernels <<<"$KERNELS_ALL" ;;
user) wanted=('user-*') ;;
kunit)
	wanted=(uml 'uml-*' debug 'debug-*' 'bugs-*')
	kernels=(uml debug)
	;;
only)
	[ $# -ge 2 ] || usage
	wanted=("${@:2}")
	;;
list) ;;
*) usage ;;
esac

# newest_name - of the newest kernel in the cache folder; there may be none yet
newest_name() {
	local line

	line=$($vm/kernel.sh cost newest 2>/dev/null) || line=none
	if [ -n "$line" ]; then
		echo stock-newest
	else
		$vm/kernel.sh newest
	fi
}

# fill_queue NEWEST - those of check first
fill_queue() {
	local first

	queue=() queue_command=() queue_total=0 queue_ended=0
	jobs_check
	queue_order
	if [ "$what" != check ]; then
		first=("${queue[@]}")
		queue=()
		jobs_rest_user
		jobs_rest_kernel "$1"
		queue_order
		queue=("${first[@]}" "${queue[@]}")
	fi
	[ ${#queue[@]} -gt 0 ] || die "there is no such job: ${wanted[*]}"
}

# plan - what comes, before anything is downloaded
plan() {
	local unknown mb

	unknown=$(measured_seconds | grep -c '^?' || true)
	echo "plan: $queue_total jobs, about $(queue_minutes) minutes for those that were measured" \
		"($unknown were not)"
	mb=$(awk -v name="build-$what" '$1 == name { print $4 }' "$MEASURED")
	ahead "${mb:-1}" "${kernels[@]}"
}

# prepare - what many jobs need: builds, and kernels that are not there
prepare() {
	local name rest

	wanted=('*') queue=() queue_command=() queue_total=0
	case $what in
	check) script 2 user-build make -s -j"$(nproc)" builds-check ;;
	kunit) ;;
	*) script 2 user-build make -s -j"$(nproc)" builds-all-check ;;
	esac
	if [ ${#kernels[@]} -gt 0 ]; then
		while read -r name rest; do
			case $name in
			'' | source) ;;
			*) script 2 "kernel-$name" $vm/kernel.sh "$name" ;;
			esac
		done <<<"$costs"
	fi
	queue_run
}

newest=$(newest_name)
fill_queue "$newest"
if [ "$what" = list ]; then
	printf '%s\n' "${queue[@]}"
	exit
fi
plan
tests/deps.sh check-user
[ "$what" = user ] || tests/deps.sh vm
rm -rf "$results"
mkdir -p "$results"
planned=("${wanted[@]}")
prepare
if ! grep -qs '^not ok' "$results/user-build"; then
	wanted=("${planned[@]}")
	newest=$(newest_name)
	fill_queue "$newest"
	queue_run
fi
case $what in
user) tests/lib/summary.sh user || exit ;;
*) tests/lib/summary.sh all || exit ;;
esac
