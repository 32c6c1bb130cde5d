// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * names.c - names of pools: how much is kept, and how each text shows them
 *
 * Layer:   tests of common/base/names.c and dump_names.c.
 */
#include "cases_dump.h"

/* U+FFFD, the character for what cannot be shown. */
#define BAD	"\xef\xbf\xbd"

static const struct odd_name {
	const char *given;
	const char *kept;
	const char *shown;
	const char *json;
	const char *label;
} odd[] = {
	{ "session server list", "session ser", "session%20ser",
	  "\"session ser\"", "\"session ser\"" },
	{ "a\"b\\c/d", "a\"b\\c/d", "a%22b%5Cc%2Fd",
	  "\"a\\\"b\\\\c/d\"", "\"a\\\"b\\\\c/d\"" },
	{ ".", ".", "%2E", "\".\"", "\".\"" },
	{ "..", "..", "%2E.", "\"..\"", "\"..\"" },
	{ "-dash", "-dash", "-dash", "\"-dash\"", "\"-dash\"" },
	{ "100%", "100%", "100%25", "\"100%\"", "\"100%\"" },
	{ "x~5", "x~5", "x%7E5", "\"x~5\"", "\"x~5\"" },
	{ "{#[]}'$`", "{#[]}'$`", "{#[]}'$`", "\"{#[]}'$`\"", "\"{#[]}'$`\"" },
	{ "two\nlines", "two\nlines", "two%0Alines",
	  "\"two\\u000alines\"", "\"two\\nlines\"" },
	{ "caf\xc3\xa9", "caf\xc3\xa9", "caf%C3%A9",
	  "\"caf\xc3\xa9\"", "\"caf\xc3\xa9\"" },
	{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "%F0%9F%98%80",
	  "\"\xf0\x9f\x98\x80\"", "\"\xf0\x9f\x98\x80\"" },
	/* A character that the end of the name cuts. */
	{ "0123456789\xe2\x82\xac", "0123456789\xe2", "0123456789%E2",
	  "\"0123456789" BAD "\"", "\"0123456789" BAD "\"" },
	{ "\x01\t\x7f\xff", "\x01\t\x7f\xff", "%01%09%7F%FF",
	  "\"\\u0001\\u0009\\u007f" BAD "\"", "\"" BAD BAD BAD BAD "\"" },
	/*
	 * U+0080 and U+009B are control characters; a no-break space and half of a character are
	 * none.
	 */
	{ "\xc2\x80\xc2\x9b" "1m\xc2\xa0\xc2", "\xc2\x80\xc2\x9b" "1m\xc2\xa0\xc2",
	  "%C2%80%C2%9B1m%C2%A0%C2", "\"\\u0080\\u009b1m\xc2\xa0" BAD "\"",
	  "\"" BAD BAD "1m\xc2\xa0" BAD "\"" },
	/* No UTF-8: a surrogate, an overlong form, a value above the last character. */
	{ "\xed\xa0\x80", "\xed\xa0\x80", "%ED%A0%80",
	  "\"" BAD BAD BAD "\"", "\"" BAD BAD BAD "\"" },
	{ "\xc0\xaf\x31", "\xc0\xaf\x31", "%C0%AF1",
	  "\"" BAD BAD "1\"", "\"" BAD BAD "1\"" },
	{ "\xf4\x90\x80\x80", "\xf4\x90\x80\x80", "%F4%90%80%80",
	  "\"" BAD BAD BAD BAD "\"", "\"" BAD BAD BAD BAD "\"" },
};

static struct pool_head *pools[ARRAY_LEN(odd)];

/* Make a pool for each name, and one object of it. */
static bool make_odd(void)
{
	unsigned int i, made = 0;

	pool_fail_every = 0;
	for (i = 0; i < ARRAY_LEN(odd); i++) {
		pools[i] = create_pool(odd[i].given, 64, 0);
		if (!pools[i])
			continue;
		made++;
		test_free(pool_of(pools[i]), test_alloc(pool_of(pools[i])));
	}
	return made == ARRAY_LEN(odd);
}

TEST_CASE(any_text_is_a_name_and_eleven_bytes_of_it_are_kept)
{
	struct pool_stats now;
	unsigned int i;

	EXPECT(make_odd());
	for (i = 0; i < ARRAY_LEN(odd); i++) {
		if (!pools[i])
			continue;
		pool_stats_get(pools[i], &now, sizeof(now));
		EXPECT_EQ(strcmp(now.name, odd[i].kept), 0);
	}
	EXPECT_PTR_EQ(create_pool("", 64, 0), NULL);
	EXPECT_PTR_EQ(create_pool(NULL, 64, 0), NULL);
	pool_destroy_all();
}

TEST_CASE(a_name_is_shown_as_one_word_that_needs_no_quotes)
{
	unsigned int i;

	EXPECT(make_odd());
	for (i = 0; i < ARRAY_LEN(odd); i++)
		EXPECT_EQ(strcmp(pool_of(pools[i])->shown, odd[i].shown), 0);
	pool_destroy_all();
}

static int hex(char c)
{
	return c <= '9' ? c - '0' : c - 'A' + 10;
}

/* True if a name as it is shown can be read back, and can be part of a path. */
static bool is_shown_well(const char *name)
{
	char shown[POOL_SHOWN_LEN + 1];
	const char *at = shown;

	pool_show_name(shown, name);
	if (*at == '.')
		return false;
	for (; *at; at++, name++) {
		char c = *at;

		if (c <= ' ' || c > '~' || strchr("\"\\/~", c))
			return false;
		if (c == '%') {
			c = (char)(hex(at[1]) * 16 + hex(at[2]));
			at += 2;
		}
		if (c != *name)
			return false;
	}
	return !*name;
}

/* All bytes are tried.  A shown name that can be read back belongs to one name only. */
TEST_CASE(no_two_names_are_shown_alike)
{
	char name[4] = "";
	unsigned int c;

	for (c = 1; c < 256; c++) {
		name[0] = (char)c;
		name[1] = 'x';
		name[2] = (char)c;
		EXPECT(is_shown_well(name));
		name[1] = 0;
		EXPECT(is_shown_well(name));
	}
	EXPECT(is_shown_well("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
}

/*
 * Return how many names are missing from the dump in "full", which should show the member @which of
 * each entry of odd[], between the texts @before and @behind.
 */
static unsigned int missing(const char *before, size_t which,
			    const char *behind)
{
	unsigned int i, n = 0;
	char want[96];

	for (i = 0; i < ARRAY_LEN(odd); i++) {
		const void *at = (const char *)&odd[i] + which;

		snprintf(want, sizeof(want), "%s%s%s", before,
			 *(const char *const *)at, behind);
		n += !strstr(full, want);
	}
	return n;
}

TEST_CASE(each_dump_has_its_own_way_to_write_odd_names)
{
	EXPECT(make_odd());
	ASSERT(dump("raw"));
	EXPECT_EQ(missing(" ", offsetof(struct odd_name, shown), " "), 0);
	ASSERT(dump("raw detailed"));
	EXPECT_EQ(missing("> ", offsetof(struct odd_name, shown), " "), 0);
	ASSERT(dump("json"));
	EXPECT_EQ(missing("\"name\":", offsetof(struct odd_name, json), ","),
		  0);
	ASSERT(dump("prometheus"));
	EXPECT_EQ(missing("{pool=", offsetof(struct odd_name, label), ",id="),
		  0);
	pool_destroy_all();
}

/* Return how many pools a dump with these words shows as JSON. */
static unsigned int count_shown(const char *words)
{
	const char *at = full;
	unsigned int n = 0;

	if (!dump(words))
		return ~0u;
	for (; (at = strstr(at, "{\"id\":")); at++)
		n++;
	return n;
}

TEST_CASE(names_match_as_they_are_and_as_they_are_shown)
{
	EXPECT(make_odd());
	EXPECT_EQ(count_shown("json match session%20s"), 1);
	EXPECT_EQ(count_shown("json match session"), 1);
	EXPECT_EQ(count_shown("json match a\"b"), 1);
	EXPECT_EQ(count_shown("json match caf\xc3\xa9"), 1);
	EXPECT_EQ(count_shown("json match caf%C3%A9"), 1);
	EXPECT_EQ(count_shown("json match .."), 1);
	EXPECT_EQ(count_shown("json match %2E"), 2);
	EXPECT_EQ(count_shown("json match %F4%90%80%80"), 1);
	EXPECT_EQ(count_shown("json match %20"), 0);
	pool_destroy_all();
}

/* The longest name must match as it is shown, and not with one letter more. */
TEST_CASE(the_longest_name_as_shown_can_be_matched)
{
	static const char name[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
	char words[64], shown[POOL_SHOWN_LEN + 1];
	struct pool_head *pool = create_pool(name, 64, 0);

	ASSERT(pool);
	pool_show_name(shown, name);
	EXPECT_EQ(strlen(shown), POOL_SHOWN_LEN);
	snprintf(words, sizeof(words), "json match %s", shown);
	EXPECT_EQ(count_shown(words), 1);
	snprintf(words, sizeof(words), "json match %sx", shown);
	EXPECT_EQ(count_shown(words), 0);
	pool_destroy(pool);
}

TEST_CASE(odd_names_are_one_column_of_memstats)
{
	void *place = (void *)0x1000ul;
	struct pool_head *pool = create_pool("two words", 64, 0);

	pool_profile_end();
	ASSERT(pool && pool_profile_ready());
	pool_profile_alloc(pool_of(pool), place, 64);
	EXPECT(pool_memstats_to_buf(full, sizeof(full), "match two%20w") > 0);
	EXPECT(strstr(full, "\np_alloc two%20words 1 0 64 0 64 "));
	EXPECT(pool_memstats_to_buf(full, sizeof(full), "match three") > 0);
	EXPECT(!strstr(full, "p_alloc"));
	pool_profile_end();
	pool_destroy(pool);
}
