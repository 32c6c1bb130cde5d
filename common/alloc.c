// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * alloc.c - the four layers composed: slow paths of alloc and free
 *
 * Layer:   API -> hot array -> local clusters -> shared pool -> backend
 * Context: any, as documented in pool.h; nothing is held between two layers.
 *
 *   who                          may use
 *   ordinary (miss)              all layers
 *   POOL_F_ATOMIC                all; the backend where plat_may_alloc(), and
 *                                plat_store_may() for what is freed
 *   nested (found HELD)          single objects: shared pool, then alloc: the
 *                                backend where plat_may_alloc(), else NULL;
 *                                free: parked
 */
#include "plat.h"

/* Are there spare objects enough without @n of them?  Read unlocked. */
static bool may_shed(struct pool *pool, unsigned int n)
{
	return pool_shared_count(pool) >=
	       (unsigned long)plat_read(&pool->min_avail) + n;
}

/*
 * Something was not needed and went to the backend.  As much again goes from the
 * shared pool, which so gives up what it took while there was need.  That one may be
 * an object that cannot be given back here, where the first one could.
 */
static void shed_one(struct pool *pool, unsigned int flags)
{
	void *obj;

	if (!may_shed(pool, 1) || !plat_store_may(&pool->store, NULL, flags))
		return;
	plat_word_add(&pool->leaving, 1);
	obj = pool_shared_get_one(pool, flags);
	if (obj)
		pool_store_put(pool, obj);
	plat_word_sub_release(&pool->leaving, 1);
}

static void shed_cluster(struct pool *pool, unsigned int flags)
{
	struct pool_cluster *c;

	if (!may_shed(pool, pool->cluster))
		return;
	plat_word_add(&pool->leaving, 1);
	c = pool_refill_local_from_shared(pool);
	if (c) {
		pool_store_put_cluster(pool, c);
		pool_cluster_put(pool, c, flags);
	}
	plat_word_sub_release(&pool->leaving, 1);
}

/* Free to the layers below the caches.  Ends parked if nothing else may be. */
void pool_put_below(struct pool *pool, void *obj, unsigned int flags)
{
	bool may = !(flags & POOL_F_NESTED) &&
		   plat_store_may(&pool->store, obj, flags);

	if (pool_shares(pool) && may && !pool_need_keeps(pool, 1)) {
		pool_store_put(pool, obj);
		shed_one(pool, flags);
		return;
	}
	if (pool_shared_put_one(pool, obj, flags))
		return;
	if (may)
		pool_store_put(pool, obj);
	else
		pool_park(pool, obj);
}

/**
 * pool_keep_cluster() - Put a cluster into the shared pool, if there is need.
 * @pool: its pool.
 * @c: the cluster, not empty; belongs to the shared pool if this succeeds.
 *
 * Context: any, guard and CPU lock may be held.
 * Return: false: it goes further down.
 */
bool pool_keep_cluster(struct pool *pool, struct pool_cluster *c)
{
	return pool_shares(pool) && pool_need_keeps(pool, c->n) &&
	       pool_put_to_shared_cache(pool, c);
}

/**
 * pool_put_cluster_down() - Bring away a cluster that was not kept.
 * @pool: its pool.
 * @c: the cluster, on no list, perhaps empty.
 * @flags: of the call.
 */
void pool_put_cluster_down(struct pool *pool, struct pool_cluster *c,
			   unsigned int flags)
{
	bool may = plat_store_may(&pool->store, NULL, flags);
	bool excess = may && c->n && pool_shares(pool);

	if (!may && c->n && pool_put_to_shared_cache(pool, c))
		return;
	if (may)
		pool_store_put_cluster(pool, c);
	while (c->n)
		pool_park(pool, c->obj[--c->n]);
	pool_cluster_put(pool, c, flags);
	if (excess)
		shed_cluster(pool, flags);
}

/* Both: free a cluster to the layers below the caches. */
void pool_put_cluster_below(struct pool *pool, struct pool_cluster *c,
			    unsigned int flags)
{
	if (!c->n || !pool_keep_cluster(pool, c))
		pool_put_cluster_down(pool, c, flags);
}

/**
 * pool_put() - Free an object through all layers, once.
 * @pool: its pool.
 * @obj: the object; was not accepted by the hot array, or not offered to it.
 * @flags: of the call.
 *
 * Does not look after parked objects; so this is what frees those.
 */
void pool_put(struct pool *pool, void *obj, unsigned int flags)
{
	if (!pool_put_to_cache(pool, obj, &flags))
		pool_put_below(pool, obj, flags);
}

/**
 * pool_get_spare() - A free object below the caches.
 * @pool: the pool.
 * @flags: of the call.
 *
 * Return: an object of the shared pool, or one parked here; NULL: the backend is
 * next.
 */
void *pool_get_spare(struct pool *pool, unsigned int flags)
{
	void *obj = pool_shared_get_one(pool, flags);

	if (!obj && !(flags & POOL_F_NESTED))
		obj = pool_unpark(pool, flags);
	return obj;
}

/* One look at all places where a free object may be, other arrays apart. */
static void *look_everywhere(struct pool *pool, unsigned int flags)
{
	void *obj = pool_hot_get(&pool->head);

	if (!obj)
		obj = pool_unpark_all(pool, flags);
	if (!obj)
		obj = pool_shared_get_one(pool, flags);
	if (!obj)
		obj = pool_take_remote(pool, flags);
	return obj;
}

/**
 * pool_last_look() - The last resort, when the backend has nothing.
 * @pool: the pool.
 * @flags: of the call, not nested.
 * @last: all 0 at first.
 *
 * Looks once at all places but the backend, which its caller asks next, in its own
 * words, if it had refused because of the limit: what was free may have gone there.
 *
 * Return: an object, or NULL.
 */
void *pool_last_look(struct pool *pool, unsigned int flags,
		     struct pool_last *last)
{
	pool_reach_read(pool, &last->before);
	return look_everywhere(pool, flags);
}

/**
 * pool_last_again() - Is another look worth while?
 * @pool: the pool.
 * @flags: as before.
 * @last: as before.
 *
 * While one look may have missed a free object, as those that another CPU is just
 * bringing down; a bounded number of times: few where it may not wait, since we may
 * have interrupted the code that brings them.  Waits for a moment if so.
 *
 * Return: false: there was none, or it was looked for often enough.
 */
bool pool_last_again(struct pool *pool, unsigned int flags,
		     struct pool_last *last)
{
	bool wait = plat_may_wait(flags);
	unsigned int most = wait ? PLAT_LAST_TRIES : POOL_LAST_LOOKS;

	if (last->looks++ >= most || !pool_reach_missed(pool, &last->before))
		return false;
	if (wait)
		plat_yield();
	else
		plat_relax();
	return true;
}

static void *get_last(struct pool *pool, unsigned int flags,
		      enum pool_cause *cause)
{
	struct pool_last last = { .looks = 0 };
	void *obj;

	do {
		obj = pool_last_look(pool, flags, &last);
		if (!obj && *cause == POOL_REFUSED)
			obj = pool_store_get(pool, flags, cause);
	} while (!obj && pool_last_again(pool, flags, &last));
	return obj;
}

void pool_count_failure(struct pool *pool, enum pool_cause cause)
{
	if (cause == POOL_REFUSED)
		plat_word_add(&pool->refused, 1);
	else if (cause == POOL_INJECTED)
		plat_word_add(&pool->injected, 1);
	else
		plat_word_add(&pool->failed, 1);
}

/* Allocate from the layers below the caches. */
static void *get_below(struct pool *pool, unsigned int flags)
{
	enum pool_cause cause = POOL_FAILED;
	void *obj = pool_get_spare(pool, flags);

	if (!obj && plat_may_alloc(flags))
		obj = pool_store_get(pool, flags, &cause);
	if (!obj && !(flags & POOL_F_NESTED))
		obj = get_last(pool, flags, &cause);
	if (!obj)
		pool_count_failure(pool, cause);
	return obj;
}

/* Through all layers, once. */
static void *get(struct pool *pool, unsigned int flags)
{
	void *obj = pool_get_from_cache(pool, &flags);

	return obj ? obj : get_below(pool, flags);
}

/**
 * pool_alloc_from() - Allocate an object the hot array did not have.
 * @head: the pool.
 * @flags: POOL_F_*.
 * @caller: whom to name in reports.
 *
 * A corrupted object is passed over; each one only once, so that this ends.
 *
 * Return: an object, prepared as @flags say, or NULL.
 */
void *pool_alloc_from(struct pool_head *head, unsigned int flags,
		      void *caller)
{
	struct pool *pool = pool_of(head);
	void *obj;

	flags &= POOL_F_ALL;
	plat_cpu_ready(flags);
	if (pool_fails(pool, flags, caller)) {
		pool_count_failure(pool, POOL_INJECTED);
		return NULL;
	}
	do {
		obj = get(pool, flags);
	} while (obj && !pool_checked(pool, &obj, flags, caller));
	return obj;
}

/* Not inline in what is exported: that is a hit path too. */
__attribute__((__noinline__))
void *pool_alloc_slow(struct pool_head *head, unsigned int flags)
{
	return pool_alloc_from(head, flags, __builtin_return_address(0));
}

/**
 * pool_free_from() - Free an object the hot array did not accept.
 * @head: the pool.
 * @obj: the object.
 * @flags: POOL_F_ATOMIC or 0.
 * @caller: whom to name in reports.
 *
 * Objects parked on this CPU are brought away here too, since a CPU that only
 * frees never misses.
 */
void pool_free_from(struct pool_head *head, void *obj, unsigned int flags,
		    void *caller)
{
	struct pool *pool = pool_of(head);

	flags &= POOL_F_ALL;
	plat_cpu_ready(flags);
	obj = pool_freed(pool, obj, flags, caller);
	if (!obj)
		return;
	if (!pool_put_to_cache(pool, obj, &flags))
		pool_put_below(pool, obj, flags);
	if (!(flags & POOL_F_NESTED) &&
	    plat_store_may(&pool->store, NULL, flags))
		pool_unpark_here(pool, flags);
}

__attribute__((__noinline__))
void pool_free_slow(struct pool_head *head, void *obj, unsigned int flags)
{
	pool_free_from(head, obj, flags, __builtin_return_address(0));
}

void *pool_alloc_nocache(struct pool_head *head)
{
	void *caller = __builtin_return_address(0);
	struct pool *pool = pool_of(head);
	void *obj;

	if (pool_fails(pool, 0, caller)) {
		pool_count_failure(pool, POOL_INJECTED);
		return NULL;
	}
	do {
		obj = get_below(pool, 0);
	} while (obj && !pool_checked(pool, &obj, 0, caller));
	return obj;
}

/* Said once, for whichever pool it is first. */
__attribute__((__noinline__))
void *pool_refuse_zero(struct pool_head *head, unsigned int flags)
{
	static unsigned int said;
	struct pool *pool = pool_of(head);
	unsigned int not_yet = 0;

	pool_count_failure(pool, POOL_FAILED);
	if (plat_may_wait(flags) && plat_cmpxchg_release(&said, &not_yet, 1u))
		plat_log(PLAT_ERR, "pool \"%s\": POOL_F_MUST_ZERO refused: constructed objects",
			 pool->shown);
	return NULL;
}

void *__pool_alloc(struct pool_head *head, unsigned int flags)
{
	return pool_alloc_inline(head, flags);
}

void *pool_alloc(struct pool_head *head)
{
	return pool_alloc_inline(head, 0);
}

void *pool_zalloc(struct pool_head *head)
{
	return pool_alloc_inline(head, POOL_F_MUST_ZERO);
}

void __pool_free(struct pool_head *head, void *obj, unsigned int flags)
{
	pool_free_inline(head, obj, flags);
}

void pool_free(struct pool_head *head, void *obj)
{
	pool_free_inline(head, obj, 0);
}
