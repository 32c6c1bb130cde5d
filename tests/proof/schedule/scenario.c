// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scenario.c - what scenarios share
 *
 * Layer:   tests; the enumerator.
 * Context: fibres; setups run in no fibre, as CPU 0 unless they say otherwise.
 */
#include "scenario.h"

/* Part of the world. */
struct pool_head *pool, *other;
void *obj[10];

struct pool_head *make(const char *name, unsigned int limit,
		       unsigned int min_avail)
{
	struct pool_attr attr = {
		.name = name, .size = SIZE, .limit = limit,
		.min_avail = min_avail,
	};

	return create_pool_ext(&attr);
}

/* A small bound has small clusters, too, so that there are several. */
void set_bound(unsigned long bound)
{
	pool_set_hot_size(bound);
	pool_options.cluster = bound < ROOMY ? 1 : POOL_CLUSTER_SIZE;
}

/* The pool that most scenarios have, and @n objects of it in use. */
void setup(unsigned long bound, unsigned int limit, unsigned int n)
{
	unsigned int i;

	set_bound(bound);
	pool = make("a", limit, 0);
	for (i = 0; i < n; i++)
		obj[i] = s_alloc(pool);
}

/* Free objects that the setup has allocated. */
void give(unsigned int from, unsigned int to, unsigned int flags)
{
	for (; from < to; from++) {
		void *o = obj[from];

		obj[from] = NULL;
		s_free_flags(pool, o, flags);
	}
}

/* A CPU without an empty cluster keeps nothing; its first visit fetches some. */
static void fetch_clusters(unsigned int from)
{
	s_free(pool, obj[from]);
	obj[from] = s_alloc(pool);
}

void give_as(unsigned int cpu, unsigned int from, unsigned int to)
{
	sched_as_cpu(cpu);
	fetch_clusters(from);
	give(from, to, 0);
	sched_as_cpu(0);
}

void alloc_one(void)
{
	s_alloc(pool);
}

void alloc_free(void)
{
	s_free(pool, s_alloc(pool));
}

/* What handlers do. */

void handle_alloc(void)
{
	s_alloc_flags(pool, POOL_F_ATOMIC);
}

void handle_free(void)
{
	give(0, 1, POOL_F_ATOMIC);
}

void reclaim(void)
{
	sched_note("pool_reclaim()");
	pool_reclaim(pool);
	sched_note("pool_reclaim() ends");
}

void collect(void)
{
	sched_note("pool_gc()");
	pool_gc(NULL);
	sched_note("pool_gc() ends");
}

void shrink(void)
{
	sched_note("pool_shrink_bytes()");
	pool_shrink_bytes(2 * SIZE, 0);
	sched_note("pool_shrink_bytes() ends");
}

/* The first call only begins the record of what is needed. */
void age(void)
{
	bool more;

	sched_note("pool_age_bytes()");
	pool_age_bytes(&more);
	pool_age_bytes(&more);
	sched_note("pool_age_bytes() ends");
}

/* Options of the pool. */
void switch_to(const char *words)
{
	sched_note("pool_set_debug(%s)", words);
	pool_set_debug(pool, words);
	sched_note("pool_set_debug() ends");
}

const struct scenario *const scenarios[] = {
	scenarios_of_objects, scenarios_of_parked, scenarios_of_reserves,
	scenarios_of_switches, scenarios_of_parts, scenarios_of_pools,
	scenarios_of_waits, scenarios_of_passes, NULL
};
