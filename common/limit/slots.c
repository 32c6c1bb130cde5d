// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * slots.c - the objects of a reserve, taken and put back from any context
 *
 * Layer:   alloc.c and reserve.c -> [slots]
 * Context: any, NMI and signal handlers too; no lock, no waiting, no memory.
 *
 *   slot   | o | o | o |   |   |   |       size = 6, have = 3, room = 3
 *                    ^   ^
 *            next take   next put          when nobody else is at work
 *
 * A slot has an object or NULL.  An exchange with NULL takes the object out, and a
 * compare-and-exchange of NULL puts one in.  So each object has one taker and each empty
 * slot gets one object, whatever other CPUs and interrupt handlers do.  No link is
 * followed and no index is reused, so there is no ABA problem.
 *
 * A call may look for a slot only after it has claimed one: it lowers a count by 1, a take
 * "have", and a put "room".  It raises the other count when it has changed its slot.  So
 * there are never fewer objects in slots than "have" and all claims on it together, and
 * the same holds for empty slots and "room".  A caller with a claim finds what it looks
 * for, and a count of 0 is the answer of one moment:
 *
 *   - a take fails only when all objects are taken, or are still being put in;
 *   - a put fails only when all slots are in use, or are about to be filled.
 *
 * Whoever took an object has raised "room" before, so when all objects are freed to
 * their reserve it is full again.
 *
 * An interrupt handler may come between any two of these steps.  What it has interrupted
 * has either claimed nothing yet, or has a claim that the handler does not count on.
 *
 * A caller that looks for a slot misses one only if another CPU empties a slot behind it
 * and fills one in front of it, or the other way round, while it passes by.  So a second
 * round is rare.  The number of rounds is bounded.
 */
#include "seam/plat.h"

/* In so many rounds all other callers together have moved as many objects. */
#define ROUNDS	64

/* Lower a count, unless it is 0; @before: set to what it was.  The acquire pairs with add(). */
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
 * its pool is not looked at.
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
 * Put a free object, perhaps sealed, into a reserve.  It counts as reserved before it can be
 * taken, so that the number is never below 0.  False: the reserve is full, and the object goes
 * elsewhere.
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
