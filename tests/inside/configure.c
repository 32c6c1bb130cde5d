// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * configure.c - the effect of a change of options on existing pools
 *
 * Layer:   tests of common/life/apply.c and configure.c.
 *
 * Values apply at once to all pools; words, buckets and cluster apply to new pools.  The answer
 * names the pools for which a part of a change comes too late.
 */
#include "test.h"

/* Create a pool without options, whatever the build's options are, and cache objects of it. */
static struct pool *used_pool(void)
{
	struct pool *pool;

	pool_fail_every = 0;
	pool = test_bare(64);
	if (pool)
		test_wave(pool, TEST_SOME);
	return pool;
}

/* Return how many of @n allocations fail once the array is empty. */
static unsigned int failures(struct pool *pool, unsigned int n)
{
	unsigned int failed = 0, i;

	for (i = 0; i < POOL_HOT_SLOTS; i++)
		test_objs[i] = pool_alloc(&pool->head);
	for (i = 0; i < n; i++) {
		void *obj = pool_alloc(&pool->head);

		failed += !obj;
		pool_free(&pool->head, obj);
	}
	for (i = 0; i < POOL_HOT_SLOTS; i++)
		pool_free(&pool->head, test_objs[i]);
	return failed;
}

POOL_CASE(rates_of_failure_hold_at_once_for_all_pools, used_pool())
{
	EXPECT(pool_configure("fail_alloc=100"));
	EXPECT_EQ(failures(pool, 50), 50);
	EXPECT(pool_configure("fail_site=no_such_function"));
	EXPECT_EQ(failures(pool, 50), 0);
	EXPECT(pool_configure("fail_site=,fail_alloc=0"));
	EXPECT_EQ(failures(pool, 50), 0);
	EXPECT_EQ(pool->debug & POOL_D_FLAGS, 0);
	EXPECT_EQ(pool_parse_debugging("fail_every=2", NULL, 0), 1);
	EXPECT_EQ(failures(pool, 50), 25);
	EXPECT(pool_configure("no-fail"));
	EXPECT_EQ(failures(pool, 50), 0);
}

POOL_CASE(the_poison_byte_holds_at_once_for_all_pools, used_pool())
{
	unsigned char *obj;

	EXPECT(pool_configure("poison=0x41"));
	EXPECT_EQ(failures(pool, 1), 0);
	obj = test_alloc(pool);
	EXPECT(obj && obj[0] == 0x41 && obj[63] == 0x41);
	test_free(pool, obj);
	EXPECT(pool_configure("poison=0x42"));
	obj = test_alloc(pool);
	EXPECT(obj && obj[0] == 0x42 && obj[63] == 0x42);
	test_free(pool, obj);
	EXPECT_EQ(test_faults(pool), 0);
}

POOL_CASE(the_byte_bound_and_the_policy_hold_at_once_for_all_pools, used_pool())
{
	EXPECT(test_charged() > 1024);
	EXPECT(pool_configure("hot_size=1k,uaf_keep=4k,faults=continue"));
	test_wave(pool, 200);
	EXPECT_LE(test_charged(), 1024);
	EXPECT_EQ(pool_options.uaf_keep, 4096);
	EXPECT_EQ(pool_options.policy, POOL_POLICY_CONTINUE);
}

POOL_CASE(a_word_behind_a_value_may_undo_it, used_pool())
{
	EXPECT_EQ(pool_parse_debugging("poison", NULL, 0), 1);
	EXPECT_EQ(pool->debug & POOL_D_FLAGS, 0);
	EXPECT(pool_configure("poison=0x41,no-poison"));
	EXPECT_EQ(pool->debug & POOL_D_FLAGS, 0);
	EXPECT(pool_configure("no-poison,poison=0x41"));
	EXPECT_EQ(pool->debug & POOL_D_FLAGS, POOL_D_POISON);
}

/* Return the answer to @words, which must be correct. */
static const char *answer(const char *words)
{
	static char text[256];

	if (pool_parse_debugging(words, text, sizeof(text)) != 1)
		return "refused";
	return text;
}

#define SAID(words, text)	EXPECT_EQ(strcmp(answer(words), text), 0)

TEST_CASE(what_is_too_late_for_a_pool_is_named)
{
	struct pool *pool;
	unsigned int i;

	SAID("tag,no-merge,cluster=1", "");
	pool = used_pool();
	ASSERT(pool);
	SAID("hot_size=64k,fail_site=f,fail_alloc=5", "");
	SAID("merge", "");
	SAID("no-tag,hot-first,merge", "");
	SAID("fail_alloc=0,fail_site=", "");
	for (i = 0; i < 2; i++)
		SAID("uaf,tag", "no-cache,tag,uaf: too late for 1 pool: test");
	SAID("no-uaf,no-tag,cache,buckets=32,hot_size=64k",
	     "buckets: too late for 1 pool: test");
	EXPECT_EQ(pool->debug & POOL_D_FLAGS, 0);
	EXPECT_EQ(pool_options.debug, POOL_D_NO_MERGE & pool_options.debug);
	pool_destroy(&pool->head);
}

/*
 * The pool was created with "tools", which also sets the flag of "cold-first".  A change that does
 * not touch this flag must not name it in its answer.
 */
TEST_CASE(what_was_not_changed_is_not_named)
{
	struct pool *pool;

	pool_options.debug = 0;
	test_mode(POOL_D_TOOLS);
	pool = test_pool(64);
	test_mode(0);
	ASSERT(pool);
	test_wave(pool, 100);
	EXPECT(pool->debug & POOL_D_COLD_FIRST);
	EXPECT(pool_set_debug(&pool->head, "hot-first"));
	SAID("hot_size=64k", "");
	SAID("no-tag", "");
	pool_destroy(&pool->head);
}

TEST_CASE(of_many_pools_that_are_named_some_are_only_counted)
{
	struct pool_head *pools[6];
	char name[8];
	unsigned int i;

	pool_options.debug = 0;
	for (i = 0; i < ARRAY_LEN(pools); i++) {
		snprintf(name, sizeof(name), "p%u", i);
		pools[i] = create_pool(name, 64, 0);
		ASSERT(pools[i]);
	}
	SAID("backup", "backup: too late for 6 pools: p0, p1, p2, p3, ...");
	for (i = 0; i < ARRAY_LEN(pools); i++)
		pool_destroy(pools[i]);
}

TEST_CASE(pools_that_are_one_are_named_when_merging_ends)
{
	struct pool_head *a, *b;

	pool_options.debug = 0;
	a = create_pool("a", 64, MEM_F_SHARED);
	b = create_pool("b", 64, MEM_F_SHARED);
	ASSERT(a && a == b);
	SAID("no-merge", "no-merge: too late for 1 pool: a");
	pool_destroy(b);
	SAID("no-merge", "");
	pool_destroy(a);
}
