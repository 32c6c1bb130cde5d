// SPDX-License-Identifier: GPL-2.0-only
/*
 * gfp.c - allocation by the kernel's own flags
 *
 * Layer:   API; composes the layers as alloc.c does, but asks the backend with the
 *	    caller's gfp flags.
 * Context: any that the flags are right for.
 *
 *   flag                            here
 *   no direct reclaim               POOL_F_ATOMIC
 *   __GFP_ZERO, init_on_alloc       recycled objects are zeroed, too
 *   __GFP_THISNODE                  an object of this node, or of the node asked
 *				     for, or NULL; of the caches only the newest
 *				     object is tried, since they have objects of
 *				     any node; ignored if there is one node
 *   __GFP_NOFAIL                    the limit and injected failures are
 *				     ignored; refused without direct reclaim
 *   zones, __GFP_COMP               dropped: a cache has its own
 *   __GFP_ACCOUNT                   dropped: recycling would charge the wrong task
 *   __GFP_MEMALLOC                  dropped, and so is PF_MEMALLOC: recycling would give
 *				     the system's reserve to any task.  The last try of
 *				     __GFP_NOFAIL keeps it, since the call could wait
 *				     for ever otherwise
 *   all others                      are passed to the slab, if it is asked
 */
#define pr_fmt(fmt) "pool: " fmt

#include "seam/plat.h"
#include "compat.h"
#include "guard.h"

#include <linux/gfp.h>
#include <linux/oom.h>
#include <linux/printk.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#define MEANINGLESS	(GFP_ZONEMASK | __GFP_COMP | __GFP_ACCOUNT | __GFP_MEMALLOC)

static unsigned int flags_of(gfp_t gfp)
{
	unsigned int flags = 0;

	if (!gfpflags_allow_blocking(gfp))
		flags |= POOL_F_ATOMIC;
	if (gfp & __GFP_ZERO)
		flags |= POOL_F_MUST_ZERO;
	if (gfp & __GFP_NOFAIL)
		flags |= POOL_F_NO_LIMIT | POOL_F_NO_FAIL;
	return flags;
}

/* True if an object is known to be of a node; false for guarded objects, whose node is unknown. */
static bool is_of(const struct pool *pool, const void *obj, int node)
{
	return !guard_owns(&pool->backend, obj) &&
	       plat_node_of(&pool->backend, obj) == node;
}

/*
 * Take an object of a node from this CPU's caches or the shared pool.  A cluster counts as of the
 * node of its newest object, so the object may be of another node; then it is put back.
 */
static void *get_near(struct pool *pool, unsigned int *flags, int node)
{
	void *obj = pool_get_near_from_cache(pool, node, flags) ?:
		    pool_shared_get_near(pool, node, *flags);

	if (!obj || is_of(pool, obj, node))
		return obj;
	pool_put_below(pool, obj, *flags);
	pool_wake(pool);
	return NULL;
}

/*
 * Ask the slab with the caller's gfp flags.  __GFP_ZERO is dropped, since objects are zeroed at the
 * end.
 */
static void *store_get(struct pool *pool, unsigned int flags, gfp_t gfp,
		       int node, enum pool_cause *cause)
{
	void *obj;
	bool mapped;

	*cause = pool_backend_reserve(pool, flags);
	if (*cause != POOL_GOT)
		return NULL;
	gfp &= ~__GFP_ZERO;
	mapped = pool_slab_enter();
	/* vmalloc() has no argument for a node. */
	if (pool->backend.guarded && node == NUMA_NO_NODE)
		obj = pool_guard_alloc(&pool->backend, gfp);
	else
		obj = pool_compat_tagged(kmem_cache_alloc_node,
					 pool->backend.cache, gfp, node);
	pool_slab_leave(mapped);
	if (!pool_backend_commit(pool, obj))
		*cause = POOL_FAILED;
	return obj;
}

/*
 * Return a free object of another node to the slab, so that the limit allows an object of this
 * node.
 */
static void make_room(struct pool *pool, void *obj, unsigned int flags)
{
	if (plat_backend_may(&pool->backend, obj, flags))
		pool_backend_put(pool, obj);
	else
		pool_put_below(pool, obj, flags);
	pool_wake(pool);
}

/*
 * Look once more, as get_last() of alloc.c does, but ask the backend with the caller's gfp flags,
 * which may forbid to enter a file system.
 */
static void *get_last(struct pool *pool, unsigned int flags, gfp_t gfp,
		      int node, enum pool_cause *cause)
{
	struct pool_last last = { .remaining = POOL_FOREVER };
	void *obj;

	do {
		obj = pool_last_look(pool, flags, &last);
		if (obj && (gfp & __GFP_THISNODE) && !is_of(pool, obj, node)) {
			make_room(pool, obj, flags);
			obj = NULL;
		}
		if (!obj && *cause == POOL_REFUSED)
			obj = store_get(pool, flags, gfp, node, cause);
	} while (!obj && pool_last_again(pool, flags, &last));
	return obj;
}

/*
 * True if the slab might give this call the system's last reserve: the call frees memory, or its
 * task is being killed for its memory, or may be while it waits.
 */
static bool gets_last(gfp_t gfp)
{
	return (gfp & (__GFP_MEMALLOC | __GFP_DIRECT_RECLAIM)) ||
	       (current->flags & PF_MEMALLOC) || tsk_is_oom_victim(current);
}

/*
 * Return the flags for all attempts but the last: without the system's last reserve, since the
 * object may come from elsewhere.  Calls that would not get that reserve keep their flags, because
 * __GFP_NOMEMALLOC would reduce the reserve for GFP_ATOMIC.
 */
static gfp_t meek(gfp_t gfp)
{
	if (gfp & __GFP_NOFAIL)
		gfp = (gfp & ~__GFP_NOFAIL) | __GFP_NOWARN;
	return gets_last(gfp) ? gfp | __GFP_NOMEMALLOC : gfp;
}

/*
 * Get an object from the layers.  Calls that name a node get no guarded object from caches, because
 * its node is not known.
 */
static void *get_slow(struct pool *pool, unsigned int flags, gfp_t gfp,
		      int node)
{
	enum pool_cause cause = POOL_FAILED;
	bool may = plat_may(PLAT_ALLOC, flags);
	void *obj = NULL;

	if (node == NUMA_NO_NODE)
		obj = pool_get_one_from_cache(pool, &flags) ?:
		      pool_get_spare(pool, flags);
	else if (!pool->backend.guarded)
		obj = get_near(pool, &flags, node);
	if (!obj && may)
		obj = store_get(pool, flags, meek(gfp), node, &cause);
	if (!obj && (!(gfp & __GFP_THISNODE) || cause == POOL_REFUSED))
		obj = get_last(pool, flags, meek(gfp), node, &cause);
	if (!obj && may && (gfp & __GFP_NOFAIL))
		obj = store_get(pool, flags, gfp, node, &cause);
	if (!obj)
		pool_count_failure(pool, cause);
	return obj;
}

/* Allocate by the slow path, as pool_alloc_slow() does. */
static void *get_checked(struct pool *pool, unsigned int flags, gfp_t gfp,
			 int node, void *caller)
{
	void *obj;

	if (node == NUMA_NO_NODE)
		gfp &= ~__GFP_THISNODE;
	if (pool_fails(pool, flags, caller)) {
		pool_count_failure(pool, POOL_INJECTED);
		return NULL;
	}
	/* Refuse, because objects that become free go to the waiters, in their order. */
	if (plat_read(&pool->waiting) && !(flags & POOL_F_NO_LIMIT)) {
		pool_count_failure(pool, POOL_REFUSED);
		return NULL;
	}
	do {
		obj = get_slow(pool, flags, gfp, node);
	} while (obj && !pool_checked(pool, &obj, flags, caller));
	return obj;
}

/* Drop flags without effect here; the first time, the log says so. */
static gfp_t meant(const struct pool *pool, gfp_t gfp)
{
	if (gfp & MEANINGLESS)
		pr_warn_once("pool \"%s\": gfp flags %#x mean nothing to a pool\n",
			     pool->shown,
			     (__force unsigned int)(gfp & MEANINGLESS));
	return gfp & ~MEANINGLESS;
}

/* Refuse an allocation that must not fail and cannot wait; logged once. */
static void *refuse_nofail(struct pool *pool)
{
	pr_err_once("pool \"%s\": __GFP_NOFAIL without __GFP_DIRECT_RECLAIM is refused\n",
		    pool->shown);
	pool_count_failure(pool, POOL_FAILED);
	return NULL;
}

/* Allocate an object of @node; NUMA_NO_NODE: of any node. */
static void *alloc_near(struct pool_head *head, gfp_t gfp, int node,
			void *caller)
{
	struct pool *pool = pool_of(head);
	unsigned int flags;
	void *obj = NULL;

	might_alloc(gfp);
	if ((gfp & __GFP_NOFAIL) && !gfpflags_allow_blocking(gfp))
		return refuse_nofail(pool);
	gfp = meant(pool, gfp);
	flags = flags_of(gfp);
	if ((flags & POOL_F_MUST_ZERO) && head->constructed)
		return pool_refuse_zero(head, flags);
	if (node == NUMA_NO_NODE)
		obj = pool_hot_get(head) ?: pool_quick_get_past(pool);
	if (!obj)
		return get_checked(pool, flags, gfp, node, caller);
	pool_hot_out(head, obj, flags);
	return obj;
}

/* True if there is one node, so that calls which name it may use all caches. */
static bool one_node(void)
{
	return nr_node_ids == 1;
}

/* Return the node that __GFP_THISNODE means for a caller that names none. */
static int node_of(gfp_t gfp)
{
	return gfp & __GFP_THISNODE && !one_node() ? numa_mem_id() : NUMA_NO_NODE;
}

void *pool_alloc_gfp(struct pool_head *head, gfp_t gfp)
{
	return alloc_near(head, gfp, node_of(gfp), __builtin_return_address(0));
}

static bool is_node(int node)
{
	return node >= 0 && node < nr_node_ids && node_online(node);
}

/* Refuse a wrong node.  Not inlined, since all calls that name a node would save registers. */
static noinline void *refuse_node(struct pool *pool, int node)
{
	pr_err_once("pool \"%s\": there is no node %d\n", pool->shown, node);
	pool_count_failure(pool, POOL_FAILED);
	return NULL;
}

void *pool_alloc_node(struct pool_head *head, gfp_t gfp, int node)
{
	if (one_node() && !node)
		return alloc_near(head, gfp, NUMA_NO_NODE, __builtin_return_address(0));
	if (node == NUMA_NO_NODE)
		node = node_of(gfp);
	else if (!is_node(node))
		return refuse_node(pool_of(head), node);
	return alloc_near(head, gfp, node, __builtin_return_address(0));
}
