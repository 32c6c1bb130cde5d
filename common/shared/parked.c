// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * parked.c - keep free objects that no layer accepted
 *
 * Layer:   below -> [parked]: the end of a free that may call no other layer.
 * Context: parking: any, NMI and signal handlers too.  Taking: outside of hot
 *	    sections, no lock held.
 *
 * Parked objects are the only free objects that are written to.  The first word is the link, or, in
 * constructed objects, a word behind the end; then the object stays as it is, sealed or not, and no
 * constructor runs here.  A list is only taken as a whole, by an exchange, so that an object's link
 * is read only after the object belongs to the reader.  The release of the push pairs with the
 * acquire of the exchange and carries the links.
 */
#include "seam/plat.h"

/* Objects that may be parked on one CPU; further ones go to the pool's own list. */
#define PARKED_HERE	64

/* Hide all of a parked object but its link from tools, with flags that are right in any call. */
static void hide_but_link(const struct pool *pool, void *obj)
{
	struct pool_layout l;

	pool_layout_of(pool, pool->head.size, &l);
	plat_annotate(pool, (unsigned char *)obj - pool_seal_of(obj), l.total,
		      POOL_F_NOSLAB, PLAT_HIDDEN);
	plat_annotate(pool, pool_link_of(pool, obj), sizeof(void *),
		      POOL_F_NOSLAB, PLAT_SHOWN);
}

static void parked_push(const struct pool *pool, struct pool_parked *parked,
			void *obj)
{
	void *head = plat_read(&parked->head);

	plat_word_add(&parked->count, 1);
	do {
		*pool_link_of(pool, obj) = head;
	} while (!plat_cmpxchg(&parked->head, &head, obj));
}

/* Make an object ready to be linked; NULL: it is corrupted. */
static void *linkable(struct pool *pool, void *obj)
{
	bool raw;

	if (!pool->link)
		obj = pool_check_out(pool, obj, POOL_F_ATOMIC, NULL, &raw);
	if (obj)
		hide_but_link(pool, obj);
	return obj;
}

/*
 * Return the list for one more object.  A CPU's own list has at most PARKED_HERE objects, because
 * only calls on this CPU empty that list, and a CPU whose frees all come from NMIs makes no such
 * call.  The list of a part that is not set up stays empty, because that part stays all zero.
 * Further objects go to the pool's list, which misses and frees of all CPUs empty.
 */
static struct pool_parked *list_for(struct pool *pool, struct pool_local *local)
{
	if (plat_read(&local->pool) &&
	    plat_read(&local->parked.count) < PARKED_HERE)
		return &local->parked;
	return &pool->parked;
}

/*
 * Keep a free object until another call can move it to the layers below.  @obj belongs to the pool
 * again.  Unseals it if the link is written into the object.  Never fails, never waits for long,
 * needs no memory.
 */
void pool_park(struct pool *pool, void *obj)
{
	struct pool_local *local;

	obj = linkable(pool, obj);
	if (!obj)
		return;
	local = pool_local_enter(pool);
	parked_push(pool, list_for(pool, local), obj);
	pool_hot_leave();
}

/* Park the objects of a cluster where calls of all CPUs find them.  @c is empty afterwards. */
void pool_park_cluster(struct pool *pool, struct pool_cluster *c)
{
	while (c->n) {
		void *obj = linkable(pool, c->obj[--c->n]);

		if (obj)
			parked_push(pool, &pool->parked, obj);
	}
}

/*
 * Take a whole list; returns its first object, linked to the others, or NULL.  Counts a departure
 * for reach.c before the list's count is lowered, but not before the exchange, because a call may
 * be interrupted in between and then take objects that were parked meanwhile.  The release lets a
 * reader that sees the departure see the count.
 */
void *pool_parked_take(struct pool *pool, struct pool_parked *parked)
{
	void *first;

	if (!plat_read(&parked->head))
		return NULL;
	first = plat_xchg_acquire(&parked->head, NULL);
	if (first)
		plat_word_sub_release(&pool->gone_departures, -1ul);
	return first;
}

/*
 * Take the first object off a list that was taken; @rest: the others.  Wipes the link, so that an
 * object freed as zeros is all zeros again.  The object counts as parked until the caller has moved
 * it and has called pool_parked_settled().
 */
void *pool_parked_next(const struct pool *pool, void **rest)
{
	void *obj = *rest;

	if (obj) {
		*rest = *pool_link_of(pool, obj);
		*pool_link_of(pool, obj) = NULL;
		plat_annotate(pool, pool_link_of(pool, obj), sizeof(void *),
			      POOL_F_NOSLAB, PLAT_HIDDEN);
	}
	return obj;
}

/* Subtract an object that was moved.  By the release, readers in reach.c see where it is now. */
void pool_parked_settled(struct pool_parked *parked)
{
	plat_word_sub_release(&parked->count, 1);
}

/*
 * Join two lists that belong to the caller.  Walks both at once and stops at the end of
 * the shorter one, since the other may have any length.
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
 * Put back the rest of a list for the next call, joined with objects that were parked meanwhile.
 * These are few: objects that this call parked again, and those of interrupts and other CPUs since
 * it took the list.  A try fails only if an interrupt or another CPU parks one more object.  The
 * release is that of parked_push().
 */
void pool_parked_leave(struct pool *pool, struct pool_parked *parked,
		       void *rest)
{
	void *none = NULL;

	while (!plat_cmpxchg(&parked->head, &none, rest)) {
		void *more = pool_parked_take(pool, parked);

		if (more)
			rest = join(pool, rest, more);
		none = NULL;
	}
}
