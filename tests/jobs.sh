# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# jobs.sh - the jobs of "make check", "make check-all" and "make check-user"
#
# Sourced by check.sh, behind queue.sh.  jobs_check has what a newcomer waits for, jobs_rest
# what else is in check-all.  Documentation/testing.rst says which job finds what.

vm=tests/vm
HOSTILE='-DPOOL_CLUSTER_SIZE=2 -DPOOL_BUCKETS=1 -DPOOL_HOT_MAX=2 -DPOOL_FAIL_EVERY=7'
KERNELS_CHECK="uml stock-6.12"
KERNELS_ALL="$KERNELS_CHECK debug stock-6.1 stock-6.12-rt newest"

# built PROGRAM - makes it and runs it
built() {
	make -s "$1" && "$1"
}

# by_suite PROGRAM FOLDER... - makes it and runs the cases of a suite in one process, suite by suite,
# so that a sanitizer sees what a case leaves to the next one, and a case that fails spoils no other
# suite
by_suite() {
	local suite tap=$TEST_TAP program=$1 status=0

	shift
	make -s "$program" || return 1
	export CK_FORK=no TEST_TAP=$tap.suite
	for suite in $(for folder in "$@"; do
		sed -nE 's/^SUITE\((.*)\)/\1/p' "tests/$folder"/*.list; done); do
		CK_RUN_CASE=$suite "$program" || status=1
		cat "$TEST_TAP" >>"$tap" && rm "$TEST_TAP"
	done
	return $status
}

# flavour NAME - the cases
flavour() {
	case $1 in
	asan | tsan) cases "user-$1" by_suite "build/tests/$1" promise inside worlds/user ;;
	asan-step) LISTS=proof/step cases "user-$1" by_suite build/tests/asan proof/step ;;
	*asan) cases "user-$1" by_suite "build/tests/$1" proof/step promise inside worlds/user ;;
	*) cases "user-$1" built "build/tests/$1" ;;
	esac
}

# schedules - of the enumerator, for processors that have it
schedules() {
	case $(${CC:-cc} -dumpmachine) in
	x86_64-*) make -s build/tests/schedule && tests/proof/schedule/check.sh build/tests/schedule ;;
	*)
		echo "n/a - schedules # the enumerator saves stacks of x86-64"
		return 77
		;;
	esac
}

# longest_calls - the same
longest_calls() {
	case $(${CC:-cc} -dumpmachine) in
	x86_64-*) tests/bench/longest/longest.sh gate build/user/longest ;;
	*)
		echo "n/a - longest_calls # they are counted by the trap flag of x86-64"
		return 77
		;;
	esac
}

# gate_newest KERNEL - there are limits for Linux 7.3, and for no newer one
gate_newest() {
	if [ "$1" = stock-7.3 ]; then
		$vm/gate.sh "$1"
	else
		echo "n/a - instructions_in_stock-7.3 # the newest kernel is $1"
		return 77
	fi
}

# script SHARE NAME COMMAND... - a command that prints results
script() {
	add "$1" "$2" job "${@:2}"
}

# in_world SHARE NAME COMMAND... - a command that leaves results
in_world() {
	add "$1" "$2" world "${@:2}"
}

jobs_check() {
	local name

	for name in plain asan tsan hostile-asan; do
		add 2 user-$name flavour $name
	done
	script 1 user-schedule schedules
	script 1 user-pages tests/pages.sh
	script 1 user-life tests/install/life.sh build/user
	script 1 user-bugs tests/proof/bugs/check.sh build/tests/bugs
	script 1 user-gate tests/bench/gate/gate.sh build/user/peers
	script 1 user-gate-visits tests/bench/gate/gate-visits.sh build/user/visits
	script 1 user-gate-object tests/bench/gate/gate-object.sh
	script 1 user-options-doc tests/install/options-doc.sh build/user
	script 1 user-summary tests/lib/summary-check.sh
	in_world 2 uml $vm/kunit.sh uml 20 --timeout 900
	script 2 load-stock-6.12 $vm/stock.sh stock-6.12
	script 2 twins-stock-6.12 env TWIN_KERNEL=stock-6.12 $vm/twin-check.sh
}

jobs_rest_user() {
	local name

	for name in clang hostile asan-step; do
		add 2 user-$name flavour $name
	done
	script 1 user-tools tests/install/tools.sh build/user
	script 1 user-header tests/install/header.sh build/user
	script 1 user-cxx tests/install/cxx.sh build/user
	script 1 user-traces tests/replay/bad-traces.sh build/user/poolreplay-asan
	script 1 user-programs tests/replay/programs.sh build/user
	script 1 user-replay-advise tests/replay/advise.sh build/user
	script 1 user-pooltrace tests/install/pooltrace.sh build/user
	script 1 user-poolctl tests/install/poolctl.sh build/user
	script 1 user-poolctl-picture tests/install/poolctl-picture.sh build/user
	script 1 user-tutorial tests/install/tutorial.sh build/user
	script 1 user-gate-longest longest_calls
	script 1 user-gate-scale tests/bench/scale/scale.sh build/user
	script 1 user-version tests/package/version.sh build/user
	script 1 user-gdb tests/install/gdb.sh build/user
	script 1 user-probes tests/install/probes.sh build/user
	script 1 user-memstats tests/install/memstats.sh build/user
	script 1 user-goals-self tests/bench/goals-self.sh
	script 1 user-declare tests/install/declare.sh build/user
	script 1 user-malloc tests/install/malloc.sh build/user
	script 1 user-attacks tests/install/attacks.sh build/user
	script 1 user-document tests/install/document.sh build/user
	script 1 user-man tests/install/man.sh
	script 1 user-consumers tests/package/consumers.sh build/user
	script 1 user-gate-probes tests/bench/gate/gate-probes.sh build/user
	script 1 user-gate-self tests/bench/gate/gate-self.sh
	script 1 user-which tests/install/which.sh build/user
	script 1 user-analyzer tests/install/analyzer.sh
	script 1 user-reports tests/install/reports.sh build/user
	script 1 user-python tests/install/python.sh build/user
	script 1 user-grafana tests/install/grafana.sh build/user
	script 1 user-uninstall tests/install/uninstall.sh build/user
	script 1 user-abi tests/package/abi.sh build/user
	script 2 user-promises make -s check-promises
	script 1 user-reasons tests/install/reasons.sh
}

# jobs_rest_kernel NEWEST
jobs_rest_kernel() {
	local newest=$1 kernel key suite

	for key in init_on_alloc init_on_free; do
		for suite in gfp check fill; do
			in_world 1 uml-$suite-$key env SUITE=$suite BOOT=$key=1 $vm/kunit.sh uml
		done
	done
	in_world 2 debug $vm/kunit.sh debug 20 --cpus 4 --timeout 2000
	in_world 2 debug-hostile env VARIANT=hostile "DEBUG=$HOSTILE" \
		$vm/kunit.sh debug 20 --cpus 4 --timeout 2000
	in_world 2 debug-lost env SUITE=lost $vm/kunit.sh debug 20 --cpus 4
	in_world 2 debug-numa-isolcpus env SUITE=numa BOOT=isolcpus=3 \
		$vm/kunit.sh debug 20 --cpus 4 --nodes
	in_world 2 debug-kernel env SUITE=kernel \
		$vm/kunit.sh debug 40 --cpus 4 --singlestep --timeout 1200
	script 2 bugs-debug $vm/bugs.sh debug --cpus 4
	script 1 first-ten-minutes make -s check-first
	script 2 lint tests/lint/lint.sh quick
	for kernel in stock-6.1 stock-6.12-rt "$newest" debug; do
		script 2 "load-$kernel" $vm/stock.sh "$kernel"
	done
	# The jobs in these kernels keep four CPUs busy, so they run alone.
	for kernel in debug stock-6.12; do
		script 4 "torture-$kernel" $vm/torture.sh "$kernel" 60
	done
	script 4 failures $vm/failures.sh
	script 2 defines $vm/defines.sh
	script 2 oom $vm/oom.sh
	script 2 nodes $vm/nodes.sh
	script 2 gate-kernel $vm/gate.sh
	script 2 waits-kernel $vm/waits.sh
	script 2 gate-stock-7.3 gate_newest "$newest"
}
