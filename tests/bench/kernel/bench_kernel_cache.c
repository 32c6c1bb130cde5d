// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_cache.c - a kmem_cache, by its single and by its bulk calls
 *
 * Layer:   part of pool_replay.ko; peers of bench_kernel.c.
 * Context: as the peers' functions are called.
 */
#include "bench_kernel_work.h"

#include <linux/slab.h>

static struct kmem_cache *cache;
static void *shuffled[BENCH_LIVE];

/* The region for user copies, as in the caches of pools, keeps it from merging. */
struct kmem_cache *bench_cache_create(unsigned int size)
{
	return kmem_cache_create_usercopy("pool-bench", size,
					  2 * sizeof(void *), 0, 0, size,
					  NULL);
}

static bool setup(unsigned int size, unsigned int limit)
{
	cache = bench_cache_create(size);
	return cache;
}

static void teardown(void)
{
	kmem_cache_destroy(cache);
	cache = NULL;
}

static __always_inline void *bench_get(bool atomic)
{
	return kmem_cache_alloc(cache, atomic ? GFP_ATOMIC : GFP_KERNEL);
}

static __always_inline void bench_put(void *p)
{
	kmem_cache_free(cache, p);
}

const struct bench_peer bench_cache = {
	.name = "kmem_cache",
	.setup = setup,
	.teardown = teardown,
	BENCH_WORKS,
};

static bool take_bulk(void **held, unsigned int n)
{
	unsigned int i;

	if (!kmem_cache_alloc_bulk(cache, GFP_KERNEL, n, held))
		return false;
	for (i = 0; i < n; i++)
		*(unsigned long *)held[i] = i;
	return true;
}

static void give_bulk(void **held, unsigned int n)
{
	kmem_cache_free_bulk(cache, n, held);
}

static void give_bulk_shuffled(void **held, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		shuffled[i] = held[bench_order[i]];
	kmem_cache_free_bulk(cache, n, shuffled);
}

/* Both orders free in the order of allocation, because newest first would need no other call. */
const struct bench_peer bench_cache_bulk = {
	.name = "kmem-bulk",
	.setup = setup,
	.teardown = teardown,
	.take = take_bulk,
	.give_lifo = give_bulk,
	.give_fifo = give_bulk,
	.give_shuffled = give_bulk_shuffled,
};
