// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bound.c - how many bytes each CPU may cache
 *
 * Layer:   beside the four, above shrink.c, whose pieces it uses.
 * Context: any where a caller may come to the allocator; outside of hot sections, no lock held.
 *
 * The bound is hot_size, or a CPU's share of max_cached if that is less.  All CPUs have the same
 * share.  In a program threads are the CPUs, and the share of a thread that ended is divided when
 * the next thread comes.  So no operation counts what other CPUs have: a visit reads one word,
 * which changes only with the options and the number of CPUs.
 *
 * A visit evicts from its own CPU until it is below a new bound.  Clusters of CPUs that make no
 * visits are evicted by pool_bound_share().  Their arrays stay, because only owners may enter them.
 */
#include "seam/plat.h"

/* The bytes that each CPU may cache.  Read by all slow paths. */
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
	unsigned long portion = all ? share(all) : bound;

	return portion < bound ? portion : bound;
}

/*
 * Recompute the bound after hot_size, max_cached or the number of CPUs changed.  Any context.
 *
 * Of two calls at once the one that stores last may have read older values.  So each reads them
 * again after its store.  A bound that was valid only for a moment ends the era, too, because a
 * visit may have read it.
 */
void pool_bound_fit(void)
{
	bool changed = false;
	unsigned long bound;

	do {
		bound = bound_now();
		changed |= bound != plat_read(&pool_bound);
		plat_write(&pool_bound, bound);
		/*
		 * Pairs with this fence in another call: at least one call reads what both stored.
		 */
		plat_fence();
	} while (bound != bound_now());
	if (changed)
		pool_era_ends();
}

/*
 * Release clusters of a CPU until it has no more than its share, but not those that it adds
 * meanwhile.  Reschedules in between, because there may be thousands.
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
 * Recompute the bound after the number of CPUs or max_cached changed, and evict clusters above it.
 * May sleep (PLAT_WAIT); outside of hot sections, no lock held.  Costs one read if max_cached is
 * unset.
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
