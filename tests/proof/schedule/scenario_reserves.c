// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scenario_reserves.c - objects are taken from a reserve and put back
 *
 * Layer:   tests; the enumerator.
 * Context: see scenario.h.
 */
#include "scenario.h"

/* Two CPUs want the last object of a reserve. */

static struct pool_reserved *reserve;

static void setup_reserve(void)
{
	setup(SINGLY, 0, 0);
	reserve = pool_reserve(pool, 1);
}

static void alloc_reserved(void)
{
	s_alloc_reserved(pool, reserve);
}

/* Fail unless the counts of an unused reserve are those of its slots. */
static void end_reserve(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < reserve->size; i++)
		n += !!reserve->slot[i];
	if (reserve->have != n || reserve->room != reserve->size - n ||
	    reserve->pool->reserved != n)
		sched_fail("a reserve of %u with %u has counted %lu and %lu",
			   reserve->size, n, reserve->have, reserve->room);
	pool_unreserve(reserve);
}

/* The reserve has an object for each CPU and each handler, so no call is refused. */
static void setup_refill(void)
{
	setup(SINGLY, 0, 0);
	reserve = pool_reserve(pool, 2);
}

static void take_and_refill(void)
{
	void *mine = s_alloc_reserved(pool, reserve);

	if (mine)
		s_free_reserved(pool, reserve, mine);
	else
		sched_fail("NULL, though a reserve had an object all the time");
}

/* All is free again. */
static void end_refill(void)
{
	if (reserve->have != reserve->size)
		sched_fail("a reserve has %lu when all was freed to it",
			   reserve->have);
	end_reserve();
}

/* An object is freed to the reserve, so that two callers look for an object in the same slot. */
static void *taken_before;

static void setup_same_slot(void)
{
	setup(SINGLY, 0, 0);
	reserve = pool_reserve(pool, 3);
	taken_before = s_alloc_reserved(pool, reserve);
}

static void refill_and_take(void)
{
	s_free_reserved(pool, reserve, taken_before);
	s_alloc_reserved(pool, reserve);
}

const struct scenario scenarios_of_reserves[] = {
	SCENARIO(two_want_the_last_of_a_reserve, "reserve",
		 2, setup_reserve, CPUS(alloc_reserved, alloc_reserved),
		 .end = end_reserve),
	SCENARIO(two_take_and_refill_a_reserve, "refill",
		 2, setup_refill, CPUS(take_and_refill, take_and_refill),
		 .end = end_refill),
	SCENARIO(two_look_for_an_object_in_one_slot, "same-slot",
		 2, setup_same_slot, CPUS(alloc_reserved, refill_and_take),
		 .end = end_reserve),
	SCENARIO(a_handler_refills_a_reserve_between_any_two_steps, "upwards",
		 1, setup_refill, CPUS(take_and_refill), IRQS(take_and_refill),
		 .end = end_refill),
	SCENARIO(a_handler_takes_of_a_reserve_between_any_two_steps, "raised",
		 1, setup_same_slot, CPUS(refill_and_take), IRQS(alloc_reserved),
		 .end = end_reserve),
	{ .name = NULL }
};
