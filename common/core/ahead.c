// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ahead.c - decide how many objects a miss gets from the backend besides its own
 *
 * Layer:   alloc.c -> [hot array]
 * Context: any; enters a hot section and holds the CPU lock for a moment.
 *
 * A pool that grows misses again and again, and each miss costs a call of the backend.  So a miss
 * gets a batch, which fills half of the array and leaves the other half for frees.  The array grows
 * for the next miss: the first miss gets a single object, and later ones get more.
 */
#include "seam/plat.h"

/* A batch has at most 1 / AHEAD_DIVISOR of the bound, which limits the time of the call. */
#define AHEAD_DIVISOR	16

/* No object is got ahead while less than 1 / AHEAD_FREE of the bound is free. */
#define AHEAD_FREE	4

/* Return @n, or, where @have is at most @watermark, no more than their difference. */
static unsigned int up_to(unsigned long watermark, unsigned long have, unsigned int n)
{
	return have <= watermark && n > watermark - have ? (unsigned int)(watermark - have) : n;
}

static bool is_crowded(const struct pool_local *local)
{
	unsigned long bound = plat_read(&pool_bound);

	return pool_charged(local->cpu) > bound - bound / AHEAD_FREE;
}

/*
 * Return how many objects a miss gets ahead; with the object that its caller gets they are a batch.
 * @slots: of the array.
 *
 * A batch is cut where the part would get more objects than the array has slots, or than fit the
 * bound.  Otherwise a caller that uses exactly that many objects would have one too many, and spill
 * or evict in each round.  There is no batch while pools are charged with more than three quarters
 * of the bound, because the rest is for objects that callers ask for.
 *
 * Unused objects of a batch would stay at the cold end of the array for ever.  "surplus" makes
 * fills move only the object asked for, until as many objects have come from clusters as the batch
 * had.  A CPU that has spilled before does not need this, because spills move the cold end.
 */
static unsigned int ahead(struct pool_local *local, unsigned int slots)
{
	unsigned long bound = plat_read(&pool_bound);
	unsigned long fit = bound / local->pool->head.size;
	unsigned int batch = pool_smaller(slots / 2, (unsigned int)(fit / AHEAD_DIVISOR));
	unsigned int n = batch ? batch - 1 : 0;

	local->grown++;
	n = up_to(local->most, local->grown, n);
	n = up_to(fit, local->grown, n);
	if (is_crowded(local))
		n = 0;
	local->grown += n;
	if (!local->spills)
		local->surplus = n;
	return n;
}

/*
 * Visit this CPU's array for a miss, and return how many objects the miss gets ahead: fewer than
 * POOL_HOT_SLOTS / 2, or 0.
 *
 * Nothing is evicted, because the array's slots are charged already.  If little of the bound is
 * free, the oldest array loses its free slots, or is closed if it has none, so that later misses
 * get more.
 */
unsigned int pool_cache_wants(struct pool *pool, unsigned int flags)
{
	struct pool_carried out = { .rounds = POOL_EVICT_MOST };
	struct pool_local *here = pool_here_enter(pool, &flags);
	unsigned int slots, n;

	if (!here)
		return 0;
	slots = plat_read(&here->hot.slots);
	if ((slots < here->most || is_crowded(here)) && pool_visit_begin(here, &out)) {
		pool_age_grow(here, &out);
		if (is_crowded(here))
			pool_age_reduce(here);
		pool_here_unlock(here);
	}
	n = ahead(here, slots);
	pool_here_leave(here);
	if (out.some)
		pool_carry(pool, &out, flags);
	return n;
}
