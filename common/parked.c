// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * parked.c - objects that could not go anywhere
 *
 * Layer:   beside the others: where a free ends that may not use them.
 * Context: parking: any, NMI and signal handlers too.  Taking: neither guard
 *	    nor lock held.
 *
 * The one place where a free object is written to: its first word links it, or,
 * where what is in it must stay, a word behind its end.
 * A list is only ever taken as a whole, by an exchange, so that no object's
 * link is read before it belongs to the reader.  The release of the push pairs
 * with the acquire of the exchange and carries the links.
 */
#include "plat.h"

/* Parked objects that one call frees besides its own. */
#define PARKED_MOST	64

/* Of an object that is parked, nothing but the link is touched. */
static void hide_but_link(const struct pool *pool, void *obj)
{
	struct pool_layout l;

	pool_layout_of(pool, pool->head.size, &l);
	plat_tool_hide(pool, obj, l.total);
	plat_tool_show(pool, pool_link_of(pool, obj), sizeof(void *));
}

static void parked_push(const struct pool *pool, struct pool_parked *parked,
			void *obj)
{
	void *head = plat_read(&parked->head);

	plat_word_add(&parked->count, 1);
	do {
		*pool_link_of(pool, obj) = head;
	} while (!plat_cmpxchg_release(&parked->head, &head, obj));
}

/**
 * pool_park() - Keep a free object until somebody can bring it away.
 * @pool: its pool.
 * @obj: the object, which belongs to the pool again; a seal is taken off, since
 *	its link is written into it.
 *
 * Never fails, never waits for long, needs no memory.
 */
void pool_park(struct pool *pool, void *obj)
{
	struct pool_local *local;
	bool raw;

	obj = pool_check_out(pool, obj, POOL_F_ATOMIC, NULL, &raw);
	if (!obj)
		return;
	if (raw && pool->ctor)
		pool->ctor(obj, pool->arg);
	hide_but_link(pool, obj);
	local = plat_enter(pool);
	if (pool->cached && plat_this_cpu())
		parked_push(pool, &local->parked, obj);
	else
		parked_push(pool, &pool->parked, obj);
	plat_leave();
}

/* Take a whole list; its first object, linked to the others, or NULL. */
static void *parked_take_all(struct pool_parked *parked)
{
	if (!plat_read(&parked->head))
		return NULL;
	return plat_xchg_acquire(&parked->head, NULL);
}

/*
 * The first object of a list that was taken; @rest: the others.  The link is
 * wiped: what was freed as zeros is zeros again.  It counts as parked until the
 * caller has brought it elsewhere and says so by parked_settled().
 */
static void *parked_next(const struct pool *pool, void **rest)
{
	void *obj = *rest;

	if (obj) {
		*rest = *pool_link_of(pool, obj);
		*pool_link_of(pool, obj) = NULL;
		plat_tool_hide(pool, pool_link_of(pool, obj), sizeof(void *));
	}
	return obj;
}

/* The release pairs with the acquire in reach.c: it is seen where it went. */
static void parked_settled(struct pool_parked *parked)
{
	plat_word_sub_release(&parked->count, 1);
}

/*
 * Make one list of two that belong to the caller.  Walks both at once, as far as
 * the shorter one goes: the other may have any length.
 */
static void *join(const struct pool *pool, void *a, void *b)
{
	void **end_a = pool_link_of(pool, a);
	void **end_b = pool_link_of(pool, b);

	while (*end_a && *end_b) {
		end_a = pool_link_of(pool, *end_a);
		end_b = pool_link_of(pool, *end_b);
	}
	if (!*end_a) {
		*end_a = b;
		return a;
	}
	*end_b = a;
	return b;
}

/*
 * What is left of a list is a list again, for the next call, together with what was
 * parked meanwhile.  That is little: what this call has freed in vain, and what
 * interrupts and other CPUs have parked since it took the list.  A try fails only
 * where one of these has parked once more.  Release: as parked_push().
 */
static void parked_leave(const struct pool *pool, struct pool_parked *parked,
			 void *rest)
{
	void *none = NULL;

	while (!plat_cmpxchg_release(&parked->head, &none, rest)) {
		void *more = parked_take_all(parked);

		if (more)
			rest = join(pool, rest, more);
		none = NULL;
	}
}

/*
 * Free objects of a list that was taken, the ordinary way: PARKED_MOST, so that no
 * call pays for all that interrupters freed; and none after one that parked again,
 * since the others would, too.
 */
static void parked_free(struct pool *pool, struct pool_parked *parked,
			void *rest, unsigned int flags)
{
	unsigned int n;

	for (n = 0; rest && n < PARKED_MOST; n++) {
		pool_put(pool, parked_next(pool, &rest), flags);
		parked_settled(parked);
		if (plat_read(&parked->head))
			break;
	}
	if (rest)
		parked_leave(pool, parked, rest);
}

/* Take a list, return one object and free others the ordinary way. */
static void *parked_take(struct pool *pool, struct pool_parked *parked,
			 unsigned int flags)
{
	void *rest = parked_take_all(parked);
	void *first = parked_next(pool, &rest);

	parked_free(pool, parked, rest, flags);
	if (first)
		parked_settled(parked);
	return first;
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
	struct pool_local *local = NULL;
	void *obj = NULL;

	if (pool->cached)
		local = plat_local_of(pool, plat_cpu_hint());
	if (local)
		obj = parked_take(pool, &local->parked, flags);
	return obj ? obj : parked_take(pool, &pool->parked, flags);
}

/**
 * pool_unpark_here() - Bring away what is parked on this CPU, and on none.
 * @pool: the pool.
 * @flags: of the call.
 *
 * Looks first, since each free that misses comes here and finds nothing.  A CPU
 * without a local part reads zeros there.
 */
void pool_unpark_here(struct pool *pool, unsigned int flags)
{
	struct pool_local *local = plat_enter(pool);
	bool some = plat_read(&local->parked.head);

	plat_leave();
	if (some)
		parked_free(pool, &local->parked,
			    parked_take_all(&local->parked), flags);
	if (plat_read(&pool->parked.head))
		parked_free(pool, &pool->parked,
			    parked_take_all(&pool->parked), flags);
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
	void *rest = parked_take_all(parked);
	void *obj;

	while ((obj = parked_next(pool, &rest))) {
		pool_store_put(pool, obj);
		parked_settled(parked);
	}
}

/* Bring one list to the layers below the caches.  Process context. */
static void parked_put_below(struct pool *pool, struct pool_parked *parked)
{
	void *rest = parked_take_all(parked);
	void *obj;

	while ((obj = parked_next(pool, &rest))) {
		pool_put_below(pool, obj, 0);
		parked_settled(parked);
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
	unsigned int cpus = pool->cached ? plat_nr_cpus() : 0;
	unsigned int i;

	parked_put_below(pool, &pool->parked);
	for (i = 0; i < cpus; i++) {
		struct pool_local *local = plat_local_of(pool, i);

		if (local)
			parked_put_below(pool, &local->parked);
	}
}

/**
 * pool_drain_parked() - Give all that is parked back to the platform.
 * @pool: the pool; not by way of its caches, which may be drained already.
 *
 * Context: process context.
 */
void pool_drain_parked(struct pool *pool)
{
	unsigned int cpus = pool->cached ? plat_nr_cpus() : 0;
	unsigned int i;

	pool_parked_release(pool, &pool->parked);
	for (i = 0; i < cpus; i++) {
		struct pool_local *local = plat_local_of(pool, i);

		if (local)
			pool_parked_release(pool, &local->parked);
	}
}
