// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * unpark.c - move parked objects to the layers below, or use them
 *
 * Layer:   beside shared pool and backend: local clusters -> [unpark] -> below
 * Context: outside of hot sections, no lock held.
 *
 * The next call that may call the backend moves parked objects to the layers below, as it does
 * evicted objects.  Only a call that misses uses a parked object for its own caller.
 */
#include "seam/plat.h"

/* The most parked objects that one call moves, besides its own. */
#define PARKED_MOST	16

/* A walk lets other threads run each time it has passed this many objects. */
#define WALK_REST	64

/* Let other threads run after each WALK_REST objects of a walk; @n: objects so far. */
static void walk_on(unsigned int n)
{
	if (!(n % WALK_REST))
		plat_resched();
}

/*
 * Move objects of a list that was taken to the layers below; the call has moved @n already.  Moves
 * at most PARKED_MOST, so that no call pays for all frees of interrupt handlers, and stops when an
 * object was parked again, because further ones would be parked again, too.  Returns the new @n;
 * PARKED_MOST: the call must move no more.
 */
static unsigned int bring_down(struct pool *pool, struct pool_parked *parked,
			       void *rest, unsigned int n, unsigned int flags)
{
	while (rest && n < PARKED_MOST) {
		pool_put_below(pool, pool_parked_next(pool, &rest), flags);
		pool_parked_settled(parked);
		n = plat_read(&parked->head) ? PARKED_MOST : n + 1;
	}
	if (rest)
		pool_parked_leave(pool, parked, rest);
	return n;
}

/* Take a list, return one object, and move some of the others to the layers below. */
static void *parked_take(struct pool *pool, struct pool_parked *parked,
			 unsigned int flags)
{
	void *rest = pool_parked_take(pool, parked);
	void *first;

	if (!rest)
		return NULL;
	first = pool_parked_next(pool, &rest);
	bring_down(pool, parked, rest, 0, flags);
	pool_parked_settled(parked);
	return first;
}

/* Return this CPU's list if it has objects, else the pool's; NULL: both are empty. */
static struct pool_parked *parked_here(struct pool *pool)
{
	struct pool_local *local = pool_local_enter(pool);
	bool some = plat_read(&local->parked.head);

	pool_hot_leave();
	if (some)
		return &local->parked;
	return plat_read(&pool->parked.head) ? &pool->parked : NULL;
}

/* Get an object parked on this CPU, or in the pool's own list; NULL: none was found. */
void *pool_unpark(struct pool *pool, unsigned int flags)
{
	struct pool_parked *parked = parked_here(pool);

	return parked ? parked_take(pool, parked, flags) : NULL;
}

/*
 * Move objects parked on this CPU, and in the pool's own list, to the layers below.  Does nothing
 * if @flags do not allow that.
 */
void pool_unpark_here(struct pool *pool, unsigned int flags)
{
	struct pool_parked *parked;
	unsigned int n;

	if ((flags & POOL_F_NESTED) ||
	    !plat_backend_may(&pool->backend, NULL, flags))
		return;
	parked = parked_here(pool);
	if (!parked)
		return;
	n = bring_down(pool, parked, pool_parked_take(pool, parked), 0, flags);
	if (n < PARKED_MOST && plat_read(&pool->parked.head))
		bring_down(pool, &pool->parked,
			   pool_parked_take(pool, &pool->parked), n, flags);
}

/* Get one parked object of any CPU; NULL: nothing is parked anywhere. */
void *pool_unpark_all(struct pool *pool, unsigned int flags)
{
	void *obj = parked_take(pool, &pool->parked, flags);
	struct pool_local *local;
	unsigned int i;

	if (obj)
		return obj;
	pool_each_part(pool, i, local) {
		obj = parked_take(pool, &local->parked, flags);
		if (obj)
			break;
	}
	return obj;
}

/* Empty one list; @put receives each object.  Process context. */
static void empty(struct pool *pool, struct pool_parked *parked,
		  void (*put)(struct pool *pool, void *obj))
{
	void *rest = pool_parked_take(pool, parked);
	unsigned int n = 0;
	void *obj;

	while ((obj = pool_parked_next(pool, &rest))) {
		put(pool, obj);
		pool_parked_settled(parked);
		walk_on(++n);
	}
}

/* Return the objects of one list to the platform.  Process context. */
void pool_parked_release(struct pool *pool, struct pool_parked *parked)
{
	empty(pool, parked, pool_backend_put);
}

/*
 * Move objects of the pool's own list to the shared pool while that lacks spare objects, and return
 * the others to the platform, until about @most bytes were returned.  @flags: of a call that may
 * call the backend.  Returns the bytes that the platform got.
 */
unsigned long pool_give_parked(struct pool *pool, unsigned long most,
			       unsigned int flags)
{
	void *rest = pool_parked_take(pool, &pool->parked);
	unsigned long given = 0;
	unsigned int n = 0;
	void *obj;

	while (given < most && (obj = pool_parked_next(pool, &rest))) {
		if (!pool_lacks_spare(pool) ||
		    !pool_shared_put_one(pool, obj, flags)) {
			pool_backend_put(pool, obj);
			given += pool->head.size;
		}
		pool_parked_settled(&pool->parked);
		walk_on(++n);
	}
	if (rest)
		pool_parked_leave(pool, &pool->parked, rest);
	return given;
}

/* Empty all lists of a pool, one by one. */
static void empty_all(struct pool *pool,
		      void (*put)(struct pool *pool, void *obj))
{
	struct pool_local *local;
	unsigned int i;

	empty(pool, &pool->parked, put);
	pool_each_part(pool, i, local)
		empty(pool, &local->parked, put);
}

static void put_below(struct pool *pool, void *obj)
{
	pool_put_below(pool, obj, 0);
}

/* Bring all parked objects to the layers below the caches.  Process context. */
void pool_unpark_below(struct pool *pool)
{
	empty_all(pool, put_below);
}

/*
 * Return all parked objects to the platform, past the caches, which may be drained already.
 * Process context.
 */
void pool_drain_parked(struct pool *pool)
{
	empty_all(pool, pool_backend_put);
}
