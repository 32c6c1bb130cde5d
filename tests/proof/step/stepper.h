/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * stepper.h - a signal handler that uses pools after every single instruction
 *
 * Layer:   tests, user space on x86-64; below step.c, step_last.c and jump.c.
 * Context: see test.h and trap.h.  The fields of "step" change outside the stepped
 *	    region, or in the handler, never in both.
 */
#ifndef POOL_STEPPER_H
#define POOL_STEPPER_H

#include "test.h"
#include "trap.h"

#define STEP_KEPT	8
#define STEP_POOLS	2

/* A second handler interrupts the calls of the first one, after this many of their instructions. */
#define STEP_LEVELS	2
#define STEP_INNER	5

/* More of everything, for long runs (ROUNDS); smaller waves, where a build is slow (LESS). */
#ifndef STEP_ROUNDS
#define STEP_ROUNDS	1
#endif
#ifndef STEP_LESS
#define STEP_LESS	1
#endif

struct stepper {
	struct pool *pool[STEP_POOLS];
	void *kept[STEP_LEVELS][STEP_POOLS][STEP_KEPT];
	bool inside;			/* a handler runs */
	unsigned int deep;		/* every how many handlers are stepped; 0: none */
	unsigned long steps;
	unsigned long inner;		/* steps in calls of handlers */
	unsigned long turn;
	unsigned long bound;		/* the largest bound in force */
	unsigned long got;
	unsigned long twice;		/* objects handed out while in use */
	unsigned long beyond;		/* moments at which the bound was exceeded */
	unsigned long full;		/* times that the table was too small */
	struct pool_reserved *reserve;	/* a reserve of the first pool, or NULL */
	unsigned long reserved;		/* objects that the handler took of it */
	bool refills;			/* the handler frees objects to the reserve */
};

extern struct stepper step;

/* Note that an object gets an owner, and that it has none again. */
void step_take(void *obj);
void step_give(void *obj);

/* Stepped calls. */
void *step_alloc(struct pool *pool);
void step_free(struct pool *pool, void *obj);

/*
 * Make the pools, with a byte bound, a cluster size and option bits, and install
 * the handler; in the end free what it kept.  False: a check failed.
 */
bool step_begin(unsigned long bound, unsigned int cluster, unsigned int mode);
bool step_end(void);

#endif /* POOL_STEPPER_H */
