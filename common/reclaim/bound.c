// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bound.c - how many bytes each CPU may cache
 *
 * Layer:   beside the four, above shrink.c, whose pieces it uses.
 * Context: any where a caller may come to the allocator; neither guard nor lock held.
 *
 * The bound is hot_size, or a CPU's share of max_cached if that is less.  All CPUs that
 * there are have the same share.  In a program these are its threads; one that ends gives its share
 * to the others when the next one comes.  So no operation counts what others have: a visit reads
 * one word that changes only with the options and with the number of CPUs.
 *
 * A visit brings its own CPU below a new bound.  The clusters of CPUs that make no visits
 * are taken from outside.  Their arrays stay, because only their owners may touch them.
 */
#include "seam/plat.h"

/* Read by all slow paths. */
unsigned long pool_bound = POOL_CACHE_SIZE;

static unsigned long share(unsigned long all)
{
	unsigned long sharers = 0;
	struct pool_cpu *cpu;
	unsigned int i;

	pool_each_cpu(i, cpu)
		sharers++;
	return sharers ? all / sharers : all;
}

static unsigned long bound_now(void)
{
	unsigned long bound = plat_read(&pool_options.hot_size);
	unsigned long all = plat_read(&pool_options.max_cached);
	unsigned long part = all ? share(all) : bound;

	return part < bound ? part : bound;
}

/*
 * Compute the bound anew, after hot_size, max_cached or CPUs changed.  Any context.
 *
 * Two such calls may run at once, and the slower one may have seen less.  So each looks again
 * after its store.  A bound that stood only for a moment ends the era, too, since a visit may
 * have seen it.
 */
void pool_bound_fit(void)
{
	bool changed = false;
	unsigned long bound;

	do {
		bound = bound_now();
		changed |= bound != plat_read(&pool_bound);
		plat_write(&pool_bound, bound);
		/* Pairs with the same fence of another call: one of both sees all. */
		plat_fence();
	} while (bound != bound_now());
	if (changed)
		pool_era_ends();
}

/*
 * Take clusters of a CPU that has more than its share; no more than it has now.  There may be
 * thousands, so other threads may run in between.
 */
static void trim_cpu(struct pool_cpu *cpu)
{
	unsigned long left = pool_clustered_bytes(cpu);
	unsigned long bytes = 1, given = 0;

	while (left && bytes &&
	       pool_charged(cpu) > plat_read(&pool_bound)) {
		plat_resched();
		bytes = pool_give_coldest(cpu, NULL, POOL_F_FOREIGN, &given);
		left -= bytes < left ? bytes : left;
	}
}

/*
 * The number of CPUs, or max_cached, may have changed.  It does nothing but one read where
 * max_cached is not set.  The context allows PLAT_WAIT, and neither guard nor lock is held.
 */
void pool_bound_share(void)
{
	struct pool_cpu *cpu;
	unsigned int i;

	if (!plat_read(&pool_options.max_cached))
		return;
	pool_bound_fit();
	pool_each_cpu(i, cpu)
		trim_cpu(cpu);
}
