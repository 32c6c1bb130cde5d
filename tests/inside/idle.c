// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * idle.c - objects that were not needed for a while are released
 *
 * Layer:   tests of common/reclaim/idle.c.
 */
#include "test.h"

#define PEAK	4000u
#define IDLE	(2 * POOL_EVICT_MOST + 1u)

/* Return how many free objects a pool has beyond its array, which stays while it is used. */
static unsigned long beyond_arrays(struct pool *pool)
{
	return pool_allocated(pool) - test_local(pool)->hot.n;
}

POOL_CASE(an_idle_pool_is_below_a_tenth_after_six_ages, test_pool(64))
{
	unsigned long peak;
	unsigned int i;

	test_wave(pool, PEAK);
	peak = pool_allocated(pool);
	for (i = 0; i < 6; i++)
		pool_age();
	EXPECT_LE(pool_allocated(pool) * 10, peak);
}

/* If ageing releases a part of the only cluster, this must not count as a use of the rest. */
POOL_CASE(of_a_few_idle_objects_half_goes_each_time, test_sure(64))
{
	unsigned long most = POOL_CLUSTER_SIZE;
	unsigned int i;

	for (i = 0; i < most; i++)
		test_objs[i] = pool_alloc_nocache(&pool->head);
	for (i = 0; i < most; i++)
		ASSERT(test_objs[i] && pool_shared_put_one(pool, test_objs[i], 0));
	EXPECT_EQ(pool_shared_count(pool), most);
	for (i = 0; i < 6; i++) {
		pool_age();
		EXPECT_LE(pool_shared_count(pool), most);
		most -= most / 2;
	}
	EXPECT_LE(pool_shared_count(pool) * 16, POOL_CLUSTER_SIZE);
}

POOL_CASE(the_first_age_takes_nothing_that_was_just_used, test_pool(64))
{
	unsigned long before;

	pool_age();
	test_wave(pool, PEAK);
	before = pool_allocated(pool);
	EXPECT(pool_age());
	EXPECT_EQ(pool_allocated(pool), before);
	EXPECT(pool_age());
	EXPECT(pool_allocated(pool) < before);
}

/*
 * The pool uses all of its objects between two calls of pool_age(), so each call may release a
 * hundredth at most.
 */
POOL_CASE(a_busy_pool_loses_nothing, test_pool(64))
{
	struct pool_stats before, now;
	unsigned int i;

	for (i = 0; i < 10; i++)
		test_wave(pool, PEAK);
	pool_age();
	test_wave(pool, PEAK);
	pool_sum(pool, &before);
	for (i = 0; i < 20; i++) {
		pool_age();
		test_wave(pool, PEAK);
	}
	pool_sum(pool, &now);
	EXPECT_LE(now.store_gets - before.store_gets, PEAK / 100);
}

PAIR_CASE(an_idle_pool_beside_a_busy_one_goes, idle, test_pool(64), busy, test_pool(64))
{
	unsigned long peak, most;
	unsigned int i;

	test_wave(idle, PEAK);
	peak = pool_allocated(idle);
	for (i = 0; i < 3; i++)
		test_wave(busy, 200);
	most = pool_allocated(busy);
	for (i = 0; i < 8; i++) {
		test_wave(busy, 200);
		pool_age();
	}
	EXPECT_LE(beyond_arrays(idle) * 10, peak);
	EXPECT_LE(most, 2 * pool_allocated(busy));
}

POOL_CASE(age_leaves_spare_objects, test_pool(64))
{
	unsigned int i;

	test_wave(pool, PEAK);
	pool_set_min_avail(&pool->head, 100);
	for (i = 0; i < 20; i++)
		pool_age();
	EXPECT_LE(100, pool_shared_count(pool));
	EXPECT_LE(pool_shared_count(pool), 100 + POOL_CLUSTER_SIZE);
}

/* If ageing read the bucket, it would overwrite the bucket's "least". */
POOL_CASE(age_touches_no_bucket_that_is_empty, test_pool(64))
{
	pool->bucket[0].least = 5;
	pool_age();
	EXPECT_EQ(pool->bucket[0].least, 5);
}

POOL_CASE(age_says_when_there_is_nothing_left, test_pool(64))
{
	unsigned int i = 0;

	test_wave(pool, PEAK);
	while (i < 100 && pool_age())
		i++;
	EXPECT_LE(i, 30);
	EXPECT(!pool_age());
	EXPECT_EQ(pool_shared_count(pool), 0);
	EXPECT_EQ(test_local(pool)->clustered, 0);
	EXPECT_EQ(test_cpu()->stashed, 0);
	EXPECT_EQ(plat_read(&pool->spares), 0);
	test_wave(pool, PEAK);
	EXPECT(pool_age());
}

POOL_CASE(arrays_that_this_cpu_does_not_visit_close_beside_one_that_it_does, test_sure(64))
{
	struct pool *idle[IDLE];
	unsigned int i;

	for (i = 0; i < IDLE; i++) {
		idle[i] = test_pool(64);
		ASSERT(idle[i]);
		test_wave(idle[i], 300);
	}
	for (i = 0; i < 5; i++) {
		test_wave(pool, 300);
		pool_age();
	}
	EXPECT(test_local(pool)->hot.slots);
	for (i = 0; i < IDLE; i++) {
		EXPECT_EQ(test_local(idle[i])->hot.slots, 0);
		ENDS_QUIETLY(&idle[i]->head);
	}
}

/* Hits are no visits, so ageing closes the array; its objects must then be found in a cluster. */
POOL_CASE(an_array_whose_calls_all_hit_loses_nothing_by_age, test_sure(64))
{
	struct pool_stats before, now;
	unsigned int i;

	for (i = 0; i < 10; i++)
		test_wave(pool, 2);
	pool_sum(pool, &before);
	for (i = 0; i < 20; i++) {
		pool_age();
		test_wave(pool, 2);
	}
	pool_sum(pool, &now);
	EXPECT_EQ(now.store_gets, before.store_gets);
	EXPECT_EQ(now.store_puts, before.store_puts);
	EXPECT(now.fills > before.fills);
	EXPECT_LE(now.fills - before.fills, 10);
}

/* Ageing must not touch an array that a call holds, but must reduce it after the call has ended. */
POOL_CASE(age_leaves_a_held_array_alone, test_sure(64))
{
	struct pool_local *here;
	unsigned int slots, held, flags = 0, i;

	test_wave(pool, 300);
	here = pool_here_enter(pool, &flags);
	ASSERT(here);
	slots = plat_read(&here->hot.slots);
	for (i = 0; i < 5; i++) {
		here->cpu->aged = here->cpu->visits;
		pool_age_array(here->cpu);
	}
	held = plat_read(&here->hot.slots);
	pool_here_leave(here);
	EXPECT_EQ(held, slots);
	here->cpu->aged = here->cpu->visits;
	EXPECT(pool_age_prepare(here->cpu));
	pool_age_array(here->cpu);
	EXPECT(plat_read(&here->hot.slots) < slots);
}

static void use_or_age(unsigned int i, void *arg)
{
	struct pool *pool = arg;
	void **objs = test_objs + i * TEST_SOME;
	unsigned long r;

	for (r = 0; r < test_scale(1000); r++) {
		if (!i) {
			pool_age();
			continue;
		}
		test_alloc_many(pool, objs, TEST_SOME);
		test_free_many(pool, objs, TEST_SOME);
	}
}

POOL_CASE(age_under_load_loses_nothing, test_pool(64))
{
	test_threads(4, use_or_age, pool);
}
