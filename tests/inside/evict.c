// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * evict.c - which clusters are evicted, and which arrays reduced, under the byte bound
 *
 * Layer:   tests of common/core/age.c.
 * Context: see test.h.
 */
#include "test.h"

#define BOUND		524288ul

/* After this many batches a busy pool has all of its working set. */
#define DOZENS		36

/* Objects that did not come from this CPU's caches. */
static unsigned long from_below(struct pool *pool)
{
	struct pool_stats now;

	pool_sum(pool, &now);
	return (unsigned long)(now.get_objs + now.store_gets);
}

/* Run batches until the working set must be cached, then count one more. */
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

/* Without a shared pool an eviction of the wrong cluster costs a call of the backend. */
TEST_CASE(a_busy_pool_without_a_shared_part_needs_no_backend_beside_an_idle_one)
{
	struct pool *idle, *busy;

	test_options(BOUND, 32);
	test_mode(POOL_D_NO_GLOBAL);
	idle = test_pool(144);
	busy = test_pool(1024);
	ASSERT(idle && busy);
	test_wave(idle, TEST_OBJS);
	EXPECT_EQ(misses_of(busy, 200), 0);
	pool_destroy(&busy->head);
	pool_destroy(&idle->head);
}

/*
 * Evicted clusters stay charged until the visit ends, so evicting until there is room goes too
 * far.
 */
TEST_CASE(a_free_of_a_pool_without_a_shared_part_evicts_no_more_than_it_needs)
{
	unsigned long most = 0;
	struct pool_local *local;
	struct pool *pool;
	unsigned int i;

	test_options(BOUND, 32);
	test_mode(POOL_D_NO_GLOBAL);
	pool = test_pool(1024);
	ASSERT(pool);
	test_alloc_just(pool, test_objs, 1000);
	local = test_local(pool);
	for (i = 0; i < 1000; i++) {
		unsigned long before = local->evictions;

		test_free(pool, test_objs[i]);
		before = local->evictions - before;
		most = before > most ? before : most;
	}
	EXPECT_EQ(most, 1);
	pool_destroy(&pool->head);
}

/* The slots of unused arrays take three quarters of the bound.  The busy pool must get them. */
TEST_CASE(idle_arrays_give_way_to_a_busy_pool)
{
	struct pool *idle[32], *busy;
	unsigned int i;

	test_options(BOUND, 32);
	for (i = 0; i < ARRAY_LEN(idle); i++) {
		idle[i] = test_pool(256);
		ASSERT(idle[i]);
		test_wave(idle[i], 128);
	}
	busy = test_pool(1024);
	ASSERT(busy);
	EXPECT_EQ(misses_of(busy, 400), 0);
	pool_destroy(&busy->head);
	for (i = 0; i < ARRAY_LEN(idle); i++)
		pool_destroy(&idle[i]->head);
}

/*
 * Three arrays of 128 slots of 1 KiB, with 30 objects in the oldest, leave no room for the large
 * objects, which have no array.
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

/*
 * Eight small pools take and free a few objects at a time, in the middle of a
 * huge pool's batches, which are twice the bound.
 */
TEST_CASE(small_active_pools_are_not_starved_by_a_huge_one)
{
	unsigned int huge_n = 2 * BOUND / 1024;
	unsigned long seed = 2463534242;
	unsigned long allocs = 0, misses = 0;
	struct pool *huge, *small[8];
	unsigned int i, round;
	void *obj[8];

	test_options(BOUND, 32);
	huge = test_pool(1024);
	ASSERT(huge);
	for (i = 0; i < ARRAY_LEN(small); i++) {
		small[i] = test_pool(64);
		ASSERT(small[i]);
	}
	for (round = 0; round < 2 * 20 * huge_n; round++) {
		struct pool *pool = small[test_random(&seed) % 8];
		unsigned int n = 1 + (unsigned int)(test_random(&seed) % 8);
		unsigned long before = from_below(pool);

		i = round % huge_n;
		if (round / huge_n % 2)
			test_free(huge, test_objs[i]);
		else
			test_objs[i] = test_alloc(huge);
		test_alloc_many(pool, obj, n);
		test_free_many(pool, obj, n);
		if (round < 4 * huge_n)
			continue;
		allocs += n;
		misses += from_below(pool) - before;
	}
	EXPECT_LE(misses, allocs / 100);
	for (i = 0; i < ARRAY_LEN(small); i++)
		pool_destroy(&small[i]->head);
	pool_destroy(&huge->head);
}
