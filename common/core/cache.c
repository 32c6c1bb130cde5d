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
 * Where there is no array, or an object is sealed, objects go past it.
 *
 * What a visit cannot keep is carried out of it: carry.c.
 */
#include "plat.h"

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

/* The cluster that the next object comes from.  The list is not empty. */
static struct pool_cluster *next_cluster(const struct pool_local *here)
{
	if (!plat_read(&here->hot.cap) &&
	    (plat_read(&here->pool->debug) & POOL_D_COLD_FIRST))
		return pool_cluster_oldest(here);
	return pool_cluster_newest(here);
}

/* Take one object of a cluster: the freshest, or the coldest where that option is set. */
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

/* A fill past the array, which takes nothing; there is a cluster. */
__attribute__((__noinline__))
void *pool_fill_past(struct pool_local *here, struct pool_carried *out)
{
	struct pool_cluster *c = next_cluster(here);
	void *obj = take_one(here->pool, c);

	pool_filled(here, c, 1, out);
	return obj;
}

/*
 * Keep the rest of a cluster that is on no list: on this CPU's lists if it fits, else it is
 * carried out.  Others may have the lock before.  Returns how many objects are carried out.
 */
static unsigned int keep_rest(struct pool_local *here, struct pool_cluster *c,
			      struct pool_carried *out)
{
	unsigned long bytes = pool_bytes(here, c->n);

	if (!c->n) {
		pool_emptied(here->cpu, c, out);
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

/* Get a cluster of the shared pool, while others may have the CPU's lock. */
static struct pool_cluster *get_unlocked(struct pool_local *here)
	POOL_MUST_HOLD(here->cpu->lock)
{
	struct pool_cluster *c;

	plat_cpu_unlock(here->cpu);
	c = pool_refill_local_from_shared(here->pool, &here->moving);
	plat_cpu_lock(here->cpu);
	return c;
}

/* Get a cluster of the shared pool; NULL: there is none.  All buckets may be looked at. */
static struct pool_cluster *get_shared(struct pool_local *here)
{
	if (!plat_read(&here->pool->filled))
		return NULL;
	return plat_may(PLAT_RELOCK, 0) ? get_unlocked(here) :
	       pool_refill_local_from_shared(here->pool, &here->moving);
}

/* Fill, for one object, from the shared pool, and keep the rest of its cluster; NULL: none. */
__attribute__((__noinline__))
void *pool_fill_shared(struct pool_local *here, struct pool_carried *out)
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
	if (pool_fills(here, c)) {
		n = pool_fill_size(here, c);
		obj = pool_fill_array(here, c, n);
	} else {
		obj = take_one(here->pool, c);
	}
	c->n -= n;
	plat_write(&here->fills, here->fills + 1);
	pool_trace_fill(here->pool, n, true);
	pool_arrive(&here->moving, had - keep_rest(here, c, out));
	return obj;
}

/* The rest of pool_here_ensure(): make this CPU's part, if these flags allow it, and enter it. */
struct pool_local *pool_here_make(struct pool *pool, unsigned int *flags)
{
	if (*flags & POOL_F_NESTED)
		return NULL;
	plat_cpu_ready(pool, *flags);
	return pool->cached ? pool_here_enter(pool, flags) : NULL;
}

/* pool_get_here(), for all but the first try of an allocation. */
void *pool_get_one_from_cache(struct pool *pool, unsigned int *flags)
{
	return pool_get_here(pool, flags);
}

/*
 * Fill, for a bulk call, from one cluster: take up to @n objects, and bring as many of its rest
 * as the array, which is empty, accepts.  If ahead.c left a surplus the array stays empty.
 */
static unsigned int fill_many(struct pool_local *here, struct pool_cluster *c,
			      unsigned int n, void **objs,
			      struct pool_carried *out)
{
	unsigned int cap = plat_read(&here->hot.cap);
	unsigned int left;

	n = smaller(n, c->n);
	left = c->n - n;
	pool_copy(objs, c->obj + left, n);
	if (here->surplus) {
		here->surplus -= smaller(n, here->surplus);
		cap = 0;
	}
	cap = smaller(cap, left);
	if (cap)
		pool_hot_append(here, plat_read(&here->hot.n), c->obj + (left - cap), cap);
	pool_filled(here, c, n + cap, out);
	return n;
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
		got += fill_many(here, c, n - got, objs + got, out);
		if (got == n)
			break;
		pool_cpu_break(here->cpu);
		c = pool_cluster_newest(here);
	}
	return got;
}

/**
 * pool_get_from_cache() - Get several objects from this CPU's caches.
 * @pool: the pool.
 * @n: how many, at least 1.
 * @objs: where to.
 * @flags: of the call; POOL_F_NESTED is added where a holder was interrupted.
 *
 * They come from the array and from this CPU's clusters, never from the shared pool, and
 * none is sealed.
 *
 * Return: how many; the caller goes down a layer for the others.
 */
unsigned int pool_get_from_cache(struct pool *pool, unsigned int n,
				 void **objs, unsigned int *flags)
{
	struct pool_carried out = { .some = false };
	struct pool_local *here = pool_here_enter(pool, flags);
	unsigned int got;

	if (!here)
		return 0;
	got = take_hot(here, n, objs);
	if (got < n && pool_visit_begin(here, &out)) {
		got += fill(here, n - got, objs + got, &out);
		pool_visit_end(here);
	}
	pool_here_leave(here);
	if (out.some)
		pool_carry(pool, &out, *flags);
	return got;
}

/*
 * Put up to @n objects, coldest first, into an array that has @have in @room slots; returns how
 * many fit.
 */
static inline unsigned int put_hot(struct pool_local *here, unsigned int have,
				   unsigned int room, unsigned int n, void **objs)
{
	n = smaller(n, room - have);
	if (n)
		pool_hot_append(here, have, objs, n);
	return n;
}

/* Spill @n objects of a pool that has no array here; returns how many were put. */
static unsigned int put_clustered(struct pool_local *here, unsigned int n,
				  void **objs, struct pool_carried *out)
{
	unsigned int done = 0;
	unsigned int some;

	if (plat_read(&here->pool->debug) & POOL_D_NO_CACHE)
		return 0;
	do {
		some = pool_spill(here, n - done, objs + done, out);
		done += some;
		if (done < n)
			pool_cpu_break(here->cpu);
	} while (n > 1 && some && done < n);
	return done;
}

/* Let the array follow @spilled objects, which a cluster has now, and put_hot(). */
static inline unsigned int refill(struct pool_local *here, unsigned int spilled,
				  unsigned int room, unsigned int n, void **objs)
{
	unsigned int left = plat_read(&here->hot.n);

	pool_hot_slide(here, spilled, left);
	return put_hot(here, left, room, n, objs);
}

/* refill(), while others may have the CPU's lock, which only clusters need. */
static unsigned int refill_unlocked(struct pool_local *here, unsigned int spilled,
				    unsigned int room, unsigned int n,
				    void **objs)
	POOL_MUST_HOLD(here->cpu->lock)
{
	plat_cpu_unlock(here->cpu);
	n = refill(here, spilled, room, n, objs);
	plat_cpu_lock(here->cpu);
	return n;
}

/*
 * Put @n objects, coldest first, so that the array has the freshest.  It takes only
 * plain ones.  The array's room counts here, not its capacity, since a switch of options
 * may take the capacity meanwhile.
 */
static unsigned int put_many(struct pool_local *here, unsigned int n, void **objs,
			     struct pool_carried *out)
{
	unsigned int room, done;

	if (!pool_is_plain(here->pool, *objs))
		return put_clustered(here, n, objs, out);
	pool_age_grow(here, out);
	room = plat_read(&here->hot.room);
	if (!room)
		return put_clustered(here, n, objs, out);
	done = put_hot(here, plat_read(&here->hot.n), room, n, objs);
	/* Some compilers do not see that n - done is at most n. */
	while (done < n) {
		unsigned int left = smaller(n - done, n);
		unsigned int spilled = pool_spill_coldest(here, out);

		if (!spilled)
			break;
		done += plat_may(PLAT_RELOCK, 0) ?
			refill_unlocked(here, spilled, room, left, objs + done) :
			refill(here, spilled, room, left, objs + done);
	}
	return done;
}

/* Put one object past the array. */
static __attribute__((__noinline__))
bool put_past(struct pool_local *here, void *obj, struct pool_carried *out)
{
	return put_clustered(here, 1, &obj, out);
}

/*
 * Put one object.  Here the capacity counts, read once: it is 0 where the pool takes no plain
 * objects, and where there is no array.  @spilled: set where the object still has to follow so
 * many, once the CPU's lock is left.
 */
static inline __attribute__((__always_inline__))
bool put_one(struct pool_local *here, void *obj, unsigned int *spilled,
	     struct pool_carried *out)
{
	unsigned int cap;

	pool_age_grow(here, out);
	cap = plat_read(&here->hot.cap);
	if (!cap || pool_seal_of(obj))
		return put_past(here, obj, out);
	if (plat_read(&here->hot.n) >= cap) {
		*spilled = pool_spill_coldest(here, out);
		return *spilled;
	}
	pool_hot_push(here, obj);
	return true;
}

/* Push an object into an array, which first follows what a cluster has now. */
static inline void push_after(struct pool_local *here, unsigned int spilled,
			      void *obj)
{
	pool_hot_slide(here, spilled, plat_read(&here->hot.n));
	pool_hot_push(here, obj);
}

/* Put all of @n objects into the array, if it takes that many of their kind. */
static inline bool put_all_hot(struct pool_local *here, unsigned int n,
			       void **objs)
{
	unsigned int have = plat_read(&here->hot.n);

	if (have + n > plat_read(&here->hot.cap) || !pool_is_plain(here->pool, *objs))
		return false;
	pool_hot_append(here, have, objs, n);
	return true;
}

/* Have the caller bring down what is parked on this CPU, or where none has a list. */
static inline void look_parked(struct pool_local *here, struct pool_carried *out)
{
	if (plat_read(&here->parked.head) || plat_read(&here->pool->parked.head)) {
		out->parked = true;
		out->some = true;
	}
}

/**
 * pool_put_to_cache() - Put several free objects into this CPU's caches.
 * @pool: the pool.
 * @n: how many, 1 to POOL_HOT_SLOTS; several only if they are plain.
 * @objs: the objects, coldest first.
 * @flags: of the call; POOL_F_NESTED is added where a holder was interrupted.
 *
 * Return: how many were put, the first ones; the caller goes down a layer with the
 * others.
 */
unsigned int pool_put_to_cache(struct pool *pool, unsigned int n, void **objs,
			       unsigned int *flags)
{
	struct pool_carried out = { .some = false };
	struct pool_local *here = pool_here_enter(pool, flags);
	unsigned int done = 0;

	if (!here)
		return 0;
	if (put_all_hot(here, n, objs)) {
		done = n;
	} else if (pool_visit_begin(here, &out)) {
		done = put_many(here, n, objs, &out);
		pool_visit_end(here);
		if (done)
			look_parked(here, &out);
	}
	pool_here_leave(here);
	if (out.some)
		pool_carry(pool, &out, *flags);
	return done;
}

/* Bring an object down that the caches did not take, and what is parked here. */
static __attribute__((__noinline__))
void put_down(struct pool *pool, void *obj, unsigned int flags)
{
	pool_put_below(pool, obj, flags);
	pool_unpark_here(pool, flags);
}

/**
 * pool_put_one() - Put a free object into this CPU's caches, or down.
 * @pool: the pool.
 * @obj: the object, for which the array had no room.
 * @flags: of the call.
 *
 * Objects parked on this CPU are brought down, too, since a CPU that only frees never
 * misses.  A visit that put something does so, else this function.
 */
void pool_put_one(struct pool *pool, void *obj, unsigned int flags)
{
	struct pool_carried out = { .some = false };
	struct pool_local *here = pool_here_ensure(pool, &flags);
	unsigned int spilled = 0;
	bool done = false;

	if (here) {
		if (pool_visit_begin(here, &out)) {
			done = put_one(here, obj, &spilled, &out);
			pool_visit_end(here);
			if (spilled)
				push_after(here, spilled, obj);
			if (done)
				look_parked(here, &out);
		}
		pool_here_leave(here);
		if (out.some)
			pool_carry(pool, &out, flags);
	}
	if (!done)
		put_down(pool, obj, flags);
}
