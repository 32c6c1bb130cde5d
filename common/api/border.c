// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * border.c - check, fill and construct a free object before a user gets it
 *
 * Layer:   between alloc.c, kernel/gfp.c and the layers; above the checks of debug/check.c.
 * Context: any; outside of hot sections, no lock held.
 *
 * Constructors are called here, and they may free, or may not return.  So this file belongs to the
 * core, unlike code that only reads and records objects.
 */
#include "seam/plat.h"

/* Poison an object that is handed out, and construct it anew. */
static void poison(struct pool *pool, void *obj, unsigned int flags)
{
	unsigned int byte = plat_read(&pool_options.poison);

	if (flags & (POOL_F_NO_POISON | POOL_F_MUST_ZERO))
		return;
	if (pool->dtor)
		pool_call_dtor(pool, obj);
	__builtin_memset(obj, (int)byte, pool->head.size);
	pool_construct(pool, obj);
}

/*
 * Fill an object as options and @flags say, before it is recorded as handed out, because its
 * constructor may not return.  Poison may overwrite the zeros of init_on_alloc, never the zeros
 * that the caller asked for.
 */
static void prepare(struct pool *pool, unsigned int bits, void *obj,
		    unsigned int flags)
{
	if (!(flags & POOL_F_MUST_ZERO))
		pool_hot_out(&pool->head, obj, flags);
	if (bits & POOL_D_POISON)
		poison(pool, obj, flags);
}

/*
 * Hand out an object of a pool without checks.  In a hardened pool the source marks the object as
 * in use.
 */
static void *hand_out(struct pool *pool, void *obj, unsigned int flags)
{
	pool_hot_out(&pool->head, obj, flags);
	plat_annotate(pool, obj, pool->head.size, flags, PLAT_USED);
	return obj;
}

static void *check_alloc(struct pool *pool, void *obj, unsigned int flags,
			 void *caller)
{
	unsigned int bits = plat_read(&pool->debug);
	bool raw;

	if (!(bits & POOL_D_CHECKED) && !pool_seal_of(obj))
		return hand_out(pool, obj, flags);
	obj = pool_check_out(pool, obj, flags, caller, &raw);
	if (!obj)
		return NULL;
	if (raw)
		pool_construct(pool, obj);
	if (!(bits & POOL_D_CHECKED))
		return hand_out(pool, obj, flags);
	prepare(pool, bits, obj, flags);
	pool_check_used(pool, bits, obj, flags, caller);
	return obj;
}

/*
 * Check and prepare a free object, perhaps sealed, that is handed out.  NULL: it is corrupted, and
 * the caller allocates another one.
 */
void *pool_check_alloc(struct pool *pool, void *obj, unsigned int flags,
		       void *caller)
{
	obj = check_alloc(pool, obj, flags, caller);
	if (obj && (plat_read(&pool->debug) & POOL_D_TRACE))
		pool_trace_alloc(pool, obj, caller);
	return obj;
}
