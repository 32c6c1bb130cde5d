/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * peer_loop.h - bulk calls of peers that have none
 *
 * Layer:   part of a peer's header.
 * Context: plain threads.
 */
#ifndef BENCH_PEER_LOOP_H
#define BENCH_PEER_LOOP_H

static inline bool peer_get_bulk(peer_pool pool, void **objs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		objs[i] = peer_get(pool);
		if (!objs[i])
			return false;
	}
	return true;
}

static inline void peer_put_bulk(peer_pool pool, void **objs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		peer_put(pool, objs[i]);
}

#endif /* BENCH_PEER_LOOP_H */
