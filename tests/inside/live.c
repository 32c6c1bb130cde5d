// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * live.c - options of pools in use: switched, refused, and told apart from the defaults
 *
 * Layer:   tests of common/life/live.c and switch.c.
 */
#include "test.h"
#include "options/options.h"

/* The flags of the word "integrity". */
#define INTEGRITY	(POOL_D_INTEGRITY | POOL_D_COLD_FIRST)

/* The flags that a word sets. */
static unsigned int sets(const struct pool_word *word)
{
	return word->flag | word->sets_too;
}

/* Return the option flags of a pool. */
static unsigned int flags_of(const struct pool *pool)
{
	return pool->debug & POOL_D_FLAGS;
}

/* Allocate and free objects behind the first ten of test_objs, which a case may keep. */
static void use(struct pool *pool)
{
	test_alloc_many(pool, test_objs + 10, 300);
	test_free_many(pool, test_objs + 10, 300);
}

POOL_CASE(a_pool_with_objects_is_switched_both_ways, test_bare(64))
{
	const struct pool_word *word;

	test_alloc_many(pool, test_objs, 10);
	for (word = pool_option_table; word->word; word++) {
		if (sets(word) & (POOL_D_FIXED | POOL_D_COMMON))
			continue;
		use(pool);
		EXPECT(pool_set_debug(&pool->head, word->word));
		EXPECT_EQ(flags_of(pool), sets(word));
		EXPECT(test_quiet(pool, 10));
		use(pool);
		EXPECT(test_quiet(pool, 10));
		EXPECT(pool_set_debug(&pool->head, word->opposite));
		EXPECT_EQ(flags_of(pool), 0);
		use(pool);
		EXPECT(test_quiet(pool, 10));
		EXPECT(test_bound_holds());
	}
	test_free_many(pool, test_objs, 10);
}

POOL_CASE(words_for_live_pools_may_have_signs, test_bare(64))
{
	EXPECT(pool_set_debug(&pool->head, "+poison,integrity  -cache, "));
	EXPECT_EQ(flags_of(pool), POOL_D_POISON | INTEGRITY | POOL_D_NO_CACHE);
	EXPECT(pool_set_debug(&pool->head, "-no-cache -poison +no-global"));
	EXPECT_EQ(flags_of(pool), INTEGRITY | POOL_D_NO_GLOBAL);
	EXPECT(pool_set_debug(&pool->head, "hot-first"));
	EXPECT_EQ(flags_of(pool), POOL_D_INTEGRITY | POOL_D_NO_GLOBAL);
	EXPECT(pool_set_debug(&pool->head, "no-integrity,+global"));
	EXPECT_EQ(flags_of(pool), 0);
	EXPECT(pool_set_debug(&pool->head, "cold-first -cold-first"));
	EXPECT_EQ(flags_of(pool), 0);
	EXPECT(pool_set_debug(&pool->head, ""));
	EXPECT_EQ(pool_options.debug, 0);
}

POOL_CASE(what_is_fixed_is_refused_on_a_live_pool, test_bare(64))
{
	static struct pool_options before;
	const struct pool_word *word;

	before = pool_options;
	for (word = pool_option_table; word->word; word++) {
		if (!(sets(word) & (POOL_D_FIXED | POOL_D_COMMON)))
			continue;
		EXPECT(!pool_set_debug(&pool->head, word->word));
		EXPECT(!pool_set_debug(&pool->head, word->opposite));
		if (word->flag & POOL_D_FIXED)
			EXPECT(!pool_set_debug(NULL, word->word));
	}
	EXPECT(!pool_set_debug(&pool->head, "integrity -uaf"));
	EXPECT(!pool_set_debug(NULL, "integrity,no-uaf"));
	EXPECT_EQ(flags_of(pool), 0);
	EXPECT_EQ(memcmp(&before, &pool_options, sizeof(before)), 0);
}

POOL_CASE(wrong_words_switch_nothing, test_bare(64))
{
	static const char * const wrong[] = {
		"bogus", "integrity bogus", "+", "-", "--integrity",
		"integrity\n", "help", "integrity fail_alloc=101",
		"integrity,poison=256", "+hot_size=1k", "integrity hot_size=",
		NULL,
	};
	static struct pool_options before;
	unsigned int i;

	before = pool_options;
	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		EXPECT(!pool_set_debug(&pool->head, wrong[i]));
		EXPECT(!pool_set_debug(NULL, wrong[i]));
	}
	EXPECT(!pool_set_debug(&pool->head, "integrity,poison=1"));
	EXPECT(!pool_set_debug(&pool->head, "fail_alloc=5"));
	EXPECT_EQ(flags_of(pool), 0);
	EXPECT_EQ(memcmp(&before, &pool_options, sizeof(before)), 0);
}

PAIR_CASE(all_pools_and_the_default_are_switched, a, test_bare(64), b, test_pool(128))
{
	struct pool *c;

	use(a);
	use(b);
	EXPECT(pool_set_debug(NULL, "integrity no-merge no-cache poison=0x33"));
	c = test_pool(192);
	ASSERT(c);
	EXPECT_EQ(flags_of(a), INTEGRITY | POOL_D_NO_CACHE | POOL_D_POISON);
	EXPECT_EQ(flags_of(b), flags_of(a));
	EXPECT_EQ(flags_of(c), flags_of(a));
	EXPECT_EQ(pool_options.debug, flags_of(a) | POOL_D_NO_MERGE);
	EXPECT_EQ(pool_options.poison, 0x33);
	EXPECT(test_quiet(a, 0) && test_quiet(b, 0));
	EXPECT(pool_set_debug(NULL, "-integrity -no-merge cache -poison"));
	EXPECT_EQ(flags_of(a) | flags_of(b) | flags_of(c), 0);
	EXPECT_EQ(pool_options.debug, 0);
	pool_destroy(&c->head);
}

POOL_CASE(one_pool_that_stops_failing_leaves_others_their_rate, test_bare(64))
{
	EXPECT(pool_set_debug(&pool->head, "fail"));
	EXPECT_EQ(pool_options.fail_percent, 1);
	EXPECT_EQ(pool_options.debug, 0);
	pool_options.fail_percent = 20;
	EXPECT(pool_set_debug(&pool->head, "-fail +fail -fail"));
	EXPECT_EQ(pool_options.fail_percent, 20);
	EXPECT_EQ(flags_of(pool), 0);
	EXPECT(pool_set_debug(NULL, "no-fail"));
	EXPECT_EQ(pool_options.fail_percent, 0);
	EXPECT(pool_set_debug(NULL, "fail_every=9"));
	EXPECT_EQ(flags_of(pool), POOL_D_FAIL);
	EXPECT(pool_set_debug(NULL, "fail_every=0"));
	EXPECT_EQ(flags_of(pool), 0);
}
