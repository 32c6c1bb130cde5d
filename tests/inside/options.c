// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * options.c - options: words and values, read and shown
 *
 * Layer:   tests of common/options/options.c, options_read.c and options_text.c.
 */
#include "test.h"
#include "options/options.h"

/* The flags that a word sets, and those that its opposite clears. */
static unsigned int sets(const struct pool_word *word)
{
	return word->flag | word->sets_too;
}

static unsigned int clears(const struct pool_word *word)
{
	return word->flag | word->clears_too;
}

TEST_CASE(each_word_and_its_opposite_change_their_flags_alone)
{
	const struct pool_word *word;

	for (word = pool_option_table; word->word; word++) {
		pool_options.debug = 0;
		EXPECT(pool_configure(word->word));
		EXPECT_EQ(pool_options.debug, sets(word));
		EXPECT(pool_configure(word->opposite));
		EXPECT_EQ(pool_options.debug, sets(word) & ~clears(word));
		pool_options.debug = POOL_D_FLAGS;
		EXPECT(pool_configure(word->opposite));
		EXPECT_EQ(pool_options.debug, POOL_D_FLAGS & ~clears(word));
		EXPECT(pool_configure(word->word));
		EXPECT_EQ(pool_options.debug, POOL_D_FLAGS);
	}
}

TEST_CASE(fail_has_a_rate_as_long_as_it_is_on)
{
	test_nothing_on();
	EXPECT(pool_configure("fail"));
	EXPECT_EQ(pool_options.fail_percent, 1);
	EXPECT(pool_configure("fail_alloc=30,fail"));
	EXPECT_EQ(pool_options.fail_percent, 30);
	EXPECT(pool_configure("fail_every=3,no-fail"));
	EXPECT_EQ(pool_options.fail_percent, 0);
	EXPECT_EQ(pool_options.fail_every, 0);
	EXPECT_EQ(pool_options.debug, 0);
	EXPECT(pool_configure("fail_every=3,fail"));
	EXPECT_EQ(pool_options.debug, POOL_D_FAIL);
	EXPECT_EQ(pool_options.fail_percent, 0);
	EXPECT_EQ(pool_options.fail_every, 3);
	EXPECT(pool_configure("fail_alloc=100"));
	EXPECT(pool_configure("fail_alloc=0"));
	EXPECT_EQ(pool_options.debug, POOL_D_FAIL);
	EXPECT(pool_configure("fail_every=0"));
	EXPECT_EQ(pool_options.debug, 0);
	EXPECT(pool_configure("fail_alloc=100"));
	EXPECT_EQ(pool_options.debug, POOL_D_FAIL);
	EXPECT(pool_configure("fail_alloc=0"));
	EXPECT_EQ(pool_options.debug, 0);
}

TEST_CASE(values_are_read_up_to_both_ends_of_their_ranges)
{
	unsigned int i;

	test_nothing_on();
	EXPECT(pool_configure("poison=0"));
	EXPECT_EQ(pool_options.poison, 0);
	EXPECT_EQ(pool_options.debug, POOL_D_POISON);
	EXPECT(pool_configure("poison=255"));
	EXPECT_EQ(pool_options.poison, 255);
	EXPECT(pool_configure("poison=0x4f,no-poison,poison"));
	EXPECT_EQ(pool_options.poison, 0x4f);
	EXPECT(pool_configure("uaf_keep=0"));
	EXPECT_EQ(pool_options.uaf_keep, 0);
	EXPECT(pool_configure("uaf_keep=1024m"));
	EXPECT_EQ(pool_options.uaf_keep, 1ul << 30);
	EXPECT(pool_configure("fail_every=1073741824,fail_every=7"));
	EXPECT_EQ(pool_options.fail_every, 7);
	for (i = 0; plat_policies[i].word; i++) {
		char text[32];

		snprintf(text, sizeof(text), "faults=%s",
			 plat_policies[i].word);
		EXPECT(pool_configure(text));
		EXPECT_EQ(pool_options.policy, plat_policies[i].policy);
	}
}

TEST_CASE(sizes_have_units_in_small_and_capital_letters)
{
	test_nothing_on();
	EXPECT(pool_configure("hot_size=2M"));
	EXPECT_EQ(pool_options.hot_size, 2ul << 20);
	EXPECT(pool_configure("uaf_keep=3K,max_cached=1G"));
	EXPECT_EQ(pool_options.uaf_keep, 3ul << 10);
	EXPECT_EQ(pool_options.max_cached, 1ul << 30);
	EXPECT(pool_configure("uaf_keep=1g,max_cached=0xcK,hot_size=5k"));
	EXPECT_EQ(pool_options.uaf_keep, 1ul << 30);
	EXPECT_EQ(pool_options.max_cached, 12ul << 10);
	EXPECT_EQ(pool_options.hot_size, 5ul << 10);
	EXPECT(!pool_configure("hot_size=2G") && !pool_configure("hot_size=2T"));
	EXPECT(!pool_configure("hot_size=M") && !pool_configure("hot_size=2Mk"));
	EXPECT_EQ(pool_options.hot_size, 5ul << 10);
}

/* 47 characters. */
#define LONG_NAME	"a234567890b234567890c234567890d234567890e234567"

TEST_CASE(a_site_is_a_name_or_any)
{
	EXPECT(pool_configure("fail_site=" LONG_NAME));
	EXPECT_EQ(strcmp(pool_options.fail_site, LONG_NAME), 0);
	EXPECT(!pool_configure("fail_site=" LONG_NAME "x"));
	EXPECT_EQ(strcmp(pool_options.fail_site, LONG_NAME), 0);
	EXPECT(pool_configure("fail_site=some.part_1"));
	EXPECT_EQ(strcmp(pool_options.fail_site, "some.part_1"), 0);
	EXPECT(pool_configure("fail_site="));
	EXPECT_EQ(strcmp(pool_options.fail_site, ""), 0);
}

TEST_CASE(options_are_read_word_by_word)
{
	EXPECT(pool_configure("no-global,hot_size=64k,buckets=8,cluster=1"));
	EXPECT_EQ(pool_options.debug, POOL_D_NO_GLOBAL);
	EXPECT_EQ(pool_options.hot_size, 65536);
	EXPECT_EQ(pool_options.buckets, 8);
	EXPECT_EQ(pool_options.cluster, 1);
	EXPECT(pool_configure("no-cache"));
	EXPECT_EQ(pool_options.debug, POOL_D_NO_CACHE | POOL_D_NO_GLOBAL);
	EXPECT(pool_configure("global"));
	EXPECT_EQ(pool_options.debug, POOL_D_NO_CACHE);
	EXPECT(pool_configure("cache,hot_size=1m"));
	EXPECT_EQ(pool_options.debug, 0);
	EXPECT_EQ(pool_options.hot_size, 1 << 20);
	EXPECT(pool_configure(""));
	EXPECT(pool_configure("hot_size=0"));
	EXPECT_EQ(pool_options.hot_size, 0);
}

TEST_CASE(wrong_words_and_values_change_nothing)
{
	static const char * const wrong[] = {
		"bogus", "no-globa", "no-globalx", "no-uafx", "hot", "no-hot-first",
		"no-cold-first", "no-no-cache", "=1", "buckets=2,,x", " global",
		"no-global,bogus", "hot_size=1k,cluster=0", "tag,poison=256", "fail_site=x,bogus",
		"+fail", "-fail", "fail=1", "fail_alloc", "fail_alloc=101",
		"fail_alloc=-1", "fail_alloc=", "fail_alloc=1.5",
		"fail_every=1073741825", "fail_every=x", "fail_site",
		"fail_site=a b", "fail_site=\x7f", "poison=256", "poison=0x",
		"poison=0x100", "poison=0xg", "poison=x41", "poison=",
		"hot_size", "hot_size=", "hot_size=k", "hot_size=12x", "hot_size=-1",
		"hot_size=2000m", "hot_size=99999999999999999999",
		"buckets=0", "buckets=3", "buckets=128", "cluster=0", "cluster=65",
		"max_cached=", "max_cached=-1", "max_cached=2000m", "max_cached=64k,hot_size=x",
		"uaf_keep=1025m", "uaf_keep=2g", "faults=", "faults", "faults=die", NULL,
	};
	static struct pool_options before;
	unsigned int i;

	before = pool_options;
	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		EXPECT(!pool_configure(wrong[i]));
		EXPECT_EQ(memcmp(&before, &pool_options, sizeof(before)), 0);
	}
}

TEST_CASE(a_command_line_is_read_refused_or_answered)
{
	static char text[4096];

	test_nothing_on();
	EXPECT_EQ(pool_parse_debugging("tag,no-merge,cluster=1", text, 100), 1);
	EXPECT_EQ(pool_options.debug, POOL_D_TAG | POOL_D_NO_MERGE);
	EXPECT_EQ(pool_options.cluster, 1);
	EXPECT_EQ(strcmp(text, ""), 0);
	EXPECT(pool_parse_debugging("merge,help,x", text, sizeof(text)) == -1);
	EXPECT(strstr(text, "\npoison         no-poison "));
	EXPECT(pool_parse_debugging("merge,x\n,help", text, 100) == -2);
	EXPECT(strstr(text, "\"x?\""));
	EXPECT(pool_parse_debugging("merge,x", text, 1) == -2);
	EXPECT_EQ(strcmp(text, ""), 0);
	EXPECT(pool_parse_debugging("merge,x", NULL, 0) == -2);
	EXPECT(pool_parse_debugging("merge,help", NULL, 0) == -1);
	EXPECT(pool_parse_debugging(NULL, text, 100) == -2);
	EXPECT_EQ(pool_options.debug, POOL_D_TAG | POOL_D_NO_MERGE);
	EXPECT_EQ(pool_parse_debugging("merge", NULL, 0), 1);
	EXPECT_EQ(pool_options.debug, POOL_D_TAG);
}

/* HAProxy passes on the text behind -dM, [<byte>[,]][<words>]: a byte, or no text, means poison. */
TEST_CASE(a_command_line_may_begin_with_the_byte_of_poison)
{
	char text[100];

	test_nothing_on();
	EXPECT_EQ(pool_parse_debugging("", text, 100), 1);
	EXPECT_EQ(pool_options.debug, POOL_D_POISON);
	EXPECT_EQ(pool_options.poison, 0x50);
	EXPECT_EQ(pool_parse_debugging("0xA5,no-merge", text, 100), 1);
	EXPECT_EQ(pool_options.debug, POOL_D_POISON | POOL_D_NO_MERGE);
	EXPECT_EQ(pool_options.poison, 0xa5);
	EXPECT_EQ(pool_parse_debugging("-1,merge", text, 100), 1);
	EXPECT_EQ(pool_options.debug, 0);
	EXPECT_EQ(pool_parse_debugging(",tag", text, 100), 1);
	EXPECT_EQ(pool_options.debug, POOL_D_POISON | POOL_D_TAG);
	EXPECT_EQ(pool_parse_debugging("7", text, 100), 1);
	EXPECT_EQ(pool_options.poison, 7);
	EXPECT(pool_parse_debugging("256,merge", text, 100) == -2);
	EXPECT(strstr(text, "poison is 0-255: \"256\""));
	EXPECT(pool_parse_debugging("8x", text, 100) == -2);
	EXPECT(pool_parse_debugging("0000000000000000001", text, 100) == -2);
	EXPECT(pool_parse_debugging("tag,8", text, 100) == -2);
	EXPECT(pool_parse_debugging("tag,,merge", text, 100) == -2);
	EXPECT(!pool_configure("7,tag"));
	EXPECT_EQ(pool_options.poison, 7);
}

/* Each bit of pool_debugging stands for a word of the help, in the order of the help. */
TEST_CASE(the_documented_variable_has_a_bit_for_each_word_that_is_on)
{
	EXPECT(pool_configure("no-tools"));
	EXPECT_EQ(pool_debugging, pool_options.debug);
	EXPECT(pool_configure("fail,no-global,memstats"));
	EXPECT_EQ(pool_debugging & 0x0fff, 0x0811);
	EXPECT(pool_configure("no-fail,cache,global,no-memstats"));
	EXPECT_EQ(pool_debugging & 0x0fff, 0);
	EXPECT(pool_parse_debugging("tag,no-cache", NULL, 0) == 1);
	EXPECT_EQ(pool_debugging & 0x0fff, 0x00a0);
	EXPECT(!pool_configure("poison,bogus"));
	EXPECT_EQ(pool_debugging & 0x0fff, 0x00a0);
	EXPECT(pool_configure("no-tag,cache"));
	EXPECT(pool_set_debug(NULL, "+poison"));
	EXPECT_EQ(pool_debugging & 0x0fff, 0x0100);
	EXPECT(pool_set_debug(NULL, "-poison"));
	EXPECT_EQ(pool_debugging & 0x0fff, 0);
}

TEST_CASE(help_has_a_line_for_each_option)
{
	const struct pool_word *word;
	static char text[4096];
	char line[64];
	unsigned int i;

	EXPECT_LE(pool_debug_help_to_buf(text, sizeof(text)),
		  sizeof(text) - 1);
	EXPECT_EQ(pool_debug_help_to_buf(NULL, 0), strlen(text));
	for (word = pool_option_table; word->word; word++) {
		snprintf(line, sizeof(line), "\n%-15s%-18s", word->word,
			 word->opposite);
		EXPECT(strstr(text, line));
	}
	for (i = 0; i < POOL_KEYS; i++) {
		snprintf(line, sizeof(line), "\n%-12s", pool_keys[i].key);
		EXPECT(strstr(text, line));
	}
	EXPECT(strstr(text, " behind each object (checked fixed exact)\n"));
}

/* True if pool_debug_to_buf() writes @wanted, at any size of the buffer. */
static bool shows(struct pool_head *pool, const char *wanted)
{
	size_t len = strlen(wanted), size;
	char text[200];

	for (size = 0; size < sizeof(text); size++) {
		size_t cut = size && size <= len ? size - 1 : len;

		text[size] = '!';
		if (pool_debug_to_buf(pool, text, size) != len ||
		    text[size] != '!')
			return false;
		if (size && (memcmp(text, wanted, cut) || text[cut]))
			return false;
	}
	return true;
}

#define FIVE_ON	"fail no-global tag hot_size=1048576 fail_alloc=5 fail_site=f\n"

TEST_CASE(what_is_on_is_shown)
{
	struct pool_head *pool;

	test_nothing_on();
	EXPECT(pool_configure("hot_size=1m,poison=65,no-poison"));
	EXPECT(shows(NULL, "hot_size=1048576 poison=65\n"));
	EXPECT(pool_configure("no-global,tag,fail_alloc=5,fail_site=f,poison=80"));
	EXPECT(pool_configure("hot_size=1m,no-poison"));
	EXPECT(shows(NULL, FIVE_ON));
	EXPECT(pool_configure("no-fail"));
	pool = create_pool("test", 64, 0);
	ASSERT(pool);
	EXPECT(shows(pool, "no-global tag\n"));
	pool_destroy(pool);
	test_nothing_on();
	pool = create_pool("test", 64, 0);
	ASSERT(pool);
	EXPECT(shows(pool, "none\n"));
	pool_destroy(pool);
}
