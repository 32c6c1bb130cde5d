/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * peer_pool.h - libpool: inline, or with POOL_NO_INLINE by its functions
 *
 * Layer:   the peers "pool" and "pool-so"; see peer.h.
 * Context: plain threads.
 */
#ifndef BENCH_PEER_POOL_H
#define BENCH_PEER_POOL_H

#include "pool.h"

typedef struct pool_head *peer_pool;

static inline const char *peer_start(unsigned long bound)
{
	if (bound && !pool_set_hot_size(bound))
		return "the bound was refused";
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
	(void)most;
	(void)threads;
	*pool = create_pool("bench", (unsigned int)size, 0);
	return *pool;
}

static inline void peer_destroy(peer_pool pool)
{
	pool_destroy(pool);
}

static inline void *peer_get(peer_pool pool)
{
	return pool_alloc(pool);
}

static inline void peer_put(peer_pool pool, void *obj)
{
	pool_free(pool, obj);
}

static inline bool peer_get_bulk(peer_pool pool, void **objs, unsigned int n)
{
	return pool_alloc_bulk(pool, 0, n, objs);
}

static inline void peer_put_bulk(peer_pool pool, void **objs, unsigned int n)
{
	pool_free_bulk(pool, 0, n, objs);
}

#endif /* BENCH_PEER_POOL_H */
