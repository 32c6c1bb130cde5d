// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fill.c - get free objects from this CPU's caches of a pool, one or many
 *
 * Layer:   hot array <- [local clusters] <- shared pool
 * Context: any.  In a hot section, under the CPU lock, a call only copies pointers, at most
 *	    POOL_HOT_SLOTS of each kind.  pool_carry() does the rest after both are left.
 *
 * A fill takes the freshest objects of the newest cluster for the caller, and moves as many more
 * to the array as the array accepts, after it may have grown (age.c).  If there is no array, or an
 * object is sealed, the caller gets the object directly.  Objects that a visit cannot keep are
 * left to pool_carry().  Most fills of one object are done by quick.h instead.
 */
#include "seam/plat.h"

/* Return the cluster from which the next object must come.  The list is not empty. */
static struct pool_cluster *next_cluster(const struct pool_local *here)
{
	if (!plat_read(&here->hot.cap) &&
	    (plat_read(&here->pool->debug) & POOL_D_COLD_FIRST))
		return pool_cluster_oldest(here);
	return pool_cluster_newest(here);
}

/* Take one object of a cluster: the freshest, or the coldest with the option cold-first. */
static void *take_one(const struct pool *pool, struct pool_cluster *c)
{
	unsigned int last = c->n - 1;
	void *obj = c->obj[last];
	unsigned int i;

	if (plat_read(&pool->debug) & POOL_D_COLD_FIRST) {
		obj = c->obj[0];
		for (i = 0; i < last; i++)
			c->obj[i] = c->obj[i + 1];
	}
	c->obj[last] = NULL;
	return obj;
}

/* True if a fill may move objects of a cluster to the array; otherwise it takes one only. */
static inline bool fills(const struct pool_local *here,
			 const struct pool_cluster *c)
{
	return plat_read(&here->hot.cap) && !pool_cluster_sealed(c);
}

/*
 * Copy the @n freshest objects of a cluster to @objs, and as many of the others as the array, which
 * is empty, accepts to the array.  If ahead.c left a surplus the array stays empty.  Returns how
 * many objects were copied, for the caller to account.
 */
static inline unsigned int fill_from(struct pool_local *here, struct pool_cluster *c,
				     unsigned int n, void **objs)
{
	unsigned int cap = plat_read(&here->hot.cap);
	unsigned int left = c->n - n;

	pool_copy(objs, c->obj + left, n);
	if (here->surplus) {
		here->surplus -= pool_smaller(n, here->surplus);
		cap = 0;
	}
	cap = pool_smaller(cap, left);
	if (cap)
		pool_hot_append(here, 0, c->obj + (left - cap), cap);
	return n + cap;
}

/*
 * Keep an emptied cluster for the next spill.  If the stash is full, leave the cluster to
 * pool_carry(), with as many of the stash in its slots as this pool keeps as spares.
 */
static inline void emptied(struct pool_local *here, struct pool_cluster *c,
			   struct pool_carried *out)
{
	unsigned int keeps;

	if (pool_cluster_stash(here->cpu, c))
		return;
	keeps = pool_spares_lacking(here->pool);
	if (keeps > 1)
		pool_cluster_box(here->cpu, c, keeps - 1);
	c->next = out->empty;
	out->empty = c;
	out->some = true;
}

/* Subtract @n objects that a fill took from a cluster on this CPU's lists. */
static inline __attribute__((__always_inline__))
void filled(struct pool_local *here, struct pool_cluster *c, unsigned int n,
	    struct pool_carried *out)
{
	struct pool_cpu *cpu = here->cpu;

	pool_trace_fill(here->pool, n, false);
	plat_write(&here->fills, here->fills + 1);
	if (pool_cluster_taken(cpu, here, c, n, pool_bytes(here->pool, n), c->n - n))
		emptied(here, c, out);
}

/* Fill with one object, past the array, which accepts none; there is a cluster. */
static __attribute__((__noinline__))
void *fill_past(struct pool_local *here, struct pool_carried *out)
{
	struct pool_cluster *c = next_cluster(here);
	void *obj = take_one(here->pool, c);

	filled(here, c, 1, out);
	return obj;
}

/*
 * List the rest of an unlisted cluster on this CPU if it fits, otherwise leave it to pool_carry().
 * Other calls may get the lock meanwhile.  Returns how many objects are left to pool_carry().
 */
static unsigned int keep_rest(struct pool_local *here, struct pool_cluster *c,
			      struct pool_carried *out)
{
	unsigned long bytes = pool_bytes(here->pool, c->n);

	if (!c->n) {
		emptied(here, c, out);
		return 0;
	}
	pool_cpu_break(here->cpu);
	if (c->n <= here->max && pool_age_room(here, bytes, out)) {
		pool_cluster_insert(here->cpu, here, c);
		return 0;
	}
	c->local = here;
	out->rest = c;
	out->some = true;
	return c->n;
}

/* Get a cluster of the shared pool without the CPU's lock, so that other calls may get it. */
static struct pool_cluster *get_unlocked(struct pool_local *here)
	POOL_MUST_HOLD(here->cpu->lock)
{
	struct pool_cluster *c;

	plat_cpu_unlock(here->cpu);
	c = pool_refill_local_from_shared(here->pool, &here->moving);
	plat_cpu_lock(here->cpu);
	return c;
}

/* Get a cluster of the shared pool; NULL: there is none.  May try all buckets. */
static struct pool_cluster *get_shared(struct pool_local *here)
{
	if (!plat_read(&here->pool->filled))
		return NULL;
	return plat_may(PLAT_RELOCK, 0) ? get_unlocked(here) :
	       pool_refill_local_from_shared(here->pool, &here->moving);
}

/* Fill, for one object, from the shared pool, and keep the rest of its cluster; NULL: none. */
static void *fill_shared(struct pool_local *here, struct pool_carried *out)
{
	struct pool_cluster *c;
	unsigned int n = 1;
	unsigned int had;
	void *obj;

	pool_stash_look(here, out);
	c = get_shared(here);
	if (!c)
		return NULL;
	had = c->n;
	pool_age_grow(here, out);
	if (fills(here, c))
		n = fill_from(here, c, 1, &obj);
	else
		obj = take_one(here->pool, c);
	c->n -= n;
	plat_write(&here->fills, here->fills + 1);
	pool_trace_fill(here->pool, n, true);
	pool_arrive(&here->moving, had - keep_rest(here, c, out));
	return obj;
}

/*
 * Fill, for one object, from this CPU's clusters.  If there are none, from the shared pool.  NULL:
 * there was no object, or making room for more slots evicted all clusters.
 */
static void *fill_one(struct pool_local *here, struct pool_carried *out)
{
	struct pool_cluster *c = pool_cluster_newest(here);
	void *obj;

	if (!c)
		return fill_shared(here, out);
	if (pool_age_grow(here, out)) {
		c = pool_cluster_newest(here);
		if (!c)
			return NULL;
	}
	if (!fills(here, c))
		return fill_past(here, out);
	filled(here, c, fill_from(here, c, 1, &obj), out);
	return obj;
}

/*
 * End a visit, leave the part, and do the work that needs no lock: move evicted clusters to the
 * layers below, or, with @tick, a step of ageing.
 */
static inline __attribute__((__always_inline__))
void leave(struct pool_local *here, struct pool_carried *out, bool tick, unsigned int flags)
	POOL_RELEASES(here->cpu->lock)
{
	struct pool *pool = here->pool;

	pool_here_unlock(here);
	pool_here_leave(here);
	if (out->some)
		pool_carry(pool, out, flags);
	else if (tick)
		POOL_TICK(flags);
}

/* Get an object as pool_get_one_from_cache() does.  @here is entered and locked; both are left. */
void *pool_get_locked(struct pool_local *here, unsigned int flags)
	POOL_RELEASES(here->cpu->lock)
{
	bool tick = pool_visit_ticks(here->cpu->visits);
	struct pool_carried out = { .some = false };
	void *obj;

	pool_visit_look(here, &out);
	obj = pool_hot_pop(here);
	if (!obj)
		obj = fill_one(here, &out);
	leave(here, &out, tick, flags);
	return obj;
}

/*
 * Get one object, perhaps sealed, from this CPU's caches, or from a cluster of the shared pool,
 * whose other objects are then cached here.  POOL_F_NESTED is added to @flags if a holder was
 * interrupted.  NULL: the caller asks the layers below.
 */
void *pool_get_one_from_cache(struct pool *pool, unsigned int *flags)
{
	struct pool_local *here = pool_here_ensure(pool, flags);
	void *obj;

	if (!here)
		return NULL;
	obj = pool_hot_pop(here);
	if (!obj && pool_here_lock(here))
		return pool_get_locked(here, *flags);
	pool_here_leave(here);
	return obj;
}

/* True if an object is of a node; false for NULL. */
static inline bool is_of(const struct pool *pool, const void *obj, unsigned int node)
{
	return obj && plat_node_of(&pool->backend, obj) == node;
}

/* Take the freshest object of the newest cluster; NULL: there is none, or it is not of @node. */
static void *take_near(struct pool_local *here, unsigned int node, struct pool_carried *out)
{
	struct pool_cluster *c = pool_cluster_newest(here);
	void *obj = c ? c->obj[c->n - 1] : NULL;

	if (!is_of(here->pool, obj, node))
		return NULL;
	c->obj[c->n - 1] = NULL;
	filled(here, c, 1, out);
	return obj;
}

/*
 * Get an object of @node, perhaps sealed, from this CPU's caches: the top of the array, or the
 * freshest of the newest cluster.  POOL_F_NESTED is added to @flags where a holder was interrupted.
 * NULL: neither place has an object of @node on top.
 */
void *pool_get_near_from_cache(struct pool *pool, unsigned int node, unsigned int *flags)
{
	struct pool_carried out = { .some = false };
	struct pool_local *here = pool_here_enter(pool, flags);
	unsigned int n;
	void *obj = NULL;

	if (!here)
		return NULL;
	n = plat_read(&here->hot.n);
	if (n && is_of(pool, here->slot[n - 1], node)) {
		obj = pool_hot_pop(here);
	} else if (pool_visit_begin(here, &out)) {
		obj = take_near(here, node, &out);
		leave(here, &out, false, *flags);
		return obj;
	}
	pool_here_leave(here);
	return obj;
}

/* Fill, for a bulk call, from this CPU's clusters; returns how many objects it got. */
static unsigned int fill(struct pool_local *here, unsigned int n, void **objs,
			 struct pool_carried *out)
{
	struct pool_cluster *c = pool_cluster_newest(here);
	unsigned int got = 0;

	if (c && pool_age_grow(here, out))
		c = pool_cluster_newest(here);
	while (c && !pool_cluster_sealed(c)) {
		unsigned int some = pool_smaller(n - got, c->n);

		filled(here, c, fill_from(here, c, some, objs + got), out);
		got += some;
		if (got == n)
			break;
		pool_cpu_break(here->cpu);
		c = pool_cluster_newest(here);
	}
	return got;
}

/* Take the @n freshest objects of the array, coldest first, or all there are. */
static inline unsigned int take_hot(struct pool_local *here, unsigned int n,
				    void **objs)
{
	n = pool_smaller(n, plat_read(&here->hot.n));
	if (n)
		pool_hot_take(here, objs, n);
	return n;
}

/*
 * Get up to @n objects, at least 1, from this CPU's array and clusters, never from the shared
 * pool.  None is sealed.  POOL_F_NESTED is added to @flags where a holder was interrupted.
 * Returns how many; the caller asks the layers below for the others.
 */
unsigned int pool_get_from_cache(struct pool *pool, unsigned int n,
				 void **objs, unsigned int *flags)
{
	struct pool_carried out = { .some = false };
	struct pool_local *here = pool_here_enter(pool, flags);
	unsigned int got;
	bool tick;

	if (!here)
		return 0;
	got = take_hot(here, n, objs);
	if (got == n || !pool_visit_begin(here, &out)) {
		pool_here_leave(here);
		return got;
	}
	tick = pool_visit_ticks(here->cpu->visits - 1);
	got += fill(here, n - got, objs + got, &out);
	leave(here, &out, tick, *flags);
	return got;
}
