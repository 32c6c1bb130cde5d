// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * switch.c - change options of a pool while it is in use
 *
 * Layer:   beside the four.
 * Context: process context; may sleep.
 *
 * A switch stores the option word, and then, if arrays are to be closed, a capacity of 0 on every
 * CPU.  No CPU is stopped: each owner closes its array on its next slow path, and until then hands
 * out at most the objects in it.  Objects freed before a switch are checked by the options of that
 * time, which the seal in the pointer records.
 *
 *   switch                          owner that changes a capacity: hot.c
 *     word = new
 *     lock, cap = 0, unlock           lock, cap = word is closed ? 0 : room, unlock
 *
 * A CPU that the switch does not visit gets its part after the switch's fence, and reads the new
 * word.
 */
#include "seam/plat.h"

/*
 * Return an option word with the next generation.  Generations wrap around to 1; 0 is only for
 * pools that never had checks.
 */
unsigned int pool_next_generation(unsigned int word)
{
	unsigned int gen = (word / POOL_D_GEN + 1) % POOL_D_GENS;

	return word % POOL_D_GEN + (gen ? gen : 1) * POOL_D_GEN;
}

/*
 * Correct memstats in an option word.  With DEBUG_MEM_STATS a pool without caches has it, too:
 * pool_word_of().  When caches return, memstats stays only if this switch sets it, or the options
 * of all pools have it.
 */
static unsigned int counted(unsigned int word, unsigned int now, unsigned int set)
{
	unsigned int change = (word ^ now) & POOL_D_NO_CACHE;
	unsigned int memstats = pool_word_of(change) & POOL_D_MEMSTATS;

	if (now & change)
		return now | memstats;
	return now & (~memstats | set | plat_read(&pool_options.debug));
}

/* Compute the new option word, with a new generation if checks begin.  Registry mutex held. */
static unsigned int next_word(const struct pool *pool, unsigned int set,
			      unsigned int clear)
{
	unsigned int word = pool->debug;
	unsigned int now = (word & ~(clear & ~pool_always(pool->flags))) |
			   (set & ~pool_never(pool->flags));

	now = counted(word, now, set);
	if ((now & POOL_D_CHECKED) && !(word & POOL_D_CHECKED))
		now = pool_next_generation(now);
	return now;
}

/* Store the new option word; returns it.  Registry mutex held. */
static unsigned int store_word(struct pool *pool, unsigned int set,
			       unsigned int clear)
{
	unsigned int word = next_word(pool, set, clear);

	if (word / POOL_D_GEN != pool->debug / POOL_D_GEN)
		pool_object_table_begin(pool, word);
	if (!(word & POOL_D_CHECKED))
		pool_object_table_lapse(pool);
	plat_write(&pool->debug, word);
	pool_era_ends();
	return word;
}

/*
 * Switch options of a pool in use, and drain layers that the pool has no longer.  The pool is
 * pinned, or only the caller uses it.  @set and @clear have no flags of POOL_D_FIXED.
 */
void pool_switch(struct pool *pool, unsigned int set, unsigned int clear)
{
	unsigned int word;

	if (pool_word_of(set) & POOL_D_MEMSTATS)
		pool_profile_ready();
	plat_mutex_lock(PLAT_REGISTRY);
	word = store_word(pool, set, clear);
	plat_mutex_unlock(PLAT_REGISTRY);
	if (word & POOL_D_CLOSED)
		pool_close_arrays(pool);
	if (word & POOL_D_CHECKED)
		pool_object_table_grow(pool);
	if (word & POOL_D_NO_CACHE)
		pool_reclaim(&pool->head);
	if (!pool_shares(pool))
		pool_drain_shared(pool, 0, POOL_ALL, false);
}
