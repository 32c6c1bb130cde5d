// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ahead.c - how many objects come from the backend before they are asked for
 *
 * Layer:   alloc.c -> [hot array]
 * Context: any; the guard is entered, and the CPU lock taken, for a moment.
 */
#include "seam/plat.h"

/* A batch has this part of the bound at most, so that the call does not take long. */
#define AHEAD_PART	16

/* Nothing comes ahead where less than this part of the bound is free. */
#define AHEAD_FREE	4

/* @n, or where it would pass @mark, as much of it as brings @have up to there. */
static unsigned int up_to(unsigned long mark, unsigned long have, unsigned int n)
{
	return have <= mark && n > mark - have ? (unsigned int)(mark - have) : n;
}

static bool is_crowded(const struct pool_local *local)
{
	unsigned long bound = plat_read(&pool_bound);

	return pool_charged(local->cpu) > bound - bound / AHEAD_FREE;
}

/*
 * How many objects come ahead of a miss.  With the object of the miss they are a batch, which
 * fills half of the array's @room slots.
 *
 * A batch stops at the size of the array, and at the bound.  Otherwise a caller that uses
 * exactly that many objects would have one too many, and spill, or evict, in each round.
 * Nothing comes ahead while more than three quarters of the bound are charged, to any pools: the
 * rest is for objects that are needed.
 *
 * Unused objects of the last batch would stay at the cold end of the array for ever.  So
 * until as many objects have come from clusters as that batch had, a fill brings no
 * others.  A CPU that has spilled before needs none of this.
 */
static unsigned int ahead(struct pool_local *local, unsigned int room)
{
	unsigned long bound = plat_read(&pool_bound);
	unsigned long fit = bound / local->pool->head.size;
	unsigned int batch = pool_smaller(room / 2, (unsigned int)(fit / AHEAD_PART));
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
 * How many objects a miss gets ahead, beside its own: fewer than POOL_HOT_SLOTS / 2, or none.
 *
 * The batch is half of the array's room, so that frees fit as well as allocations.  The array
 * grows for the next miss: the first one gets a single object, later ones get more.  Nothing is
 * evicted: the room is charged already.  Where little of the bound is free the oldest array gives
 * its free slots, or closes if it has none, so that later misses get more.
 */
unsigned int pool_cache_wants(struct pool *pool, unsigned int flags)
{
	struct pool_carried out = { .rounds = POOL_EVICT_MOST };
	struct pool_local *here = pool_here_enter(pool, &flags);
	unsigned int room, n;

	if (!here)
		return 0;
	room = plat_read(&here->hot.room);
	if ((room < here->most || is_crowded(here)) && pool_visit_begin(here, &out)) {
		pool_age_grow(here, &out);
		if (is_crowded(here))
			pool_age_reduce(here);
		pool_visit_end(here);
	}
	n = ahead(here, room);
	pool_here_leave(here);
	if (out.some)
		pool_carry(pool, &out, flags);
	return n;
}
