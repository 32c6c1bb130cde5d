// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * judge_place.c - what must be true at each step: places count what they have
 *
 * Layer:   tests; the enumerator.
 * Context: fibres; between two points all is one step.
 *
 * Readers do not look into a place whose count is 0.  So an object that is not counted
 * yet is one that nobody finds.  A list is walked no further than its count, since a
 * mutant may close it to a ring.
 */
#include "judge.h"

/* A parked object counts from before the push until it is in another place. */
static void judge_parked(const struct pool *pool,
			 const struct pool_parked *parked)
{
	unsigned long n = 0;
	void *obj;

	for (obj = parked->head; obj && n <= parked->count; n++)
		obj = *pool_link_of(pool, obj);
	if (n > parked->count)
		sched_fail("%lu objects of %s are parked, or more, and %lu are counted",
			   n, pool->name, parked->count);
}

/* A bucket's counts change while it is BUSY. */
static void judge_bucket(const struct pool *pool, unsigned int i)
{
	const struct pool_bucket *b = &pool->bucket[i];
	const struct pool_cluster *c = b->head;
	unsigned long n = 0;

	if (c == POOL_BUSY)
		return;
	for (; c && c->n && n <= b->objs; c = c->next)
		n += c->n;
	if (n != b->objs || !n != !(pool->filled & 1ul << i))
		sched_fail("bucket %u of %s has %lu objects, or more, and counts %lu",
			   i, pool->name, n, b->objs);
}

/* Judge the counts of a pool, at any instant. */
void judge_places(const struct pool *pool)
{
	unsigned int i;

	judge_parked(pool, &pool->parked);
	for (i = 0; i < plat_cpus; i++)
		judge_parked(pool, &plat_local_of(pool, i)->parked);
	for (i = 0; i < pool->buckets; i++)
		judge_bucket(pool, i);
}
