# shellcheck shell=dash disable=SC2086
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# age.sh - what was not needed goes back by age, and nothing else sends it

echo "# age"
# The module frees all that it had: of 1000 objects none is in use.
burst() { insmod pool_second.ko burst=1000; }
held() { number sc_burst allocated; }
at_most() { [ "$(held)" -le "$1" ] || { echo "$(held) are above $1"; false; }; }

check "pool.ko loads without ageing" insmod pool.ko age=0
check "a burst comes and goes" burst
before=$(held)
check "... and is kept" more "$before" 500
sleep 3
check "nothing goes by age" same "$(held)" "$before"
check "unloads" rmmod pool_second pool

check "pool.ko loads with a period of 1 s" insmod pool.ko age=1
check "a burst comes and goes" burst
check "... and is kept first" more "$(held)" 500
check "in ten seconds it is gone" within at_most 64
# The work finds nothing and does not come again, until a cluster is made.
sleep 3
for again in 1 2; do
	check "the module departs" rmmod pool_second
	sleep 2
	check "another burst, after nothing was there" burst
	check "... goes, too" within at_most 64
done
check "unloads" rmmod pool_second pool
for wrong in -1 86401 x; do
	check "age=$wrong is refused" not insmod pool.ko age=$wrong 2>/dev/null
done
check "a period of a day" insmod pool.ko age=86400
check "a burst comes and goes" burst
check "what waits for a day ends at once" rmmod pool_second pool
