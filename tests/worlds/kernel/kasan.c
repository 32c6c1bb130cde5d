// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * kasan.c - what KASAN knows of objects of pools with the option "tools"
 *
 * Layer:   tests of kernel/kasan.c, and of the start of tools.c.
 *
 * The cases read KASAN's shadow.  One case has KASAN report, and looks for the report in the
 * kernel's log; kunit.sh expects that line.
 */
#include "test.h"
#include "helper_log.h"
#include "helper_shadow.h"

#include <linux/delay.h>
#include <linux/kasan.h>
#include <linux/kfence.h>
#include <linux/workqueue.h>

#define SIZE	60u
#define OBJS	200u

/* Return how many of the first @n bytes may be touched. */
static unsigned int touchable(const char *obj, unsigned int n)
{
	unsigned int i, good = 0;

	for (i = 0; i < n; i++)
		good += may_touch(obj + i);
	return good;
}

static struct pool *told(struct kunit *test, unsigned int mode)
{
	struct pool_attr attr = {
		.name = "told", .size = SIZE, .flags = MEM_F_EXACT, .mode = mode,
	};

	if (!IS_ENABLED(CONFIG_KASAN_GENERIC))
		kunit_skip(test, "this kernel has no generic KASAN");
	pool_options.debug |= POOL_D_TOOLS;
	return test_made(&attr);
}

TEST_CASE(a_kernel_with_kasan_or_kmsan_starts_with_caches_and_tells)
{
	bool has_tool = IS_ENABLED(CONFIG_KASAN_GENERIC) || IS_ENABLED(CONFIG_KMSAN);

	if (IS_ENABLED(CONFIG_KASAN) && !IS_ENABLED(CONFIG_KASAN_GENERIC))
		kunit_skip(test, "a module cannot tell the KASAN of this kernel");
	EXPECT_EQ(pool_start.debug, has_tool ? POOL_D_TOOLS : 0);
}

/* The caches of the pool have these objects, so that KASAN knows of them from the pool alone. */
POOL_CASE(kasan_knows_which_objects_of_a_cache_are_free, told(test, POOL_M_GLOBAL))
{
	unsigned int i;

	test_alloc_many(pool, test_objs, OBJS);
	for (i = 0; i < OBJS; i++)
		EXPECT_EQ(touchable(test_objs[i], SIZE + 4), SIZE);
	test_free_many(pool, test_objs, OBJS);
	EXPECT_EQ(test_sum(pool)->cached + test_sum(pool)->shared, OBJS);
	for (i = 0; i < OBJS; i++)
		EXPECT_EQ(touchable(test_objs[i], SIZE), 0);
	test_wave(pool, OBJS);
	EXPECT_EQ(test_faults(pool), 0);
}

POOL_CASE(kasan_lets_only_the_link_of_a_parked_object_be_touched, told(test, POOL_M_GLOBAL))
{
	char *obj = test_alloc(pool);

	pool_park(pool, pool_check_free(pool, obj, 0, NULL));
	EXPECT_EQ(touchable(obj, SIZE), sizeof(void *));
	EXPECT_PTR_EQ(test_alloc(pool), obj);
	EXPECT_EQ(touchable(obj, SIZE), SIZE);
	test_free(pool, obj);
}

static struct pool *told_with_callers(struct kunit *test)
{
	test_mode(POOL_D_CALLER);
	pool_options.policy = POOL_POLICY_CONTINUE;
	return told(test, POOL_M_GLOBAL);
}

/* KASAN would fail the case if the report read its hidden callers behind the object. */
POOL_CASE(kasan_reports_nothing_of_what_pools_report, told_with_callers(test))
{
	char *obj = test_alloc(pool);

	ASSERT(obj);
	test_free(pool, obj);
	test_free(pool, obj);
	EXPECT_EQ(test_faults(pool), 1);
}

/* kunit.sh knows the name of this function. */
static long read_freed(void *obj)
{
	return READ_ONCE(*(char *)obj);
}

/*
 * KASAN fails the case of the task that it reports, so another task reads.  A report turns off
 * lockdep, which other suites need.
 */
POOL_CASE(kasan_reports_who_reads_a_cached_object_that_is_free,
	  ONLY_IF(test_alone(), "it needs a kernel in which no other suite runs",
		  told(test, POOL_M_GLOBAL)))
{
	static const char report[] = "BUG: KASAN: slab-use-after-free in read_freed";
	struct kmsg_dump_iter log;
	char *obj = test_alloc(pool);

	test_free(pool, obj);
	kmsg_dump_rewind(&log);
	lines_with(&log, report);
	work_on_cpu(raw_smp_processor_id(), read_freed, obj);
	EXPECT_EQ(lines_with(&log, report), 1);
}

#if IS_ENABLED(CONFIG_KASAN_GENERIC) && IS_ENABLED(CONFIG_KFENCE)

static bool kfence_is_on(void)
{
	return kfence_sample_interval;
}

#else

static bool kfence_is_on(void)
{
	return false;
}

#endif

/* Return an object of KFENCE, of which the slab gives one now and then; NULL if it gave none. */
static char *fenced(struct pool *pool)
{
	unsigned int i;
	char *obj;

	for (i = 0; i < 1000; i++) {
		obj = test_alloc(pool);
		if (!obj || is_kfence_address(obj))
			return obj;
		test_free(pool, obj);
		usleep_range(1000, 2000);
	}
	return NULL;
}

/* KFENCE reads behind an object that is freed, so the pool must not hide these bytes. */
POOL_CASE(kasan_is_told_nothing_of_objects_of_kfence,
	  ONLY_IF(kfence_is_on(), "this kernel has no generic KASAN, or no KFENCE",
		  told(test, POOL_M_NO_CACHE)))
{
	char *obj = fenced(pool);

	ASSERT(obj);
	EXPECT_EQ(touchable(obj, SIZE + 4), SIZE + 4);
	test_free(pool, obj);
	EXPECT_EQ(touchable(obj, SIZE + 4), SIZE + 4);
	EXPECT_EQ(test_faults(pool), 0);
}
