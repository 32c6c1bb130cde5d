// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scenario_parked.c - parked objects are taken while others are parked, or wanted; CPUs go
 *
 * Layer:   tests; the enumerator.
 * Context: see scenario.h.
 */
#include "scenario.h"

/* Objects are parked while another call takes parked objects. */

static void setup_parked(void)
{
	setup(0, 0, 3);
	give(0, 2, POOL_F_ATOMIC);
}

static void unpark_and_park(void)
{
	void *first = s_alloc(pool);
	void *second = s_alloc(pool);

	s_free_flags(pool, first, POOL_F_ATOMIC);
	obj[3] = second;
}

static void setup_parked_last(void)
{
	setup(0, 2, 2);
	give(0, 1, POOL_F_ATOMIC);
}

/*
 * CPU 1 is about to take an object that is parked at CPU 0, and stops.  CPU 0 takes the object, is
 * refused a second one, parks two objects and wants one of them again, while CPU 1 takes both and
 * parks one of them at CPU 1.  A walk looks at CPU 1 first, so it may miss that object.  No call
 * may use the backend.
 */

static void setup_parked_afar(void)
{
	setup(0, 3, 3);
	pool_set_debug(pool, "no-global");
	give(0, 1, POOL_F_ATOMIC);
}

static void alloc_atomic(void)
{
	s_alloc_flags(pool, POOL_F_ATOMIC);
}

static void take_and_park(void)
{
	alloc_atomic();
	alloc_atomic();
	give(1, 3, POOL_F_ATOMIC);
	alloc_atomic();
}

/* A CPU with an object in its array goes, and the object goes to the backend. */

static void setup_array_goes(void)
{
	setup(ROOMY, 2, 2);
	pool_set_debug(pool, "no-global");
	give_as(1, 0, 1);
}

/* Walks pass over a CPU that went with nothing, but not while a cluster of it is taken. */

static void setup_cluster_goes(void)
{
	setup(SINGLY, 0, 1);
	give_as(1, 0, 1);
}

static void shrink_all(void)
{
	sched_note("pool_shrink_bytes()");
	pool_shrink_bytes(POOL_ALL, 0);
	sched_note("pool_shrink_bytes() ends");
}

static void exit_and_destroy(void)
{
	struct pool_head *p = pool;

	s_exit();
	pool = NULL;
	s_destroy(p);
}

const struct scenario scenarios_of_parked[] = {
	SCENARIO(objects_are_parked_while_others_are_taken, "pop unexchanged uncounted filled",
		 2, setup_parked, CPUS(unpark_and_park, collect)),
	SCENARIO(the_last_object_is_parked, "parked",
		 3, setup_parked_last, CPUS(alloc_one, collect, reclaim)),
	SCENARIO(what_is_parked_is_taken_after_a_refusal, "early-take",
		 2, setup_parked_afar, CPUS(take_and_park, alloc_atomic)),
	SCENARIO(an_array_goes_to_the_backend_after_a_refusal, "unseen-array",
		 2, setup_array_goes, CPUS(alloc_one, s_exit)),
	SCENARIO(a_pool_ends_while_a_cluster_of_a_cpu_that_went_is_taken, "passed-over",
		 2, setup_cluster_goes, CPUS(shrink_all, exit_and_destroy)),
	{ .name = NULL }
};
