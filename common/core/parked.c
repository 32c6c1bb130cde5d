// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * parked.c - objects that could not go anywhere
 *
 * Layer:   below -> [parked]: where a free ends that may not go further.
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

/* Of an object that is parked, nothing but the link is touched. */
static void hide_but_link(const struct pool *pool, void *obj)
{
	struct pool_layout l;

	pool_layout_of(pool, pool->head.size, &l);
	plat_tell(pool, obj, l.total, PLAT_HIDDEN);
	plat_tell(pool, pool_link_of(pool, obj), sizeof(void *), PLAT_SHOWN);
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
	local = pool_local_enter(pool);
	if (pool->cached && plat_cpu_of(plat_cpu_hint()))
		parked_push(pool, &local->parked, obj);
	else
		parked_push(pool, &pool->parked, obj);
	pool_hot_leave();
}

/*
 * Take a whole list; its first object, linked to the others, or NULL.  That is a
 * departure, for reach.c: it is counted before count is lowered.
 */
void *pool_parked_take(struct pool *pool, struct pool_parked *parked)
{
	if (!plat_read(&parked->head))
		return NULL;
	plat_word_add(&pool->gone_departures, 1);
	return plat_xchg_acquire(&parked->head, NULL);
}

/*
 * The first object of a list that was taken; @rest: the others.  The link is
 * wiped: what was freed as zeros is zeros again.  It counts as parked until the
 * caller has brought it elsewhere and says so by pool_parked_settled().
 */
void *pool_parked_next(const struct pool *pool, void **rest)
{
	void *obj = *rest;

	if (obj) {
		*rest = *pool_link_of(pool, obj);
		*pool_link_of(pool, obj) = NULL;
		plat_tell(pool, pool_link_of(pool, obj), sizeof(void *),
			  PLAT_HIDDEN);
	}
	return obj;
}

/* The release pairs with the acquire in reach.c: it is seen where it went. */
void pool_parked_settled(struct pool_parked *parked)
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
void pool_parked_leave(struct pool *pool, struct pool_parked *parked,
		       void *rest)
{
	void *none = NULL;

	while (!plat_cmpxchg_release(&parked->head, &none, rest)) {
		void *more = pool_parked_take(pool, parked);

		if (more)
			rest = join(pool, rest, more);
		none = NULL;
	}
}
