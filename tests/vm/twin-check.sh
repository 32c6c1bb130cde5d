#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Checks that the library and the module make the same decisions.
#
#	twin-check.sh [TRACE...]	else those of kernels in tests/replay/data
#
# Each trace is replayed by one thread on the library, and by one on pool.ko in a virtual
# machine: as it is, with a bound that its work exceeds, with that bound and no shared
# pool, and with that bound on pools that may be merged.  Then all counters of the pools
# must be the same, byte by byte.  A library with one constant changed must differ, since
# a trace that shows no difference would prove little.

# shellcheck source=tests/vm/begin.sh
. "$(dirname "$0")/begin.sh"

kernel=${TWIN_KERNEL:-stock-6.12}

# The control changes the size of the largest hot array, which is 128.
CONTROL=-DPOOL_HOT_MAX=48

# dump PROGRAM TRACE - the pools after the replay, to the standard output, without the numbers
# of memory behind the totals: the kernel has none
dump() {
	local merge=()

	case ${2##*/} in
	merge-*) merge=(--merge) ;;
	esac
	"$1" --cpus 1 "${merge[@]}" --dump=raw "$2" 2>"$tmp/said" >"$tmp/raw" || {
		cat "$tmp/said" >&2
		die "$2: the library's replay failed"
	}
	sed '/^total /s/ reserved=.*//' "$tmp/raw"
}

if [ $# -eq 0 ]; then
	shopt -s nullglob
	set -- "$top"/tests/replay/data/kernel-*.trace.xz
	[ $# -gt 0 ] || die "no traces in tests/replay/data"
fi

need xz-utils
make -s -C "$top" build/user/poolreplay
make -s -C "$top" B=build/user-control DEBUG="${DEBUG:-} $CONTROL" \
	build/user-control/poolreplay
modules=$("$here/build-modules.sh" "$kernel" | tail -n 1)

mkdir "$tmp/traces" "$tmp/got"
names=()
for trace; do
	name=${trace##*/}
	name=${name%.xz}
	names+=("$name")
	case $trace in
	*.xz) xz -dc "$trace" >"$tmp/traces/$name" ;;
	*) cp "$trace" "$tmp/traces/$name" ;;
	esac
	"$top/tests/replay/reheader.sh" hot_size=65536 cluster=8 \
		<"$tmp/traces/$name" >"$tmp/traces/tight-$name"
	"$top/tests/replay/reheader.sh" mode=no-global \
		<"$tmp/traces/tight-$name" >"$tmp/traces/local-$name"
	cp "$tmp/traces/tight-$name" "$tmp/traces/merge-$name"
	names+=("tight-$name" "local-$name" "merge-$name")
done

cat >"$tmp/script" <<'EOT'
set -e
for trace in *.trace; do
	insmod pool.ko age=0
	merge=0
	case $trace in
	merge-*) merge=1 ;;
	esac
	insmod pool_replay.ko trace="/files/$trace" merge=$merge
	if ! echo cpus=1 >/sys/kernel/debug/pool_replay/run; then
		cat /sys/kernel/debug/pool_replay/result
		exit 1
	fi
	echo raw >/sys/kernel/debug/pool/pools
	cat /sys/kernel/debug/pool/pools >"$trace.pools"
	echo 1 >/sys/kernel/debug/pool_replay/end
	cat /sys/kernel/debug/pool_replay/result
	emit "$trace.pools"
	rmmod pool_replay
	rmmod pool
done
EOT
"$here/boot.sh" --mem 1024 --timeout 600 --log "$tmp/log" \
	--extract-to "$tmp/got" "$kernel" "$tmp/script" \
	"$modules/pool.ko" "$modules/pool_replay.ko" "$tmp/traces"/*

# fewer POOLS NAME - the dump must have fewer pools than the trace
fewer() {
	[ "$1" -lt "$(sed -n 's/^pools //p' "$tmp/traces/$2")" ]
}

# agree POOLS NAME - the dumps of library and kernel must be equal
agree() {
	[ "$1" -gt 0 ] && cmp "$tmp/user" "$tmp/got/$2.pools" && return
	diff "$tmp/user" "$tmp/got/$2.pools" | sed -n '1,20p'
	return 1
}

for name in "${names[@]}"; do
	dump "$top/build/user/poolreplay" "$tmp/traces/$name" >"$tmp/user"
	dump "$top/build/user-control/poolreplay" "$tmp/traces/$name" \
		>"$tmp/control"
	pools=$(grep -c '^[0-9]' "$tmp/user") || true
	case $name in
	merge-*) check "$name: pools are merged" fewer "$pools" "$name" ;;
	esac
	check "$name: library and $kernel agree on $pools pools" agree "$pools" "$name"
	check "$name: with $CONTROL they differ" \
		not cmp -s "$tmp/control" "$tmp/got/$name.pools"
done
finish
