// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ahead.c - how many objects come from the backend before they are asked for
 *
 * Layer:   alloc.c -> [hot array]
 * Context: any; the guard is entered, and the CPU lock taken, for a moment.
 */
#include "plat.h"

/* No more than @n, and not across @mark, where there are @have. */
static unsigned int up_to(unsigned long mark, unsigned long have, unsigned int n)
{
	return have <= mark && n > mark - have ? (unsigned int)(mark - have) : n;
}

/*
 * How many objects come ahead of a miss, with an array of @room slots: with the one that
 * is asked for half of them.  Not across what an array holds, nor what the bound does: who
 * uses just that would find one too many, and spill, or evict, in each round.  None where
 * half of the bound is in use, by whichever pools: there is no room for what may not be
 * needed.
 *
 * What of the last batch is not needed would also lie below all that swings from then on.
 * So where there was no spill before, that many objects come without others that fill
 * the array.
 */
static unsigned int ahead(struct pool_local *local, unsigned int room)
{
	unsigned long bound = plat_read(&pool_options.hot_size);
	unsigned long fit = bound / local->pool->head.size;
	unsigned int n = room > 1 ? room / 2 - 1 : 0;

	local->grown++;
	n = up_to(local->most, local->grown, n);
	n = up_to(fit, local->grown, n);
	if (plat_read(&local->cpu->charged) > bound / 2)
		n = 0;
	local->grown += n;
	if (!local->spills)
		local->surplus = n;
	return n;
}

/**
 * pool_cache_wants() - How many objects a miss is to get ahead, beside its own.
 * @pool: the pool.
 * @flags: of the call.
 *
 * Half of the array's room at once, so that frees fit as well as allocations.  The
 * array grows for the next time: who takes one object gets one, who goes on gets more
 * and more.  Nothing is evicted: the room that is there is charged, and the array does
 * not grow where others would have to give way.
 *
 * Return: how many, fewer than POOL_HOT_SLOTS / 2; 0: none.
 */
unsigned int pool_cache_wants(struct pool *pool, unsigned int flags)
{
	struct pool_carried out = { .rounds = POOL_EVICT_MOST };
	struct pool_local *here = pool_here_enter(pool, &flags);
	unsigned int room, n;

	if (!here)
		return 0;
	room = plat_read(&here->hot.room);
	if (room < here->most && pool_visit_begin(here, &out)) {
		pool_age_grow(here, &out);
		pool_visit_end(here, &out);
	}
	n = ahead(here, room);
	pool_here_leave(here);
	if (pool_carries(&out))
		pool_carry(pool, &out, flags);
	return n;
}
