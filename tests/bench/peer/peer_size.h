/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * peer_size.h - pools of peers that know nothing of a pool but the size of its objects
 *
 * Layer:   part of a peer's header.
 * Context: plain threads.
 */
#ifndef BENCH_PEER_SIZE_H
#define BENCH_PEER_SIZE_H

/* The size of objects stands for a pool. */
typedef size_t peer_pool;

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
	*pool = size;
	return true;
}

static inline void peer_destroy(peer_pool pool)
{
	(void)pool;
}

#endif /* BENCH_PEER_SIZE_H */
