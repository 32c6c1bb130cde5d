/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_tag.h - calls that allocate, for a kernel that counts memory by the line that asks for it
 *
 * Layer:   API, kernel only; pool.h includes it where CONFIG_MEM_ALLOC_PROFILING is set.
 * Context: as the functions.
 *
 * Each call becomes a macro of the same name, which sets the tag of its line while the function
 * runs.  The slab counts the new objects of a tag: see /proc/allocinfo.  A call by a pointer to
 * the function sets none.  Then the slab counts for the tag that is set, as it does for its own
 * functions: mempool_alloc() sets its caller's, but a handler may find that of the task that it
 * interrupted.  Where none is set, it counts for a line of pool.ko.
 *
 * pool_alloc() and its like set the tag only where they miss.  So a hit is no instruction longer.
 *
 * A cached object keeps its tag.  If a module allocates from a pool of another one, and is
 * unloaded first, the kernel may say that objects of its lines are left.
 */
#ifndef LIBPOOL_POOL_TAG_H
#define LIBPOOL_POOL_TAG_H

#ifndef LIBPOOL_POOL_H
#error "include pool.h"
#endif

#include <linux/alloc_tag.h>
#include <linux/sched.h>

#define pool_alloc_nocache(pool) \
	alloc_hooks(pool_alloc_nocache(pool))
#define pool_alloc_timeout(pool, flags, ms) \
	alloc_hooks(pool_alloc_timeout(pool, flags, ms))
#define pool_alloc_bulk(pool, flags, n, objs) \
	alloc_hooks(pool_alloc_bulk(pool, flags, n, objs))
#define pool_alloc_bulk_some(pool, flags, n, objs) \
	alloc_hooks(pool_alloc_bulk_some(pool, flags, n, objs))
#define pool_alloc_gfp(pool, gfp) \
	alloc_hooks(pool_alloc_gfp(pool, gfp))
#define pool_alloc_node(pool, gfp, node) \
	alloc_hooks(pool_alloc_node(pool, gfp, node))
#define pool_reserve(pool, n) \
	alloc_hooks(pool_reserve(pool, n))
#define pool_alloc_reserved_timeout(reserve, flags, ms) \
	alloc_hooks(pool_alloc_reserved_timeout(reserve, flags, ms))

/* Allocate as pool_alloc_inline() does; a slow path accounts what it gets to the tag @tag. */
static inline POOL_INLINE
void *pool_alloc_tagged(struct pool_head *pool, unsigned int flags,
			struct alloc_tag *tag)
{
	void *obj;

	pool_might_alloc(flags);
	if ((flags & POOL_F_MUST_ZERO) && pool->constructed)
		return pool_refuse_zero(pool, flags);
	obj = pool_hot_get(pool);
	if (!POOL_LIKELY(obj))
		return alloc_hooks_tag(tag, pool_alloc_slow(pool, flags));
	pool_hot_out(pool, obj, flags);
	return obj;
}

#define __pool_alloc(pool, flags) ({ \
	DEFINE_ALLOC_TAG(pool_tag_); \
	pool_alloc_tagged(pool, flags, &pool_tag_); \
})

#define pool_alloc(pool)	__pool_alloc(pool, 0)
#define pool_zalloc(pool)	__pool_alloc(pool, POOL_F_MUST_ZERO)

#endif /* LIBPOOL_POOL_TAG_H */
