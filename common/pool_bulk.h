/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_bulk.h - many objects at once, and reserves
 *
 * Layer:   API.
 * Context: said per function.
 */
#ifndef LIBPOOL_POOL_BULK_H
#define LIBPOOL_POOL_BULK_H

#ifndef LIBPOOL_POOL_H
#error "include pool.h"
#endif

POOL_DECLS_BEGIN

struct pool_head;
struct pool_reserved;

/**
 * pool_alloc_bulk() - Allocate many objects, or none.
 * @pool: the pool.
 * @flags: as of __pool_alloc().  POOL_F_WAIT is ignored, because two calls that have some
 *	objects and wait for more could wait for each other.
 * @n: how many; 0 is a success.
 * @objs: filled in; undefined contents after a failure.
 *
 * Context: as __pool_alloc().
 * Return: true; false when there are too few objects, and then nothing is allocated.
 */
bool pool_alloc_bulk(struct pool_head *pool, unsigned int flags, unsigned int n, void **objs);

/**
 * pool_alloc_bulk_some() - Allocate up to @n objects, as many as there are.
 * @pool: the pool.
 * @flags: as of pool_alloc_bulk().
 * @n: how many, at most.
 * @objs: filled in from the start; undefined behind what is returned.
 *
 * Context: as __pool_alloc().
 * Return: how many, 0 to @n.  Fewer than @n count as one failure of the pool.
 */
unsigned int pool_alloc_bulk_some(struct pool_head *pool, unsigned int flags,
				  unsigned int n, void **objs);

/**
 * pool_free_bulk() - Free many objects.
 * @pool: the pool they all came from.
 * @flags: as of __pool_free().
 * @n: how many.
 * @objs: the objects, of which the last becomes the freshest; NULLs are skipped.
 *
 * Context: as __pool_free().
 */
void pool_free_bulk(struct pool_head *pool, unsigned int flags, unsigned int n, void **objs);

/**
 * pool_reserve() - Put objects aside, for allocations that must not fail.
 * @pool: the pool.
 * @n: how many, 1 to POOL_RESERVE_MAX.
 *
 * Objects in a reserve count as used and as reserved.  For checks they are free.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: a reserve for pool_unreserve(); NULL, with nothing allocated, when
 * there are too few objects, or, with one line in the log, when @n is wrong.
 */
struct pool_reserved *pool_reserve(struct pool_head *pool, unsigned int n);

/* Most objects of a reserve. */
#define POOL_RESERVE_MAX	65536

/**
 * pool_alloc_reserved() - Take an object out of a reserve.
 * @reserve: from pool_reserve(); with NULL nothing is taken.
 *
 * Needs no lock, never waits, and cannot fail while the reserve has an object.  May run on several
 * CPUs at once, and in an interrupt of itself.  Free the object by pool_free_reserved(), or to its
 * pool by pool_free().
 *
 * Context: Any: interrupts, NMI, signal handlers.
 * Return: an object of undefined contents, zeroed in kernels that zero new
 * memory; NULL when the reserve is empty.
 */
void *pool_alloc_reserved(struct pool_reserved *reserve);

/**
 * pool_alloc_reserved_timeout() - Allocate an object; the reserve is the last resort.
 * @reserve: from pool_reserve(), of a pool that was not destroyed; with NULL nothing is
 *	allocated.
 * @flags: any of POOL_F_*; POOL_F_WAIT is implied.  POOL_F_ATOMIC: does not wait.
 * @ms: for how long, in milliseconds; 0: one try; POOL_FOREVER: until there is one.
 *
 * Asks the pool first, in the kernel without waiting for memory, then the reserve.  When
 * both have none, it waits as pool_alloc_timeout() does, for one that is freed to either.
 * With POOL_FOREVER each call gets one, even when no memory is left, if all objects are
 * freed after a while by pool_free_reserved(): Documentation/amounts, "Reserves", has the rules.
 *
 * Context: With POOL_F_ATOMIC any.  Without it process context or a plain thread;
 * sleeps, also where memory is being reclaimed.
 * Return: as __pool_alloc(); NULL: the time is over, or, in the kernel, the task is being
 * killed.  No failure is injected.
 */
void *pool_alloc_reserved_timeout(struct pool_reserved *reserve,
				  unsigned int flags, unsigned int ms);

/**
 * pool_free_reserved() - Free an object, and refill its reserve.
 * @reserve: a reserve of the object's pool.  With NULL the object stays allocated.
 * @obj: the object, however it was allocated; NULL is a no-op.
 * @flags: as of __pool_free().
 *
 * The object goes to the reserve if that has fewer than it was made with, and to the pool
 * otherwise.  Never fails, and needs no lock and no memory.
 *
 * Context: as __pool_free().
 */
void pool_free_reserved(struct pool_reserved *reserve, void *obj, unsigned int flags);

/**
 * pool_unreserve() - Free a reserve and the objects in it.
 * @reserve: the reserve; NULL is a no-op.  No call on it may run now or later.  Objects that it
 *	gave out stay in use, and are freed to their pool.
 *
 * Context: Process context or a plain thread; may sleep.
 */
void pool_unreserve(struct pool_reserved *reserve);

#ifdef __KERNEL__
/**
 * pool_alloc_gfp() - Allocate an object as kmem_cache_alloc() would.
 * @pool: the pool.
 * @gfp: the kernel's flags.  With __GFP_ZERO, and where the kernel zeroes new
 *	memory, recycled objects are zeroed, too.  With __GFP_THISNODE the object is
 *	of this node.  __GFP_NOFAIL ignores the limit, and is refused
 *	without __GFP_DIRECT_RECLAIM.  Zones, __GFP_COMP, __GFP_ACCOUNT and
 *	__GFP_MEMALLOC have no effect here; the first time, a line in the log says so.
 *
 * Context: Any that @gfp is right for.
 * Return: an object, or NULL.
 */
void *pool_alloc_gfp(struct pool_head *pool, gfp_t gfp);

/**
 * pool_alloc_node() - Allocate an object near a node, as kmem_cache_alloc_node() would.
 * @pool: the pool.
 * @gfp: as for pool_alloc_gfp().  With __GFP_THISNODE only objects of this node; otherwise one of
 *	another node if this node has no memory, or the pool is at its limit.
 * @node: the node, online; NUMA_NO_NODE: any, as pool_alloc_gfp().
 *
 * Takes the object that this CPU cached last if that is of the node, else one of the shared pool,
 * or of the slab.  At the limit a free object of another node is released for it.  On machines with
 * one node this is pool_alloc_gfp().
 *
 * Context: Any that @gfp is right for.
 * Return: an object, or NULL, also where there is no such node.
 */
void *pool_alloc_node(struct pool_head *pool, gfp_t gfp, int node);

/**
 * struct pool_rcu - A member of objects for pool_free_rcu(), which sets it.
 * @head: for call_rcu().
 * @pool: the object's pool.
 * @obj: the object.
 *
 * Readers must not look at it.
 */
struct pool_rcu {
	struct rcu_head head;
	struct pool_head *pool;
	void *obj;
};

/**
 * pool_free_rcu() - Free an object when no reader of RCU can see it any more.
 * @pool: the pool it came from.
 * @obj: the object, which no new reader finds; NULL is a no-op.
 * @rcu: a member of the object.
 *
 * Never fails and needs no memory.  Until the grace period is over the object is in use, and counts
 * as moving.  pool_destroy() waits for it, so lazy RCU is asked not to delay the callback.
 *
 * Context: Any in which call_rcu() may be called: not in an NMI.
 */
void pool_free_rcu(struct pool_head *pool, void *obj, struct pool_rcu *rcu);

/**
 * pool_mempool_alloc() - Allocate an object for a mempool.
 * @gfp: the kernel's flags.
 * @pool: the pool.
 *
 * For mempool_create(min, pool_mempool_alloc, pool_mempool_free, pool).  The pool must
 * outlive the mempool.
 *
 * Context: Any that @gfp is right for.
 * Return: an object, or NULL: then the mempool uses one of its own.
 */
void *pool_mempool_alloc(gfp_t gfp, void *pool);

/**
 * pool_mempool_free() - Free an object that a mempool does not keep.
 * @obj: the object.
 * @pool: the pool.
 *
 * Context: Any.
 */
void pool_mempool_free(void *obj, void *pool);

struct device;

/**
 * pool_create_devm_at() - Create a pool that ends with a device.
 * @dev: a device of the calling module's driver: the pool is destroyed when that is unbound, so
 *	not by pool_destroy_all() before.
 * @name: as for pool_create_at(), and so are all others.
 * @size: bytes of an object.
 * @flags: MEM_F_SHARED, MEM_F_EXACT.
 * @file: source file of the call.
 * @line: its line.
 * @owner: the calling module.
 * @abi: POOL_ABI of the caller's header.
 *
 * devm_create_pool(dev, name, size, flags) fills in the rest.  Objects that are then in use
 * keep the pool, and the log says so.
 *
 * Context: Process context; may sleep.
 * Return: the pool, which nobody else destroys; NULL, as for pool_create_at().
 */
struct pool_head *pool_create_devm_at(struct device *dev, const char *name, unsigned int size,
				      unsigned int flags, const char *file, int line,
				      const void *owner, unsigned int abi);

#define devm_create_pool(dev, name, size, flags) \
	pool_create_devm_at(dev, name, size, flags, __FILE__, __LINE__, \
			    POOL_OWNER, POOL_ABI)
#endif

POOL_DECLS_END

#endif /* LIBPOOL_POOL_BULK_H */
