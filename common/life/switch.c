// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * switch.c - change options of a pool while it is in use
 *
 * Layer:   beside the four.
 * Context: process context; may sleep.
 *
 * A switch stores the option bits, and then, if arrays are to be closed, a capacity of 0 on every
 * CPU.  No CPU is stopped: each owner closes its array on its next slow path, and until then hands
 * out at most the objects in it.  Objects freed before a switch are checked by the options of that
 * time, which the seal in the pointer records.
 *
 *   switch                          owner that changes a capacity: hot.c
 *     bits = new
 *     lock, cap = 0, unlock           lock, cap = bits is closed ? 0 : slots, unlock
 *
 * A CPU that the switch does not visit gets its part after the switch's fence, and reads the new
 * bits.
 */
#include "seam/plat.h"

/*
 * Return option bits with the next generation.  Generations wrap around to 1; 0 is only for
 * pools that never had checks.
 */
unsigned int pool_next_generation(unsigned int bits)
{
	unsigned int gen = (bits / POOL_D_GEN + 1) % POOL_D_GENS;

	return bits % POOL_D_GEN + (gen ? gen : 1) * POOL_D_GEN;
}

/*
 * Correct memstats in option bits.  With DEBUG_MEM_STATS a pool without caches has it, too:
 * pool_bits_of().  When caches return, memstats stays only if this switch sets it, or the options
 * of all pools have it.
 */
static unsigned int counted(unsigned int bits, unsigned int now, unsigned int set)
{
	unsigned int change = (bits ^ now) & POOL_D_NO_CACHE;
	unsigned int memstats = pool_bits_of(change) & POOL_D_MEMSTATS;

	if (now & change)
		return now | memstats;
	return now & (~memstats | set | plat_read(&pool_options.debug));
}

/* Compute the new option bits, with a new generation if checks begin.  Registry mutex held. */
static unsigned int next_bits(const struct pool *pool, unsigned int set,
			      unsigned int clear)
{
	unsigned int bits = pool->debug;
	unsigned int now = (bits & ~(clear & ~pool_always(pool->flags))) |
			   (set & ~pool_never(pool->flags));

	now = counted(bits, now, set);
	if ((now & POOL_D_CHECKED) && !(bits & POOL_D_CHECKED))
		now = pool_next_generation(now);
	return now;
}

/* Store the new option bits; returns them.  Registry mutex held. */
static unsigned int store_bits(struct pool *pool, unsigned int set,
			       unsigned int clear)
{
	unsigned int bits = next_bits(pool, set, clear);

	if (bits / POOL_D_GEN != pool->debug / POOL_D_GEN)
		pool_object_table_begin(pool, bits);
	if (!(bits & POOL_D_CHECKED))
		pool_object_table_lapse(pool);
	plat_write(&pool->debug, bits);
	pool_era_ends();
	return bits;
}

/*
 * Switch options of a pool in use, and drain the layers that the pool loses.  The pool is pinned,
 * or only the caller uses it.  @set and @clear have no flags of POOL_D_FIXED.
 */
void pool_switch(struct pool *pool, unsigned int set, unsigned int clear)
{
	unsigned int bits;

	if (pool_bits_of(set) & POOL_D_MEMSTATS)
		pool_profile_ready();
	plat_mutex_lock(PLAT_REGISTRY);
	bits = store_bits(pool, set, clear);
	plat_mutex_unlock(PLAT_REGISTRY);
	if (bits & POOL_D_CLOSED)
		pool_close_arrays(pool);
	if (bits & POOL_D_CHECKED)
		pool_object_table_grow(pool);
	if (bits & POOL_D_NO_CACHE)
		pool_reclaim(&pool->head);
	if (!pool_shares(pool))
		pool_drain_shared(pool, 0, POOL_ALL, false);
}
