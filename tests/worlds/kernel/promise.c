// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * promise.c - what the document promises and only a kernel can see: the slab
 *
 * Layer:   tests, kernel; only calls that users have, but for helpers.
 * Context: see test.h.
 */
#include "test.h"
#include "failslab.h"

#include <linux/mm.h>

#define OBJS		500

/* Return how many of @n free objects are in pages of the slab.  Only pages are read. */
static unsigned int in_slab(void **objs, unsigned int n)
{
	unsigned int there = 0;

	while (n--)
		there += folio_test_slab(virt_to_folio(objs[n]));
	return there;
}

/* The slab keeps some empty pages, and returns them when it is asked to shrink. */
TEST_CASE(a_gc_has_the_slab_return_pages_without_objects)
{
	unsigned int before;
	struct pool *pool;

	test_mode(POOL_D_NO_CACHE);
	pool = test_pool(1000);
	ASSERT(pool);
	pool_fail_every = 0;
	test_alloc_many(pool, test_objs, OBJS);
	EXPECT_EQ(in_slab(test_objs, OBJS), OBJS);
	test_free_many(pool, test_objs, OBJS);
	before = in_slab(test_objs, OBJS);
	EXPECT(before > 0);
	pool_gc(NULL);
	EXPECT(in_slab(test_objs, OBJS) < before);
	pool_destroy(&pool->head);
}

TEST_CASE(an_allocation_is_null_when_the_slab_has_nothing)
{
	struct pool_stats now;
	struct pool *pool;
	void *obj;

	NEEDS_FAILSLAB();
	pool_fail_every = 0;
	pool = test_pool(64);
	ASSERT(pool);
	/* Afterwards this CPU has its part of the pool. */
	obj = pool_alloc_nocache(&pool->head);
	test_free(pool, obj);
	obj = pool_alloc(&pool->head);
	test_fail_nth(1);
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	test_fail_nth(0);
	pool_stats_get(&pool->head, &now, sizeof(now));
	EXPECT_EQ(now.failed, 1);
	EXPECT_EQ(now.used, 1);
	test_free(pool, obj);
	pool_destroy(&pool->head);
}
