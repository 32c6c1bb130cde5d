// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * kmsan.c - what KMSAN knows of objects of pools with the option "tools"
 *
 * Layer:   tests of kernel/tools.c.
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

/* Return how many of the first @n bytes are written. */
static unsigned int written(const char *obj, unsigned int n)
{
	unsigned int i, good = 0;

	for (i = 0; i < n; i++)
		good += is_written(obj + i);
	return good;
}

static struct pool *told(struct kunit *test, void (*ctor)(void *obj, void *arg))
{
	struct pool_attr attr = {
		.name = "told", .size = SIZE, .flags = MEM_F_EXACT,
		.mode = POOL_M_GLOBAL, .ctor = ctor,
	};

	if (!IS_ENABLED(CONFIG_KMSAN))
		kunit_skip(test, "this kernel has no KMSAN");
	test_mode(POOL_D_TOOLS);
	return test_made(&attr);
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

/* The caches of the pool have these objects, so that KMSAN knows of them from the pool alone. */
POOL_CASE(kmsan_takes_free_and_recycled_objects_for_unwritten, told(test, NULL))
{
	unsigned int i;

	test_alloc_many(pool, test_objs, OBJS);
	write_many();
	for (i = 0; i < OBJS; i++)
		EXPECT_EQ(written(test_objs[i], SIZE), SIZE);
	test_free_many(pool, test_objs, OBJS);
	EXPECT_EQ(test_sum(pool)->cached + test_sum(pool)->shared, OBJS);
	for (i = 0; i < OBJS; i++)
		EXPECT_EQ(written(test_objs[i], SIZE), 0);
	test_alloc_many(pool, test_objs, OBJS);
	for (i = 0; i < OBJS; i++)
		EXPECT_EQ(written(test_objs[i], SIZE), 0);
	test_free_many(pool, test_objs, OBJS);
}

POOL_CASE(kmsan_takes_zeros_that_were_asked_for_as_written, told(test, NULL))
{
	char *obj;

	test_free(pool, test_alloc(pool));
	obj = pool_zalloc(&pool->head);
	ASSERT(obj);
	EXPECT_EQ(written(obj, SIZE), SIZE);
	test_free(pool, obj);
}

/*
 * An allocation in an NMI cannot save a stack for KMSAN, so its object must count as written,
 * because KMSAN would not see the NMI's own writes.
 */
POOL_CASE(kmsan_takes_what_a_call_got_that_may_not_tell_as_written, told(test, NULL))
{
	char *obj = test_alloc(pool);

	test_free(pool, obj);
	EXPECT_EQ(written(obj, SIZE), 0);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_NOSLAB), obj);
	EXPECT_EQ(written(obj, SIZE), SIZE);
	test_free(pool, obj);
}

POOL_CASE(kmsan_takes_what_was_constructed_as_written, told(test, write_all))
{
	char *obj = test_alloc(pool);

	EXPECT_EQ(written(obj, SIZE), SIZE);
	test_free(pool, obj);
	EXPECT_EQ(written(obj, SIZE), SIZE);
	EXPECT_PTR_EQ(test_alloc(pool), obj);
	EXPECT_EQ(written(obj, SIZE), SIZE);
	test_free(pool, obj);
}

static const unsigned int checks[] = {
	POOL_D_INTEGRITY, POOL_D_BACKUP, POOL_D_POISON | POOL_D_BACKUP,
	POOL_D_INTEGRITY | POOL_D_BACKUP | POOL_D_TAG | POOL_D_CALLER,
};

/*
 * Checks copy, compare and fill unwritten objects, and report a fault of one, with "tools" and
 * without.
 */
POOLS_CASE(kmsan_reports_nothing_that_a_check_does, 2 * ARRAY_SIZE(checks),
	   ONLY_IF(IS_ENABLED(CONFIG_KMSAN), "this kernel has no KMSAN",
		   test_checked(SIZE, checks[nth / 2] | (nth % 2 ? POOL_D_TOOLS : 0))))
{
	struct kmsg_dump_iter log;
	char *obj;

	kmsg_dump_rewind(&log);
	lines_with(&log, "BUG: KMSAN");
	test_wave(pool, OBJS);
	obj = test_alloc(pool);
	test_free(pool, obj);
	obj[1] ^= 1;
	test_wave(pool, 2 * OBJS);
	EXPECT_EQ(test_faults(pool), 1);
	test_quarantined = 1;
	EXPECT_EQ(lines_with(&log, "BUG: KMSAN"), 0);
}

/* Branch on an unwritten byte, which KMSAN reports.  kunit.sh knows this function by its name. */
static noinline void read_unwritten(const char *obj, bool *was_one)
{
	if (READ_ONCE(*obj) == 1)
		WRITE_ONCE(*was_one, true);
}

POOL_CASE(kmsan_reports_who_reads_what_an_earlier_owner_wrote, told(test, NULL))
{
	static const char report[] = "BUG: KMSAN: uninit-value in read_unwritten";
	struct kmsg_dump_iter log;
	bool was_one = false;
	char *obj = test_alloc(pool);

	write_all(obj, NULL);
	test_free(pool, obj);
	EXPECT_PTR_EQ(test_alloc(pool), obj);
	kmsg_dump_rewind(&log);
	lines_with(&log, report);
	read_unwritten(obj, &was_one);
	EXPECT_EQ(lines_with(&log, report), 1);
	test_free(pool, obj);
}
