// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * promise.c - what the document promises and only a kernel can see: the slab
 *
 * Layer:   tests, kernel; only calls that users have, but for helpers.
 */
#include "test.h"
#include "failslab.h"

#include <linux/mm.h>

#define OBJS		500

/* Return how many of @n free objects are in pages of the slab, without reading the objects. */
static unsigned int in_slab(void **objs, unsigned int n)
{
	unsigned int there = 0;

	while (n--)
		there += folio_test_slab(virt_to_folio(objs[n]));
	return there;
}

/* The slab keeps some empty pages, and returns them when it is asked to shrink. */
POOL_CASE(a_gc_has_the_slab_return_pages_without_objects, test_in_mode(POOL_D_NO_CACHE, 1000))
{
	unsigned int before;

	pool_fail_every = 0;
	test_alloc_many(pool, test_objs, OBJS);
	EXPECT_EQ(in_slab(test_objs, OBJS), OBJS);
	test_free_many(pool, test_objs, OBJS);
	before = in_slab(test_objs, OBJS);
	EXPECT(before > 0);
	pool_gc(NULL);
	EXPECT(in_slab(test_objs, OBJS) < before);
}

POOL_CASE(an_allocation_is_null_when_the_slab_has_nothing, IF_FAILSLAB(test_sure(64)))
{
	void *obj;

	/* Let this CPU get its part of the pool. */
	test_free(pool, pool_alloc_nocache(&pool->head));
	obj = pool_alloc(&pool->head);
	test_fail_nth(1);
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	test_fail_nth(0);
	EXPECT_EQ(test_sum(pool)->failed, 1);
	EXPECT_EQ(test_sum(pool)->used, 1);
	test_free(pool, obj);
}
