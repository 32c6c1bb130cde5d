/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * modes.h - tests of a pool's options, for slow paths
 *
 * Layer:   beside the four; the hot half of debug.h.
 * Context: any.
 */
#ifndef POOL_MODES_H
#define POOL_MODES_H

/* Do the pool's hot arrays take nothing? */
static inline bool pool_is_closed(const struct pool *pool)
{
	return POOL_READ(pool->debug) & POOL_D_CLOSED;
}

/* The same, also because somebody waits for an object. */
static inline bool pool_arrays_closed(const struct pool *pool)
{
	return pool_is_closed(pool) || POOL_READ(pool->waiting);
}

/* May free objects be put into its shared part?  Taking from it needs no test. */
static inline bool pool_shares(const struct pool *pool)
{
	return !(POOL_READ(pool->debug) &
		 (POOL_D_NO_GLOBAL | POOL_D_NO_CACHE));
}

/*
 * May this object go to a user, or to the platform, without a check or an undo?
 * Only such objects may be in an array, since a hit hands out what it finds.
 */
static inline bool pool_is_plain(const struct pool *pool, const void *obj)
{
	return !pool_seal_of(obj) && !pool_is_closed(pool);
}

/* Does each object of this pool need something done when it changes hands? */
static inline bool pool_looks_at_each(const struct pool *pool)
{
	return POOL_READ(pool->debug) & (POOL_D_CLOSED | POOL_D_HARDEN);
}

/* May this object be handed to a user as it is? */
static inline bool pool_goes_out(const struct pool *pool, const void *obj)
{
	return !pool_seal_of(obj) && !pool_looks_at_each(pool);
}

/* Must this allocation fail?  Some do if the options say so. */
static inline bool pool_fails(const struct pool *pool, unsigned int flags,
			      void *caller)
{
	return (POOL_READ(pool->debug) & POOL_D_FAIL) &&
	       pool_fail_turn(flags, caller);
}

/* Wipe an object on free, where the kernel asks for that. */
static inline void pool_hot_in(const struct pool_head *pool, void *obj)
{
	if (pool_wipes_in(pool))
		__builtin_memset(obj, 0, pool->size);
}

#endif /* POOL_MODES_H */
