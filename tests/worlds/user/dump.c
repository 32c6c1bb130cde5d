// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump.c - dumps as programs see them: stderr and the trash
 *
 * Layer:   tests of common/show/dump.c.
 * Context: see test.h.
 */
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MANY		400
#define TRASH_SIZE	16384

static struct pool_head *pools[MANY];
static char text[256 * 1024];
static char full[256 * 1024];

static bool make_many(void)
{
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		pools[i] = create_pool("many", 64, MEM_F_EXACT);
		if (!pools[i])
			return false;
	}
	return true;
}

static void end_many(void)
{
	unsigned int i;

	for (i = 0; i < MANY; i++)
		pool_destroy(pools[i]);
}

static void dump_it(void *arg)
{
	(void)arg;
	dump_pools();
}

TEST_CASE(dump_pools_writes_more_than_the_trash_holds)
{
	ASSERT(make_many());
	captured(text, sizeof(text), dump_it, NULL);
	dump_pools_to_buf(full, sizeof(full), NULL);
	drop_memory(text);
	drop_memory(full);
	EXPECT_EQ(strcmp(text, full), 0);
	EXPECT_EQ(count_lines(text), MANY + 2);
	EXPECT_LE(TRASH_SIZE, strlen(text));
	end_many();
}

static void dump_wrongly(void *arg)
{
	char buf[16];

	ck_assert_int_eq(dump_pools_to_buf(buf, sizeof(buf), arg), -1);
}

TEST_CASE(a_wrong_word_for_a_dump_is_named_with_the_right_ones)
{
	captured(text, sizeof(text), dump_wrongly, "byname no\nsense json");
	EXPECT_EQ(count_lines(text), 1);
	EXPECT(strstr(text, "\"no?sense\""));
	EXPECT(strstr(text, "words are byname bysize byusage detailed match "));
	EXPECT(strstr(text, "<prefix> <count> table raw json prometheus\n"));
	captured(text, sizeof(text), dump_wrongly, "match");
	EXPECT(strstr(text, "\"match\": no prefix"));
}

/* user.mk redirects all of the library's calls to these. */
void *__real_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static unsigned long allocations;
static bool no_memory;

void *__wrap_malloc(size_t size)
{
	plat_word_add(&allocations, 1);
	return __real_malloc(size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	plat_word_add(&allocations, 1);
	return no_memory ? NULL : __real_aligned_alloc(alignment, size);
}

POOL_CASE(no_dump_into_a_buffer_allocates, test_pool(64))
{
	static const char * const options[] = {
		"", "json byusage detailed", "prometheus byname 1", "raw match x",
	};
	unsigned long start = plat_read(&allocations);
	unsigned long before, after;
	unsigned int i;

	test_wave(pool, TEST_SOME);
	before = plat_read(&allocations);
	for (i = 0; i < 4; i++)
		dump_pools_to_buf(full, sizeof(full), options[i]);
	dump_pools_to_trash();
	after = plat_read(&allocations);
	EXPECT(before >= start + 2);
	EXPECT_EQ(after, before);
}

TEST_CASE(without_memory_dump_pools_writes_what_the_trash_holds)
{
	ASSERT(make_many());
	no_memory = true;
	captured(text, sizeof(text), dump_it, NULL);
	no_memory = false;
	EXPECT_EQ(strcmp(text, pool_trash()), 0);
	EXPECT(strstr(text, "\ntruncated\n"));
	end_many();
}

static void count_line(enum pool_log_level level, const char *line, void *arg)
{
	unsigned int *lines = arg;

	(void)level;
	*lines += !!*line;
}

POOL_CASE(a_function_for_lines_leaves_the_trash_as_it_is, test_pool(64))
{
	unsigned int lines = 0;

	dump_pools_to_trash();
	snprintf(full, sizeof(full), "%s", pool_trash());
	no_memory = true;
	pool_set_log(count_line, &lines);
	dump_pools();
	pool_set_log(NULL, NULL);
	no_memory = false;
	EXPECT_LE(3, lines);
	EXPECT_EQ(strcmp(full, pool_trash()), 0);
}

static void *dump_main(void *arg)
{
	dump_it(arg);
	return NULL;
}

/* True if the pipe is so full that one more line would wait. */
static bool is_filled(int pipe)
{
	int n = 0;

	return !ioctl(pipe, FIONREAD, &n) && n > 4096 - 256;
}

/* Read to the end of the table; returns how many lines were printed. */
static unsigned int read_table(int pipe)
{
	size_t len = 0;
	ssize_t n;

	do {
		n = read(pipe, text + len, sizeof(text) - 1 - len);
		len += n > 0 ? (size_t)n : 0;
		text[len] = 0;
	} while (n > 0 && !strstr(text, "\ntotal of "));
	drop_memory(text);
	return count_lines(text);
}

TEST_CASE(pools_come_and_go_while_stderr_is_blocked)
{
	int keep = dup(STDERR_FILENO);
	struct pool_head *pool;
	pthread_t thread;
	int ends[2];
	unsigned int i;

	ASSERT(make_many());
	ASSERT(keep >= 0 && !pipe(ends));
	ASSERT(fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
	dup2(ends[1], STDERR_FILENO);
	ASSERT(!pthread_create(&thread, NULL, dump_main, NULL));
	while (!is_filled(ends[0]))
		plat_pause(true);
	pool = create_pool("new", 64, 0);
	EXPECT(pool);
	EXPECT_PTR_EQ(pool_destroy(pool), NULL);
	for (i = 0; i < MANY; i++)
		EXPECT_PTR_EQ(pool_destroy(pools[i]), NULL);
	i = read_table(ends[0]);
	pthread_join(thread, NULL);
	dup2(keep, STDERR_FILENO);
	EXPECT_EQ(i, MANY + 2);
	EXPECT(!strstr(text, " new "));
	EXPECT(strstr(text, "\ntotal of 400 pools: "));
	close(ends[0]);
	close(ends[1]);
	close(keep);
}
