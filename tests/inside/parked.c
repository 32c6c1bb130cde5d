// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * parked.c - how many parked objects one call touches
 *
 * Layer:   tests of common/shared/parked.c.
 */
#include "test.h"

#define PARKED		1000u

/* Parked objects that a call releases besides its own object: PARKED_MOST of unpark.c. */
#define BROUGHT		16u

/* Parked objects that a call may touch: those that it frees, and about as many again. */
#define TOUCHED		(2 * BROUGHT)

/* Parked objects that a CPU keeps on its own list: PARKED_HERE of parked.c. */
#define HERE		64u

static void *links[PARKED];

/*
 * Create a pool and park all of its objects.  Free objects have no other place than its parked
 * list, and atomic callers may not call its backend, in programs and kernels.
 */
static struct pool *parked_pool(void)
{
	struct pool *pool;
	unsigned int i;

	test_mode(POOL_D_UAF | POOL_D_NO_CACHE | POOL_D_NO_GLOBAL);
	pool = test_pool(64);
	if (!pool)
		return NULL;
	test_alloc_many(pool, test_objs, PARKED);
	for (i = 0; i < PARKED; i++)
		__pool_free(&pool->head, test_objs[i], POOL_F_ATOMIC);
	for (i = 0; i < PARKED; i++)
		links[i] = *pool_link_of(pool, test_objs[i]);
	return pool;
}

/* Return how many objects have another link than before. */
static unsigned int touched(struct pool *pool)
{
	unsigned int i, n = 0;

	for (i = 0; i < PARKED; i++)
		n += *pool_link_of(pool, test_objs[i]) != links[i];
	return n;
}

POOL_CASE(an_atomic_call_leaves_alone_most_of_what_parks_again, parked_pool())
{
	void *obj;

	EXPECT_EQ(test_sum(pool)->parked, PARKED);
	obj = __pool_alloc(&pool->head, POOL_F_ATOMIC);
	EXPECT(obj);
	EXPECT_LE(touched(pool), TOUCHED);
	EXPECT_EQ(test_sum(pool)->parked, PARKED - 1);
	test_free(pool, obj);
}

POOL_CASE(looking_everywhere_leaves_alone_most_of_what_parks_again, parked_pool())
{
	void *obj = pool_unpark_all(pool, POOL_F_ATOMIC);

	EXPECT(obj);
	EXPECT_LE(touched(pool), TOUCHED);
	EXPECT_EQ(test_sum(pool)->parked, PARKED - 1);
	pool_park(pool, obj);
}

POOL_CASE(atomic_calls_find_all_that_is_parked_one_by_one, parked_pool())
{
	unsigned int i;

	pool_fail_every = 0;
	for (i = 0; i < PARKED; i++) {
		test_objs[i] = __pool_alloc(&pool->head, POOL_F_ATOMIC);
		EXPECT(test_objs[i]);
	}
	EXPECT_EQ(test_sum(pool)->parked, 0);
	EXPECT_EQ(pool_allocated(pool), PARKED);
	test_free_many(pool, test_objs, PARKED);
}

/*
 * Park all objects but one, free that object, and return how many parked objects the free releases.
 */
static unsigned long brought_by_a_free(struct pool *pool)
{
	void *last = test_alloc(pool);
	unsigned int i;

	test_alloc_many(pool, test_objs, PARKED);
	for (i = 0; i < PARKED; i++)
		pool_park(pool, test_objs[i]);
	test_free(pool, last);
	return PARKED - test_sum(pool)->parked;
}

static struct pool *uncached(void)
{
	return test_in_mode(POOL_D_NO_CACHE | POOL_D_NO_GLOBAL, 64);
}

/* One pool parks on this CPU's list, the other, without a part here, on the pool's list. */
PAIR_CASE(a_free_that_goes_down_brings_a_bounded_number_along,
	  with, uncached(), without, uncached())
{
	without->cached = false;
	EXPECT_EQ(brought_by_a_free(with), BROUGHT);
	EXPECT_EQ(plat_read(&test_local(with)->parked.count), HERE - BROUGHT);
	EXPECT_EQ(brought_by_a_free(without), BROUGHT);
	EXPECT_EQ(plat_read(&without->parked.count), PARKED - BROUGHT);
	without->cached = true;
}

static unsigned long taken;

/* Allocate all objects of a pool's list, on a CPU that has parked none. */
static void take_all(unsigned int i, void *arg)
{
	struct pool *pool = arg;
	unsigned long n = 0;
	void *obj;

	(void)i;
	while (n < PARKED && pool_allocated(pool) == PARKED) {
		obj = test_alloc(pool);
		if (!obj)
			break;
		test_objs[n++] = obj;
	}
	taken = n;
	while (n)
		test_free(pool, test_objs[--n]);
}

/* Move parked objects of this CPU to the pool's list, where calls without a part park objects. */
static void park_without_cpu(struct pool *pool, struct pool_local *local)
{
	struct pool_parked none = pool->parked;

	pool->parked = local->parked;
	local->parked = none;
}

/* How many objects of a pool that test_whole() made are in use, in test_objs. */
static unsigned int whole;

/*
 * A CPU that only frees, while NMIs park, may make no other visits than spills.  If spills left
 * parked objects alone, the list would grow without bound.
 */
POOLS_CASE(a_spill_of_a_whole_array_brings_down_what_is_parked, 2, test_whole(&whole))
{
	pool_park(pool, test_objs[--whole]);
	if (nth)
		park_without_cpu(pool, test_local(pool));
	EXPECT_EQ(test_sum(pool)->parked, 1);
	test_free(pool, test_objs[--whole]);
	EXPECT_EQ(test_sum(pool)->parked, 0);
	test_free_many(pool, test_objs, whole);
}

POOL_CASE(what_a_cpu_parks_beyond_some_is_used_by_all_cpus, test_sure_within(0, 8, 64))
{
	unsigned int i;

	test_alloc_just(pool, test_objs, PARKED);
	for (i = 0; i < PARKED; i++)
		pool_park(pool, test_objs[i]);
	EXPECT_EQ(test_sum(pool)->parked, PARKED);
	EXPECT_LE(plat_read(&test_local(pool)->parked.count), HERE);
	test_threads(1, take_all, pool);
	EXPECT_LE(PARKED - HERE, taken);
}
