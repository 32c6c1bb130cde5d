// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * attr.c - properties of a pool that can change while it is in use
 *
 * Layer:   beside the four.
 * Context: process context; may sleep.
 *
 * Any code reads limit and min_avail unlocked.  The registry mutex keeps the two consistent, and
 * excludes a merge that is deciding whether the pool has them.
 */
#include "seam/plat.h"

/* Refuse NULL, such as the variable of a declared pool that could not be made; always false. */
static bool no_pool(const char *function)
{
	plat_log(PLAT_ERR, "%s(NULL) is refused", function);
	return false;
}

bool pool_set_limit(struct pool_head *head, unsigned int limit)
{
	unsigned int users = 0;
	struct pool *pool;
	bool good;

	if (!head)
		return no_pool("pool_set_limit");
	pool = pool_of(head);
	plat_mutex_lock(PLAT_REGISTRY);
	good = !limit || limit >= pool->min_avail;
	if (good) {
		plat_write(&pool->limit, limit);
		pool_era_ends();
		users = limit && !pool->warned ? pool->users - pool->vacated : 0;
		pool->warned |= users > 1;
	}
	plat_mutex_unlock(PLAT_REGISTRY);
	if (users > 1)
		plat_log(PLAT_WARN, "pool \"%s\": limit %u is for all %u registrations",
			 pool->shown, limit, users);
	if (!good) {
		plat_log(PLAT_ERR, "pool \"%s\": limit %u is refused: below min_avail",
			 pool->shown, limit);
		return false;
	}
	pool_close_arrays(pool);
	pool_wake(pool);
	return true;
}

bool pool_set_min_avail(struct pool_head *head, unsigned int min_avail)
{
	struct pool *pool;
	bool good;

	if (!head)
		return no_pool("pool_set_min_avail");
	pool = pool_of(head);
	plat_mutex_lock(PLAT_REGISTRY);
	good = !pool->limit || min_avail <= pool->limit;
	if (good)
		plat_write(&pool->min_avail, min_avail);
	plat_mutex_unlock(PLAT_REGISTRY);
	if (!good)
		plat_log(PLAT_ERR, "pool \"%s\": min_avail %u is refused: above the limit",
			 pool->shown, min_avail);
	return good;
}
