// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scenario_switches.c - options of a pool are switched while it is in use
 *
 * Layer:   tests; the enumerator.
 * Context: see scenario.h.
 */
#include "scenario.h"

/* An array opens while a switch closes arrays for good. */

static void setup_switch(void)
{
	setup(ROOMY, 4, 2);
	give_as(1, 0, 2);
}

void switch_caches_off(void)
{
	switch_to("no-cache");
}

static void alloc_free_twice(void)
{
	alloc_free();
	alloc_free();
}

/* The last read is of a word that others change, so interrupts come after the last free, too. */
static void alloc_free_twice_and_look(void)
{
	alloc_free_twice();
	pool_allocated(pool_of(pool));
}

/* A pool that lost its arrays must have no clusters either. */

static void setup_switch_past(void)
{
	setup(SINGLY, 4, 2);
	give_as(1, 0, 1);
}

static void end_past(void)
{
	const struct pool_local *local = plat_local_of(pool_of(pool), 0);
	unsigned long had = local->clustered;

	give(1, 2, 0);
	if (local->clustered > had)
		sched_fail("a pool without caches keeps an object");
}

/* The second of two switches opens the array that the first one is about to close. */

static void switch_caches_on(void)
{
	void *o[3];
	unsigned int i;

	switch_to("cache");
	for (i = 0; i < 3; i++)
		o[i] = s_alloc(pool);
	for (i = 0; i < 3; i++)
		s_free(pool, o[i]);
}

static void end_open(void)
{
	const struct pool_local *local = plat_local_of(pool_of(pool), 1);

	if (!pool_is_closed(pool_of(pool)) && (local->era & ~POOL_ERA_PAST) == pool_era &&
	    local->hot.cap != local->hot.slots)
		sched_fail("an array of an open pool stays closed");
}

/* CPU 0 gets two objects at once, of which its array may no longer take the second. */

static void setup_ahead(void)
{
	setup(AMPLE, 0, 4);
}

/* A few visits take the slots of an array that is to be closed. */
static void end_switch(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		s_free(pool, s_alloc(pool));
	if (plat_local_of(pool_of(pool), 0)->hot.slots)
		sched_fail("an array of a closed pool keeps its slots");
}

/* Objects that were freed under checks are used without checks, before checks begin again. */
static void switch_checks_twice(void)
{
	switch_to("integrity");
	switch_to("-integrity");
	switch_to("integrity");
}

/* A limit of 1 leaves four slots to two arrays; CPU 0 has more while CPU 1 claims some. */

static void setup_limit_falls(void)
{
	setup(ROOMY, 8, 8);
	give(0, 4, 0);
}

static void give_last(void)
{
	give(5, 8, 0);
}

static void lower_limit(void)
{
	sched_note("pool_set_limit()");
	pool_set_limit(pool, 1);
	sched_note("pool_set_limit() ends");
	give(4, 5, 0);
}

static void setup_claims(void)
{
	setup(ROOMY, 8, 8);
	give(0, 2, 0);
}

static void give_some(void)
{
	give(2, 5, 0);
}

static void end_limit_falls(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		s_free(pool, s_alloc(pool));
	if (plat_local_of(pool_of(pool), 0)->hot.slots > 2)
		sched_fail("an array has more than its share of a limit");
}

/*
 * A pool becomes checked while it allocates.  Objects are freed then, parked without a seal, and
 * brought to the shared pool.
 */

static void check_and_collect(unsigned int n)
{
	switch_to("integrity");
	give(0, n, POOL_F_ATOMIC);
	collect();
}

static void setup_checked_one(void)
{
	pool_set_hot_size(0);
	pool = make("a", 0, 2);
	obj[0] = s_alloc(pool);
}

static void check_and_collect_one(void)
{
	check_and_collect(1);
}

static void setup_checked_two(void)
{
	set_bound(ROOMY);
	pool = make("a", 10, 4);
	obj[0] = s_alloc(pool);
	obj[1] = s_alloc(pool);
}

static void check_and_collect_two(void)
{
	check_and_collect(2);
}

static void bulk_of_two(void)
{
	void *objs[2];

	if (s_alloc_bulk(pool, 2, objs))
		s_free_bulk(pool, 2, objs);
}

/*
 * Checks begin while an array is open, so a hit may free an object that is recorded as in use.  A
 * bulk call, which looks at all objects that it takes, finds this object in use, and must not
 * report it.
 */

static void setup_open(void)
{
	set_bound(ROOMY);
	pool = make("a", 0, 4);
	s_free(pool, s_alloc(pool));
	obj[0] = s_alloc(pool);
}

static void alloc_free_and_bulk(void)
{
	alloc_free();
	bulk_of_two();
}

static void switch_checks_on(void)
{
	switch_to("integrity");
}

const struct scenario scenarios_of_switches[] = {
	SCENARIO(an_allocation_gets_what_was_freed_under_new_options, "unlooked",
		 2, setup_checked_one, CPUS(alloc_free, check_and_collect_one)),
	SCENARIO(a_bulk_call_gets_what_was_freed_under_new_options, "unlooked-bulk",
		 2, setup_checked_two, CPUS(bulk_of_two, check_and_collect_two),
		 IRQS(handle_alloc)),
	SCENARIO(caches_are_switched_off_while_objects_are_got_ahead, "ahead",
		 2, setup_ahead, CPUS(alloc_one, switch_caches_off),
		 .end = end_switch),
	SCENARIO(caches_are_switched_off_while_an_array_opens, "caps switched late-era",
		 2, setup_switch, CPUS(alloc_free, switch_caches_off),
		 .end = end_switch),
	SCENARIO(caches_are_switched_off_where_there_is_no_array, "past-era past-unlocked",
		 2, setup_switch_past, CPUS(alloc_free_twice_and_look, switch_caches_off),
		 IRQS(handle_alloc), .end = end_past),
	SCENARIO(caches_are_switched_off_and_on_at_once, "closed-after",
		 2, setup_switch, CPUS(switch_caches_off, switch_caches_on),
		 .end = end_open),
	SCENARIO(checks_are_switched_on_and_off, "generation",
		 2, setup_switch, CPUS(alloc_free_twice, switch_checks_twice)),
	SCENARIO(checks_begin_while_an_array_is_open, "hit-freed",
		 2, setup_open, CPUS(alloc_free_and_bulk, switch_checks_on)),
	SCENARIO(two_arrays_claim_slots_of_a_limit, "slots-raced",
		 2, setup_claims, CPUS(give_some, give_last)),
	SCENARIO(a_limit_falls_while_arrays_claim_slots, "slots-kept",
		 2, setup_limit_falls, CPUS(lower_limit, give_last),
		 .end = end_limit_falls),
	{ .name = NULL }
};
