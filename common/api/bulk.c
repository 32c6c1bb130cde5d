// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bulk.c - many objects at once
 *
 * Layer:   [API] -> alloc.c, fill.c and spill.c
 * Context: as the single calls.
 *
 * A bulk call asks this CPU's caches for up to POOL_HOT_SLOTS objects at once.  An object
 * that they do not have, or do not take, goes the way of a single call, which asks the
 * layers below.  Then the caches are asked again.  As long as they have all that they are asked
 * for, no single call comes in between.
 */
#include "seam/plat.h"

/* Most objects of one visit. */
#define BULK_MOST	POOL_HOT_SLOTS

static unsigned int most_of(unsigned int n)
{
	return n < BULK_MOST ? n : BULK_MOST;
}

/*
 * Take some of @n objects from this CPU's caches.  Checked pools give them one by one.
 * A call that interrupted a holder does not try again.
 */
static unsigned int take(struct pool *pool, unsigned int n, void **objs,
			 unsigned int *flags)
{
	if ((*flags & POOL_F_NESTED) || pool_looks_at_each(pool) || plat_read(&pool->waiting))
		return 0;
	return pool_get_from_cache(pool, most_of(n), objs, flags);
}

/* Put some of @n objects into this CPU's caches, by the same rules. */
static unsigned int give(struct pool *pool, unsigned int n, void **objs,
			 unsigned int *flags)
{
	if ((*flags & POOL_F_NESTED) || pool_looks_at_each(pool))
		return 0;
	return pool_put_to_cache(pool, most_of(n), objs, flags);
}

/*
 * Check @n objects of the caches.  If options were switched meanwhile, some may have been freed
 * under the new ones.  Returns how many are left without the corrupted ones.
 */
static unsigned int look(struct pool *pool, unsigned int n, void **objs,
			 unsigned int flags, void *caller)
{
	unsigned int good = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		objs[good] = objs[i];
		good += pool_checked(pool, &objs[good], flags, caller);
	}
	return good;
}

/* What the hit path does to objects that it hands out wiped. */
static void wipe_out(const struct pool_head *head, unsigned int n, void **objs,
		     unsigned int flags)
{
	while (n--)
		pool_hot_out(head, objs[n], flags);
}

/* The objects of a bulk call while it asks the slow path for one more; n: 0 afterwards. */
struct got {
	struct pool_head *head;
	unsigned int flags;
	unsigned int n;
	void **objs;
};

static void give_up(struct got *got)
{
	if (got->n)
		pool_free_bulk(got->head, got->flags & POOL_F_NOSLAB, got->n,
			       got->objs);
}

/*
 * Get one by the slow path.  Free the others if its constructor does not return, or, with
 * @all, if there is none.
 */
static void *get_one(struct pool_head *head, unsigned int flags,
		     unsigned int n, void **objs, void *caller, bool all)
{
	struct got got POOL_AT_END(give_up) = { head, flags, n, objs };
	void *obj = pool_alloc_from(head, flags, caller);

	if (obj || !all)
		got.n = 0;
	return obj;
}

/* Allocate @n objects; without @all, as many as there are.  Returns how many it gave out. */
static inline __attribute__((__always_inline__))
unsigned int alloc_many(struct pool_head *head, unsigned int flags,
			unsigned int n, void **objs, void *caller, bool all)
{
	struct pool *pool = pool_of(head);
	unsigned int got = 0;
	unsigned int how;

	pool_might_alloc(flags);
	flags &= POOL_F_ALL & ~POOL_F_WAIT;
	how = flags;
	if (n && (flags & POOL_F_MUST_ZERO) && head->constructed) {
		pool_refuse_zero(head, flags);
		return 0;
	}
	while (got < n) {
		unsigned int more = take(pool, n - got, objs + got, &how);

		if (pool_looks_at_each(pool))
			more = look(pool, more, objs + got, flags, caller);
		if (pool_wipes_out(head, flags))
			wipe_out(head, more, objs + got, flags);
		got += more;
		if (got == n)
			break;
		if (more == BULK_MOST)
			continue;
		objs[got] = get_one(head, flags, got, objs, caller, all);
		if (!objs[got])
			return all ? 0 : got;
		got++;
	}
	return got;
}

bool pool_alloc_bulk(struct pool_head *head, unsigned int flags,
		     unsigned int n, void **objs)
{
	return alloc_many(head, flags, n, objs, __builtin_return_address(0),
			  true) == n;
}

unsigned int pool_alloc_bulk_some(struct pool_head *head, unsigned int flags,
				  unsigned int n, void **objs)
{
	return alloc_many(head, flags, n, objs, __builtin_return_address(0),
			  false);
}

static inline bool four_at(void **objs)
{
	return objs[0] && objs[1] && objs[2] && objs[3];
}

/* Count the objects before the next NULL: eight at a time, then one by one. */
static unsigned int run_of(void **objs, unsigned int n)
{
	void **end = objs + n, **eights = objs + (n & ~7u);
	void **at = objs;

	while (at != eights && four_at(at) && four_at(at + 4))
		at += 8;
	while (at != end && *at)
		at++;
	return (unsigned int)(at - objs);
}

static void free_run(struct pool *pool, unsigned int flags, unsigned int n,
		     void **objs, void *caller)
{
	bool one_by_one = pool_wipes_in(&pool->head);
	unsigned int how = flags & POOL_F_ALL;
	unsigned int done;

	for (done = 0; done < n;) {
		unsigned int more = 0;

		if (!one_by_one)
			more = give(pool, n - done, objs + done, &how);
		if (!more) {
			pool_free_from(&pool->head, objs[done], flags,
				       caller);
			more = 1;
		}
		done += more;
	}
	pool_wake(pool);
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
