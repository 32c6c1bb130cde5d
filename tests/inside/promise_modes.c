// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * promise_modes.c - what the document promises of modes: rows of Documentation/document-here.rst
 *
 * Layer:   tests, both worlds; only calls that users have, but for helpers.
 * Context: see test.h.
 */
#include "test.h"
#include "options/options.h"

/* Words of modes, as users write them; NULL ends the list. */
static const char *const modes[] = {
	"cache,global", "cache,no-global", "no-cache,global", "no-cache,no-global", NULL,
};

/* A pool in the mode of @words, which CPUs cache few objects of; NULL: there is none. */
static struct pool *pool_with(const char *words)
{
	pool_fail_every = 0;
	test_options(16384, 8);
	return pool_configure(words) ? test_pool(64) : NULL;
}

static void numbers(struct pool *pool, struct pool_stats *now)
{
	pool_stats_get(&pool->head, now, sizeof(*now));
}

/* Take all objects that this CPU's caches have; returns how many these were. */
static unsigned int empty_caches(struct pool *pool)
{
	struct pool_stats now;
	unsigned int n;

	numbers(pool, &now);
	for (n = 0; n < now.cached; n++)
		test_objs[n] = test_alloc(pool);
	return n;
}

/* One call, and the next ones find in the caches what came with its object. */
TEST_CASE(an_empty_cache_is_refilled_from_the_shared_pool)
{
	struct pool *pool = pool_with("cache,global");
	struct pool_stats before, now;
	unsigned int n;

	ASSERT(pool);
	test_wave(pool, 1000);
	n = empty_caches(pool);
	numbers(pool, &before);
	EXPECT_EQ(before.cached, 0);
	EXPECT(before.shared > 1);
	test_objs[n++] = test_alloc(pool);
	numbers(pool, &now);
	EXPECT_EQ(now.store_gets, before.store_gets);
	EXPECT(now.cached > 0);
	EXPECT_EQ(now.cached + now.shared + 1, before.shared);
	test_free_many(pool, test_objs, n);
	pool_destroy(&pool->head);
}

/* Objects too large for arrays: a CPU caches eight of them. */
TEST_CASE(the_oldest_object_of_all_pools_is_evicted_first)
{
	struct pool *old, *new;
	struct pool_stats now;
	unsigned int i;

	pool_fail_every = 0;
	test_options(8 * 8192, 8);
	old = test_pool(8192);
	new = test_pool(8192);
	ASSERT(old && new);
	test_alloc_many(old, test_objs, 8);
	test_alloc_many(new, test_objs + 8, 4);
	for (i = 0; i < 8; i++)
		test_free(old, test_objs[i]);
	for (i = 8; i < 12; i++)
		test_free(new, test_objs[i]);
	numbers(new, &now);
	EXPECT_EQ(now.cached, 4);
	numbers(old, &now);
	EXPECT_EQ(now.cached, 4);
	for (i = 8; i-- > 4;)
		EXPECT_PTR_EQ(pool_alloc(&old->head), test_objs[i]);
	test_free_many(old, test_objs + 4, 4);
	pool_destroy(&old->head);
	pool_destroy(&new->head);
}

/* The document's clusters, if the build has such. */
#define EIGHT	(POOL_CLUSTER_SIZE < 8 ? POOL_CLUSTER_SIZE : 8)

/* Do three quarters of a cluster move at once, on average? */
static bool are_grouped(unsigned long long objs, unsigned long long moves)
{
	return 4 * objs >= 3 * EIGHT * moves;
}

TEST_CASE(six_of_eight_objects_move_at_once_at_least)
{
	struct pool *pool = pool_with("cache,global");
	struct pool_stats before, now;
	unsigned int n;

	ASSERT(pool);
	test_wave(pool, 1000);
	numbers(pool, &before);
	EXPECT(before.puts && are_grouped(before.shared, before.puts));
	n = empty_caches(pool);
	test_alloc_many(pool, test_objs + n, 400);
	numbers(pool, &now);
	EXPECT(now.gets > before.gets);
	EXPECT(are_grouped(before.shared - now.shared, now.gets - before.gets));
	test_free_many(pool, test_objs, n + 400);
	pool_destroy(&pool->head);
}

static void take_many(unsigned int i, void *arg)
{
	struct pool *pool = arg;

	(void)i;
	test_wave(pool, 500);
}

/* This CPU frees more than it may keep; another one allocates that without the backend. */
TEST_CASE(what_does_not_fit_is_allocated_by_another_cpu)
{
	struct pool *pool = pool_with("cache,global");
	struct pool_stats before, now;

	ASSERT(pool);
	test_wave(pool, 1000);
	numbers(pool, &before);
	EXPECT(test_bound_holds());
	EXPECT(before.shared > 500);
	test_threads(1, take_many, pool);
	numbers(pool, &now);
	EXPECT_EQ(now.store_gets, before.store_gets);
	pool_destroy(&pool->head);
}

/* Objects of a mebibyte and more, where the build allows half of that. */
TEST_CASE(the_cache_is_as_large_as_it_is_set_and_512_kib_unless_it_is)
{
	struct pool *pool = pool_with("cache,global");
	struct pool_stats now;

	ASSERT(pool);
	EXPECT_EQ(pool_options_built.hot_size, 512 << 10);
	pool_destroy(&pool->head);
	pool = test_pool(1024);
	ASSERT(pool && pool_configure("hot_size=4m"));
	test_wave(pool, 2000);
	numbers(pool, &now);
	EXPECT_LE(1 << 20, now.cached * 1024);
	EXPECT(pool_configure("hot_size=64k"));
	test_wave(pool, 2000);
	numbers(pool, &now);
	EXPECT_LE(now.cached * 1024, 64 << 10);
	pool_destroy(&pool->head);
}

/* Whatever is in use, free objects are never kept. */
TEST_CASE(with_the_word_no_cache_each_call_is_one_of_the_backend)
{
	struct pool *pool = pool_with("no-cache");
	struct pool_stats now;
	unsigned int i;

	ASSERT(pool);
	for (i = 0; i < 100; i++) {
		test_objs[i] = pool_alloc(&pool->head);
		numbers(pool, &now);
		EXPECT_EQ(now.store_gets, i + 1);
		EXPECT_EQ(now.allocated, i + 1);
	}
	for (i = 0; i < 100; i++) {
		test_free(pool, test_objs[i]);
		numbers(pool, &now);
		EXPECT_EQ(now.store_puts, i + 1);
		EXPECT_EQ(now.cached + now.shared, 0);
	}
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

TEST_CASE(in_no_mode_there_is_a_shared_pool_without_caches)
{
	unsigned int i, shares = 0;

	for (i = 0; modes[i]; i++) {
		struct pool *pool = pool_with(modes[i]);
		struct pool_stats now;

		ASSERT(pool);
		test_wave(pool, 1000);
		numbers(pool, &now);
		EXPECT(now.cached || !now.shared);
		shares += now.shared > 0;
		pool_destroy(&pool->head);
	}
	EXPECT_EQ(shares, 1);
}

/* Made at run time, by a word alone. */
TEST_CASE(with_the_word_uaf_no_freed_object_can_be_read)
{
	struct pool *pool = pool_with("uaf");
	unsigned int i, there = 0;
	struct pool_stats now;

	ASSERT(pool);
	test_alloc_many(pool, test_objs, 20);
	for (i = 0; i < 20; i++)
		there += test_readable(test_objs[i]);
	EXPECT_EQ(there, 20);
	for (i = 0; i < 20; i++) {
		test_free(pool, test_objs[i]);
		EXPECT(!test_readable(test_objs[i]));
	}
	numbers(pool, &now);
	EXPECT_EQ(now.allocated, 0);
	pool_destroy(&pool->head);
}
