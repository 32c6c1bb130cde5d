// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * options.c - what stderr says about options
 *
 * Layer:   tests of common/options/options.c, options_text.c and live.c, in user space.
 * Context: see test.h.
 */
#include "test.h"
#include "options/options.h"

static struct pool_head *switched;

static void switch_it(void *arg)
{
	pool_set_debug(switched, arg);
}

static bool is_named(struct pool_head *pool, char *words, const char *line)
{
	char text[1000];

	switched = pool;
	captured(text, sizeof(text), switch_it, words);
	return count_lines(text) == 1 && strstr(text, line);
}

POOL_CASE(a_refused_switch_names_one_word_in_one_line, test_pool(64))
{
	EXPECT(is_named(&pool->head, "integrity -tag x",
			"\"-tag\": cannot change on a live pool"));
	EXPECT(is_named(&pool->head, "no-merge",
			"\"no-merge\": cannot change on a live pool"));
	EXPECT(is_named(NULL, "backup",
			"\"backup\": cannot change on a live pool"));
	EXPECT(is_named(NULL, "poison,in\ntegrity",
			"\"in?tegrity\": unknown word or key"));
	EXPECT(is_named(NULL, "poison=999",
			"\"poison=999\": poison is 0-255"));
	EXPECT(is_named(NULL, "hot_size=2x", "\"hot_size=2x\": hot_size is 0-1g"));
	EXPECT(is_named(&pool->head, "poison=9",
			"\"poison=9\": values are of all pools"));
}

static void configure_nothing(void *arg)
{
	*(bool *)arg = pool_configure(NULL);
}

TEST_CASE(options_that_are_missing_are_refused_by_one_line)
{
	char text[1000];
	bool good = true;

	captured(text, sizeof(text), configure_nothing, &good);
	EXPECT(!good);
	EXPECT_EQ(strcmp(text, "pool: options that are NULL are refused\n"), 0);
}

static void configure_leniently(void *arg)
{
	pool_options_set(arg, "here", false);
}

/*
 * stderr has a line for the wrong word, and then the help, with the options that were set after
 * that word.
 */
TEST_CASE(help_for_lenient_readers_is_printed)
{
	static char text[8192], help[4096];

	pool_options.debug = 0;
	captured(text, sizeof(text), configure_leniently,
		 "integrity,help,bogus,fail_site=here,help");
	EXPECT_EQ(pool_options.debug, POOL_D_INTEGRITY | POOL_D_COLD_FIRST);
	EXPECT_LE(pool_debug_help_to_buf(help, sizeof(help)),
		  sizeof(help) - 1);
	EXPECT(strstr(text, "here: unknown word"));
	EXPECT(strstr(text, "here: help: the options"));
	EXPECT_EQ(count_lines(text), 2 + count_lines(help));
	EXPECT_EQ(strcmp(text + strlen(text) - strlen(help), help), 0);
}

static void configure_with_help(void *arg)
{
	*(bool *)arg = pool_configure("help,no-global");
}

/* The words are set by pool_configure(), as those of the module's parameter are. */
TEST_CASE(help_is_printed_and_the_rest_holds)
{
	static char text[8192], help[4096];
	bool good = false;

	captured(text, sizeof(text), configure_with_help, &good);
	EXPECT(good);
	EXPECT(pool_options.debug & POOL_D_NO_GLOBAL);
	pool_debug_help_to_buf(help, sizeof(help));
	EXPECT(strstr(text, "pool_configure: help: the options"));
	EXPECT_EQ(strcmp(text + strlen(text) - strlen(help), help), 0);
}

/* Destroy a pool that has an object in use. */
static void destroy_used(void *arg)
{
	struct pool_head *pool = arg;
	void *obj = pool_alloc(pool);

	pool_destroy(pool);
	pool_free(pool, obj);
}

TEST_CASE(only_words_that_know_callers_tell_of_objects_in_use)
{
	const struct pool_word *word;
	char text[1000];

	for (word = pool_option_table; word->word; word++) {
		struct pool *pool;

		pool_options.debug = word->flag;
		pool_options.fail_percent = 0;
		pool = test_pool(64);
		ASSERT(pool);
		pool_fail_every = 0;
		captured(text, sizeof(text), destroy_used, &pool->head);
		EXPECT_EQ(!!strstr(text, "1 objects in use"),
			  !!(word->is & POOL_IS_KNOWING));
		pool_destroy(&pool->head);
	}
}

TEST_CASE(no_allocation_fails_on_purpose_while_a_program_starts)
{
	struct pool *pool;

	EXPECT(pool_configure("no-tools,fail_alloc=100"));
	pool_starting(true);
	pool = test_pool(64);
	ASSERT(pool);
	pool_fail_every = 0;
	test_alloc_many(pool, test_objs, 100);
	EXPECT_EQ(plat_read(&pool->injected), 0);
	pool_starting(false);
	EXPECT(!pool_alloc(&pool->head));
	EXPECT_EQ(plat_read(&pool->injected), 1);
	test_free_many(pool, test_objs, 100);
	pool_destroy(&pool->head);
}

/* Allocate until a call fails, or @most times; the first object goes to test_objs[@at]. */
static unsigned int until_one_fails(struct pool *pool, unsigned int at, unsigned int most)
{
	unsigned int n = 0;

	while (n < most && (test_objs[at + n] = pool_alloc(&pool->head)))
		n++;
	return n;
}

TEST_CASE(calls_of_the_start_are_not_counted)
{
	struct pool *pool;
	unsigned int n;

	EXPECT(pool_configure("no-tools,fail_every=50"));
	pool = test_pool(64);
	ASSERT(pool);
	pool_fail_every = 0;
	n = until_one_fails(pool, 0, 100);
	EXPECT(n < 100);
	pool_starting(true);
	EXPECT_EQ(until_one_fails(pool, n, 120), 120);
	n += 120;
	pool_starting(false);
	EXPECT_EQ(until_one_fails(pool, n, 100), 49);
	test_free_many(pool, test_objs, n + 49);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}
