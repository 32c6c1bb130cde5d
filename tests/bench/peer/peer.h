/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * peer.h - the allocator that a benchmark program measures
 *
 * Layer:   below the workloads, which are compiled once per peer, so that each
 *	    is called the way its users call it: inline, or in its library.
 * Context: plain threads.
 *
 * BENCH_PEER names the header of the peer.  It defines peer_pool, a handle that
 * is passed by value, and the functions declared here; all but the first and the
 * last four may be slow.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>

/* Most pools of a program, most objects of a bulk call. */
#define PEER_POOLS	64
#define PEER_BULK	64

/* Called once, by the first thread, before all other calls.  Returns NULL, or why it failed. */
static inline const char *peer_start(unsigned long bound);

/* Called by each further thread, at its start and at its end. */
static inline void peer_thread_start(void);
static inline void peer_thread_end(void);

#include BENCH_PEER

/*
 * Make a pool of objects of @size bytes, of which @threads threads have at most @most
 * at once.  False: that failed.
 */
static inline bool peer_create(peer_pool *pool, size_t size, unsigned int most,
			       unsigned int threads);

/* Called when none of its objects is in use. */
static inline void peer_destroy(peer_pool pool);

/* NULL: there is none. */
static inline void *peer_get(peer_pool pool);
static inline void peer_put(peer_pool pool, void *obj);

/* @n up to PEER_BULK; all or none. */
static inline bool peer_get_bulk(peer_pool pool, void **objs, unsigned int n);
static inline void peer_put_bulk(peer_pool pool, void **objs, unsigned int n);

#endif /* BENCH_PEER_H */
