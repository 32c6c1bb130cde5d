/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * world.h - the functions that the replay needs of its world
 *
 * Layer:   below trace.c, replay.c, session.c and report.c.  Of these files only world.h
 *	    distinguishes the kernel from user space.
 * Context: process context, a plain thread.
 */
#ifndef REPLAY_WORLD_H
#define REPLAY_WORLD_H

#ifdef __KERNEL__

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/types.h>

/* Zeroed memory, or NULL. */
static inline void *world_alloc(size_t count, size_t size)
{
	return kvcalloc(count, size, GFP_KERNEL);
}

static inline void world_free(void *p)
{
	kvfree(p);
}

/* An object that comes from malloc(). */
static inline void *world_object(size_t size)
{
	return kvmalloc(size, GFP_KERNEL);
}

/* Let other threads run, if they need to. */
static inline void world_breathe(void)
{
	cond_resched();
}

/* Wait a little for another CPU's worker. */
static inline void world_wait(void)
{
	cpu_relax();
	cond_resched();
}

static inline unsigned long long world_divide(unsigned long long a,
					      unsigned long long b)
{
	return div64_u64(a, b);
}

#else

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static inline void *world_alloc(size_t count, size_t size)
{
	return calloc(count, size);
}

static inline void world_free(void *p)
{
	free(p);
}

static inline void *world_object(size_t size)
{
	return malloc(size);
}

/* Empty: threads are preempted. */
static inline void world_breathe(void)
{
}

/* Yield, because the other worker may need this processor. */
static inline void world_wait(void)
{
	sched_yield();
}

static inline unsigned long long world_divide(unsigned long long a,
					      unsigned long long b)
{
	return a / b;
}

#endif

#endif /* REPLAY_WORLD_H */
