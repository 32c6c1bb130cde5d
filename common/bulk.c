// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bulk.c - many objects at once
 *
 * Layer:   API -> hot array and local clusters, entered once for what they have.
 * Context: as the single calls.
 *
 * Held, an array and the clusters below it move at most POOL_HOT_SLOTS pointers
 * each: straight between clusters and the caller, not through the array.  The object
 * that both cannot serve takes the slow path, which opens arrays, evicts, and
 * asks the layers below; and so on.
 */
#include "plat.h"

/* At most this many pointers are copied from or to clusters under one lock. */
#define BULK_MOST	POOL_HOT_SLOTS

/* Take what this CPU's array has, up to @n objects. */
static unsigned int take_hot(struct pool_here *here, unsigned int n,
			     void **objs)
{
	unsigned int have = plat_read(&here->local->hot.n);

	if (n > have)
		n = have;
	if (n)
		pool_hot_take(here->local, objs, n);
	return n;
}

/*
 * Take up to @n objects out of this CPU's clusters, the newest first.  @out: a
 * chain of those that are empty now and not stashed.
 */
static unsigned int take_clustered(struct pool_here *here, unsigned int n,
				   void **objs, struct pool_cluster **out)
{
	struct pool_local *local = here->local;
	struct pool_cluster *c;
	unsigned int got = 0;

	while (got < n && (c = pool_cluster_newest(local)) &&
	       !pool_seal_of(c->obj[0])) {
		unsigned int more = n - got < c->n ? n - got : c->n;

		c->n -= more;
		plat_move(objs + got, c->obj + c->n, more);
		pool_cluster_taken(here->cpu, c, more);
		plat_write(&local->fills, local->fills + 1);
		got += more;
		if (!c->n && !pool_cluster_stash(here->cpu, c)) {
			c->next = *out;
			*out = c;
		}
	}
	return got;
}

/*
 * Take up to @n objects of this CPU's array and clusters.  What they do not have
 * is the slow path's, which fills from below and opens arrays.  Whoever interrupted
 * a holder need not try again.
 */
static unsigned int take(struct pool *pool, unsigned int n, void **objs,
			 unsigned int *flags)
{
	struct pool_carried out = { .low = false };
	struct pool_here here;
	unsigned int got = 0;

	if (!pool_here_enter(&here, pool, flags))
		return 0;
	got = take_hot(&here, n, objs);
	if (got < n && !pool_is_closed(pool) && pool_visit_begin(&here, &out)) {
		unsigned int most = n - got < BULK_MOST ? n - got : BULK_MOST;

		got += take_clustered(&here, most, objs + got, &out.empty);
		pool_visit_end(&here, &out);
	}
	pool_here_leave(&here);
	if (pool_carries(&out))
		pool_carry(pool, &out, *flags);
	return got;
}

/* Does this CPU's array take @n objects more, as it is? */
static bool fits_hot(const struct pool_here *here, unsigned int n)
{
	return plat_read(&here->local->hot.n) + n <=
	       plat_read(&here->local->hot.cap);
}

/* Put what this CPU's array accepts on top of it, up to @n objects. */
static unsigned int give_hot(struct pool_here *here, unsigned int n,
			     void **objs)
{
	unsigned int have = plat_read(&here->local->hot.n);
	unsigned int cap = plat_read(&here->local->hot.cap);

	if (cap < have)
		cap = have;
	if (n > cap - have)
		n = cap - have;
	if (n)
		pool_hot_append(here->local, objs, n);
	return n;
}

/* The cluster that the next plain objects go to; NULL: an empty one is needed. */
static struct pool_cluster *cluster_with_room(struct pool_here *here,
					      unsigned int max)
{
	struct pool_cluster *c = pool_cluster_newest(here->local);

	if (c && c->n < max && !pool_seal_of(c->obj[0]))
		return c;
	c = pool_cluster_unstash(here->cpu);
	if (c)
		pool_cluster_reset(c, here->local);
	return c;
}

/*
 * Put up to @n objects into this CPU's clusters, as long as there is room and there
 * are empty ones.
 */
static unsigned int give_clustered(struct pool_here *here, unsigned int n,
				   void **objs, struct pool_carried *out)
{
	unsigned int max = here->local->max;
	struct pool_local *local = here->local;
	unsigned int done = 0;

	while (done < n) {
		unsigned int more = n - done < max ? n - done : max;
		unsigned long bytes = (unsigned long)more *
				      here->pool->head.size;
		struct pool_cluster *c;

		if (!pool_age_room(here, bytes, out))
			break;
		c = cluster_with_room(here, max);
		if (!c)
			break;
		if (more > max - c->n)
			more = max - c->n;
		pool_cluster_add(here->cpu, c, objs + done, more);
		plat_write(&local->spills, local->spills + 1);
		done += more;
	}
	return done;
}

/*
 * Put up to @n objects, coldest first, into this CPU's array and clusters, so that
 * the array has the freshest ones: what it had before goes to clusters first.
 */
static unsigned int give_over(struct pool_here *here, unsigned int n,
			      void **objs, struct pool_carried *out)
{
	struct pool_local *local = here->local;
	unsigned int have = plat_read(&local->hot.n);
	unsigned int cap = plat_read(&local->hot.cap);
	unsigned int over = have + n > cap ? have + n - cap : 0;
	unsigned int old = over < have ? over : have;
	unsigned int moved, done = 0;

	moved = give_clustered(here, old, local->slot, out);
	if (moved)
		pool_hot_forget(local, moved);
	if (moved == old)
		done = give_clustered(here, over - old, objs, out);
	return done + give_hot(here, n - done, objs + done);
}

/* May free objects go from here to clusters as they are? */
static bool may_cluster(const struct pool_here *here)
{
	return plat_read(&here->local->hot.cap) && !pool_is_closed(here->pool);
}

/* Put what fits of @n objects into this CPU's array and clusters. */
static unsigned int give(struct pool *pool, unsigned int n, void **objs,
			 unsigned int *flags)
{
	struct pool_carried out = { .low = false };
	struct pool_here here;
	unsigned int done = 0;

	if (!pool_here_enter(&here, pool, flags))
		return 0;
	if (n > BULK_MOST)
		n = BULK_MOST;
	if (!fits_hot(&here, n) && may_cluster(&here) &&
	    pool_visit_begin(&here, &out)) {
		pool_hot_grow(&here, &out);
		done = give_over(&here, n, objs, &out);
		pool_visit_end(&here, &out);
	} else {
		done = give_hot(&here, n, objs);
	}
	pool_here_leave(&here);
	if (pool_carries(&out))
		pool_carry(pool, &out, *flags);
	return done;
}

/* What the hit path does to objects that it hands out. */
static void wipe_out(const struct pool_head *head, unsigned int n, void **objs,
		     unsigned int flags)
{
	if (!pool_wipes_out(head, flags))
		return;
	while (n--)
		pool_hot_out(head, objs[n], flags);
}

/* What a bulk call has while the slow path is asked for one more; 0: nothing. */
struct got {
	struct pool_head *head;
	unsigned int flags;
	unsigned int n;
	void **objs;
};

static void give_up(struct got *got)
{
	if (got->n)
		pool_free_bulk(got->head, got->flags & POOL_F_ATOMIC, got->n,
			       got->objs);
}

/* One by the slow path, whose constructor may not return: then free the others. */
static void *get_one(struct pool_head *head, unsigned int flags,
		     unsigned int n, void **objs, void *caller)
{
	struct got got POOL_AT_END(give_up) = { head, flags, n, objs };
	void *obj = pool_alloc_from(head, flags, caller);

	if (obj)
		got.n = 0;
	return obj;
}

bool pool_alloc_bulk(struct pool_head *head, unsigned int flags,
		     unsigned int n, void **objs)
{
	void *caller = __builtin_return_address(0);
	struct pool *pool = pool_of(head);
	unsigned int how = flags;
	unsigned int got = 0;

	if ((flags & POOL_F_MUST_ZERO) && head->constructed)
		return !n || pool_refuse_zero(head, flags);
	while (got < n) {
		unsigned int more = 0;

		if (!(how & POOL_F_NESTED))
			more = take(pool, n - got, objs + got, &how);
		wipe_out(head, more, objs + got, flags);
		got += more;
		if (got == n)
			break;
		objs[got] = get_one(head, flags, got, objs, caller);
		if (!objs[got])
			return false;
		got++;
	}
	return true;
}

/* How many objects come before the next NULL: four at a time, then the rest. */
static unsigned int run_of(void **objs, unsigned int n)
{
	unsigned int run = 0;

	while (n - run >= 4 && objs[run] && objs[run + 1] && objs[run + 2] &&
	       objs[run + 3])
		run += 4;
	while (run < n && objs[run])
		run++;
	return run;
}

static void free_run(struct pool *pool, unsigned int flags, unsigned int n,
		     void **objs, void *caller)
{
	bool one_by_one = pool_wipes_in(&pool->head);
	unsigned int how = flags;
	unsigned int done;

	for (done = 0; done < n;) {
		unsigned int more = 0;

		if (!one_by_one && !(how & POOL_F_NESTED))
			more = give(pool, n - done, objs + done, &how);
		if (!more) {
			pool_free_from(&pool->head, objs[done], flags,
				       caller);
			more = 1;
		}
		done += more;
	}
}

void pool_free_bulk(struct pool_head *head, unsigned int flags,
		    unsigned int n, void **objs)
{
	while (n) {
		unsigned int run = run_of(objs, n);

		free_run(pool_of(head), flags, run, objs,
			 __builtin_return_address(0));
		run += run < n;
		objs += run;
		n -= run;
	}
}
