// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * alloc.c - allocating and freeing, as users see it
 *
 * Layer:   tests of common/api/hit.c, alloc.c and backend.c.
 */
#include "test.h"

POOL_CASE(objects_do_not_overlap, test_pool(48))
{
	unsigned int i;

	test_alloc_many(pool, test_objs, 1000);
	for (i = 0; i < 1000; i++)
		memset(test_objs[i], (int)(i & 0xff), 48);
	for (i = 0; i < 1000; i++) {
		unsigned char *obj = test_objs[i];

		EXPECT_EQ(obj[0], i & 0xff);
		EXPECT_EQ(obj[47], i & 0xff);
	}
	test_free_many(pool, test_objs, 1000);
}

POOL_CASE(freeing_and_destroying_null_does_nothing, test_pool(64))
{
	pool_free(&pool->head, NULL);
	__pool_free(&pool->head, NULL, POOL_F_ATOMIC);
	EXPECT_PTR_EQ(pool_destroy(NULL), NULL);
}

POOL_CASE(nocache_takes_from_the_shared_pool_before_the_backend, test_pool(64))
{
	struct pool_stats before, now;
	void *obj[2];

	obj[0] = test_alloc(pool);
	obj[1] = test_alloc(pool);
	ASSERT(pool_shared_put_one(pool, obj[1], 0));
	pool_sum(pool, &before);
	EXPECT_EQ(before.shared, 1);
	EXPECT_PTR_EQ(pool_alloc_nocache(&pool->head), obj[1]);
	pool_sum(pool, &now);
	EXPECT_EQ(now.store_gets, before.store_gets);
	EXPECT_EQ(now.shared, 0);
	test_free_many(pool, obj, 2);
}

/* All objects are free.  Wherever the mode keeps them, an uncached allocation must find them. */
TEST_CASE(nocache_at_the_limit_gets_what_frees_left_in_the_caches)
{
	static const unsigned int modes[] = {
		0, 0, POOL_D_NO_CACHE, POOL_D_INTEGRITY, POOL_D_UAF
	};
	unsigned int i, m, none = 0;
	struct pool *pool;

	pool_fail_every = 0;
	for (m = 0; m < ARRAY_LEN(modes); m++) {
		test_mode(modes[m]);
		pool = test_pool(64);
		test_mode(0);
		ASSERT(pool);
		EXPECT(pool_set_limit(&pool->head, TEST_SOME));
		test_wave(pool, TEST_SOME);
		if (!m)
			pool_switch(pool, POOL_D_NO_CACHE, 0);
		for (i = 0; i < TEST_SOME; i++) {
			test_objs[i] = pool_alloc_nocache(&pool->head);
			none += !test_objs[i];
		}
		for (i = 0; i < TEST_SOME; i++)
			test_free(pool, test_objs[i]);
		pool_destroy(&pool->head);
	}
	EXPECT_EQ(none, 0);
}

POOL_CASE(objects_above_the_bound_are_not_cached, test_within(4096, 8, 4097))
{
	test_free(pool, test_alloc(pool));
	EXPECT_EQ(test_sum(pool)->cached, 0);
	EXPECT_EQ(test_sum(pool)->allocated, 1);
	EXPECT_EQ(test_sum(pool)->shared, 1);
	EXPECT_EQ(test_charged(), 0);
}

POOL_CASE(a_failed_allocation_returns_null_and_is_counted, test_pool(64))
{
	pool_fail_every = 1;
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_ATOMIC), NULL);
	EXPECT_PTR_EQ(pool_alloc_nocache(&pool->head), NULL);
	EXPECT_EQ(test_sum(pool)->failed + test_sum(pool)->injected, 3);
	EXPECT_EQ(pool_total_failures(), 3);
	EXPECT_EQ(test_sum(pool)->allocated, 0);
}

POOL_CASE(a_failing_backend_does_not_fail_what_is_cached, test_pool(64))
{
	unsigned int i;

	test_alloc_just(pool, test_objs, TEST_SOME);
	test_free_many(pool, test_objs, TEST_SOME);
	pool_fail_every = 1;
	for (i = 0; i < TEST_SOME; i++)
		EXPECT(pool_alloc(&pool->head));
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	test_free_many(pool, test_objs, TEST_SOME);
}

POOL_CASE(an_atomic_pair_works_where_nothing_may_sleep, test_pool(64))
{
	unsigned int i;

	test_alloc_many(pool, test_objs, TEST_SOME);
	for (i = 0; i < TEST_SOME; i++)
		__pool_free(&pool->head, test_objs[i], POOL_F_ATOMIC);
	for (i = 0; i < TEST_SOME; i++) {
		test_objs[i] = __pool_alloc(&pool->head, POOL_F_ATOMIC);
		EXPECT(test_objs[i]);
	}
	test_free_many(pool, test_objs, TEST_SOME);
}

/* Create a pool of this mode, on a CPU that caches little. */
static struct pool *inside(unsigned int mode)
{
	struct pool_attr attr = { .name = "inside", .size = 64, .mode = mode };

	test_options(4096, 4);
	return test_made(&attr);
}

POOLS_CASE(a_caller_inside_the_backend_allocates_and_frees_without_it,
	   POOL_M_NO_CACHE - POOL_M_GLOBAL + 1, inside(POOL_M_GLOBAL + nth))
{
	unsigned long long gets, puts;
	unsigned int i;

	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_NOSLAB), NULL);
	test_alloc_many(pool, test_objs, 300);
	gets = test_sum(pool)->store_gets;
	puts = test_sum(pool)->store_puts;
	for (i = 0; i < 300; i++)
		__pool_free(&pool->head, test_objs[i], POOL_F_NOSLAB);
	for (i = 0; i < 300; i++) {
		test_objs[i] = __pool_alloc(&pool->head, POOL_F_NOSLAB);
		EXPECT(test_objs[i]);
	}
	EXPECT_EQ(test_sum(pool)->store_gets, gets);
	EXPECT_EQ(test_sum(pool)->store_puts, puts);
	test_free_many(pool, test_objs, 300);
}
