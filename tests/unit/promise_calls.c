// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * promise_calls.c - what the document promises of functions: rows of Documentation/document-here.rst
 *
 * Layer:   tests, both worlds; only calls that users have, but for helpers.
 * Context: see test.h.
 */
#include "test.h"

static void numbers(struct pool *pool, struct pool_stats *now)
{
	pool_stats_get(&pool->head, now, sizeof(*now));
}

/* Did one allocation take its object from the highest layer that had one? */
static bool took_from_the_highest(const struct pool_stats *before, const struct pool_stats *now)
{
	if (before->cached)
		return now->cached == before->cached - 1 && now->shared == before->shared &&
		       now->store_gets == before->store_gets;
	if (before->shared)
		return now->cached + now->shared == before->shared - 1 &&
		       now->store_gets == before->store_gets;
	return now->store_gets > before->store_gets;
}

TEST_CASE(an_allocation_asks_the_cache_then_the_shared_pool_then_the_system)
{
	unsigned int i, cached = 0, shared = 0, none = 0;
	struct pool_stats before, now;
	struct pool *pool;

	test_options(16384, 8);
	pool_fail_every = 0;
	pool = test_pool(64);
	ASSERT(pool);
	test_wave(pool, 1000);
	numbers(pool, &before);
	for (i = 0; i < 1100; i++) {
		test_objs[i] = pool_alloc(&pool->head);
		numbers(pool, &now);
		EXPECT(took_from_the_highest(&before, &now));
		cached += before.cached > 0;
		shared += !before.cached && before.shared;
		none += !before.cached && !before.shared;
		before = now;
	}
	EXPECT(cached && shared && none);
	test_free_many(pool, test_objs, 1100);
	pool_destroy(&pool->head);
}
