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

/* Pages that a burst leaves in the shared pool, at least; a bound may keep the others out. */
#define LEAST_PAGES	2000

/* Reads of a number that the kernel updates each second; two reads are 10 ms apart. */
#define LOOKS		3000

/*
 * Return how many pages the kernel counts as reclaimable.  Other pools have next to none.  The
 * kernel adds up the counts of CPUs now and then.
 */
static long reclaimable(void)
{
	return global_node_page_state_pages(NR_KERNEL_MISC_RECLAIMABLE);
}

/* Use many objects and free them; return how many pages the pool then keeps. */
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

/* True if @pages differ from @wanted by a tenth at most, and by what a gc leaves in caches. */
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
