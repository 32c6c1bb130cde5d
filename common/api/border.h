/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * border.h - prepare a free object for its user, inline, because most objects need nothing
 *
 * Layer:   between alloc.c, kernel/gfp.c and the layers.
 * Context: any; outside of hot sections, no lock held.
 */
#ifndef POOL_BORDER_H
#define POOL_BORDER_H

/* border.c */
void *pool_check_alloc(struct pool *pool, void *obj, unsigned int flags, void *caller);

/*
 * Check a pointer that is about to be handed out, if it needs a check, and wipe the object if the
 * flags or the kernel ask for that.  False: the object is corrupted, and the caller allocates
 * another one.
 */
static inline bool pool_checked(struct pool *pool, void **obj,
				unsigned int flags, void *caller)
{
	if (pool_goes_out(pool, *obj))
		pool_hot_out(&pool->head, *obj, flags);
	else
		*obj = pool_check_alloc(pool, *obj, flags, caller);
	return *obj;
}

#endif /* POOL_BORDER_H */
