/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * last.h - a call for which there is no object: its looks, its time, its place in the queue
 *
 * Layer:   beside the four.
 * Context: each struct is on the stack of its call.
 */
#ifndef POOL_CORE_LAST_H
#define POOL_CORE_LAST_H

/* The numbers of a pool that a caller reads before it looks for a free object: reach.c. */
struct pool_reading {
	unsigned long departures;
	unsigned long allocated;
	bool some;			/* a place had an object, or one was moving */
};

/* An allocation that looks for the last free object, again and again. */
struct pool_last {
	struct pool_reading before;
	unsigned int looks;		/* looks so far */
	unsigned int remaining;	/* milliseconds of its time, or POOL_FOREVER */
	unsigned int now;		/* time, by plat_resched(); 0: the task is being killed */
};

/* A call in the queue of a pool: queue.c. */
struct pool_waiter {
	struct pool *pool;
	struct pool_list list;		/* waiters mutex: link in pool.waiters */
	unsigned int turn;		/* waiters mutex; read by its thread; 1: it is the head */
	unsigned int *word;		/* the word it sleeps on until it is the head */
	unsigned int seen;		/* the pool's "wakes" before the last look */
};

#endif /* POOL_CORE_LAST_H */
