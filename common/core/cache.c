// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cache.c - this CPU's caches of a pool: get and put, of one object or of many
 *
 * Layer:   hot array -> [local clusters] -> shared pool
 * Context: any.  Under the guard and the CPU lock a call only copies pointers, at most
 *	    POOL_HOT_SLOTS of each kind.  The rest goes down after both are left.
 *
 * All objects go through the array, one or many.  A call that needs more than the array
 * has fills from the newest cluster.  A call that brings more than the array has room for
 * spills: it moves the coldest half to the newest cluster, or to a new one.  Both let the
 * array grow first, and make room under the byte bound where they need it: age.c.
 * Where there is no array, or an object is sealed, objects go one by one.
 *
 * Empty clusters are got before they are needed: a visit that leaves the stash low
 * fetches some once lock and guard are left.
 */
#include "plat.h"

/* A CPU fetches this many empty clusters at once. */
#define STASH_FETCH	4

static unsigned int smaller(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Take the @n freshest objects of the array, coldest first, or all there are. */
static inline unsigned int take_hot(struct pool_local *here, unsigned int n,
				    void **objs)
{
	n = smaller(n, plat_read(&here->hot.n));
	if (n)
		pool_hot_take(here, objs, n);
	return n;
}

/* Take one object of a cluster: the freshest, or the coldest where that option is set. */
static void *take_one(const struct pool *pool, struct pool_cluster *c)
{
	void *coldest = c->obj[0];
	unsigned int i;

	if (!(plat_read(&pool->debug) & POOL_D_COLD_FIRST))
		return pool_cluster_pop(c);
	for (i = 1; i < c->n; i++)
		c->obj[i - 1] = c->obj[i];
	pool_cluster_pop(c);
	return coldest;
}

/*
 * A call for many objects takes two fills or spills in one section.  With a break after each
 * of them objects in bulk would take a twentieth more instructions.
 */
static inline void next_step(const struct pool_local *here, unsigned int *steps)
{
	if ((*steps)++ % 2)
		pool_cpu_break(here->cpu);
}

/*
 * Take up to @n objects of a cluster.  Then fill the array, which is empty, from the
 * cluster's rest, unless ahead.c left a surplus.  Where the array accepts none, or the
 * objects are sealed, take just one.  Lowers c->n.
 */
static inline __attribute__((__always_inline__))
unsigned int take_clustered(struct pool_local *here, struct pool_cluster *c,
			    unsigned int n, void **objs)
{
	unsigned int cap = plat_read(&here->hot.cap);

	if (!cap || pool_cluster_sealed(c)) {
		*objs = take_one(here->pool, c);
		return 1;
	}
	n = smaller(n, c->n);
	c->n -= n;
	pool_copy(objs, c->obj + c->n, n);
	if (here->surplus) {
		here->surplus -= smaller(n, here->surplus);
		return n;
	}
	cap = smaller(cap, c->n);
	c->n -= cap;
	if (cap)
		pool_hot_append(here, c->obj + c->n, cap);
	return n;
}

/* The cluster that the next objects come from.  The list is not empty. */
static inline struct pool_cluster *next_cluster(const struct pool_local *here)
{
	if (!plat_read(&here->hot.cap) &&
	    (plat_read(&here->pool->debug) & POOL_D_COLD_FIRST))
		return pool_of_by_pool(here->by_pool.prev);
	return pool_of_by_pool(here->by_pool.next);
}

static void carry_empty(struct pool_local *here, struct pool_cluster *c,
			struct pool_carried *out)
{
	if (pool_cluster_stash(here->cpu, c))
		return;
	c->next = out->empty;
	out->empty = c;
}

/* Fill from a cluster on this CPU's lists. */
static inline __attribute__((__always_inline__))
unsigned int fill_local(struct pool_local *here, struct pool_cluster *c,
			unsigned int n, void **objs, struct pool_carried *out)
{
	unsigned int left = c->n;

	n = take_clustered(here, c, n, objs);
	left -= c->n;
	pool_trace_fill(here->pool, left, false);
	plat_write(&here->fills, here->fills + 1);
	pool_cluster_taken(here->cpu, c, left);
	if (!c->n)
		carry_empty(here, c, out);
	return n;
}

/*
 * Keep the rest of a cluster that is on no list: on this CPU's lists if it fits, else in
 * the shared pool.  Returns how many objects are carried out.
 */
static unsigned int keep_rest(struct pool_local *here, struct pool_cluster *c,
			      struct pool_carried *out)
{
	unsigned long bytes = (unsigned long)c->n * here->pool->head.size;

	if (!c->n) {
		carry_empty(here, c, out);
		return 0;
	}
	if (c->n <= here->max && pool_age_room(here, bytes, out)) {
		pool_cluster_insert(here->cpu, here, c);
		return 0;
	}
	if (pool_put_to_shared_cache(here->pool, c))
		return 0;
	c->local = here;
	out->rest = c;
	return c->n;
}

/* Get one object from the shared pool, and keep the rest of its cluster. */
static __attribute__((__noinline__))
unsigned int fill_shared(struct pool_local *here, void **objs,
			 struct pool_carried *out)
{
	struct pool_cluster *c;
	unsigned int had;

	c = pool_refill_local_from_shared(here->pool, &here->moving);
	if (!c)
		return 0;
	had = c->n;
	pool_age_grow(here, out);
	take_clustered(here, c, 1, objs);
	plat_write(&here->fills, here->fills + 1);
	pool_trace_fill(here->pool, had - c->n, true);
	pool_arrive(&here->moving, had - keep_rest(here, c, out));
	return 1;
}

/*
 * Get up to @n objects that the array does not have.  The one object of a single call may
 * come from the shared pool, and may be sealed.  Those of a bulk call come only from this
 * CPU's clusters, and never sealed, even where just one is lacking.
 */
static inline __attribute__((__always_inline__))
unsigned int fill(struct pool_local *here, unsigned int n, void **objs,
		  bool single, struct pool_carried *out)
{
	unsigned int got = 0, steps = 0;

	if (pool_list_empty(&here->by_pool))
		return single ? fill_shared(here, objs, out) : 0;
	pool_age_grow(here, out);
	while (got < n && !pool_list_empty(&here->by_pool)) {
		struct pool_cluster *c = next_cluster(here);

		if (!single && pool_cluster_sealed(c))
			break;
		got += fill_local(here, c, n - got, objs + got, out);
		if (got < n)
			next_step(here, &steps);
	}
	return got;
}

/* Give the stash of this CPU some empty clusters. */
static void restock(struct pool *pool, unsigned int flags)
{
	struct pool_cluster *chain = pool_cluster_get(pool, STASH_FETCH, flags);
	unsigned int nested = 0;
	struct pool_local *here;

	if (!chain)
		return;
	here = pool_here_enter(pool, &nested);
	if (here) {
		if (pool_here_lock(here)) {
			chain = pool_cluster_stash_all(here->cpu, chain);
			pool_here_unlock(here);
		}
		pool_here_leave(here);
	}
	pool_cluster_put_all(pool, chain, flags);
}

/* Bring an evicted cluster, of any pool, down. */
static void carry_down(const struct pool *pool, struct pool_cluster *c,
		       unsigned int flags)
{
	struct pool_local *local = c->local;
	unsigned int n = c->n;

	if (local->pool != pool)
		flags |= POOL_F_FOREIGN;
	pool_put_cluster_down(local->pool, c, flags);
	pool_cluster_settled(local, n);
}

/* Bring down the rest of a fill, which is not charged. */
static void carry_rest(struct pool *pool, struct pool_cluster *c,
		       unsigned int flags)
{
	struct pool_local *local = c->local;
	unsigned int n = c->n;

	pool_put_cluster_down(pool, c, flags);
	pool_arrive(&local->moving, n);
}

/* Bring down what a visit carried out; neither guard nor lock is held. */
void pool_carry(struct pool *pool, struct pool_carried *out, unsigned int flags)
{
	while (out->down) {
		struct pool_cluster *c = out->down;

		out->down = c->next;
		carry_down(pool, c, flags);
	}
	if (out->rest)
		carry_rest(pool, out->rest, flags);
	pool_cluster_put_all(pool, out->empty, flags);
	if (out->low)
		restock(pool, flags);
	if (out->parked)
		pool_unpark_here(pool, flags);
}

/**
 * get() - Get objects from this CPU's caches.
 * @pool: the pool.
 * @n: how many, at least 1.
 * @objs: where to.
 * @flags: of the call; POOL_F_NESTED is added where a holder was interrupted.
 * @single: a call for one object, which looks whether it is sealed.
 *
 * A single call may also get its object from the shared pool, with its cluster.  Others
 * get none that is sealed.
 *
 * Return: how many; the caller goes down a layer for the others.
 */
static inline __attribute__((__always_inline__))
unsigned int get(struct pool *pool, unsigned int n, void **objs,
		 unsigned int *flags, bool single)
{
	struct pool_carried out = { .low = false };
	struct pool_local *here = pool_here_enter(pool, flags);
	unsigned int got;

	if (!here)
		return 0;
	got = take_hot(here, n, objs);
	if (got < n && pool_visit_begin(here, &out)) {
		got += fill(here, n - got, objs + got, single, &out);
		pool_visit_end(here, &out);
	}
	pool_here_leave(here);
	if (pool_carries(&out))
		pool_carry(pool, &out, *flags);
	return got;
}

/* get() of one object; NULL: there is none. */
void *pool_get_one_from_cache(struct pool *pool, unsigned int *flags)
{
	void *obj = NULL;

	get(pool, 1, &obj, flags, true);
	return obj;
}

/* get() of up to @n objects, even of one; none is sealed. */
unsigned int pool_get_from_cache(struct pool *pool, unsigned int n,
				 void **objs, unsigned int *flags)
{
	return get(pool, n, objs, flags, false);
}

/*
 * Move up to @n objects, coldest first, to one cluster: the newest, or a new one.
 * Returns how many; 0: there is no room, or no empty cluster.
 */
static inline __attribute__((__always_inline__))
unsigned int spill(struct pool_local *here, unsigned int n, void **objs,
		   struct pool_carried *out)
{
	struct pool_cluster *c;

	n = smaller(n, here->max);
	if (!pool_age_room(here, (unsigned long)n * here->pool->head.size, out))
		return 0;
	c = pool_cluster_newest(here);
	if (!c || !pool_cluster_takes(c, here->max, *objs))
		c = pool_cluster_open(here->cpu, here);
	if (!c)
		return 0;
	n = smaller(n, here->max - c->n);
	pool_cluster_add(here->cpu, c, objs, n);
	plat_write(&here->spills, here->spills + 1);
	pool_trace_spill(here->pool, n);
	return n;
}

/* Spill the coldest half of an array that has objects; false: nothing was moved. */
static inline __attribute__((__always_inline__))
bool spill_half(struct pool_local *here, struct pool_carried *out)
{
	unsigned int have = plat_read(&here->hot.n);
	unsigned int n = spill(here, have - have / 2, here->slot, out);

	if (n)
		pool_hot_forget(here, n);
	return n;
}

/* Put up to @n objects, coldest first, into an array of @room slots; returns how many fit. */
static inline unsigned int put_hot(struct pool_local *here, unsigned int room,
				   unsigned int n, void **objs)
{
	n = smaller(n, room - plat_read(&here->hot.n));
	if (n)
		pool_hot_append(here, objs, n);
	return n;
}

/* Spill @n objects of a pool that has no array here. */
static __attribute__((__noinline__))
unsigned int put_clustered(struct pool_local *here, unsigned int n, void **objs,
			   struct pool_carried *out)
{
	unsigned int done = 0, steps = 0;
	unsigned int some;

	if (plat_read(&here->pool->debug) & POOL_D_NO_CACHE)
		return 0;
	do {
		some = spill(here, n - done, objs + done, out);
		done += some;
		if (done < n)
			next_step(here, &steps);
	} while (n > 1 && some && done < n);
	return done;
}

/*
 * Put @n objects, coldest first, so that the array has the freshest.  It takes only
 * plain ones.  The array's room counts here, not its capacity, since a switch of options
 * may take the capacity meanwhile.
 */
static inline __attribute__((__always_inline__))
unsigned int put_here(struct pool_local *here, unsigned int n, void **objs,
		      struct pool_carried *out)
{
	unsigned int steps = 0;
	unsigned int room, done;

	if (!pool_is_plain(here->pool, *objs))
		return put_clustered(here, n, objs, out);
	pool_age_grow(here, out);
	room = plat_read(&here->hot.room);
	if (!room)
		return put_clustered(here, n, objs, out);
	done = put_hot(here, room, n, objs);
	/* Some compilers do not see that n - done is at most n. */
	while (done < n && spill_half(here, out)) {
		done += put_hot(here, room, smaller(n - done, n), objs + done);
		if (done < n)
			next_step(here, &steps);
	}
	return done;
}

/* Put all of @n objects into the array, if it takes that many of their kind. */
static inline bool put_all_hot(struct pool_local *here, unsigned int n,
			       void **objs)
{
	if (plat_read(&here->hot.n) + n > plat_read(&here->hot.cap) ||
	    !pool_is_plain(here->pool, *objs))
		return false;
	pool_hot_append(here, objs, n);
	return true;
}

/**
 * put() - Put free objects into this CPU's caches.
 * @pool: the pool.
 * @n: how many, 1 to POOL_HOT_SLOTS; several only if they are plain.
 * @objs: the objects, coldest first.
 * @flags: of the call; POOL_F_NESTED is added where a holder was interrupted.
 * @asked: the hit path has already tried the array.
 *
 * Return: how many were put, the first ones; the caller goes down a layer with the
 * others.
 */
static inline __attribute__((__always_inline__))
unsigned int put(struct pool *pool, unsigned int n, void **objs,
		 unsigned int *flags, bool asked)
{
	struct pool_carried out = { .low = false };
	struct pool_local *here = pool_here_enter(pool, flags);
	unsigned int done = 0;

	if (!here)
		return 0;
	if (!asked && put_all_hot(here, n, objs)) {
		done = n;
	} else if (pool_visit_begin(here, &out)) {
		done = put_here(here, n, objs, &out);
		out.parked = done && (plat_read(&here->parked.head) ||
				      plat_read(&pool->parked.head));
		pool_visit_end(here, &out);
	}
	pool_here_leave(here);
	if (pool_carries(&out))
		pool_carry(pool, &out, *flags);
	return done;
}

/**
 * pool_put_one() - Put a free object into this CPU's caches, or down.
 * @pool: the pool.
 * @obj: the object.
 * @flags: of the call.
 *
 * Objects parked on this CPU are brought down, too, since a CPU that only frees never
 * misses.  A visit that put something does so, else this function.
 */
void pool_put_one(struct pool *pool, void *obj, unsigned int flags)
{
	if (put(pool, 1, &obj, &flags, true))
		return;
	pool_put_below(pool, obj, flags);
	pool_unpark_here(pool, flags);
}

unsigned int pool_put_to_cache(struct pool *pool, unsigned int n, void **objs,
			       unsigned int *flags)
{
	return put(pool, n, objs, flags, false);
}
