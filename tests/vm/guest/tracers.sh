# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# tracers.sh - perf, bpftrace and trace-cmd look at the tracepoints of pool.ko
#
# Run by busybox sh in a machine, for tests/vm/tracers.sh.

# shellcheck source=tests/lib/results.sh
. ./results.sh
# shellcheck source=tests/vm/guest/stock/lib.sh
. ./stock/lib.sh

mkdir -p /lib64 /var/tmp
ln -s /files/tools/ld-linux-x86-64.so.2 /lib64/
export LD_LIBRARY_PATH=/files/tools PATH=$PATH:/files/tools
mount -t tracefs none /sys/kernel/tracing

EVENTS="alloc free fill spill evict backend_get backend_put refused fault"

# each FILE FORM - FILE must have a line of this form for each event
each() {
	missing=
	for event in $EVENTS; do
		# shellcheck disable=SC2059	# a format
		grep -qE "$(printf "$2" $event)" "$1" || missing="$missing $event"
	done
	[ -z "$missing" ] || { echo "no$missing"; tail -n 20 "$1"; false; }
}

# whole FILE - lines must have all their fields: names, numbers, symbols
whole() {
	grep -qE 'pool_fill: .*name=ex_conn objects=[0-9]+ from=(cpu|shared)' "$1" &&
		grep -qE 'pool_refused: .*name=ex_event cause=injected' "$1" &&
		grep -qE 'pool_fault: .*name=sc_conn obj=.* kind=double_free caller=' "$1" &&
		grep -qE 'pool_alloc: .*name=ex_conn call_site=.* bytes_alloc=192' "$1"
}

by_perf() {
	perf record -q -a -e 'pool:*' -o /tmp/perf.data -- sh ./tracers-busy.sh || return 1
	perf script -i /tmp/perf.data >/tmp/perf.txt
}

by_trace_cmd() {
	trace-cmd record -q -e pool -o /tmp/trace.dat sh ./tracers-busy.sh || return 1
	trace-cmd report -i /tmp/trace.dat >/tmp/trace.txt
}

by_bpftrace() {
	program="tracepoint:pool:* { @[probe, args->name] = count(); }"
	program="$program tracepoint:pool:pool_fill { @objects[args->name] = sum(args->n); }"
	program="$program BEGIN { printf(\"begins\\n\"); }"
	bpftrace -B none -e "$program" >/tmp/bpftrace.txt &
	tracer=$!
	for _ in $(seq 120); do
		! grep -q begins /tmp/bpftrace.txt || break
		kill -0 $tracer || return 1
		sleep 1
	done
	sh ./tracers-busy.sh
	kill $tracer
	wait $tracer
}

check "pool.ko loads" insmod pool.ko hot_size=16k fail_alloc=1 debug=integrity faults=continue
check "perf lists the events" sh -c "perf list tracepoint | grep -c 'pool:pool_' | grep -x 9"
check "perf records" by_perf
check "... each event" each /tmp/perf.txt 'pool:pool_%s:'
check "... with its fields" whole /tmp/perf.txt
check "perf counts" perf stat -a -e pool:pool_fill -e pool:pool_refused sleep 0.1
check "trace-cmd records" by_trace_cmd
check "... each event" each /tmp/trace.txt ' pool_%s:'
check "... with its fields" whole /tmp/trace.txt
check "bpftrace counts" by_bpftrace
check "... each event" each /tmp/bpftrace.txt '^@\[tracepoint:pool:pool_%s, (ex|sc)_[a-z]*\]: [1-9]'
check "... and adds objects up" grep -E '^@objects\[ex_conn\]: [1-9]' /tmp/bpftrace.txt
# The array is a key with all of its bytes, also those behind the name.
check "... of a pool once" same "$(grep -c '^@objects\[ex_conn\]' /tmp/bpftrace.txt)" 1
grep -E '^@.*ex_conn' /tmp/bpftrace.txt | sed 's/^/# /'
check "pool.ko unloads" rmmod pool
finish
