/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * steps.h - 32 pools, whose popularity changes
 *
 * Layer:   below work_pools.c, work_tail.c and bound.c.
 * Context: one thread.
 *
 * A step picks a pool: the pool of rank k with a probability in proportion to 1/k.  If it has a
 * burst of live objects they are freed, oldest first; else a burst of 1 to 128 is allocated.  After
 * 128 steps each pool gets the next one's rank.  From 256 bytes on, all pools' bursts together are
 * more than the default bound.
 */
#ifndef BENCH_STEPS_H
#define BENCH_STEPS_H

#include "random.h"

#define STEPS_POOLS	32
#define STEPS_BURST	128
#define STEPS_SHIFT	128
#define STEPS		(STEPS_POOLS * STEPS_SHIFT)	/* then from the start */

struct steps {
	struct {
		unsigned short rank;
		unsigned short burst;
	} step[STEPS];
	unsigned int at;
};

/* Returns a rank, with a probability in proportion to 1/1, 1/2, 1/3 and so on. */
static inline unsigned short steps_rank(unsigned int *seed)
{
	unsigned int all = 0, left, i;

	for (i = 1; i <= STEPS_POOLS; i++)
		all += 1000000 / i;
	left = random_below(seed, all);
	for (i = 1; i < STEPS_POOLS && left >= 1000000 / i; i++)
		left -= 1000000 / i;
	return (unsigned short)(i - 1);
}

static inline void steps_make(struct steps *s)
{
	unsigned int seed = 1;
	unsigned int i;

	for (i = 0; i < STEPS; i++) {
		s->step[i].rank = steps_rank(&seed);
		s->step[i].burst = (unsigned short)
			(1 + random_below(&seed, STEPS_BURST));
	}
	s->at = 0;
}

/*
 * Returns the pool of the next step; @burst: set to how many objects to allocate if the pool has no
 * burst.
 */
static inline unsigned int steps_next(struct steps *s, unsigned int *burst)
{
	unsigned int i = s->at % STEPS;
	unsigned int pool = s->step[i].rank + s->at / STEPS_SHIFT;

	s->at++;
	*burst = s->step[i].burst;
	return pool % STEPS_POOLS;
}

#endif /* BENCH_STEPS_H */
