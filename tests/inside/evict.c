// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * evict.c - which clusters are evicted, and which arrays reduced, under the byte bound
 *
 * Layer:   tests of common/core/age.c.
 */
#include "test.h"

#define BOUND		524288ul

/* Batches after which a busy pool's working set must be cached. */
#define DOZENS		36

/* Count the objects that did not come from this CPU's caches. */
static unsigned long from_below(struct pool *pool)
{
	struct pool_stats now;

	pool_sum(pool, &now);
	return (unsigned long)(now.get_objs + now.store_gets);
}

/*
 * Return how many objects of a batch miss, after DOZENS batches, when all objects must be cached.
 */
static unsigned long misses_of(struct pool *busy, unsigned int n)
{
	unsigned long before;
	unsigned int i;

	for (i = 0; i < DOZENS; i++)
		test_wave(busy, n);
	before = from_below(busy);
	test_wave(busy, n);
	return from_below(busy) - before;
}

static struct pool *unshared_within(unsigned long hot_size, unsigned int cluster, unsigned int size)
{
	test_options(hot_size, cluster);
	return test_in_mode(POOL_D_NO_GLOBAL, size);
}

/* Without a shared pool, each eviction of a wrong cluster costs a call of the backend. */
PAIR_CASE(a_busy_pool_without_a_shared_part_needs_no_backend_beside_an_idle_one,
	  idle, unshared_within(BOUND, 32, 144), busy, unshared_within(BOUND, 32, 1024))
{
	test_wave(idle, TEST_OBJS);
	EXPECT_EQ(misses_of(busy, 200), 0);
}

/* Evicted clusters stay charged until the visit ends, so the charge does not say when to stop. */
POOL_CASE(a_free_of_a_pool_without_a_shared_part_evicts_no_more_than_it_needs,
	  unshared_within(BOUND, 32, 1024))
{
	unsigned long most = 0;
	unsigned int i;

	test_alloc_just(pool, test_objs, 1000);
	for (i = 0; i < 1000; i++) {
		unsigned long before = test_local(pool)->evictions;

		test_free(pool, test_objs[i]);
		before = test_local(pool)->evictions - before;
		most = before > most ? before : most;
	}
	EXPECT_EQ(most, 1);
}

/* Unused arrays have three quarters of the bound as slots, which a busy pool must get. */
POOL_CASE(idle_arrays_give_way_to_a_busy_pool, test_within(BOUND, 32, 1024))
{
	struct pool *idle[32];
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(idle); i++) {
		idle[i] = test_pool(256);
		ASSERT(idle[i]);
		test_wave(idle[i], 128);
	}
	EXPECT_EQ(misses_of(pool, 400), 0);
	for (i = 0; i < ARRAY_LEN(idle); i++)
		pool_destroy(&idle[i]->head);
}

/*
 * Three arrays, of which the oldest has 30 objects, take all of the bound.  The pool of large
 * objects has an empty array, and needs bytes.
 */
TEST_CASE(an_array_that_makes_room_by_closing_evicts_nothing)
{
	struct pool *small[3], *large;
	void *obj[2];
	unsigned int i;

	test_options(BOUND, 32);
	for (i = 0; i < ARRAY_LEN(small); i++) {
		small[i] = test_pool(1024);
		ASSERT(small[i]);
		test_alloc_many(small[i], test_objs + 128 * i, 128);
		test_free_many(small[i], test_objs + 128 * i, 128);
		test_alloc_many(small[i], test_objs + 128 * i, 128);
	}
	test_free_many(small[0], test_objs, 30);
	large = test_pool(BOUND / 4 + 8);
	ASSERT(large);
	test_alloc_many(large, obj, 2);
	test_free_many(large, obj, 2);
	EXPECT_EQ(test_local(large)->clustered, 2);
	EXPECT_EQ(test_local(large)->evictions, 0);
	EXPECT_EQ(test_local(small[0])->evictions, 0);
	if (POOL_HOT_MAX == 128)
		EXPECT_EQ(test_local(small[0])->hot.slots, 30);
	pool_destroy(&large->head);
	test_alloc_many(small[0], test_objs, 30);
	for (i = 0; i < ARRAY_LEN(small); i++) {
		test_free_many(small[i], test_objs + 128 * i, 128);
		pool_destroy(&small[i]->head);
	}
}

POOL_CASE(a_pool_alone_may_fill_the_bound, test_within(BOUND, 32, 1024))
{
	EXPECT_EQ(misses_of(pool, BOUND / 1024), 0);
	EXPECT(test_bound_holds());
}

/* Small pools allocate and free a few objects between those of a huge pool's batches. */
POOL_CASE(small_active_pools_are_not_starved_by_a_huge_one, test_within(BOUND, 32, 1024))
{
	unsigned int huge_n = 2 * BOUND / 1024;
	unsigned long seed = 2463534242;
	unsigned long allocs = 0, misses = 0;
	unsigned int i, round;
	struct pool *small[8];
	void *obj[8];

	for (i = 0; i < ARRAY_LEN(small); i++) {
		small[i] = test_pool(64);
		ASSERT(small[i]);
	}
	for (round = 0; round < 2 * 20 * huge_n; round++) {
		struct pool *one = small[test_random(&seed) % 8];
		unsigned int n = 1 + (unsigned int)(test_random(&seed) % 8);
		unsigned long before = from_below(one);

		i = round % huge_n;
		if (round / huge_n % 2)
			test_free(pool, test_objs[i]);
		else
			test_objs[i] = test_alloc(pool);
		test_alloc_many(one, obj, n);
		test_free_many(one, obj, n);
		if (round < 4 * huge_n)
			continue;
		allocs += n;
		misses += from_below(one) - before;
	}
	EXPECT_LE(misses, allocs / 100);
	for (i = 0; i < ARRAY_LEN(small); i++)
		pool_destroy(&small[i]->head);
}
