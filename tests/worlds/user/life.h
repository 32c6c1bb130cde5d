/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * life.h - what the cases of threads and forks share
 *
 * Layer:   tests of user/thread.c and user/fork.c; user space only.
 * Context: children check by NEED() and leave by _exit(): nothing of the
 *	    framework runs in them.
 */
#ifndef POOL_LIFE_H
#define POOL_LIFE_H

#include "test.h"

/* Checks a condition in a child: if it is false the child prints it and fails. */
#define NEED(cond)	child_needs(cond, #cond, __FILE__, __LINE__)

/* user.c: for test_threads(); allocates and frees objects of a pool */
void use_pool(unsigned int i, void *arg);

/* wait.c: true if the thread with this id falls asleep, and still sleeps a little later */
bool falls_asleep(const unsigned long *id);

/* life.c: check all areas, while no call is under way */
bool areas_are_true(void);
bool others_are_empty(void);

/* child.c */
void child_needs(bool cond, const char *what, const char *file, int line);
bool child_is_well(void (*fn)(void *arg), void *arg);
bool adds_up(struct pool *pool);
bool objects_are_distinct(struct pool *pool);

/* A thread's work: end with 100 objects in the shared pool. */
static inline void life_leave_shared(unsigned int i, void *arg)
{
	(void)i;
	test_alloc_just(arg, test_objs, 100);
	test_free_many(arg, test_objs, 100);
}

#endif /* POOL_LIFE_H */
