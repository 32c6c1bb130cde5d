// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_pool.c - pools, inline, and by the bulk calls
 *
 * Layer:   part of pool_replay.ko; peers of bench_kernel.c.
 * Context: as the peers' functions are called.
 */
#include "bench_kernel_pool.h"

static __always_inline void *bench_get(bool atomic)
{
	return pool_alloc_inline(pool, atomic ? POOL_F_ATOMIC : 0);
}

static __always_inline void bench_put(void *p)
{
	pool_free_inline(pool, p, 0);
}

const struct bench_peer bench_pool = {
	.name = "pool",
	.setup = setup,
	.teardown = teardown,
	BENCH_WORKS,
	.refused = refused,
};

static void *shuffled[BENCH_LIVE];

static bool take_bulk(void **held, unsigned int n)
{
	unsigned int i;

	if (!pool_alloc_bulk(pool, 0, n, held))
		return false;
	for (i = 0; i < n; i++)
		*(unsigned long *)held[i] = i;
	return true;
}

static void give_bulk(void **held, unsigned int n)
{
	pool_free_bulk(pool, 0, n, held);
}

static void give_bulk_shuffled(void **held, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		shuffled[i] = held[bench_order[i]];
	pool_free_bulk(pool, 0, n, shuffled);
}

static bool refused_bulk(unsigned int n)
{
	void *p;

	for (; n; n--) {
		if (pool_alloc_bulk(pool, 0, 1, &p)) {
			pool_free(pool, p);
			return false;
		}
	}
	return true;
}

/* Both orders free in the order of allocation, because newest first would need no other call. */
const struct bench_peer bench_pool_bulk = {
	.name = "pool-bulk",
	.setup = setup,
	.teardown = teardown,
	.take = take_bulk,
	.give_lifo = give_bulk,
	.give_fifo = give_bulk,
	.give_shuffled = give_bulk_shuffled,
	.refused = refused_bulk,
};
