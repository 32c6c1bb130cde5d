// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * last.c - look for a last free object, again and again within the time of the call
 *
 * Layer:   beside the four; alloc.c and kernel/gfp.c look, reach.c says where objects may be.
 * Context: said per function; nothing is held.
 */
#include "seam/plat.h"

/* Look once at all places where a free object may be, except other CPUs' arrays. */
static void *look_everywhere(struct pool *pool, unsigned int flags)
{
	void *obj = pool_hot_get(&pool->own);

	if (!obj)
		obj = pool_unpark_all(pool, flags);
	if (!obj)
		obj = pool_shared_get_one(pool, flags);
	if (!obj)
		obj = pool_take_remote(pool, flags);
	return obj;
}

/*
 * Look for an object when the backend has nothing.  The counts of @last are 0 at first.
 *
 * Looks once at this CPU's array.  If a first reading found an object in a place, or moving, it
 * looks at all other places but the backend, too.  If the backend refused because of the limit, the
 * caller asks it again next, since a free object may have gone there.
 */
void *pool_last_look(struct pool *pool, unsigned int flags,
		     struct pool_last *last)
{
	pool_reach_read(pool, &last->before);
	return last->before.some ? look_everywhere(pool, flags) :
				   pool_hot_get(&pool->own);
}

/*
 * True if the pool may interrupt other CPUs now.  Two calls at once may both get true, which does
 * no harm.
 */
static bool may_ask(struct pool *pool)
{
	unsigned int now = plat_resched();

	if (!now || now - plat_read(&pool->asked) < POOL_ASK_EVERY)
		return false;
	plat_write(&pool->asked, now);
	return true;
}

/*
 * Make other CPUs empty their arrays, for a call that waits or whose pool has no limit.  Arrays of
 * a pool with a limit have less than a 16th of it, which is not worth an interrupt.  An array that
 * is held at that moment stays as it is.
 */
static bool arrays_emptied(struct pool *pool, unsigned int flags,
			   struct pool_last *last)
{
	return plat_may(PLAT_WAIT, flags) &&
	       ((flags & POOL_F_WAIT) || !plat_read(&pool->limit)) &&
	       may_ask(pool) && plat_empty_arrays(pool, last->remaining);
}

/* Subtract the time until @now from the remaining time; @now 0: a killed task has none left. */
static void spend(struct pool_last *last, unsigned int now)
{
	unsigned int passed = now - last->now;

	last->now = now;
	if (!now)
		last->remaining = 0;
	else if (last->remaining != POOL_FOREVER)
		last->remaining -= passed < last->remaining ? passed : last->remaining;
}

/* True if the time of a call is over, or its task is being killed. */
bool pool_last_is_over(struct pool_last *last)
{
	if (last->remaining == POOL_FOREVER)
		return false;
	if (last->remaining)
		spend(last, plat_resched());
	return !last->remaining;
}

/*
 * Pause and return true if the last look may have missed a free object, for example because
 * another CPU was moving the object to the shared pool; else return false.
 *
 * The number of retries is bounded, and so is their time.  The number is small for a call that may
 * not wait, because the call may have interrupted the code that moves the object.  After the last
 * retry other CPUs are asked to empty their arrays, and true means that they did.
 */
bool pool_last_again(struct pool *pool, unsigned int flags,
		     struct pool_last *last)
{
	bool wait = plat_may(PLAT_WAIT, flags);
	unsigned int most = wait ? PLAT_LAST_TRIES : POOL_LAST_LOOKS;

	if (last->looks++ >= most ||
	    !pool_reach_missed(pool, &last->before) || pool_last_is_over(last))
		return arrays_emptied(pool, flags, last);
	plat_pause(wait);
	return true;
}

/* Sleep until a word changes.  False: the time was over before, or the task is being killed. */
bool pool_last_sleep(struct pool_last *last, unsigned int *word, unsigned int seen,
		     unsigned int ms)
{
	if (!last->remaining)
		return false;
	spend(last, plat_wait(word, seen, ms < last->remaining ? ms : last->remaining));
	return last->now;
}
