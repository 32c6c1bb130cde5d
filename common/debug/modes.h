/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * modes.h - tests of a pool's options, for slow paths
 *
 * Layer:   beside the four; the hot half of debug.h.
 * Context: any.
 */
#ifndef POOL_MODES_H
#define POOL_MODES_H

/* True if the options keep the pool's hot arrays closed. */
static inline bool pool_is_closed(const struct pool *pool)
{
	return POOL_READ(pool->debug) & POOL_D_CLOSED;
}

/* True if options, or calls that wait for an object, keep the hot arrays closed. */
static inline bool pool_arrays_closed(const struct pool *pool)
{
	return pool_is_closed(pool) || POOL_READ(pool->waiting);
}

/* True if free objects may be put into the shared pool.  Taking from it needs no test. */
static inline bool pool_shares(const struct pool *pool)
{
	return !(POOL_READ(pool->debug) &
		 (POOL_D_NO_GLOBAL | POOL_D_NO_CACHE));
}

/*
 * True if an object needs no check before it leaves.  Only such objects may be in an array, since a
 * hit hands out any object that it finds.
 */
static inline bool pool_is_plain(const struct pool *pool, const void *obj)
{
	return !pool_seal_of(obj) && !pool_is_closed(pool);
}

/* True if allocations and frees of this pool must check each object. */
static inline bool pool_looks_at_each(const struct pool *pool)
{
	return POOL_READ(pool->debug) & (POOL_D_CLOSED | POOL_D_HARDEN);
}

/* True if this object may go to a user without a check. */
static inline bool pool_goes_out(const struct pool *pool, const void *obj)
{
	return !pool_seal_of(obj) && !pool_looks_at_each(pool);
}

/* True if this allocation must fail, because the options inject failures. */
static inline bool pool_fails(const struct pool *pool, unsigned int flags,
			      void *caller)
{
	return (POOL_READ(pool->debug) & POOL_D_FAIL) &&
	       pool_fail_due(flags, caller);
}

/* Wipe a freed object, if the kernel has init_on_free. */
static inline void pool_hot_in(const struct pool_head *pool, void *obj)
{
	if (pool_wipes_in(pool))
		__builtin_memset(obj, 0, pool->size);
}

#endif /* POOL_MODES_H */
