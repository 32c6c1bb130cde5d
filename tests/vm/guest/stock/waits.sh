# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# waits.sh - limits and waits, by the rows of bench_kernel_wait.c and bench_kernel_limit.c

echo "# limits, and tasks that wait"
R=/sys/kernel/debug/pool_replay
in_turn() {
	awk '$1 == "wait" && $2 == "pool" { rows++; bad = bad || $7 < int(100 / $3) }
	     END { exit !(rows == 3 && !bad) }' $R/result
}
reached() {
	awk '$1 == "reach" { rows++; bad = bad || $3 < $2 - int(($2 - 1) / 16) }
	     END { exit !(rows == 3 && !bad) }' $R/result
}
check "pool.ko loads" insmod pool.ko
check "the benchmark loads" insmod pool_replay.ko bench_what=waits
check "1, 4 and 32 tasks wait for an object" taskset 1 sh -c "echo 1 >$R/bench"
check "... and each has it in its turn" in_turn
check "another CPU gets 15/16 of a limit, or all of a small one" reached
sed -n 's/^reach/# &/p' $R/result
check "no pool is left" table 0
check "unloads" rmmod pool_replay pool
