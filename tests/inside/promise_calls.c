// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * promise_calls.c - what the document promises of functions: rows of document-here.rst
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

/* A pool with these words, one free object of which its user has filled. */
static struct pool_head *pool_with(const char *words)
{
	struct pool *pool = pool_configure(words) ? test_pool(64) : NULL;
	void *obj;

	if (!pool)
		return NULL;
	obj = __pool_alloc(&pool->head, POOL_F_NO_FAIL);
	if (obj)
		memset(obj, 0xa5, 64);
	test_free(pool, obj);
	return &pool->head;
}

/* Do both calls give nothing, or objects of equal contents? */
static bool are_alike(const void *one, const void *other)
{
	return one && other ? !memcmp(one, other, 64) : one == other;
}

/* Each flag changes what a call gives under one of these. */
TEST_CASE(an_allocation_without_flags_is_the_plain_call)
{
	static const char *const words[] = {
		"no-poison", "poison=0x31", "no-poison,fail_alloc=100", NULL
	};
	unsigned int i;

	pool_fail_every = 0;
	for (i = 0; words[i]; i++) {
		struct pool_head *one = pool_with(words[i]);
		struct pool_head *other = pool_with(words[i]);
		void *a, *b;

		ASSERT(one && other);
		a = pool_alloc(one);
		b = __pool_alloc(other, 0);
		EXPECT(are_alike(a, b));
		pool_free(one, a);
		pool_free(other, b);
		pool_destroy(one);
		pool_destroy(other);
	}
	EXPECT(pool_configure("no-fail,no-poison"));
}
