/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * peer_floor.h - the least that a cache of objects can do: an array per thread
 *
 * Layer:   the peer "floor"; see peer.h.  Above malloc().
 * Context: plain threads.
 *
 * There is no bound over all pools, and nothing is shared: objects that one thread
 * allocates and another frees pile up there and then go to malloc(), one by one.
 */
#ifndef BENCH_PEER_FLOOR_H
#define BENCH_PEER_FLOOR_H

#include <stdlib.h>

#define FLOOR_SLOTS	20000
#define FLOOR_BYTES	(64ul << 20)

struct floor_stack {
	unsigned int n;
	unsigned int cap;
	void *slot[];
};

/* A thread that has freed nothing yet has floor_none, which has no room. */
extern struct floor_stack floor_none;
extern __thread struct floor_stack *floor_stack[PEER_POOLS];
extern size_t floor_size[PEER_POOLS];	/* 0: no such pool */

/* The index of a pool. */
typedef unsigned int peer_pool;

void floor_put_slow(unsigned int pool, void *obj);
void floor_forget(unsigned int pool);

static inline const char *peer_start(unsigned long bound)
{
	(void)bound;
	return NULL;
}

static inline void peer_thread_start(void)
{
}

static inline void peer_thread_end(void)
{
	unsigned int i;

	for (i = 0; i < PEER_POOLS; i++)
		floor_forget(i);
}

static inline bool peer_create(peer_pool *pool, size_t size, unsigned int most,
			       unsigned int threads)
{
	unsigned int i;

	(void)most;
	(void)threads;
	for (i = 0; i < PEER_POOLS && floor_size[i]; i++)
		;
	if (i == PEER_POOLS)
		return false;
	floor_size[i] = size;
	*pool = i;
	return true;
}

static inline void peer_destroy(peer_pool pool)
{
	floor_forget(pool);
	floor_size[pool] = 0;
}

static inline void *peer_get(peer_pool pool)
{
	struct floor_stack *s = floor_stack[pool];

	if (__builtin_expect(!s->n, 0))
		return malloc(floor_size[pool]);
	return s->slot[--s->n];
}

static inline void peer_put(peer_pool pool, void *obj)
{
	struct floor_stack *s = floor_stack[pool];

	if (__builtin_expect(s->n == s->cap, 0))
		floor_put_slow(pool, obj);
	else
		s->slot[s->n++] = obj;
}

#include "peer_loop.h"

#endif /* BENCH_PEER_FLOOR_H */
