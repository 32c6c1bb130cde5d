// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plan.c - which objects of a trace come from pools
 *
 * Layer:   above trace.c, below all replays, in both worlds.
 * Context: any; allocates nothing.
 *
 * Traces of kernels have the pools that the kernel had.  Those of programs have sizes and call
 * sites.  There each size has a pool, as in a program that was moved to pools, except that sizes
 * which would not gain from a pool stay with malloc(): see trace_plan().
 */
#include "trace.h"

#define HEADS		1024u		/* a power of 2 */
#define NONE		UINT_MAX

static void count(struct trace *t)
{
	unsigned int i;

	for (i = 0; i < t->events; i++)
		if (t->event[i].kind == TRACE_ALLOC)
			t->pool[t->event[i].pool].allocs++;
}

/* The pool of this size that came first: @pool itself, or one of the list at @head. */
static unsigned int first_of_size(struct trace *t, unsigned int pool, unsigned int *head)
{
	unsigned int size = t->pool[pool].size;
	unsigned int i;

	for (i = *head; i != NONE; i = t->pool[i].next)
		if (t->pool[i].size == size)
			return i;
	t->pool[pool].next = *head;
	*head = pool;
	return pool;
}

static void join_sizes(struct trace *t)
{
	static unsigned int heads[HEADS];
	unsigned int i;

	for (i = 0; i < HEADS; i++)
		heads[i] = NONE;
	for (i = 0; i < t->pools; i++) {
		struct trace_pool *pool = &t->pool[i];

		pool->same = first_of_size(t, i, &heads[pool->size % HEADS]);
		if (pool->same != i) {
			t->pool[pool->same].allocs += pool->allocs;
			pool->use = TRACE_UNUSED;
		}
	}
	for (i = 0; i < t->events; i++)
		t->event[i].pool = (unsigned short)t->pool[t->event[i].pool].same;
}

/* Returns the size of the largest object that a pool of the trace has. */
unsigned int trace_largest(const struct trace *t)
{
	return t->hot_size / TRACE_IN_BOUND;
}

/**
 * trace_plan() - Decide which objects come from pools.
 * @t: read; its events' pools may become others.
 *
 * In a trace of version 2 pools of one size become the first of them.  A size has a pool if
 * at least each thousandth allocation is of it, and if the bound has room for
 * %TRACE_IN_BOUND objects.  All other objects are malloc()'s.
 */
void trace_plan(struct trace *t)
{
	unsigned int i;

	if (t->version == 1)
		return;
	count(t);
	join_sizes(t);
	for (i = 0; i < t->pools; i++) {
		struct trace_pool *pool = &t->pool[i];

		if (pool->use == TRACE_UNUSED ||
		    (pool->size <= trace_largest(t) &&
		     pool->allocs >= t->allocs / TRACE_SELDOM))
			continue;
		pool->use = TRACE_MALLOC;
		t->unpooled += pool->allocs;
	}
}
