// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scenario.c - what happens at the same time
 *
 * Layer:   tests; the enumerator.
 * Context: setup: before all, on CPU 0; then a function per CPU, and handlers.
 */
#include "plat.h"
#include "sched.h"

/* Part of the world. */
static struct pool_head *pool;
static void *obj[8];

#define SIZE		64u		/* of objects */
#define SINGLY		(8ul * SIZE)	/* a bound: no arrays, clusters of one */

static struct pool_head *make(unsigned long bound, unsigned int limit,
			      unsigned int min_avail)
{
	struct pool_attr attr = {
		.name = "a", .size = SIZE, .limit = limit,
		.min_avail = min_avail,
	};

	pool_set_hot_size(bound);
	pool = create_pool_ext(&attr);
	return pool;
}

/* @n objects, in use. */
static void take(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		obj[i] = s_alloc(pool);
}

static void give(unsigned int from, unsigned int to)
{
	for (; from < to; from++) {
		void *o = obj[from];

		obj[from] = NULL;
		s_free(pool, o);
	}
}

static void alloc_free(void)
{
	s_free(pool, s_alloc(pool));
}

static void alloc_one(void)
{
	obj[7] = s_alloc(pool);
}

static void reclaim(void)
{
	sched_note("pool_reclaim()");
	pool_reclaim(pool);
	sched_note("pool_reclaim() ends");
}

/*
 * Of three objects one is in use.  Two go from clusters to the shared pool and back up,
 * one after the other, so that there always is one for CPU 0.
 */

static void setup_up_and_down(void)
{
	make(SINGLY, 3, 2);
	take(3);
	sched_as_cpu(1);
	give(0, 2);
}

static void down_and_up(void)
{
	reclaim();
	alloc_free();
}

const struct scenario scenarios[] = {
	{
		.name = "an_object_goes_up_and_down_beside_an_allocation",
		.kills = "departures",
		.cpus = 3,
		.setup = setup_up_and_down,
		.cpu = { alloc_one, down_and_up, alloc_free },
	},
	{ .name = NULL }
};
