// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reclaimable.c - the kernel's number of memory that could be had, and pools
 *
 * Layer:   tests of kernel/shrinker.c and kernel/age.c.
 */
#include "test.h"

#include <linux/mmzone.h>
#include <linux/vmstat.h>

#define BURST_OBJS	8192u
#define BURST_SIZE	2048u

/* A bound may keep some of the burst from the shared pool. */
#define LEAST_PAGES	2000

/* Looks, 10 ms apart, for a number that is made anew each second. */
#define LOOKS		3000

/* Other pools have next to nothing.  The kernel adds up what CPUs have of it now and then. */
static long reclaimable(void)
{
	return global_node_page_state_pages(NR_KERNEL_MISC_RECLAIMABLE);
}

/* Use many objects and free them.  Returns the pages that only the pool holds then. */
static long burst(struct pool *pool)
{
	void **objs = kvmalloc_array(BURST_OBJS, sizeof(*objs), GFP_KERNEL);
	struct pool_stats now;

	if (!objs)
		return 0;
	test_alloc_many(pool, objs, BURST_OBJS);
	test_free_many(pool, objs, BURST_OBJS);
	kvfree(objs);
	pool_stats_get(&pool->head, &now, sizeof(now));
	return (long)((now.cached + now.shared) * BURST_SIZE >> PAGE_SHIFT);
}

/* Within a tenth, and what a gc leaves in the caches of a CPU. */
static bool is_near(long pages, long wanted)
{
	long off = LEAST_PAGES / 8;

	return pages > wanted - wanted / 10 - off && pages < wanted + wanted / 10 + off;
}

static bool comes_near(long before, long wanted)
{
	unsigned int i;

	for (i = 0; i < LOOKS && !is_near(reclaimable() - before, wanted); i++)
		test_sleep(10);
	return i < LOOKS;
}

TEST_CASE(memory_that_only_pools_hold_counts_as_reclaimable_by_itself)
{
	struct pool *pool;
	long before, held;

	pool_gc(NULL);
	before = reclaimable();
	pool_fail_every = 0;
	pool = test_pool(BURST_SIZE);
	ASSERT(pool);
	held = burst(pool);
	EXPECT(held > LEAST_PAGES);
	EXPECT(comes_near(before, held));
	pool_gc(NULL);
	EXPECT(comes_near(before, 0));
	held = burst(pool);
	EXPECT(comes_near(before, held));
	pool_destroy(&pool->head);
	pool_gc(NULL);
	EXPECT(comes_near(before, 0));
}
