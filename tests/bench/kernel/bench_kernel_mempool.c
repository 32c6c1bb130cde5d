// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_mempool.c - a mempool_t of 64 objects, above a kmem_cache
 *
 * Layer:   part of pool_replay.ko; a peer of bench_kernel.c.
 * Context: as the peer's functions are called.
 */
#include "bench_kernel_work.h"

#include <linux/mempool.h>
#include <linux/slab.h>

#define SPARE		64

static struct kmem_cache *cache;
static mempool_t *mempool;

static bool setup(unsigned int size, unsigned int limit)
{
	cache = bench_cache_create(size);
	if (cache)
		mempool = mempool_create_slab_pool(SPARE, cache);
	return mempool;
}

static void teardown(void)
{
	mempool_destroy(mempool);
	kmem_cache_destroy(cache);
	mempool = NULL;
	cache = NULL;
}

static __always_inline void *bench_get(bool atomic)
{
	return mempool_alloc(mempool, atomic ? GFP_ATOMIC : GFP_KERNEL);
}

static __always_inline void bench_put(void *p)
{
	mempool_free(p, mempool);
}

const struct bench_peer bench_mempool = {
	.name = "mempool",
	.setup = setup,
	.teardown = teardown,
	BENCH_WORKS,
};
