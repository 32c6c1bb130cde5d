/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * peer_dpdk.h - DPDK's rte_mempool, with a cache of 512 per registered thread
 *
 * Layer:   the peer "dpdk"; see peer.h.
 * Context: plain threads, registered as lcores, because other threads would have no cache.
 */
#ifndef BENCH_PEER_DPDK_H
#define BENCH_PEER_DPDK_H

#include <rte_mempool.h>

typedef struct rte_mempool *peer_pool;

/* peer_dpdk.c */
const char *peer_dpdk_start(void);
void peer_dpdk_thread_start(void);
void peer_dpdk_thread_end(void);
struct rte_mempool *peer_dpdk_create(size_t size, unsigned int most,
				     unsigned int threads);

static inline const char *peer_start(unsigned long bound)
{
	(void)bound;
	return peer_dpdk_start();
}

static inline void peer_thread_start(void)
{
	peer_dpdk_thread_start();
}

static inline void peer_thread_end(void)
{
	peer_dpdk_thread_end();
}

static inline bool peer_create(peer_pool *pool, size_t size, unsigned int most,
			       unsigned int threads)
{
	*pool = peer_dpdk_create(size, most, threads);
	return *pool;
}

static inline void peer_destroy(peer_pool pool)
{
	rte_mempool_free(pool);
}

static inline void *peer_get(peer_pool pool)
{
	void *obj;

	return rte_mempool_get(pool, &obj) ? NULL : obj;
}

static inline void peer_put(peer_pool pool, void *obj)
{
	rte_mempool_put(pool, obj);
}

static inline bool peer_get_bulk(peer_pool pool, void **objs, unsigned int n)
{
	return !rte_mempool_get_bulk(pool, objs, n);
}

static inline void peer_put_bulk(peer_pool pool, void **objs, unsigned int n)
{
	rte_mempool_put_bulk(pool, objs, n);
}

#endif /* BENCH_PEER_DPDK_H */
