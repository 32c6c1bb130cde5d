# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# replay.sh - a recorded trace, with and without merged pools

echo "# a recorded trace, on two CPUs"
R=/sys/kernel/debug/pool_replay
replayed() { same "$(sed -n "s/^$1 //p" $R/result)" "$2"; }
check "pool.ko loads" insmod pool.ko
check "the replay loads" insmod pool_replay.ko trace=/files/trace
check "it runs" sh -c "echo cpus=2 >$R/run"
check "... all events" replayed events "$(sed -n 's/^events //p' trace)"
check "... without a failed allocation" replayed failed_allocations 0
check "... without wrong contents" replayed wrong_contents 0
check "the table has its pools" \
	table "$(sed -n 's/^pools //p' trace)"
check "it ends" sh -c "echo 1 >$R/end"
check "no pool is left" table 0
check "the replay loads for merged pools" \
	sh -c "rmmod pool_replay && insmod pool_replay.ko trace=/files/trace merge=1"
check "it runs" sh -c "echo cpus=2 >$R/run"
check "... without wrong contents" replayed wrong_contents 0
check "the table has fewer pools" \
	table "$(sed -n 's/^pools_made //p' $R/result)"
check "... than the trace" more "$(sed -n 's/^pools //p' trace)" \
	"$(sed -n 's/^pools_made //p' $R/result)"
check "... and all registrations" same "$(cat $P/by-name/*/stats |
	awk '/^registrations/ { n += $2 } END { print n }')" \
	"$(sed -n 's/^pools //p' trace)"
check "it ends" sh -c "echo 1 >$R/end"
check "no pool is left" table 0
check "unloads" rmmod pool_replay pool
