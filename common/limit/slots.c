// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * slots.c - take and put back the objects of a reserve, from any context
 *
 * Layer:   alloc.c and reserve.c -> [slots]
 * Context: any, NMI and signal handlers too; no lock, no waiting, no memory.
 *
 *   slot   | o | o | o |   |   |   |       size = 6, have = 3, room = 3
 *                    ^   ^
 *            next take   next put          when nobody else is at work
 *
 * A slot has an object or NULL.  The steps of a take, which a put does in reverse:
 *
 *   CLAIM   lower "have" by 1, unless it is 0: then the reserve is empty
 *   SEARCH  exchange slots with NULL, one after the other, until one gives an object
 *   RAISE   raise "room" by 1
 *
 * One owner: an exchange with NULL gives an object to one take, and a compare-and-exchange of NULL
 * puts one object into an empty slot.  No link is followed and no index reused, so there is no ABA
 * problem.
 *
 * The search succeeds: a count is raised only after its slot was changed.  So there are at least as
 * many objects in slots as "have" and all claims on it together.  A search misses one only if
 * another CPU empties a slot behind it and fills one in front of it meanwhile; so a second round is
 * rare, and the number of rounds is bounded.
 *
 * Interrupts: a handler may come between any two steps.  The call that it interrupted has no claim
 * yet, or has one that the handler's call does not count on.
 *
 * A take fails only while all objects are taken or being put in, a put only while all slots are in
 * use or being filled.  A taker has raised "room" when it returns, so a reserve is full again when
 * all its objects have been freed to it.
 */
#include "seam/plat.h"

/* A search ends after this many rounds, each of which failed because others changed slots. */
#define ROUNDS	64

/* Lower a count by 1, unless it is 0; @before: the old value.  The acquire pairs with add(). */
static bool claim(unsigned long *count, unsigned long *before)
{
	*before = plat_read(count);
	do {
		if (!*before)
			return false;
	} while (!plat_cmpxchg(count, before, *before - 1));
	return true;
}

/* Raise a count.  The release pairs with claim(), after which a call sees the changed slot. */
static void add(unsigned long *count)
{
	plat_word_sub_release(count, 0 - 1ul);
}

/* Take an object out of a slot, the nearest below @at.  NULL: the rounds are spent. */
static void *empty_slot(struct pool_reserved *r, unsigned long at)
{
	unsigned long steps = (unsigned long)r->size * ROUNDS;
	void *obj = NULL;

	while (!obj && steps--) {
		at = (at ? at : r->size) - 1;
		if (plat_read(&r->slot[at]))
			obj = plat_xchg_acquire(&r->slot[at], NULL);
	}
	return obj;
}

/* Put an object into a slot, the nearest from @at up.  False: the rounds are spent. */
static bool fill_slot(struct pool_reserved *r, unsigned long at, void *obj)
{
	unsigned long steps = (unsigned long)r->size * ROUNDS;
	bool done = false;

	for (; !done && steps--; at++) {
		void *none = NULL;

		if (at == r->size)
			at = 0;
		done = !plat_read(&r->slot[at]) &&
		       plat_cmpxchg(&r->slot[at], &none, obj);
	}
	return done;
}

/*
 * Take an object, perhaps sealed, out of a reserve; NULL: there is none.  If the reserve is empty,
 * its pool is not accessed.
 */
void *pool_slots_take(struct pool_reserved *r)
{
	unsigned long have;
	void *obj;

	if (!claim(&r->have, &have))
		return NULL;
	obj = empty_slot(r, have);
	if (!obj) {
		add(&r->have);
		return NULL;
	}
	add(&r->room);
	pool_word_sub(&r->pool->reserved, 1);
	return obj;
}

/*
 * Put a free object, perhaps sealed, into a reserve.  The object counts as reserved before another
 * call can take it, so that the number of reserved objects is never below 0.  False: the reserve is
 * full, and the object goes elsewhere.
 */
bool pool_slots_put(struct pool_reserved *r, void *obj)
{
	unsigned long room;

	if (!claim(&r->room, &room))
		return false;
	plat_word_add(&r->pool->reserved, 1);
	if (!fill_slot(r, r->size - room, obj)) {
		pool_word_sub(&r->pool->reserved, 1);
		add(&r->room);
		return false;
	}
	add(&r->have);
	return true;
}
