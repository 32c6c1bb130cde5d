// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * merge.c - one pool for several creations
 *
 * Layer:   above the four, between create.c and registry.c.
 * Context: process context; may sleep; the creation lock is held.
 *
 * Which pool a creation with MEM_F_SHARED may share:
 *
 *   of equal size             any, also with MEM_F_EXACT
 *   a little smaller          any, where neither side is MEM_F_EXACT: less than
 *                             1 %, or less than 16 bytes, below the pool's size
 *   larger                    none: no pool ever grows
 *   tag, uaf, tools           one of equal size only, since the ends of objects are
 *                             checked
 *   no-merge                  one of the same name only, to its last byte
 *   other alignment, mode     none: neither side may be weakened
 *   limit, min_avail          none, because these are for one user
 *   constructor, destructor   none
 *   other kernel module       none, unless merge-modules is set
 */
#include "seam/plat.h"

/* Two sizes are near if they differ by less than 16 bytes, or 1 % of the larger one. */
#define NEAR_BYTES	16
#define NEAR_DIVISOR	100

/* True if the owners of pool and creation may share a pool.  Registry mutex held. */
static bool owned_alike(struct pool *pool, const struct pool_request *request)
{
	struct pool_list *node;

	if (request->options.debug & POOL_D_MERGE_MODULES)
		return true;
	for (node = pool->regs.next; node != &pool->regs; node = node->next)
		if (pool_reg_of(node)->owner != request->reg->owner)
			return false;
	return true;
}

static bool is_alone(unsigned int limit, unsigned int min_avail,
		     const void *ctor, const void *dtor)
{
	return limit || min_avail || ctor || dtor;
}

/* True if the oldest remaining registration has this name. */
static bool is_named(struct pool *pool, unsigned long long name_sum)
{
	const struct pool_reg *reg = pool_reg_oldest(pool);

	return reg && reg->name_sum == name_sum;
}

/* True if a creation may share a pool, apart from sizes.  Registry mutex held. */
static bool compatible(struct pool *pool, const struct pool_request *request)
{
	if (!pool->users || (pool->flags & ~MEM_F_EXACT) != MEM_F_SHARED ||
	    is_alone(pool->limit, pool->min_avail, (const void *)pool->ctor,
		     (const void *)pool->dtor))
		return false;
	if (pool->align != request->attr.align ||
	    (pool->debug & POOL_D_FLAGS) !=
	    (request->options.debug & ~POOL_D_COMMON))
		return false;
	if ((request->options.debug & POOL_D_NO_MERGE) && !is_named(pool, request->name_sum))
		return false;
	return owned_alike(pool, request);
}

/* True if a creation may share a pool of this size.  Registry mutex held, or the pool is new. */
bool pool_size_fits(const struct pool *pool, const struct pool_request *request)
{
	unsigned int size = pool->head.size;
	unsigned int diff = size - request->attr.size;

	if (size <= request->attr.size)
		return size == request->attr.size;
	if ((pool->flags | request->attr.flags) & MEM_F_EXACT ||
	    pool->debug & POOL_D_EXACT)
		return false;
	return diff < NEAR_BYTES || (unsigned long long)diff * NEAR_DIVISOR < size;
}

/*
 * Return the flags of the options by which the creations of one pool would not have been merged.
 * Registry mutex held.
 */
unsigned int pool_merged_apart(struct pool *pool)
{
	struct pool_reg *first = pool_reg_oldest(pool);
	struct pool_list *node;
	unsigned int flags = 0;

	for (node = pool->regs.next; node != &pool->regs; node = node->next) {
		struct pool_reg *reg = pool_reg_of(node);

		if (reg->vacated)
			continue;
		if (reg->name_sum != first->name_sum)
			flags |= POOL_D_NO_MERGE;
		if (reg->owner != first->owner)
			flags |= POOL_D_MERGE_MODULES;
	}
	return flags;
}

/*
 * True if a pool fits better than @best: it is smaller, or of equal size and older, or @best is
 * NULL.
 */
static bool is_better(const struct pool *pool, const struct pool *best)
{
	return !best || pool->head.size < best->head.size ||
	       (pool->head.size == best->head.size && pool->id < best->id);
}

/*
 * Find the pool that a creation shares: the smallest that fits, and of equal ones the oldest; NULL:
 * none fits.  Reads only the owner of @request->reg.  Skips pools with an id from @from to @to; ids
 * begin at 1.  Registry mutex held.
 */
struct pool *pool_find_match(const struct pool_request *request, unsigned long long from,
			     unsigned long long to)
{
	unsigned int size = request->attr.size;
	unsigned int more = size / (NEAR_DIVISOR - 1);
	struct pool *best = NULL;
	struct pool *pool = NULL;

	if ((request->attr.flags & ~MEM_F_EXACT) != MEM_F_SHARED ||
	    is_alone(request->attr.limit, request->attr.min_avail,
		     (const void *)request->attr.ctor,
		     (const void *)request->attr.dtor))
		return NULL;
	if (more < NEAR_BYTES)
		more = NEAR_BYTES;
	while ((pool = pool_registry_sized(pool, size, size + more)))
		if ((pool->id < from || pool->id > to) && is_better(pool, best) &&
		    pool_size_fits(pool, request) && compatible(pool, request))
			best = pool;
	return best;
}

/*
 * Find a pool that a creation can share, and add the registration of @request; NULL: the creation
 * needs a pool of its own.  One hold of the registry mutex covers both, because the pool might be
 * destroyed in between.  A destroyer that still waits for walks sees the registration afterwards,
 * and keeps the pool.
 */
struct pool *pool_merge(struct pool_request *request)
{
	struct pool *pool;

	plat_mutex_lock(PLAT_REGISTRY);
	pool = pool_find_match(request, 0, 0);
	if (pool)
		pool_reg_add(pool, request->reg);
	plat_mutex_unlock(PLAT_REGISTRY);
	return pool;
}
