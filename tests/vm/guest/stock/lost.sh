# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# lost.sh - modules that depart while objects are in use
#
# Objects are lost on purpose, so after this topic nothing looks for leaks any more.

echo "# objects in use at the end of a module"
check "pool.ko loads" insmod pool.ko
check "a user that keeps an object loads" insmod pool_second.ko keep=1
forget
check "it departs by pool_destroy_all()" rmmod pool_second
check "... which says what is lost" says '"sc_conn" destroyed with 1 objects in use'
check "unloads" rmmod pool

echo "# a user departs without cleaning up, twice"
for round in 1 2; do
	check "loads" insmod pool.ko
	check "the example loads" insmod pool_example.ko leave=1
	check "the table has four pools" table 4
	check "one has two objects in use" same "$(number ex_busy used)" 2
	check "one has none" same "$(number ex_idle used)" 0
	check "... allocated = used + cached + shared" \
		same "$(number ex_idle allocated)" \
		"$(($(number ex_idle cached) + $(number ex_idle shared)))"
	check "the example departs" rmmod pool_example
	check "the table has two pools" table 2
	forget
	check "pool.ko unloads" rmmod pool
	check "... and names the pool in use" says '"ex_busy" destroyed with 2'
	check "... whose cache stays" same "$(caches_left ex_busy)" $round
	check "the other one goes" same "$(caches_left ex_idle)" 0
done
