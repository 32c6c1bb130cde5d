/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * peer_malloc.h - malloc() and free() of the library that the program is linked with
 *
 * Layer:   the peers "glibc", "jemalloc", "mimalloc", "tcmalloc"; see peer.h.
 *	    PEER_LIBRARY is a part of the name of the file that must have malloc().
 * Context: plain threads.
 *
 * Compiled with -fno-builtin, since otherwise the compiler leaves out pairs of calls.
 */
#ifndef BENCH_PEER_MALLOC_H
#define BENCH_PEER_MALLOC_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "peer_size.h"

static inline const char *peer_start(unsigned long bound)
{
	Dl_info info;

	(void)bound;
	if (!dladdr(dlsym(RTLD_DEFAULT, "malloc"), &info) ||
	    !strstr(info.dli_fname, PEER_LIBRARY))
		return "malloc() is not that of " PEER_LIBRARY;
	return NULL;
}

static inline void *peer_get(peer_pool pool)
{
	return malloc(pool);
}

static inline void peer_put(peer_pool pool, void *obj)
{
	(void)pool;
	free(obj);
}

#include "peer_loop.h"

#endif /* BENCH_PEER_MALLOC_H */
