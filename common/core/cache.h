/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * cache.h - a call for one object that missed: what most fills and spills do
 *
 * Layer:   hot array -> [local clusters]; the inline half of cache.c.
 * Context: any.  Guard and array are held in between, and the CPU lock in a visit.
 */
#ifndef POOL_CORE_CACHE_H
#define POOL_CORE_CACHE_H

/* cache.c */
struct pool_local *pool_here_make(struct pool *pool, unsigned int *flags);
void *pool_fill_past(struct pool_local *here, struct pool_carried *out);
void *pool_fill_shared(struct pool_local *here, struct pool_carried *out);

/* Enter this CPU's part of a pool.  If it has none, it gets one now. */
static inline struct pool_local *pool_here_ensure(struct pool *pool,
						  unsigned int *flags)
{
	struct pool_local *here = pool_here_enter(pool, flags);

	return here ? here : pool_here_make(pool, flags);
}

/* May a fill bring objects of a cluster to the array?  Else it takes just one. */
static inline bool pool_fills(const struct pool_local *here,
			      const struct pool_cluster *c)
{
	return plat_read(&here->hot.cap) && !pool_cluster_sealed(c);
}

/*
 * How many objects a fill takes from a cluster: one for the caller, and as many as the array,
 * which is empty, accepts.  If ahead.c left a surplus the array stays empty.
 */
static inline unsigned int pool_fill_size(struct pool_local *here,
					  const struct pool_cluster *c)
{
	unsigned int cap = plat_read(&here->hot.cap);

	if (here->surplus) {
		here->surplus--;
		return 1;
	}
	return cap < c->n ? cap + 1 : c->n;
}

/*
 * Copy the @n freshest objects of a cluster to the array, which is empty.  The freshest is not
 * counted there, but returned.  There is a slot for it: no cluster has more objects than an
 * array has slots.
 */
static inline void *pool_fill_array(struct pool_local *here,
				    struct pool_cluster *c, unsigned int n)
{
	pool_copy(here->slot, c->obj + (c->n - n), n);
	plat_write(&here->hot.n, n - 1);
	return here->slot[n - 1];
}

/* Keep an emptied cluster for the next spill, or have the caller bring it away. */
static inline void pool_emptied(struct pool_cpu *cpu, struct pool_cluster *c,
				struct pool_carried *out)
{
	if (pool_cluster_stash(cpu, c))
		return;
	c->next = out->empty;
	out->empty = c;
	out->some = true;
}

/* Account @n objects that a fill took from a cluster on this CPU's lists. */
static inline void pool_filled(struct pool_local *here, struct pool_cluster *c,
			       unsigned int n, struct pool_carried *out)
{
	struct pool_cpu *cpu = here->cpu;

	pool_trace_fill(here->pool, n, false);
	plat_write(&here->fills, here->fills + 1);
	if (pool_cluster_taken(cpu, here, c, n))
		pool_emptied(cpu, c, out);
}

/*
 * Fill, for one object, from this CPU's clusters.  If there are none, from the shared pool.
 * NULL: there was no object, or growing had the clusters evicted.
 */
static inline __attribute__((__always_inline__))
void *pool_fill_one(struct pool_local *here, struct pool_carried *out)
{
	struct pool_cluster *c = pool_cluster_newest(here);
	unsigned int n;
	void *obj;

	if (!c)
		return pool_fill_shared(here, out);
	if (pool_age_grow(here, out)) {
		c = pool_cluster_newest(here);
		if (!c)
			return NULL;
	}
	if (!pool_fills(here, c))
		return pool_fill_past(here, out);
	n = pool_fill_size(here, c);
	obj = pool_fill_array(here, c, n);
	pool_filled(here, c, n, out);
	return obj;
}

/**
 * pool_get_here() - Get one object from this CPU's caches, or with its cluster from the
 * shared pool.
 * @pool: the pool.
 * @flags: of the call; POOL_F_NESTED is added where a holder was interrupted.
 *
 * Return: the object, perhaps sealed; NULL: the caller goes down a layer.
 */
static inline __attribute__((__always_inline__))
void *pool_get_here(struct pool *pool, unsigned int *flags)
{
	struct pool_carried out = { .some = false };
	struct pool_local *here = pool_here_ensure(pool, flags);
	void *obj;

	if (!here)
		return NULL;
	obj = pool_hot_pop(here);
	if (!obj && pool_visit_begin(here, &out)) {
		obj = pool_fill_one(here, &out);
		pool_visit_end(here);
	}
	pool_here_leave(here);
	if (out.some)
		pool_carry(pool, &out, *flags);
	return obj;
}

/* An empty cluster for a spill; NULL: there is none. */
static inline struct pool_cluster *pool_spill_new(struct pool_local *here,
						  struct pool_carried *out)
{
	struct pool_cluster *c = pool_cluster_unstash(here->cpu);

	pool_stash_look(here, out);
	return c;
}

/*
 * Move up to @n objects, coldest first, to one cluster: the newest, or a new one.
 * Returns how many; 0: there is no room, or no empty cluster.
 */
static inline __attribute__((__always_inline__))
unsigned int pool_spill(struct pool_local *here, unsigned int n, void **objs,
			struct pool_carried *out)
{
	unsigned int max = here->max;
	struct pool_cluster *c;

	if (n > max)
		n = max;
	if (!pool_age_room(here, pool_bytes(here, n), out))
		return 0;
	c = pool_cluster_newest(here);
	if (c && pool_cluster_takes(c, max, *objs)) {
		if (n > max - c->n)
			n = max - c->n;
		pool_cluster_top_up(here->cpu, here, c, objs, n);
	} else {
		c = pool_spill_new(here, out);
		if (!c)
			return 0;
		pool_cluster_begin(here->cpu, here, c, objs, n);
	}
	plat_write(&here->spills, here->spills + 1);
	pool_trace_spill(here->pool, n);
	return n;
}

/*
 * Spill the coldest half of an array that has objects.  The array counts them no more, but
 * the others have to follow them: pool_hot_slide().
 */
static inline __attribute__((__always_inline__))
unsigned int pool_spill_coldest(struct pool_local *here, struct pool_carried *out)
{
	unsigned int have = plat_read(&here->hot.n);
	unsigned int n = pool_spill(here, have - have / 2, here->slot, out);

	plat_write(&here->hot.n, have - n);
	return n;
}

/* Is a call refused at once, by the limit?  One that waits is not. */
static inline bool pool_is_refused(struct pool *pool, unsigned int flags)
{
	unsigned int limit = plat_read(&pool->limit);

	return limit && !(flags & POOL_F_WAIT) && pool_used_up(pool, limit);
}

#endif /* POOL_CORE_CACHE_H */
