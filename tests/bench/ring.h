/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ring.h - passes pointers from one thread to one other
 *
 * Layer:   below work.c.
 * Context: one thread puts, one takes.
 *
 * Positions are shown to the other side once per RING_BURST pointers.  Otherwise a
 * taker that is faster than the giver would wait for each single one, and the
 * measurement would be of how long a line takes from one processor to the other.
 * So only whole bursts arrive.  Each side keeps the other's position as last seen,
 * and looks again only when that does not suffice.  The release of a
 * position pairs with the acquire of it on the other side and carries the slots.
 */
#ifndef BENCH_RING_H
#define BENCH_RING_H

#include <sched.h>

#define RING_SLOTS	1024
#define RING_BURST	64

/* Readings of the other position before yielding, as its thread may need this processor. */
#define RING_SPINS	1000

struct ring_side {
	char apart[128];		/* only this side uses these: */
	unsigned long pos;
	unsigned long seen;		/* the other side's "shown", as last read */
	char too[128];			/* this side writes it, the other side reads it: */
	unsigned long shown;
};

struct ring {
	struct ring_side giver;
	struct ring_side taker;
	char apart[128];
	void *slot[RING_SLOTS];
};

/* Wait until *@shown differs from @seen. */
static inline unsigned long ring_wait(const unsigned long *shown,
				      unsigned long seen)
{
	unsigned int spins = 0;
	unsigned long now;

	while ((now = __atomic_load_n(shown, __ATOMIC_ACQUIRE)) == seen) {
		if (++spins % RING_SPINS == 0)
			sched_yield();
		else
			__builtin_ia32_pause();
	}
	return now;
}

static inline void ring_step(struct ring_side *side)
{
	if (++side->pos % RING_BURST == 0)
		__atomic_store_n(&side->shown, side->pos, __ATOMIC_RELEASE);
}

static inline void ring_put(struct ring *r, void *p)
{
	struct ring_side *giver = &r->giver;

	while (giver->pos - giver->seen >= RING_SLOTS)
		giver->seen = ring_wait(&r->taker.shown, giver->seen);
	r->slot[giver->pos % RING_SLOTS] = p;
	ring_step(giver);
}

static inline void *ring_take(struct ring *r)
{
	struct ring_side *taker = &r->taker;
	void *p;

	if (taker->pos == taker->seen)
		taker->seen = ring_wait(&r->giver.shown, taker->seen);
	p = r->slot[taker->pos % RING_SLOTS];
	ring_step(taker);
	return p;
}

#endif /* BENCH_RING_H */
