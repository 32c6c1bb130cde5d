// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * harden.c - find wrong frees to pools that have no table of objects
 *
 * Layer:   beside the four.
 * Context: any; outside of hot sections, no lock held.
 *
 * A hardened pool has caches and hot arrays as other pools have.  But the pointer in its public
 * head leads to arrays that are always closed, so that each call goes through the slow path:
 *
 *	pool_head, inline:	head.hot --> closed
 *	the library's calls:	own.hot  --> the array
 *
 * The slow path checks the pointer, and then tries the array.  No byte of an object is read or
 * written, and no memory is needed.  A pointer is checked against
 *
 *   marks of the source    exact, for each object; slabs of user space have them
 *   the freshest objects   of this CPU's array; for all other backends
 */
#include "seam/plat.h"

/* A freed pointer is compared with this many of the freshest objects. */
#define FRESHEST	4

/*
 * Allocate from this CPU's array for a user of a hardened pool.  NULL: the array is empty, or the
 * pool is checked as well.
 */
void *pool_harden_get(struct pool *pool, unsigned int flags)
{
	void *obj = pool_is_closed(pool) ? NULL : pool_hot_get(&pool->own);

	if (obj) {
		pool_hot_out(&pool->head, obj, flags);
		plat_annotate(pool, obj, pool->head.size, flags, PLAT_USED);
	}
	return obj;
}

/* True if an object is one of the freshest in this CPU's array. */
static bool is_fresh(struct pool *pool, const void *obj)
{
	struct pool_hot *hot = pool_hot_enter(&pool->own);
	bool found = false;
	void **slots;
	size_t n, i;

	if (!pool_hot_hold(hot))
		return false;
	n = plat_read(&hot->n);
	slots = pool_hot_slots(hot) + n;
	for (i = 1; i <= FRESHEST && i <= n; i++)
		found |= slots[-(long)i] == obj;
	pool_hot_let_go(hot);
	return found;
}

static enum pool_fault look(struct pool *pool, void *obj, unsigned int flags)
{
	if ((unsigned long)obj & (pool->align - 1))
		return POOL_FAULT_INTERIOR;
	if (is_fresh(pool, obj))
		return POOL_FAULT_DOUBLE_FREE;
	return plat_annotate(pool, obj, pool->head.size, flags, PLAT_BACK);
}

/*
 * Check a pointer that is freed to a pool without a table of objects.  False: the free is wrong,
 * and was reported.
 */
bool pool_harden_free(struct pool *pool, void *obj, unsigned int flags,
		      void *caller)
{
	struct pool_fault_info info;

	info.kind = plat_read(&pool->debug) & POOL_D_HARDEN ?
		    look(pool, obj, flags) : POOL_FAULT_KINDS;
	if (info.kind == POOL_FAULT_KINDS) {
		pool_hot_in(&pool->head, obj);
		return true;
	}
	info = (struct pool_fault_info){
		.kind = info.kind, .pool = pool, .obj = obj,
		.caller = caller, .flags = flags,
	};
	pool_report(&info);
	return false;
}
