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

#include "peer_size.h"

static inline const char *peer_start(unsigned long bound)
{
	(void)bound;
	return glib_check_version(2, 76, 0) ? NULL :
	       "slices are malloc() since GLib 2.76";
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
