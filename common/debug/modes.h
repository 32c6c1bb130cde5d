/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * modes.h - what the layers ask of a pool's options, on slow paths
 *
 * Layer:   beside the four; the hot half of debug.h.
 * Context: any.
 */
#ifndef POOL_MODES_H
#define POOL_MODES_H

/* Do its hot arrays take nothing? */
static inline bool pool_is_closed(const struct pool *pool)
{
	return POOL_READ(pool->debug) & POOL_D_CLOSED;
}

/* May free objects be put into its shared part?  Who takes need not ask. */
static inline bool pool_shares(const struct pool *pool)
{
	return !(POOL_READ(pool->debug) &
		 (POOL_D_NO_GLOBAL | POOL_D_NO_CACHE));
}

/*
 * Is there nothing to check or to undo before a user, or the platform, has this object?
 * Only such objects may be in an array: a hit hands out what it finds, unseen.
 */
static inline bool pool_is_plain(const struct pool *pool, const void *obj)
{
	return !pool_seal_of(obj) && !pool_is_closed(pool);
}

/* Must this allocation fail?  Only where the options say that some do. */
static inline bool pool_fails(const struct pool *pool, unsigned int flags,
			      void *caller)
{
	return (POOL_READ(pool->debug) & POOL_D_FAIL) &&
	       pool_fail_turn(flags, caller);
}

/* What a free does to an object where the kernel wishes that. */
static inline void pool_hot_in(const struct pool_head *pool, void *obj)
{
	if (pool_wipes_in(pool))
		__builtin_memset(obj, 0, pool->size);
}

/*
 * Check a pointer that a user frees, where there is something to check; else wipe
 * the object where that is wished.  NULL: there is nothing to pass on.
 */
static inline void *pool_freed(struct pool *pool, void *obj,
			       unsigned int flags, void *caller)
{
	if (POOL_READ(pool->debug) & POOL_D_CHECKED)
		return pool_check_free(pool, obj, flags, caller);
	pool_hot_in(&pool->head, obj);
	return obj;
}

#endif /* POOL_MODES_H */
