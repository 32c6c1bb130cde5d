// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump_table.c - the table that people read
 *
 * Layer:   tests of common/show/dump_table.c.
 */
#include "cases_dump.h"

static size_t line_len(const char *line)
{
	return (size_t)(next_line(line) - line) - 1;
}

/* True if @line has @cell in the column whose head is @word: both end at the same character. */
static bool is_below(const char *head, const char *word, const char *line,
		     const char *cell)
{
	const char *at = strstr(head, word);
	size_t end;

	if (!at || at > next_line(head))
		return false;
	end = (size_t)(at - head) + strlen(word);
	return end <= line_len(line) && begins(line + end - strlen(cell), cell);
}

/* Return the line of a pool; the end of the text if there is none. */
static const char *line_of(const char *name)
{
	const char *line = full;
	size_t len = strlen(name);

	while (*line && (!begins(line, name) || line[len] != ' '))
		line = next_line(line);
	return line;
}

THREE_CASE(people_see_aligned_columns_and_a_total)
{
	static const char * const cells[][2] = {
		{ " size", " 64B" }, { " held", " 640B" }, { " idle", " 0B" },
		{ " allocated", " 10" }, { " used", " 10" }, { " cached", " 0" },
		{ " shared", " 0" },
	};
	const char *line;
	unsigned int i;

	ASSERT(dump(NULL));
	EXPECT(begins(full, "pool "));
	for (line = next_line(full); !begins(line, "total"); line = next_line(line))
		EXPECT_EQ(line_len(line), line_len(full));
	EXPECT_LE(line_len(full), 80);
	for (i = 0; i < ARRAY_LEN(cells); i++)
		EXPECT(is_below(full, cells[i][0], line_of("b.one"), cells[i][1]));
	EXPECT(strstr(full, "\ntotal of 3 pools: held 928B = used 928B + cached 0B + shared 0B\n"));
}

THREE_CASE(the_pools_that_hold_most_come_first_on_request)
{
	ASSERT(dump("byusage"));
	EXPECT(begins(next_line(full), "b.one "));
	EXPECT(begins(next_line(next_line(full)), "c.three "));
	ASSERT(dump("byusage 1"));
	EXPECT(begins(next_line(full), "b.one "));
	EXPECT(begins(next_line(next_line(full)), "total of 3 pools: "));
}

THREE_CASE(a_column_of_zeros_is_left_out)
{
	static const struct pool_attr attr = {
		.name = "limited", .size = 64, .flags = MEM_F_EXACT, .limit = 123,
	};
	struct pool_head *limited;

	ASSERT(dump(NULL));
	EXPECT(!strstr(full, " limit"));
	EXPECT(!strstr(full, " parked"));
	EXPECT(!strstr(full, " refused"));
	EXPECT(!strstr(full, " faults"));
	limited = create_pool_ext(&attr);
	ASSERT(limited);
	ASSERT(dump(NULL));
	EXPECT(is_below(full, " limit", line_of("limited"), " 123"));
	EXPECT(is_below(full, " limit", line_of("b.one"), " 0"));
	EXPECT(!strstr(full, " refused"));
	ASSERT(dump("match b"));
	EXPECT(!strstr(full, " limit"));
	pool_destroy(limited);
}

/* Return the line of the total while a new pool has @n objects in use. */
static const char *held_of(unsigned int size, unsigned int n)
{
	struct pool_head *pool = make("units", size);
	const char *total;

	if (!pool)
		return "";
	hold(pool, 0, n);
	total = dump(NULL) ? strstr(full, "\ntotal of 1 pool: ") : NULL;
	drop(pool, 0, n);
	pool_destroy(pool);
	return total ? total : "";
}

TEST_CASE(sizes_have_three_digits_and_a_unit)
{
	static const struct {
		unsigned int size, n;
		const char *total;
	} held[] = {
		{ 16, 63, "\ntotal of 1 pool: held 1008B = " },
		{ 1008, 1, "\ntotal of 1 pool: held 1008B = " },
		{ 1008, 2, "\ntotal of 1 pool: held 1.9K = " },
		{ 1008, 20, "\ntotal of 1 pool: held 19.6K = " },
		{ 1008, 200, "\ntotal of 1 pool: held 196K = " },
	};
	unsigned int i;

	pool_fail_every = 0;
	for (i = 0; i < ARRAY_LEN(held); i++)
		EXPECT(begins(held_of(held[i].size, held[i].n), held[i].total));
	EXPECT(strstr(full, " 1008B "));
}

static const char shared_by[] =
	"\n  shared by conn, buf (2 times), task\ntotal of 1 pool: ";

TEST_CASE(a_merged_pool_shows_whom_it_serves)
{
	static const char * const names[] = { "conn", "buf", "task", "buf" };
	struct pool_head *pools[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		pools[i] = create_pool((char *)names[i], 64, MEM_F_SHARED);
	for (i = 1; i < 4; i++)
		ASSERT(pools[0] && pools[i] == pools[0]);
	ASSERT(dump(NULL));
	EXPECT(begins(next_line(full), "conn "));
	EXPECT(strstr(full, shared_by));
	for (i = 0; i < 4; i++)
		pool_destroy(pools[0]);
}

TEST_CASE(of_many_names_some_are_shown_within_80_columns)
{
	static struct pool_head *pools[40];
	const char *line;
	unsigned int i;
	char name[12];

	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "long-name%u", 10 + i);
		pools[i] = create_pool(name, 64, MEM_F_SHARED);
		ASSERT(pools[i] && pools[i] == pools[0]);
	}
	ASSERT(dump(NULL));
	for (line = full; *line; line = next_line(line))
		EXPECT_LE(line_len(line), 80);
	EXPECT(strstr(full, "\n  shared by long-name10, long-name11, "));
	EXPECT(strstr(full, " long-name25, 24 more\ntotal of 1 pool: "));
	for (i = 0; i < 40; i++)
		pool_destroy(pools[0]);
}
