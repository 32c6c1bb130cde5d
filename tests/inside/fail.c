// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fail.c - allocations that fail on purpose
 *
 * Layer:   tests, both worlds.
 * Context: the case's own thread.
 */
#include "test.h"

static struct pool *failing(unsigned int percent, unsigned int every)
{
	pool_options.fail_percent = percent;
	pool_options.fail_every = every;
	pool_options.debug = POOL_D_FAIL;
	return test_pool(64);
}

/* Return how many of @n allocations fail. */
static unsigned int failures(struct pool *pool, unsigned int n,
			     unsigned int flags)
{
	unsigned int failed = 0;

	while (n--) {
		void *obj = __pool_alloc(&pool->head, flags);

		failed += !obj;
		pool_free(&pool->head, obj);
	}
	return failed;
}

POOL_CASE(injected_failures_come_where_they_are_wanted, failing(100, 0))
{
	static const char nowhere[] = "no_such_function";
	unsigned int i;

	pool_fail_every = 0;
	for (i = 0; i < sizeof(nowhere); i++)
		pool_options.fail_site[i] = nowhere[i];
	EXPECT_EQ(failures(pool, 100, 0), 0);
	pool_options.fail_site[0] = 0;
	EXPECT_EQ(failures(pool, 100, 0), 100);
}

POOL_CASE(bulk_calls_and_reserves_fail_as_a_whole, failing(0, 7))
{
	void *objs[50];
	unsigned int i, done = 0;

	pool_fail_every = 0;
	for (i = 1; i <= 50; i++) {
		if (!pool_alloc_bulk(&pool->head, 0, i, objs))
			continue;
		pool_free_bulk(&pool->head, 0, i, objs);
		done++;
	}
	EXPECT(done > 0 && done < 50);
	EXPECT(!pool_reserve(&pool->head, 7));
	EXPECT(pool_alloc_bulk(&pool->head, POOL_F_NO_FAIL, 50, objs));
	pool_free_bulk(&pool->head, 0, 50, objs);
}
