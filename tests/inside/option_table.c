// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * option_table.c - what each word does, compared with the properties of its row
 *
 * Layer:   tests of common/options/option_table.c and of the rows in common/debug/words.h.
 *
 * Each case takes every word, so a new row needs no case here.
 */
#include "test.h"
#include "options/options.h"

#define SIZE	61

/* The flag of typesafe pools, to whose free objects nothing is written; 0 where there are none. */
#define TYPESAFE	(PLAT_MEM_FLAGS & MEM_F_TYPESAFE)

/* Create a pool with one word on, whose faults only count, and whose allocations do not fail. */
static struct pool *pool_with(const struct pool_word *word, unsigned int flags)
{
	struct pool_head *head;

	test_options(1 << 20, 8);
	pool_options.debug = word->flag | word->sets_too;
	pool_options.policy = POOL_POLICY_CONTINUE;
	pool_options.fail_percent = 0;
	pool_options.fail_every = 0;
	head = create_pool("word", SIZE, flags);
	return head ? pool_of(head) : NULL;
}

/* WORDS_CASE(name, flags) - a case for each word of the table: "pool" has "word" on. */
#define WORDS_CASE(name, flags)						\
	static void name##_of(TEST_HANDLE, const struct pool_word *word, struct pool *pool); \
	TEST_CASE(name)							\
	{								\
		const struct pool_word *word;				\
									\
		for (word = pool_option_table; word->word; word++) {	\
			struct pool *pool = pool_with(word, flags);	\
									\
			ASSERT(pool);					\
			name##_of(TEST_PASSED, word, pool);		\
			pool_destroy(&pool->head);			\
		}							\
	}								\
	static void name##_of(TEST_HANDLE, const struct pool_word *word, struct pool *pool)

static bool are_all(const unsigned char *obj, unsigned char byte)
{
	unsigned int i;

	for (i = 0; i < SIZE && obj[i] == byte; i++)
		;
	return i == SIZE;
}

/* True if an object keeps its bytes while it is free, and until its next allocation returns. */
static bool leaves_alone(struct pool *pool, unsigned int round)
{
	unsigned char byte = (unsigned char)(0x30 + round);
	unsigned char *obj = test_alloc(pool), *next;
	bool good;

	if (!obj)
		return false;
	memset(obj, byte, SIZE);
	test_free(pool, obj);
	good = are_all(obj, byte);
	next = test_alloc(pool);
	good = next && good && (next != obj || are_all(obj, byte));
	test_free(pool, next);
	return good;
}

/* "no-cache" is left out, because without caches a free object belongs to the platform. */
WORDS_CASE(only_words_that_touch_change_free_objects, TYPESAFE)
{
	unsigned int round;

	if ((word->is & POOL_IS_TOUCHING) || (!TYPESAFE && word->flag == POOL_D_NO_CACHE))
		return;
	for (round = 0; round < 10; round++)
		EXPECT(leaves_alone(pool, round));
}

WORDS_CASE(words_that_touch_never_reach_a_typesafe_pool, TYPESAFE)
{
	bool touches = word->is & POOL_IS_TOUCHING;

	if (TYPESAFE)
		EXPECT_EQ(pool->debug & word->flag & POOL_D_TOUCH, 0);
	pool_options.debug = 0;
	pool->flags |= MEM_F_TYPESAFE;
	if (touches && !(word->flag & POOL_D_FIXED)) {
		EXPECT(!pool_set_debug(&pool->head, word->word));
		EXPECT(pool_set_debug(NULL, word->word));
		EXPECT(!TYPESAFE || !(pool->debug & word->flag));
		EXPECT(pool_set_debug(NULL, word->opposite));
	}
	EXPECT_EQ(!!(pool_never(MEM_F_TYPESAFE) & word->flag), touches);
}

/* Return the layout of an object with these options. */
static struct pool_layout layout_with(struct pool *pool, unsigned int debug)
{
	struct pool_layout layout;

	pool->debug = debug;
	pool_layout_of(pool, SIZE, &layout);
	return layout;
}

TEST_CASE(only_words_that_are_fixed_change_what_follows_objects)
{
	static struct pool pool = { .align = 16 };
	struct pool_layout plain = layout_with(&pool, 0);
	const struct pool_word *word;

	for (word = pool_option_table; word->word; word++) {
		struct pool_layout layout = layout_with(&pool, word->flag | word->sets_too);

		if (!(word->is & POOL_IS_FIXED))
			EXPECT_EQ(memcmp(&layout, &plain, sizeof(plain)), 0);
	}
}

WORDS_CASE(only_words_that_are_exact_keep_sizes_as_they_are, 0)
{
	EXPECT_EQ(pool->head.size == SIZE, !!(word->is & POOL_IS_EXACT));
}

WORDS_CASE(words_that_are_checked_find_a_second_free, 0)
{
	bool checked = word->is & POOL_IS_CHECKED;
	void *obj;

	EXPECT_EQ(pool->object_table.whole, checked);
	if (!checked)
		return;
	obj = test_alloc(pool);
	test_free(pool, obj);
	test_free(pool, obj);
	EXPECT_EQ(test_faults(pool), 1);
}

WORDS_CASE(only_words_that_are_checked_or_slow_close_arrays, 0)
{
	test_wave(pool, 50);
	EXPECT_EQ(!plat_read(&test_local(pool)->hot.cap),
		  !!(word->is & (POOL_IS_CHECKED | POOL_IS_SLOW)));
}

WORDS_CASE(words_that_are_common_are_in_no_pool, 0)
{
	unsigned int want = word->is & POOL_IS_COMMON ? 0 : word->flag;

	EXPECT_EQ(pool->debug & word->flag, want);
	EXPECT_EQ(pool_set_debug(&pool->head, word->word),
		  !(word->is & (POOL_IS_COMMON | POOL_IS_FIXED)) &&
		  !(word->sets_too & POOL_D_FIXED));
}
