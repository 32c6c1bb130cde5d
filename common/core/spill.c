// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * spill.c - put free objects into this CPU's caches of a pool, one or many
 *
 * Layer:   hot array -> [local clusters]
 * Context: any.  In a hot section, under the CPU lock, a call only copies pointers, at most
 *	    POOL_HOT_SLOTS of each kind.  pool_carry() does the rest after both are left.
 *
 * A spill moves the coldest half of a full array to the newest cluster, or to a new one, after the
 * array may have grown, and other clusters may have been evicted to make room under the byte bound
 * (age.c).  If there is no array, or an object is sealed, objects go to a cluster directly.
 * Objects that a visit cannot keep are left to pool_carry().  Most spills are done by quick.h
 * instead.
 */
#include "seam/plat.h"

/* Get an empty cluster for a spill; NULL: the stash has none. */
static inline struct pool_cluster *new_cluster(struct pool_local *here,
					       struct pool_carried *out)
{
	struct pool_cluster *c = pool_cluster_unstash(here->cpu);

	pool_stash_look(here, out);
	return c;
}

/*
 * Move up to @n objects, coldest first, to one cluster: the newest, or a new one.
 * Returns how many; 0: there is no room under the bound, or no empty cluster.
 */
static inline __attribute__((__always_inline__))
unsigned int spill(struct pool_local *here, unsigned int n, void **objs,
		   struct pool_carried *out)
{
	unsigned int max = here->max;
	struct pool_cpu *cpu = here->cpu;
	struct pool_cluster *c;
	unsigned long bytes;

	n = pool_smaller(n, max);
	bytes = pool_bytes(here->pool, n);
	if (!pool_age_room(here, bytes, out))
		return 0;
	c = pool_cluster_newest(here);
	if (POOL_LIKELY(!c || !pool_cluster_accepts(c, max, *objs))) {
		c = new_cluster(here, out);
		if (!POOL_LIKELY(c))
			return 0;
		pool_cluster_begin(cpu, here, c, objs, n, bytes);
	} else {
		n = pool_smaller(n, max - c->n);
		pool_cluster_top_up(cpu, here, c, objs, n);
	}
	plat_write(&here->spills, here->spills + 1);
	pool_trace_spill(here->pool, n);
	return n;
}

/*
 * Spill the coldest half of an array that has objects.  The caller must then move the rest to the
 * array's beginning: pool_hot_slide().  Returns how many were spilled; 0: there is no room.
 */
static inline __attribute__((__always_inline__))
unsigned int spill_coldest(struct pool_local *here, struct pool_carried *out)
{
	unsigned int have = plat_read(&here->hot.n);
	unsigned int n = spill(here, have - have / 2, here->slot, out);

	pool_hot_less(here, have - n);
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
		some = spill(here, n - done, objs + done, out);
		done += some;
		if (done < n)
			pool_cpu_break(here->cpu);
	} while (n > 1 && some && done < n);
	return done;
}

static inline unsigned int free_slots(const struct pool_local *here)
{
	return plat_read(&here->hot.slots) - plat_read(&here->hot.n);
}

/*
 * Make sure that the array has a free slot.  @spilled: set to how many objects were spilled, over
 * which the caller must slide the rest.  False: there is no room under the bound, or no empty
 * cluster.
 */
static inline __attribute__((__always_inline__))
bool make_room(struct pool_local *here, unsigned int *spilled,
	       struct pool_carried *out)
{
	*spilled = 0;
	if (plat_read(&here->hot.n) < plat_read(&here->hot.slots))
		return true;
	*spilled = spill_coldest(here, out);
	return *spilled;
}

/* Slide the rest of the array over what was spilled, and put @n objects, which fit, behind it. */
static inline __attribute__((__always_inline__))
void put_hot(struct pool_local *here, unsigned int spilled, unsigned int n, void **objs)
{
	unsigned int have = plat_read(&here->hot.n);

	if (spilled)
		pool_hot_slide(here, spilled, have);
	pool_hot_append(here, have, objs, n);
}

/*
 * Put objects into the array with the CPU's lock released, so that other calls may get it; only
 * clusters need the lock.
 */
static void put_hot_unlocked(struct pool_local *here, unsigned int spilled,
			     unsigned int n, void **objs)
	POOL_MUST_HOLD(here->cpu->lock)
{
	plat_cpu_unlock(here->cpu);
	put_hot(here, spilled, n, objs);
	plat_cpu_lock(here->cpu);
}

/*
 * Put @n objects, coldest first; if they are plain, the array gets the freshest.  Releases the
 * CPU's lock.  Returns how many were put.  Inline, because a call with the constant 1 has no loops:
 * one object fits wherever a slot is free.  @out receives evicted clusters.
 */
static inline __attribute__((__always_inline__))
unsigned int put(struct pool_local *here, bool plain, unsigned int n, void **objs,
		 struct pool_carried *out)
	POOL_RELEASES(here->cpu->lock)
{
	unsigned int done = 0;
	unsigned int spilled, some;

	if (plain)
		pool_age_grow(here, out);
	if (!plain || !plat_read(&here->hot.cap)) {
		done = put_clustered(here, n, objs, out);
		pool_here_unlock(here);
		return done;
	}
	while (make_room(here, &spilled, out)) {
		if (n == 1 || free_slots(here) >= n - done) {
			pool_here_unlock(here);
			put_hot(here, spilled, n - done, objs + done);
			return n;
		}
		some = free_slots(here);
		if (plat_may(PLAT_RELOCK, 0))
			put_hot_unlocked(here, spilled, some, objs + done);
		else
			put_hot(here, spilled, some, objs + done);
		done += some;
	}
	pool_here_unlock(here);
	return done;
}

/* Put all of @n objects into the array, if they are plain and it accepts that many. */
static inline bool put_all_hot(struct pool_local *here, unsigned int n,
			       void **objs)
{
	unsigned int have = plat_read(&here->hot.n);

	if (have + n > plat_read(&here->hot.cap) || !pool_is_plain(here->pool, *objs))
		return false;
	pool_hot_append(here, have, objs, n);
	return true;
}

/* Have pool_carry() move the objects that are parked on this CPU or in the pool's own list. */
static inline void look_parked(struct pool_local *here, struct pool_carried *out)
{
	if (!POOL_LIKELY(!plat_read(&here->parked.head) &&
			 !plat_read(&here->pool->parked.head))) {
		out->parked = true;
		out->some = true;
	}
}

/* Leave a part after a visit, and do the rest of its work.  @done: the visit put objects. */
static inline void leave(struct pool_local *here, bool done,
			 struct pool_carried *out, unsigned int flags)
{
	struct pool *pool = here->pool;

	if (done)
		look_parked(here, out);
	pool_here_leave(here);
	if (out->some)
		pool_carry(pool, out, flags);
}

/*
 * Put @n free objects, coldest first, into this CPU's caches.  @n is 1 to POOL_HOT_SLOTS; several
 * only if they are plain.  POOL_F_NESTED is added to @flags where a holder was interrupted.
 * Returns how many were put, the first ones; the caller passes the others to the layers below.
 */
unsigned int pool_put_to_cache(struct pool *pool, unsigned int n, void **objs,
			       unsigned int *flags)
{
	struct pool_local *here = pool_here_ensure(pool, flags);
	struct pool_carried out = { .some = false };
	unsigned int done = 0;

	if (!here)
		return 0;
	if (put_all_hot(here, n, objs)) {
		pool_here_leave(here);
		return n;
	}
	if (pool_visit_begin(here, &out))
		done = put(here, pool_is_plain(pool, *objs), n, objs, &out);
	leave(here, done, &out, *flags);
	return done;
}

/* Move an object that the caches did not accept, and objects parked here, to the layers below. */
static void put_down(struct pool *pool, void *obj, unsigned int flags)
{
	pool_put_below(pool, obj, flags);
	pool_unpark_here(pool, flags);
}

/*
 * Put an object as pool_put_one() does.  @here is entered and locked; both are left.  @obj is not
 * sealed.
 */
void pool_put_locked(struct pool_local *here, void *obj, unsigned int flags)
	POOL_RELEASES(here->cpu->lock)
{
	struct pool_carried out = { .some = false };
	struct pool *pool = here->pool;
	bool done;

	pool_visit_look(here, &out);
	done = put(here, true, 1, &obj, &out);
	leave(here, done, &out, flags);
	if (!done)
		put_down(pool, obj, flags);
}

/*
 * Put a free object into this CPU's caches, or move it to the layers below.  Moves objects parked
 * on this CPU, too, because a CPU that only frees has no misses, which would move them.
 */
void pool_put_one(struct pool *pool, void *obj, unsigned int flags)
{
	if (!pool_put_to_cache(pool, 1, &obj, &flags))
		put_down(pool, obj, flags);
}
