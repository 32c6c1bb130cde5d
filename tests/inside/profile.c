// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * profile.c - calls counted by place, and the text that shows them
 *
 * Layer:   tests of common/debug/profile.c and memstats.c, called in the way of checks.
 */
#include "cases_dump.h"

/* Places are invented addresses without code, so that their names are numbers. */
#define PLACE(i)	((void *)(0x1000ul + 16ul * (i)))

#define PLACES		256

#define HEAD \
	"memstats version 1\n# what pool allocs frees allocated freed balance site\n"
#define NOTHING \
	"\nBALANCE allocs=0 frees=0 allocated=0 freed=0 balance=0\n"

static char part[4096];

/* PROFILE_CASE(name) - a case of a pool and a new table; that of the last case may be full. */
#define PROFILE_CASE(name)						\
	static void name##_of(TEST_HANDLE, struct pool *pool);		\
	TEST_CASE(name)							\
	{								\
		struct pool *pool = test_sure(64);			\
									\
		pool_profile_end();					\
		ASSERT(pool && pool_profile_ready());			\
		name##_of(TEST_PASSED, pool);				\
		pool_profile_end();					\
		pool_destroy(&pool->head);				\
	}								\
	static void name##_of(TEST_HANDLE, struct pool *pool)

/* Write memstats into "full"; false if they do not fit, or if the length returned is wrong. */
static bool memstats(const char *words)
{
	size_t n = pool_memstats_to_buf(full, sizeof(full), words);

	return n && n < FULL_SIZE && strlen(full) == n;
}

/* True if exactly one line begins with @numbers and ends with the name of this place. */
static bool has_line(const char *numbers, const void *caller)
{
	char site[64];
	char line[128];
	const char *at;

	plat_symbol(site, sizeof(site), caller);
	snprintf(line, sizeof(line), "\n%s %s\n", numbers, site);
	at = strstr(full, line);
	return at && !strstr(at + 1, line);
}

static unsigned int count_begins(const char *prefix)
{
	const char *line;
	unsigned int n = 0;

	for (line = full; *line; line = next_line(line))
		n += begins(line, prefix);
	return n;
}

PROFILE_CASE(places_show_what_they_allocated_and_what_came_back)
{
	unsigned int bin = pool_profile_alloc(pool, PLACE(1), 64);

	ASSERT(bin && bin < POOL_PROFILE_BINS);
	EXPECT_EQ(pool_profile_alloc(pool, PLACE(1), 64), bin);
	EXPECT_EQ(pool_profile_alloc(pool, PLACE(1), 64), bin);
	pool_profile_free(pool, PLACE(2), 64, bin);
	pool_profile_free(pool, PLACE(2), 64, UINT_MAX);
	pool_profile_free(pool, PLACE(1), 64, 0);
	ASSERT(memstats(NULL));
	EXPECT(begins(full, HEAD "p_"));
	EXPECT(has_line("p_alloc test 3 1 192 64 128", PLACE(1)));
	EXPECT(has_line("p_free test 0 2 0 128 -64", PLACE(2)));
	EXPECT(has_line("p_free test 0 1 0 64 -64", PLACE(1)));
	EXPECT(strstr(full, "\nBALANCE allocs=3 frees=3 allocated=192 "));
	EXPECT(strstr(full, " freed=192 balance=0\n"));
}

/* pool_mem_stats is set as by a build with DEBUG_MEM_STATS. */
PROFILE_CASE(mem_stats_count_calls_of_pools_that_have_no_caches)
{
	bool was = pool_mem_stats;
	struct pool *cached, *plain;

	(void)pool;
	pool_mem_stats = true;
	EXPECT(pool_configure("global"));
	cached = test_pool(64);
	EXPECT(pool_configure("no-cache"));
	plain = test_pool(64);
	pool_mem_stats = was;
	ASSERT(cached && plain);
	EXPECT(!(cached->debug & POOL_D_MEMSTATS) || was);
	EXPECT(plain->debug & POOL_D_MEMSTATS);
	test_free(plain, test_alloc(plain));
	ASSERT(memstats("match test"));
	EXPECT_EQ(count_begins("p_alloc test 1 1 64 64 0 "), 1);
	EXPECT_EQ(count_begins("p_free test "), 1);
	pool_destroy(&cached->head);
	pool_destroy(&plain->head);
}

PROFILE_CASE(mem_stats_count_a_pool_as_long_as_it_has_no_caches)
{
	bool was = pool_mem_stats;

	pool_mem_stats = true;
	pool_switch(pool, POOL_D_NO_CACHE, 0);
	EXPECT(pool->debug & POOL_D_MEMSTATS);
	test_free(pool, test_alloc(pool));
	ASSERT(memstats("match test"));
	EXPECT_EQ(count_begins("p_alloc test 1 1 64 64 0 "), 1);
	pool_switch(pool, 0, POOL_D_NO_CACHE);
	EXPECT(!(pool->debug & POOL_D_MEMSTATS));
	pool_switch(pool, POOL_D_MEMSTATS, 0);
	pool_switch(pool, 0, POOL_D_NO_CACHE);
	EXPECT(pool->debug & POOL_D_MEMSTATS);
	pool_switch(pool, POOL_D_NO_CACHE, POOL_D_MEMSTATS);
	pool_switch(pool, POOL_D_MEMSTATS, POOL_D_NO_CACHE);
	EXPECT(pool->debug & POOL_D_MEMSTATS);
	pool_mem_stats = was;
}

PROFILE_CASE(nothing_is_counted_before_anybody_wants_it)
{
	pool_profile_end();
	EXPECT_EQ(pool_profile_alloc(pool, PLACE(1), 64), 0);
	pool_profile_free(pool, PLACE(2), 64, UINT_MAX);
	ASSERT(memstats("all match test"));
	EXPECT_EQ(count_begins("p_"), 0);
	ASSERT(pool_profile_ready());
	EXPECT(pool_profile_ready());
	ASSERT(memstats("all match test"));
	EXPECT_EQ(count_begins("p_"), 0);
}

struct counting {
	struct pool *pool;
	unsigned long rounds;
	unsigned int bin[PLACES];
	unsigned long wrong;
};

/* All workers get bins in the first round, and count in the others. */
static void count_everywhere(unsigned int i, void *arg)
{
	struct counting *c = arg;
	unsigned long round;
	unsigned int n, bin;

	(void)i;
	for (round = 0; round < c->rounds; round++) {
		for (n = 0; n < PLACES; n++) {
			bin = pool_profile_alloc(c->pool, PLACE(n), 64);
			if (test_swap(&c->bin[n], bin) != bin && round)
				plat_word_add(&c->wrong, 1);
			pool_profile_free(c->pool, PLACE(n), 64, bin);
			pool_profile_free(c->pool, PLACE(n), 64, UINT_MAX);
		}
	}
}

PROFILE_CASE(places_that_many_count_at_once_have_one_bin_and_lose_nothing)
{
	static struct counting c;
	unsigned long calls;
	char numbers[96];
	unsigned int n;

	c = (struct counting){ .pool = pool, .rounds = test_scale(200) };
	test_threads(test_cpus(), count_everywhere, &c);
	calls = c.rounds * test_cpus();
	EXPECT_EQ(c.wrong, 0);
	ASSERT(memstats("match test"));
	EXPECT_EQ(count_begins("p_alloc test "), PLACES);
	EXPECT_EQ(count_begins("p_free test "), PLACES);
	for (n = 0; n < PLACES; n++) {
		snprintf(numbers, sizeof(numbers),
			 "p_alloc test %lu %lu %lu %lu 0", calls, calls,
			 calls * 64, calls * 64);
		EXPECT(has_line(numbers, PLACE(n)));
		snprintf(numbers, sizeof(numbers),
			 "p_free test 0 %lu 0 %lu -%lu", calls * 2,
			 calls * 128, calls * 64);
		EXPECT(has_line(numbers, PLACE(n)));
	}
}

PROFILE_CASE(places_beyond_the_table_are_counted_together)
{
	unsigned int others = 0;
	unsigned int i;

	for (i = 0; i < 3 * POOL_PROFILE_BINS; i++) {
		unsigned int bin = pool_profile_alloc(pool, PLACE(i), 1);

		ASSERT(bin < POOL_PROFILE_BINS);
		others += !bin;
		pool_profile_free(pool, NULL, 1, bin);
	}
	EXPECT_LE(2 * POOL_PROFILE_BINS + 2, others);
	ASSERT(memstats(NULL));
	EXPECT_EQ(count_begins("p_alloc test 1 1 1 1 0 "),
		  3 * POOL_PROFILE_BINS - others);
	snprintf(part, sizeof(part), "\np_alloc - %u 0 %u 0 %u other\n",
		 others, others, others);
	EXPECT(strstr(full, part));
	snprintf(part, sizeof(part), "\np_free - 0 %u 0 %u -%u other\n",
		 3 * POOL_PROFILE_BINS, 3 * POOL_PROFILE_BINS, others);
	EXPECT(strstr(full, part));
	snprintf(part, sizeof(part), "\nBALANCE allocs=%u frees=%u ",
		 3 * POOL_PROFILE_BINS, 3 * POOL_PROFILE_BINS);
	EXPECT(strstr(full, part));
	EXPECT(strstr(full, " balance=0\n"));
}

/* The pool gets another id and name, as if another pool had been created at its address. */
PROFILE_CASE(pools_of_one_address_have_places_of_their_own)
{
	unsigned int bin = pool_profile_alloc(pool, PLACE(1), 64);

	pool->id++;
	pool_copy_name(pool->name, "later");
	EXPECT(pool_profile_alloc(pool, PLACE(1), 32) != bin);
	ASSERT(memstats(NULL));
	EXPECT(has_line("p_alloc test 1 0 64 0 64", PLACE(1)));
	EXPECT(has_line("p_alloc later 1 0 32 0 32", PLACE(1)));
	pool->id--;
	pool_copy_name(pool->name, "test");
}

/* Each pool has many places, so the table would soon be full if the places stayed. */
PROFILE_CASE(places_of_pools_that_are_gone_are_dropped)
{
	unsigned int i, n;

	pool_profile_alloc(pool, PLACE(1), 64);
	for (i = 0; i < 4 * POOL_PROFILE_BINS / PLACES; i++) {
		struct pool *brief = test_pool(32);

		ASSERT(brief);
		for (n = 0; n < PLACES; n++) {
			unsigned int bin = pool_profile_alloc(brief, PLACE(n), 32);

			EXPECT(bin);
			EXPECT_EQ(pool_profile_alloc(brief, PLACE(n), 32), bin);
			pool_profile_free(brief, PLACE(n), 32, bin);
		}
		ASSERT(memstats(NULL));
		EXPECT_EQ(count_begins("p_alloc test 2 1 64 32 32 "), PLACES);
		EXPECT_EQ(count_begins("p_free test 0 1 0 32 0 "), PLACES);
		EXPECT_PTR_EQ(pool_destroy(&brief->head), NULL);
	}
	ASSERT(memstats("all"));
	EXPECT(has_line("p_alloc test 1 0 64 0 64", PLACE(1)));
	EXPECT_EQ(count_begins("p_"), 3);
}

PROFILE_CASE(a_pool_counts_its_allocations_with_memstats_only)
{
	unsigned long long before;
	unsigned int i;

	test_free(pool, test_alloc(pool));
	EXPECT_EQ(test_sum(pool)->allocs, 0);
	/* A call after a switch may still hit. */
	ASSERT(pool_set_debug(&pool->head, "memstats"));
	test_free(pool, test_alloc(pool));
	before = test_sum(pool)->allocs;
	for (i = 0; i < 3; i++)
		test_free(pool, test_alloc(pool));
	EXPECT_EQ(test_sum(pool)->allocs, before + 3);
	ASSERT(pool_set_debug(&pool->head, "no-memstats"));
	test_free(pool, test_alloc(pool));
	EXPECT_EQ(test_sum(pool)->allocs, before + 3);
}

PROFILE_CASE(what_was_reset_is_shown_only_if_asked_for)
{
	unsigned int bin = pool_profile_alloc(pool, PLACE(1), 64);

	pool_profile_free(pool, PLACE(2), 64, bin);
	full[0] = 'x';
	EXPECT_EQ(pool_memstats_to_buf(full, sizeof(full), "reset"), 0);
	EXPECT_EQ(full[0], 0);
	ASSERT(memstats("match test"));
	EXPECT_EQ(count_begins("p_"), 0);
	EXPECT(strstr(full, NOTHING));
	ASSERT(memstats("all"));
	EXPECT(has_line("p_alloc test 0 0 0 0 0", PLACE(1)));
	EXPECT(has_line("p_free test 0 0 0 0 0", PLACE(2)));
	EXPECT_EQ(pool_profile_alloc(pool, PLACE(1), 64), bin);
	ASSERT(memstats(""));
	EXPECT(has_line("p_alloc test 1 0 64 0 64", PLACE(1)));
}

PROFILE_CASE(places_are_shown_and_reset_by_the_names_of_pools)
{
	struct pool_head *other = make("tesla", 32);

	ASSERT(other);
	pool_profile_alloc(pool, PLACE(1), 64);
	pool_profile_alloc(pool_of(other), PLACE(1), 32);
	ASSERT(memstats("match tes"));
	EXPECT_EQ(count_begins("p_"), 2);
	ASSERT(memstats(" match  tesl "));
	EXPECT_EQ(count_begins("p_"), 1);
	EXPECT(strstr(full, "\nBALANCE allocs=1 frees=0 allocated=32 "));
	EXPECT_EQ(pool_memstats_to_buf(NULL, 0, "reset match tesla"), 0);
	ASSERT(memstats("match tes"));
	EXPECT_EQ(count_begins("p_alloc test "), 1);
	EXPECT_EQ(count_begins("p_"), 1);
	ASSERT(memstats("match none"));
	EXPECT_EQ(count_begins("p_"), 0);
	pool_destroy(other);
}

PROFILE_CASE(wrong_words_of_memstats_change_nothing)
{
	static const char *const wrong[] = {
		"none", "al", "match", "all match", "reset none", "none reset",
		"reset all match",
		"reset match 123456789012345678901234567890123456789012345678",
		"5", "reset,all", NULL
	};
	unsigned int i;

	pool_profile_alloc(pool, PLACE(1), 64);
	for (i = 0; wrong[i]; i++) {
		full[0] = 'x';
		EXPECT_EQ(pool_memstats_to_buf(full, sizeof(full), wrong[i]),
			  0);
		EXPECT_EQ(full[0], 0);
	}
	ASSERT(memstats("match test"));
	EXPECT(has_line("p_alloc test 1 0 64 0 64", PLACE(1)));
	ASSERT(memstats("all match 12345678901234567890123456789012345678901234567"));
	EXPECT_EQ(count_begins("p_"), 0);
}

/* Return where the second line from @line on ends in "full". */
static size_t two_lines_on(const char *line)
{
	return (size_t)(strchr(strchr(line, '\n') + 1, '\n') + 1 - full);
}

/*
 * True if the text for @size bytes is cut well: whole lines of "full", a line that says that the
 * text was cut, and the last line of "full"; and the next two lines would not have fitted.  A dump
 * reserves bytes for a last line of five numbers with 20 digits each.
 */
static bool is_cut_well(size_t size)
{
	static const char tail[] = "truncated\nBALANCE allocs=";
	const char *last = strstr(full, "BALANCE");
	size_t tail_len = strlen("truncated\n") + strlen(last) + 5 * 20ul;
	const char *at;

	memset(part, 'x', sizeof(part));
	if (pool_memstats_to_buf(part, size, "match test") != strlen(full) ||
	    part[size] != 'x')
		return false;
	if (!size || size > strlen(full))
		return !size || !strcmp(part, full);
	at = strstr(part, tail);
	if (!at)
		return !*part && two_lines_on(full) + tail_len >= size;
	return at > part && at[-1] == '\n' &&
	       !strncmp(part, full, (size_t)(at - part)) &&
	       two_lines_on(full + (at - part)) + tail_len >= size &&
	       !strcmp(at + strlen("truncated\n"), last);
}

PROFILE_CASE(memstats_are_cut_between_lines_at_any_size)
{
	size_t size;
	unsigned int i;

	for (i = 0; i < 20; i++)
		pool_profile_alloc(pool, PLACE(i), 64);
	ASSERT(memstats("match test"));
	ASSERT(strlen(full) < sizeof(part) - 1);
	for (size = 0; size <= strlen(full) + 1; size++)
		EXPECT(is_cut_well(size));
}
