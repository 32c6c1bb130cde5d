// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scale_visit.c - visits of one thread alone, which owns all lines
 *
 * Layer:   part of scale.c; calls common/core/shared.c without the layers above it,
 *	    because through the API a visit cannot be told from its surroundings.
 * Context: the first of the team.
 */
#include "plat.h"
#include "scale.h"

#include <err.h>

#define SIZE		64
#define VISITS		100000u
#define CLUSTERS	4
#define OBJECTS		4096

static void *held[OBJECTS];

static struct pool *pool_of_one(void)
{
	struct pool_head *head;

	if (!pool_configure("buckets=1"))
		errx(1, "no bucket");
	head = create_pool("visit", SIZE, 0);
	if (!head)
		errx(1, "no pool");
	return pool_of(head);
}

static void put_cluster(struct pool *pool)
{
	struct pool_cluster *c =
		plat_mem_alloc(sizeof(*c), PLAT_MEM_AT_HAND);

	if (!c)
		err(1, "no cluster");
	c->n = 0;
	while (c->n < pool->cluster)
		c->obj[c->n++] = pool_alloc(&pool->head);
	if (!pool_put_to_shared_cache(pool, c))
		errx(1, "BUSY");
}

/* Take a cluster of the shared pool and count it as arrived; NULL: there is none. */
static struct pool_cluster *take_cluster(struct pool *pool)
{
	struct pool_cluster *c;

	c = pool_refill_local_from_shared(pool, &pool->moving);
	if (c)
		pool_arrive(&pool->moving, c->n);
	return c;
}

/* Take a cluster and put it back; for the last cluster that changes "filled". */
static double pairs(struct pool *pool)
{
	double start = scale_clock(CLOCK_MONOTONIC);
	unsigned int i;

	for (i = 0; i < VISITS; i++)
		pool_put_to_shared_cache(pool, take_cluster(pool));
	return (scale_clock(CLOCK_MONOTONIC) - start) / VISITS;
}

/* pairs() without holding a bucket: nothing to take, nowhere to put. */
static double misses(struct pool *pool)
{
	double start = scale_clock(CLOCK_MONOTONIC);
	unsigned int i;

	for (i = 0; i < VISITS; i++)
		if (take_cluster(pool))
			errx(1, "not empty");
	return (scale_clock(CLOCK_MONOTONIC) - start) / VISITS;
}

static double keeps(struct pool *pool)
{
	double start = scale_clock(CLOCK_MONOTONIC);
	unsigned int i;

	for (i = 0; i < VISITS; i++)
		pool_need_keeps(pool, pool->cluster);
	return (scale_clock(CLOCK_MONOTONIC) - start) / VISITS;
}

static void empty(struct pool *pool)
{
	struct pool_cluster *c;

	while ((c = take_cluster(pool))) {
		pool_backend_put_cluster(pool, c, 0);
		plat_mem_free(c);
	}
}

static void visits(struct pool *pool)
{
	unsigned int i;

	scale_say("visit_miss", 1, 1, misses(pool));
	put_cluster(pool);
	scale_say("visit_pair_last", 1, 1, pairs(pool));
	for (i = 1; i < CLUSTERS; i++)
		put_cluster(pool);
	scale_say("visit_pair", 1, 1, pairs(pool));
	scale_say("visit_keeps", 1, 1, keeps(pool));
	empty(pool);
}

static void alloc_all(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < OBJECTS; i++)
		held[i] = pool_alloc(&pool->head);
}

static double free_all(struct pool *pool)
{
	double start = scale_clock(CLOCK_MONOTONIC);
	unsigned int i;

	for (i = 0; i < OBJECTS; i++)
		pool_free(&pool->head, held[i]);
	return (scale_clock(CLOCK_MONOTONIC) - start) / OBJECTS;
}

/*
 * The cost for calls that find the one bucket BUSY, as when its holder lost the
 * processor: allocations look at it again and again, then ask the backend.
 * Caches hold a part of OBJECTS.
 */
static void busy(struct pool *pool)
{
	struct pool_cluster *head;
	double start = scale_clock(CLOCK_MONOTONIC);

	alloc_all(pool);
	scale_say("backend_alloc", 1, 1,
		  (scale_clock(CLOCK_MONOTONIC) - start) / OBJECTS);
	free_all(pool);
	empty(pool);
	put_cluster(pool);
	head = plat_xchg_acquire(&pool->bucket[0].head, POOL_BUSY);
	start = scale_clock(CLOCK_MONOTONIC);
	alloc_all(pool);
	scale_say("busy_alloc", 1, 1,
		  (scale_clock(CLOCK_MONOTONIC) - start) / OBJECTS);
	scale_say("busy_free", 1, 1, free_all(pool));
	plat_write_release(&pool->bucket[0].head, head);
	empty(pool);
}

static void one_alone(unsigned int i, void *arg)
{
	struct pool *pool = pool_of_one();

	(void)i;
	(void)arg;
	visits(pool);
	busy(pool);
	pool_destroy(&pool->head);
}

void scale_visit(void)
{
	team_run(1, one_alone, NULL);
}
