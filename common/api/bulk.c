// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bulk.c - allocate and free many objects at once
 *
 * Layer:   [API] -> alloc.c, fill.c and spill.c
 * Context: as the single calls.
 *
 * A bulk call moves up to POOL_HOT_SLOTS objects from or to this CPU's caches in one visit.  For an
 * object that the caches lack, or do not accept, it makes a single call, which uses the layers
 * below, too; then it tries the caches again.
 */
#include "seam/plat.h"

/* The most objects that one visit moves, so that its lock is held for a bounded time. */
#define BULK_MOST	POOL_HOT_SLOTS

static unsigned int most_of(unsigned int n)
{
	return n < BULK_MOST ? n : BULK_MOST;
}

/*
 * Take up to @n objects from this CPU's caches, and return how many.  None from a checked pool,
 * which checks objects one by one, and none for a nested call, which cannot enter the array.
 */
static unsigned int take(struct pool *pool, unsigned int n, void **objs,
			 unsigned int *flags)
{
	if ((*flags & POOL_F_NESTED) || pool_looks_at_each(pool) || plat_read(&pool->waiting))
		return 0;
	return pool_get_from_cache(pool, most_of(n), objs, flags);
}

/* Put up to @n objects into this CPU's caches, by the same rules, and return how many. */
static unsigned int give(struct pool *pool, unsigned int n, void **objs,
			 unsigned int *flags)
{
	if ((*flags & POOL_F_NESTED) || pool_looks_at_each(pool))
		return 0;
	return pool_put_to_cache(pool, most_of(n), objs, flags);
}

/*
 * Check @n objects of the caches, drop the corrupted ones, and return how many remain.  Needed
 * because options may have been switched since the pool was found unchecked.
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

/* Zero objects where the hit path would. */
static void wipe_out(const struct pool_head *head, unsigned int n, void **objs,
		     unsigned int flags)
{
	while (n--)
		pool_hot_out(head, objs[n], flags);
}

/* The objects that a bulk call frees unless the slow path gets one more, which sets n to 0. */
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
 * Get one object by the slow path.  If its constructor does not return, or if there is no object
 * and the caller wants all or none (@all), free the objects that the call already has.
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

/* Allocate @n objects, or without @all as many as there are.  Returns how many. */
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
