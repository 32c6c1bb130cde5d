// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * switch.c - options of a pool that change while it is in use
 *
 * Layer:   beside the four.
 * Context: process context; may sleep.
 *
 * A switch stores the option word, and then, where arrays are to be closed, a
 * capacity of 0 on every CPU.  Nobody is stopped: each owner closes its array on
 * its next slow paths, and until then serves at most the objects that are in it.
 * What was freed before a switch is checked against what was true of it then, by
 * the seal in its pointer.
 *
 *   switch                          owner that raises a capacity: hot.c
 *     word = new                      cap = room
 *     fence                           fence
 *     cap = 0                         word is closed: cap = 0
 */
#include "plat.h"

/*
 * Generations begin where checks begin: see object_table.c.  They come again, but for 0,
 * in which nothing was ever checked.  Registry mutex held.
 */
static unsigned int next_word(unsigned int word, unsigned int set,
			      unsigned int clear)
{
	unsigned int now = (word & ~clear) | set;

	if ((now & POOL_D_CHECKED) && !(word & POOL_D_CHECKED)) {
		now += POOL_D_GEN;
		if (now < POOL_D_GEN)
			now += POOL_D_GEN;
	}
	return now;
}

/*
 * The switch itself; returns the new word.  Registry mutex held.  The fence of the
 * era that ends pairs with the one of pool_hot_set_cap().
 */
static unsigned int store_word(struct pool *pool, unsigned int set,
			       unsigned int clear)
{
	unsigned int word = next_word(pool->debug, set, clear);

	if (word / POOL_D_GEN != pool->debug / POOL_D_GEN)
		pool_object_table_begin(pool, word);
	if (!(word & POOL_D_CHECKED))
		pool_object_table_lapse(pool);
	plat_write(&pool->debug, word);
	pool_era_ends();
	return word;
}

static void close_arrays(struct pool *pool)
{
	unsigned int cpus = pool->cached ? plat_nr_cpus() : 0;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		struct pool_local *local = plat_local_of(pool, i);

		if (local)
			plat_write(&local->hot.cap, 0);
	}
}

/**
 * pool_switch() - Change a pool's option word while it is in use.
 * @pool: the pool; pinned, or the caller's.
 * @set: flags to be set; none of POOL_D_FIXED.
 * @clear: flags to be cleared; likewise.
 *
 * Layers that the pool does not have any more are emptied.
 */
void pool_switch(struct pool *pool, unsigned int set, unsigned int clear)
{
	unsigned int word;

	if (set & POOL_D_MEMSTATS)
		pool_profile_ready();
	plat_mutex_lock(PLAT_REGISTRY);
	word = store_word(pool, set, clear);
	if (word & POOL_D_CLOSED)
		close_arrays(pool);
	plat_mutex_unlock(PLAT_REGISTRY);
	if (word & POOL_D_CHECKED)
		pool_object_table_grow(pool);
	if (word & POOL_D_NO_CACHE)
		pool_reclaim(&pool->head);
	if (!pool_shares(pool))
		pool_drain_shared(pool, 0);
}
