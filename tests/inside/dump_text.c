// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump_text.c - dumps: formats, cut texts, many pools
 *
 * Layer:   tests of common/show/dump_text.c, dump_prom.c, dump_numbers.c and dump.c.
 */
#include "cases_dump.h"

static char part[16384];

/* Return the end of a JSON string, number or word; NULL if @p is none. */
static const char *json_scalar(const char *p)
{
	const char *from = p;

	if (*p == '"') {
		for (p++; *p && *p != '"'; p++)
			if (*p < ' ' || (*p == '\\' && !*++p))
				return NULL;
		return *p ? p + 1 : NULL;
	}
	if (begins(p, "true"))
		return p + 4;
	if (begins(p, "false"))
		return p + 5;
	while (*p >= '0' && *p <= '9')
		p++;
	return p > from && (*from != '0' || p == from + 1) ? p : NULL;
}

static const char *json_space(const char *p)
{
	while (p && (*p == ' ' || *p == '\n'))
		p++;
	return p;
}

/* Return the end of a JSON value; NULL if @p is none. */
static const char *json_value(const char *p)
{
	bool object = *p == '{';
	char end = object ? '}' : ']';

	if (*p != '{' && *p != '[')
		return json_scalar(p);
	p = json_space(p + 1);
	if (*p == end)
		return p + 1;
	for (;;) {
		if (object) {
			p = *p == '"' ? json_space(json_scalar(p)) : NULL;
			if (!p || *p++ != ':')
				return NULL;
		}
		p = json_space(json_value(json_space(p)));
		if (!p || (*p != ',' && *p != end))
			return NULL;
		if (*p == end)
			return p + 1;
		p = json_space(p + 1);
	}
}

static bool is_json(const char *text)
{
	const char *end = json_space(json_value(text));

	return end && !*end;
}

/* True if each column of the table is a key of the JSON text. */
static bool has_keys(const char *json, const char *head)
{
	char key[32];
	unsigned int n = 0;

	for (;; head++) {
		if (*head != ' ' && *head != '\n') {
			key[n++] = *head;
			continue;
		}
		key[n] = 0;
		n = 0;
		snprintf(part, sizeof(part), "\"%s\":", key);
		if (!strstr(json, part))
			return false;
		if (*head == '\n')
			return true;
	}
}

THREE_CASE(json_is_valid_and_has_the_columns_as_keys)
{
	static char head[1024];

	ASSERT(dump("json match none"));
	EXPECT(is_json(full));
	dump_pools_to_buf(head, sizeof(head), "raw match none");
	ASSERT(dump("json"));
	EXPECT(is_json(full));
	EXPECT(begins(full, "{\"version\":5,\"pools\":[\n{\"id\":"));
	EXPECT(has_keys(full, next_line(head) + 2));
	EXPECT(strstr(full, "\"name\":\"b.one\",\"size\":64,"));
	EXPECT(strstr(full, "\"total\":{\"pools\":3,\"allocated\":928,"));
	EXPECT(strstr(full, "},\"truncated\":false}\n"));
	ASSERT(dump("json detailed byname"));
	EXPECT(is_json(full));
}

/* True if this line has a sample of the metric that the last head named. */
static bool is_grouped(const char *line, const char *metric)
{
	size_t len = strlen(metric);

	return !strncmp(line, metric, len) &&
	       (line[len] == '{' || line[len] == ' ');
}

/* True if each metric has its two lines of head and, directly below, its samples. */
static bool all_grouped(const char *text)
{
	static char type[96];
	static char metric[80];
	const char *line;
	unsigned int n;

	metric[0] = 0;
	for (line = text; *line; line = next_line(line)) {
		if (begins(line, "# HELP "))
			continue;
		if (!begins(line, "# TYPE ")) {
			if (!is_grouped(line, metric))
				return false;
			continue;
		}
		for (n = 0; line[7 + n] != ' '; n++)
			metric[n] = line[7 + n];
		metric[n] = 0;
		snprintf(type, sizeof(type), "# TYPE %s ", metric);
		if (strstr(text, type) != line)
			return false;
		if (!strcmp(metric + n - 6, "_total") !=
		    begins(line + 8 + n, "counter\n"))
			return false;
	}
	return metric[0];
}

THREE_CASE(samples_of_a_metric_are_together)
{
	char want[96];

	ASSERT(dump("prometheus"));
	EXPECT(all_grouped(full));
	snprintf(want, sizeof(want),
		 "\nlibpool_objects{pool=\"b.one\",id=\"%llu\",state=\"used\"} 10\n",
		 pool_of(pools[2])->id);
	EXPECT(strstr(full, want));
	snprintf(want, sizeof(want),
		 "\nlibpool_object_size_bytes{pool=\"c.three\",id=\"%llu\"} 256\n",
		 pool_of(pools[0])->id);
	EXPECT(strstr(full, want));
	EXPECT(strstr(full, "\nlibpool_bytes{state=\"used\"} 928\n"));
}

/* How a dump of one format is cut when the buffer is too small. */
struct cut {
	const char *mark;	/* the line that says that the text was cut */
	const char *tail;	/* the beginning of the last part, which is never cut */
	unsigned int lines;	/* lines of the longest part that is shown whole or not at all */
};

/*
 * True if "part" is "full", cut for @size bytes: whole lines of "full", then the mark, then the end
 * of "full" from the tail on.  The next line must not fit, otherwise a dump could leave out
 * everything.
 */
static bool is_cut(size_t size, const struct cut *cut)
{
	const char *tail = strstr(full, cut->tail), *next;
	size_t len = strlen(cut->mark);
	unsigned int lines;
	size_t i = 0, more;

	for (; part[i] && !begins(part + i, cut->mark); i++)
		if (part[i] != full[i])
			return false;
	next = full + i;
	for (lines = 0; lines < cut->lines && *next; lines++)
		next = next_line(next);
	more = (size_t)(next - full) + len + strlen(tail);
	if (!part[0])
		return more >= size;
	if (!part[i] || (i && part[i - 1] != '\n'))
		return false;
	return more >= size && !strcmp(part + i + len, tail);
}

/* Dump into @size bytes of "part".  True if nothing is written behind these bytes. */
static bool stays_inside(const char *options, size_t size, size_t want)
{
	memset(part, 'x', sizeof(part));
	return dump_pools_to_buf(part, size, options) == (int)want &&
	       part[size] == 'x' && (!size || strnlen(part, size) < size);
}

/* Return the next size to try: not each one where that takes long, but each of the last 40. */
static size_t next_size(size_t size, size_t want)
{
	size_t step = 37 / test_scale(37);

	return size + step < want - 40 ? size + step : size + 1;
}

/* Return how many sizes are cut wrongly, of all up to one more than the whole text needs. */
static unsigned int wrong_cuts(const char *options, const struct cut *cut)
{
	size_t want = dump(options) ? strlen(full) : 0;
	unsigned int wrong = !want || want >= sizeof(part) - 8;
	size_t size, longest = 0;

	for (size = 0; !wrong && size <= want + 2; size = next_size(size, want)) {
		wrong += !stays_inside(options, size, want);
		if (size > want)
			wrong += strcmp(part, full) != 0;
		else if (size)
			wrong += !is_cut(size, cut);
		if (size && strlen(part) < longest)
			wrong++;
		if (size)
			longest = strlen(part);
	}
	return wrong + (longest != want);
}

THREE_CASE(texts_are_cut_between_lines_at_any_size)
{
	static const struct cut raw = { "truncated\n", "total pools=", 2 };
	static const struct cut table = { "truncated\n", "total of 3 pools", 2 };
	static const struct cut metrics = { "# truncated\n", "# HELP libpool_pools", 8 };

	EXPECT_EQ(wrong_cuts("raw detailed", &raw), 0);
	EXPECT(stays_inside("raw detailed", strlen(full), strlen(full)));
	EXPECT(strstr(part, "\ntruncated\ntotal pools=3 "));
	EXPECT_EQ(wrong_cuts("", &table), 0);
	EXPECT_EQ(wrong_cuts("prometheus", &metrics), 0);
}

THREE_CASE(json_is_valid_at_any_size)
{
	static const char options[] = "json detailed";
	unsigned int wrong = 0;
	size_t size, want, least;

	ASSERT(dump(options));
	want = strlen(full);
	least = (size_t)(strchr(full, '\n') - full) + strlen(strstr(full, "],\n"));
	for (size = 0; size <= want + 2; size = next_size(size, want)) {
		bool cut = size <= want;

		wrong += !stays_inside(options, size, want);
		if (!size)
			continue;
		if (!part[0]) {
			wrong += size > least;
			continue;
		}
		wrong += !is_json(part);
		wrong += !strstr(part, cut ? "\"truncated\":true" :
				 "\"truncated\":false");
		wrong += !strstr(part, "\"total\":{\"pools\":3,");
	}
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(strcmp(part, full), 0);
	EXPECT(stays_inside(options, want, want));
	EXPECT(strstr(part, "\"name\":\"a.three\""));
}

#define MANY	200

TEST_CASE(two_hundred_pools_fit_into_three_formats)
{
	static struct pool_head *pools[MANY];
	unsigned int i, wrong = 0;
	const char *line;
	char name[12];

	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many%u", i * 7 % MANY);
		pools[i] = make(name, 16 + 16 * (i % 5));
		ASSERT(pools[i]);
		test_free(pool_of(pools[i]), test_alloc(pool_of(pools[i])));
	}
	ASSERT(dump("raw"));
	line = next_line(next_line(full));
	for (i = 0; i < MANY; i++, line = next_line(line)) {
		snprintf(part, sizeof(part), "%llu many%u ",
			 pool_of(pools[i])->id, i * 7 % MANY);
		wrong += !begins(line, part);
	}
	EXPECT_EQ(wrong, 0);
	EXPECT(begins(line, "total pools=200 "));
	ASSERT(dump("json byname detailed"));
	EXPECT(is_json(full));
	ASSERT(dump("prometheus"));
	EXPECT(all_grouped(full));
	for (i = 0; i < MANY; i++)
		EXPECT_PTR_EQ(pool_destroy(pools[i]), NULL);
}

/* Dump a pool of this thread while others do so, too: it must be there, and the dump whole. */
static void make_and_dump(unsigned int i, void *arg)
{
	static const char * const formats[] = {
		"json byname detailed", "prometheus bysize", "table byusage",
	};
	static char texts[4][32768];
	struct crowd *c = arg;
	char *text = texts[i];
	char words[32], own[12];
	unsigned long r;

	snprintf(own, sizeof(own), "own%u", i);
	snprintf(words, sizeof(words), "match %s json", own);
	for (r = 0; r < test_scale(300); r++) {
		struct pool_head *pool = make(own, 64 + 16 * i);
		int n;

		if (!pool) {
			plat_word_add(&c->bad, 1);
			continue;
		}
		pool_free(pool, pool_alloc(pool));
		n = dump_pools_to_buf(text, sizeof(texts[0]), formats[r % 3]);
		if (n <= 0 || n >= (int)sizeof(texts[0]) ||
		    strlen(text) != (size_t)n || (r % 3 == 0 && !is_json(text)))
			plat_word_add(&c->bad, 1);
		dump_pools_to_buf(text, sizeof(texts[0]), words);
		if (!is_json(text) || !strstr(text, "\"total\":{\"pools\":1,"))
			plat_word_add(&c->bad, 1);
		if (pool_destroy(pool))
			plat_word_add(&c->bad, 1);
	}
}

TEST_CASE(pools_come_and_go_while_others_dump)
{
	EXPECT_EQ(test_crowd(4, make_and_dump, NULL), 0);
	EXPECT_PTR_EQ(pool_registry_next(NULL), NULL);
}
