// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump.c - dumps: which pools, in which order, and the words for it
 *
 * Layer:   tests of common/show/dump.c and dump_options.c.
 */
#include "cases_dump.h"
#include "show/dump.h"

static char part[64];

/* Return the first letters of the names of the pools in a table, in its order. */
static const char *letters(const char *options)
{
	static char found[32];
	unsigned int n = 0;
	const char *line;

	if (!dump_raw(options))
		return "none";
	for (line = full; *line; line = next_line(line))
		if (*line >= '0' && *line <= '9' && n < sizeof(found) - 1)
			found[n++] = strchr(line, ' ')[1];
	found[n] = 0;
	return found;
}

#define EXPECT_LETTERS(options, want) \
	EXPECT_EQ(strcmp(letters(options), want), 0)

/* Return the text behind a blank and @word; NULL if the line begins with other text. */
static const char *past(const char *line, const char *word)
{
	return line && *line == ' ' && begins(line + 1, word) ? line + 1 + strlen(word) : NULL;
}

POOL_CASE(the_raw_table_has_a_line_per_pool_in_order_of_creation, test_sure(64))
{
	const char *line;
	char want[64];
	unsigned int i;

	test_free(pool, test_alloc(pool));
	ASSERT(dump("raw"));
	EXPECT(begins(full, "pools version 5\n#"));
	line = past(past(next_line(full) + 1, "id"), "name");
	for (i = 1; pool_dump_columns[i].name; i++)
		line = past(line, pool_dump_columns[i].name);
	ASSERT(line);
	EXPECT(*line++ == '\n');
	snprintf(want, sizeof(want), "%llu test 64 ", pool->id);
	EXPECT(begins(line, want));
	EXPECT(strstr(line, " 1 0 1 0 0 0 0 0 0 "));
	line = next_line(line);
	EXPECT(begins(line, "total pools=1 allocated=64 used=0 cached=64 shared=0"));
}

/* Set the serial number as if 2^32 pools had been created, and create one more. */
static struct pool *late_pool(void)
{
	if (pool_serial < UINT_MAX)
		pool_serial = UINT_MAX;
	return test_pool(64);
}

PAIR_CASE(ids_of_pools_never_begin_again, first, late_pool(), second, test_pool(64))
{
	char want[64];

	EXPECT_EQ(second->id, first->id + 1);
	EXPECT(second->id > UINT_MAX);
	ASSERT(dump("raw"));
	snprintf(want, sizeof(want), "\n%llu test 64 ", second->id);
	EXPECT(strstr(full, want));
}

THREE_CASE(lines_come_in_the_order_asked_for)
{
	EXPECT_LETTERS("", "cab");
	EXPECT_LETTERS("byname", "abc");
	EXPECT_LETTERS("bysize", "cba");
	EXPECT_LETTERS("byusage", "bca");
}

/* Not a power of two, so that the merge sort joins runs of several lengths. */
#define SOME	23

/* Sizes repeat and names fall, so that each order differs from the order of creation. */
TEST_CASE(equal_pools_of_an_order_come_in_order_of_creation)
{
	struct pool_head *pools[SOME];
	char name[] = "w";
	unsigned int i;

	pool_fail_every = 0;
	for (i = 0; i < SOME; i++, name[0]--) {
		pools[i] = make(name, 64 << i % 3);
		ASSERT(pools[i]);
	}
	EXPECT_LETTERS("", "wvutsrqponmlkjihgfedcba");
	EXPECT_LETTERS("byname", "abcdefghijklmnopqrstuvw");
	EXPECT_LETTERS("bysize", "urolifcvspmjgdawtqnkheb");
	EXPECT_LETTERS("bysize 9", "urolifcvs");
	for (i = 0; i < SOME; i++)
		pool_destroy(pools[i]);
}

THREE_CASE(of_two_orders_the_last_one_counts)
{
	EXPECT_LETTERS("byname byusage bysize", "cba");
	EXPECT_LETTERS("bysize byname", "abc");
	EXPECT_LETTERS("json 1 raw 2 byname", "ab");
}

THREE_CASE(by_usage_leaves_out_pools_that_hold_nothing)
{
	struct pool_head *idle;

	idle = make("idle", 512);
	ASSERT(idle);
	EXPECT_LETTERS("byusage", "bca");
	EXPECT(strstr(full, "\ntotal pools=3 "));
	EXPECT_LETTERS("bysize", "icba");
	EXPECT(strstr(full, "\ntotal pools=4 "));
	pool_destroy(idle);
}

THREE_CASE(only_pools_that_match_are_shown_and_summed_up)
{
	EXPECT_LETTERS("match c", "c");
	EXPECT(strstr(full, "\ntotal pools=1 allocated=256 used=256 "));
	EXPECT_LETTERS("match a.three", "a");
	EXPECT_LETTERS("match three", "");
	EXPECT_LETTERS("match a.three-", "");
	EXPECT_LETTERS("match a.three-and-more-than-a-name-may-have", "");
	EXPECT(strstr(full, "\ntotal pools=0 allocated=0 used=0 "));
	EXPECT_LETTERS("match c match b", "b");
}

THREE_CASE(a_count_limits_the_lines_and_not_the_total)
{
	EXPECT_LETTERS("2", "ca");
	EXPECT(strstr(full, "\ntotal pools=3 allocated=928 used=928 "));
	EXPECT_LETTERS("byusage 1", "b");
	EXPECT_LETTERS("3", "cab");
	EXPECT_LETTERS("2147483647", "cab");
	EXPECT_LETTERS("1 2", "ca");
	ASSERT(dump("prometheus 1"));
	EXPECT(strstr(full, "{pool=\"c.three\""));
	EXPECT(!strstr(full, "{pool=\"a.three\""));
	EXPECT(strstr(full, "\nlibpool_pools 3\n"));
}

POOL_CASE(details_list_what_a_pool_was_created_as, test_pool(64))
{
	const char *line;

	ASSERT(dump("raw detailed"));
	line = next_line(next_line(next_line(full)));
	EXPECT(begins(line, "  > test size=64"));
	EXPECT(begins(next_line(line), "total pools=1 "));
	ASSERT(dump("detailed json"));
	EXPECT(strstr(full, "\"registered\":[\"test size=64"));
}

TEST_CASE(the_name_of_a_file_breaks_no_line)
{
	struct pool_head *pool = pool_create_at("test", 64, 0, "a\nb.c", 7, NULL, POOL_ABI);

	ASSERT(pool);
	ASSERT(dump("raw detailed"));
	EXPECT(strstr(full, "[a?b.c:7]\n"));
	EXPECT_PTR_EQ(pool_destroy_of(pool, NULL), NULL);
}

TEST_CASE(wrong_words_are_refused_whole)
{
	static const char * const wrong[] = {
		"bogus", "match", "byname match", "match ", "0", "-1", "+1",
		"12x", "2147483648", "99999999999999999999999999999999999999",
		"json,table", "table\n", "\n", "Json", "jsonx", "jso",
		"detailed bogus", "bogus json", "match a bogus", "1 0", NULL,
	};
	unsigned int i;

	for (i = 0; wrong[i]; i++) {
		memset(part, 'x', 16);
		EXPECT(dump_pools_to_buf(part, sizeof(part), wrong[i]) == -1);
		EXPECT_EQ(part[0], 0);
		EXPECT_EQ(part[1], 'x');
	}
	memset(part, 'x', 16);
	EXPECT(dump_pools_to_buf(part, 0, "bogus") == -1);
	EXPECT_EQ(part[0], 'x');
	EXPECT(dump_pools_to_buf(NULL, 0, "bogus") == -1);
	EXPECT(dump_pools_to_buf(NULL, 0, NULL) > 0);
}

THREE_CASE(words_may_come_in_any_order_and_spacing)
{
	EXPECT_LETTERS("  2   byname  ", "ab");
	EXPECT_LETTERS("byname 2", "ab");
	EXPECT_LETTERS("1 match b raw byusage", "b");
	EXPECT_LETTERS(" ", "cab");
	ASSERT(dump("match json json"));
	EXPECT(begins(full, "{\"version\":5,\"pools\":[],\n"));
}

POOL_CASE(a_dump_changes_no_number, test_sure(64))
{
	static struct pool_stats before, now;

	test_wave(pool, 300);
	pool_sum(pool, &before);
	ASSERT(dump("detailed"));
	ASSERT(dump("json detailed byusage"));
	ASSERT(dump("prometheus bysize 1"));
	dump_pools_to_trash();
	pool_sum(pool, &now);
	EXPECT_EQ(memcmp(&before, &now, sizeof(now)), 0);
	EXPECT_EQ(pool->pins, 0);
	EXPECT(pool_list_empty(&pool->by_dump));
}
