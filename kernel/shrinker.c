// SPDX-License-Identifier: GPL-2.0-only
/*
 * shrinker.c - release memory of pools when the kernel needs memory
 *
 * Layer:   above the seam; user space has none: user/plat.c asks for itself.
 * Context: reclaim.  So nothing here waits, because the task that holds the registry may be the
 *	    one that reclaims, or may wait for it.  An empty cluster is allocated only without
 *	    reclaim.
 *
 * The kernel asks for a count of unused pages at each pass, and may make many passes.  So the count
 * is an estimate, which is updated at most ten times a second.  It is counted in KReclaimable of
 * /proc/meminfo, and so of MemAvailable.
 */
#include "seam/plat.h"
#include "compat.h"
#include "main.h"

#include <linux/jiffies.h>
#include <linux/mmzone.h>
#include <linux/moduleparam.h>
#include <linux/shrinker.h>
#include <linux/vmstat.h>

static bool shrink = true;
module_param(shrink, bool, 0444);
MODULE_PARM_DESC(shrink, "Give back what is unused where memory is short (Y)");

/* The last count, and its time, for all tasks; a lost update makes them a little older. */
static unsigned long unused_pages;
static unsigned long looked_at;
static int memory_node __ro_after_init;

/* The task that locked the registry in reclaim, and may call destructors; NULL: none. */
struct task_struct *pool_reclaimer;

/* Lock the registry if it is free; returns flags for calls that may not wait. */
static unsigned int registry_begin(void)
{
	if (!pool_registry_trylock())
		return POOL_F_ATOMIC | POOL_F_NESTED;
	WRITE_ONCE(pool_reclaimer, current);
	return POOL_F_ATOMIC;
}

static void registry_end(unsigned int flags)
{
	if (flags & POOL_F_NESTED)
		return;
	WRITE_ONCE(pool_reclaimer, NULL);
	plat_mutex_unlock(PLAT_REGISTRY);
}

/*
 * Store the number of unused pages, and add its change to the kernel's NR_KERNEL_MISC_RECLAIMABLE.
 * One node gets the whole change, because pools do not know the nodes of their objects.  The
 * exchange gives each of several calls at once its own difference, so the sum is the last number
 * stored.  Returns whether the number has changed.
 */
static bool note(unsigned long pages)
{
	long more = (long)(pages - xchg(&unused_pages, pages));

	if (more)
		mod_node_page_state(NODE_DATA(memory_node), NR_KERNEL_MISC_RECLAIMABLE, more);
	return more;
}

bool pool_reclaimable_count(void)
{
	unsigned long bytes;

	return shrink && pool_unused_bytes(0, &bytes) && note(bytes >> PAGE_SHIFT);
}

static void look(void)
{
	unsigned int flags = registry_begin();
	unsigned long bytes;

	WRITE_ONCE(looked_at, jiffies);
	if (pool_unused_bytes(flags, &bytes))
		note(bytes >> PAGE_SHIFT);
	registry_end(flags);
}

static unsigned long count(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long pages;

	if (jiffies - READ_ONCE(looked_at) > HZ / 10)
		look();
	pages = READ_ONCE(unused_pages);
	return pages ? pages : SHRINK_EMPTY;
}

/* Release pages; SHRINK_STOP: there was less than a page. */
static unsigned long scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long had = READ_ONCE(unused_pages);
	unsigned int flags = registry_begin();
	unsigned long pages;

	pages = pool_shrink_bytes(sc->nr_to_scan << PAGE_SHIFT, flags) >>
		PAGE_SHIFT;
	registry_end(flags);
	if (!pages) {
		look();
		return SHRINK_STOP;
	}
	note(had > pages ? had - pages : 0);
	return pages;
}

static struct shrinker *shrinker;

int pool_shrinker_init(void)
{
	if (!shrink)
		return 0;
	looked_at = jiffies - HZ;
	memory_node = first_online_node;
	shrinker = pool_compat_shrinker(count, scan);
	return shrinker ? 0 : -ENOMEM;
}

/* Remove the shrinker, and subtract its count from the kernel's. */
void pool_shrinker_exit(void)
{
	if (shrinker)
		pool_compat_shrinker_end(shrinker);
	note(0);
}
