// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * kmsan.c - what KMSAN knows of objects of pools with the option "tools"
 *
 * Layer:   tests of kernel/tools.c.
 * Context: see test.h.
 *
 * The cases read what KMSAN keeps for each byte.  One case has KMSAN
 * report, and looks for the report in the kernel's log; kunit.sh expects that line.
 */
#include "test.h"
#include "helper_log.h"
#include "helper_shadow.h"

#include <linux/string.h>

#define SIZE	60u
#define OBJS	200u

#define SKIP_WITHOUT_KMSAN()						\
	do {								\
		if (!IS_ENABLED(CONFIG_KMSAN))				\
			kunit_skip(test, "this kernel has no KMSAN");	\
	} while (0)

/* Returns how many of the first @n bytes are written. */
static unsigned int written(const char *obj, unsigned int n)
{
	unsigned int i, good = 0;

	for (i = 0; i < n; i++)
		good += is_written(obj + i);
	return good;
}

static struct pool *told(unsigned int debug, void (*ctor)(void *obj, void *arg))
{
	struct pool_attr attr = {
		.name = "told", .size = SIZE, .flags = MEM_F_EXACT,
		.mode = POOL_M_GLOBAL, .ctor = ctor,
	};
	struct pool_head *head;

	test_mode(POOL_D_TOOLS | debug);
	head = create_pool_ext(&attr);
	test_mode(0);
	return head ? pool_of(head) : NULL;
}

static void write_all(void *obj, void *arg)
{
	(void)arg;
	memset(obj, 0x5a, SIZE);
}

static void write_many(void)
{
	unsigned int i;

	for (i = 0; i < OBJS; i++)
		write_all(test_objs[i], NULL);
}

/* The caches of the pool have these objects, so KMSAN cannot know from the slab. */
TEST_CASE(kmsan_takes_free_and_recycled_objects_for_unwritten)
{
	struct pool_stats now;
	struct pool *pool;
	unsigned int i;

	SKIP_WITHOUT_KMSAN();
	pool = told(0, NULL);
	ASSERT(pool);
	test_alloc_many(pool, test_objs, OBJS);
	write_many();
	for (i = 0; i < OBJS; i++)
		EXPECT_EQ(written(test_objs[i], SIZE), SIZE);
	test_free_many(pool, test_objs, OBJS);
	pool_sum(pool, &now);
	EXPECT_EQ(now.cached + now.shared, OBJS);
	for (i = 0; i < OBJS; i++)
		EXPECT_EQ(written(test_objs[i], SIZE), 0);
	test_alloc_many(pool, test_objs, OBJS);
	for (i = 0; i < OBJS; i++)
		EXPECT_EQ(written(test_objs[i], SIZE), 0);
	test_free_many(pool, test_objs, OBJS);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

TEST_CASE(kmsan_takes_zeros_that_were_asked_for_as_written)
{
	struct pool *pool;
	char *obj;

	SKIP_WITHOUT_KMSAN();
	pool = told(0, NULL);
	ASSERT(pool);
	test_free(pool, test_alloc(pool));
	obj = pool_zalloc(&pool->head);
	ASSERT(obj);
	EXPECT_EQ(written(obj, SIZE), SIZE);
	test_free(pool, obj);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/*
 * A call in an NMI may not save a stack, and without one KMSAN would not see the owner's memset().
 */
TEST_CASE(kmsan_takes_what_a_call_got_that_may_not_tell_as_written)
{
	struct pool *pool;
	char *obj;

	SKIP_WITHOUT_KMSAN();
	pool = told(0, NULL);
	ASSERT(pool);
	obj = test_alloc(pool);
	test_free(pool, obj);
	EXPECT_EQ(written(obj, SIZE), 0);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_NOSLAB), obj);
	EXPECT_EQ(written(obj, SIZE), SIZE);
	test_free(pool, obj);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

TEST_CASE(kmsan_takes_what_was_constructed_as_written)
{
	struct pool *pool;
	char *obj;

	SKIP_WITHOUT_KMSAN();
	pool = told(0, write_all);
	ASSERT(pool);
	obj = test_alloc(pool);
	EXPECT_EQ(written(obj, SIZE), SIZE);
	test_free(pool, obj);
	EXPECT_EQ(written(obj, SIZE), SIZE);
	EXPECT_PTR_EQ(test_alloc(pool), obj);
	EXPECT_EQ(written(obj, SIZE), SIZE);
	test_free(pool, obj);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/*
 * Checks copy, compare and fill objects that were freed unwritten, and one is reported, with the
 * option "tools" and without.
 */
TEST_CASE(kmsan_reports_nothing_that_a_check_does)
{
	static const unsigned int checks[] = {
		POOL_D_INTEGRITY, POOL_D_BACKUP, POOL_D_POISON | POOL_D_BACKUP,
		POOL_D_INTEGRITY | POOL_D_BACKUP | POOL_D_TAG | POOL_D_CALLER,
	};
	struct kmsg_dump_iter log;
	unsigned int i, tools;
	struct pool *pool;
	char *obj;

	SKIP_WITHOUT_KMSAN();
	kmsg_dump_rewind(&log);
	lines_with(&log, "BUG: KMSAN");
	for (i = 0; i < 2 * ARRAY_SIZE(checks); i++) {
		tools = i % 2 ? POOL_D_TOOLS : 0;
		pool = test_checked(SIZE, checks[i / 2] | tools);
		ASSERT(pool);
		test_wave(pool, OBJS);
		obj = test_alloc(pool);
		test_free(pool, obj);
		obj[1] ^= 1;
		test_wave(pool, 2 * OBJS);
		EXPECT_EQ(test_faults(pool), 1);
		pool_destroy_every();
	}
	EXPECT_EQ(lines_with(&log, "BUG: KMSAN"), 0);
}

/* kunit.sh knows the name of this function.  KMSAN reports the branch. */
static noinline void read_unwritten(const char *obj, bool *was_one)
{
	if (READ_ONCE(*obj) == 1)
		WRITE_ONCE(*was_one, true);
}

TEST_CASE(kmsan_reports_who_reads_what_an_earlier_owner_wrote)
{
	static const char report[] = "BUG: KMSAN: uninit-value in read_unwritten";
	struct kmsg_dump_iter log;
	struct pool *pool;
	bool was_one = false;
	char *obj;

	SKIP_WITHOUT_KMSAN();
	pool = told(0, NULL);
	ASSERT(pool);
	obj = test_alloc(pool);
	write_all(obj, NULL);
	test_free(pool, obj);
	EXPECT_PTR_EQ(test_alloc(pool), obj);
	kmsg_dump_rewind(&log);
	lines_with(&log, report);
	read_unwritten(obj, &was_one);
	EXPECT_EQ(lines_with(&log, report), 1);
	test_free(pool, obj);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}
