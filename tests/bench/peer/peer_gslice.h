/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * peer_gslice.h - GLib's slices, an allocator of their own up to GLib 2.74
 *
 * Layer:   the peer "gslice"; see peer.h.
 * Context: plain threads.
 */
#ifndef BENCH_PEER_GSLICE_H
#define BENCH_PEER_GSLICE_H

#include <glib.h>

/* The size. */
typedef size_t peer_pool;

static inline const char *peer_start(unsigned long bound)
{
	(void)bound;
	return glib_check_version(2, 76, 0) ? NULL :
	       "slices are malloc() since GLib 2.76";
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
	*pool = size;
	return true;
}

static inline void peer_destroy(peer_pool pool)
{
	(void)pool;
}

static inline void *peer_get(peer_pool pool)
{
	return g_slice_alloc(pool);
}

static inline void peer_put(peer_pool pool, void *obj)
{
	g_slice_free1(pool, obj);
}

#include "peer_loop.h"

#endif /* BENCH_PEER_GSLICE_H */
