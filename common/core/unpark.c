// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * unpark.c - parked objects, brought down or used
 *
 * Layer:   beside shared pool and backend: local clusters -> [unpark] -> below
 * Context: neither guard nor lock held.
 *
 * What was parked goes where what leaves the caches goes, as soon as there is a call
 * that may; it rises again only where somebody misses.
 */
#include "plat.h"

/* Parked objects that one call brings down besides its own. */
#define PARKED_MOST	64

/*
 * Bring objects of a list that was taken down: PARKED_MOST, so that no call pays for
 * all that interrupters freed; and none after one that parked again, since the others
 * would, too.
 */
static void bring_down(struct pool *pool, struct pool_parked *parked,
		       void *rest, unsigned int flags)
{
	unsigned int n;

	for (n = 0; rest && n < PARKED_MOST; n++) {
		pool_put_below(pool, pool_parked_next(pool, &rest), flags);
		pool_parked_settled(parked);
		if (plat_read(&parked->head))
			break;
	}
	if (rest)
		pool_parked_leave(pool, parked, rest);
}

/* Take a list, return one object and bring others down. */
static void *parked_take(struct pool *pool, struct pool_parked *parked,
			 unsigned int flags)
{
	void *rest = pool_parked_take(pool, parked);
	void *first;

	if (!rest)
		return NULL;
	first = pool_parked_next(pool, &rest);
	bring_down(pool, parked, rest, flags);
	pool_parked_settled(parked);
	return first;
}

/*
 * This CPU's list, or else the pool's, if something is parked there; NULL: neither has
 * any.  A CPU without a local part reads zeros there.
 */
static struct pool_parked *parked_here(struct pool *pool)
{
	struct pool_local *local = pool_local_enter(pool);
	bool some = plat_read(&local->parked.head);

	pool_hot_leave();
	if (some)
		return &local->parked;
	return plat_read(&pool->parked.head) ? &pool->parked : NULL;
}

/**
 * pool_unpark() - One parked object of this CPU, or of none.
 * @pool: the pool.
 * @flags: of the call.
 *
 * Return: an object, or NULL.
 */
void *pool_unpark(struct pool *pool, unsigned int flags)
{
	struct pool_parked *parked = parked_here(pool);

	return parked ? parked_take(pool, parked, flags) : NULL;
}

/**
 * pool_unpark_here() - Bring down what is parked on this CPU, and on none.
 * @pool: the pool.
 * @flags: of the call; where these do not allow it nothing happens.
 */
void pool_unpark_here(struct pool *pool, unsigned int flags)
{
	struct pool_parked *parked;

	if ((flags & POOL_F_NESTED) ||
	    !plat_backend_may(&pool->backend, NULL, flags))
		return;
	parked = parked_here(pool);
	if (parked)
		bring_down(pool, parked, pool_parked_take(pool, parked), flags);
	if (plat_read(&pool->parked.head))
		bring_down(pool, &pool->parked,
			   pool_parked_take(pool, &pool->parked), flags);
}

/**
 * pool_unpark_all() - One parked object of any CPU.
 * @pool: the pool.
 * @flags: of the call.
 *
 * Return: an object, or NULL when nothing is parked anywhere.
 */
void *pool_unpark_all(struct pool *pool, unsigned int flags)
{
	unsigned int cpus = pool->cached ? plat_nr_cpus() : 0;
	void *obj = parked_take(pool, &pool->parked, flags);
	unsigned int i;

	for (i = 0; i < cpus && !obj; i++) {
		struct pool_local *local = plat_local_of(pool, i);

		if (local)
			obj = parked_take(pool, &local->parked, flags);
	}
	return obj;
}

/* Give one list back to the platform.  Process context. */
void pool_parked_release(struct pool *pool, struct pool_parked *parked)
{
	void *rest = pool_parked_take(pool, parked);
	void *obj;

	while ((obj = pool_parked_next(pool, &rest))) {
		pool_backend_put(pool, obj);
		pool_parked_settled(parked);
	}
}

/* Bring one list to the layers below the caches.  Process context. */
static void parked_put_below(struct pool *pool, struct pool_parked *parked)
{
	void *rest = pool_parked_take(pool, parked);
	void *obj;

	while ((obj = pool_parked_next(pool, &rest))) {
		pool_put_below(pool, obj, 0);
		pool_parked_settled(parked);
	}
}

/* Have all lists of a pool emptied, one by one. */
static void each_list(struct pool *pool,
		      void (*empty)(struct pool *pool,
				    struct pool_parked *parked))
{
	unsigned int cpus = pool->cached ? plat_nr_cpus() : 0;
	unsigned int i;

	empty(pool, &pool->parked);
	for (i = 0; i < cpus; i++) {
		struct pool_local *local = plat_local_of(pool, i);

		if (local)
			empty(pool, &local->parked);
	}
}

/**
 * pool_unpark_below() - Bring all that is parked to the layers below the caches.
 * @pool: the pool.
 *
 * Context: process context.
 */
void pool_unpark_below(struct pool *pool)
{
	each_list(pool, parked_put_below);
}

/**
 * pool_drain_parked() - Give all that is parked back to the platform.
 * @pool: the pool; not by way of its caches, which may be drained already.
 *
 * Context: process context.
 */
void pool_drain_parked(struct pool *pool)
{
	each_list(pool, pool_parked_release);
}
