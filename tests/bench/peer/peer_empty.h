/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * peer_empty.h - no allocator: one address, which shows the cost of the loop
 *
 * Layer:   the peer "empty"; see peer.h.
 * Context: plain threads; each has an address of its own.
 */
#ifndef BENCH_PEER_EMPTY_H
#define BENCH_PEER_EMPTY_H

/* Objects are one address, where at most the first word is written to. */
extern __thread unsigned long peer_empty_object;

typedef char peer_pool;

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
}

static inline bool peer_create(peer_pool *pool, size_t size, unsigned int most,
			       unsigned int threads)
{
	(void)size;
	(void)most;
	(void)threads;
	*pool = 0;
	return true;
}

static inline void peer_destroy(peer_pool pool)
{
	(void)pool;
}

static inline void *peer_get(peer_pool pool)
{
	(void)pool;
	return &peer_empty_object;
}

static inline void peer_put(peer_pool pool, void *obj)
{
	(void)pool;
	(void)obj;
}

#include "peer_loop.h"

#endif /* BENCH_PEER_EMPTY_H */
