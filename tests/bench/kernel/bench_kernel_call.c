// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_call.c - pools, by the functions that pool.ko exports
 *
 * Layer:   part of pool_replay.ko; a peer of bench_kernel.c.
 * Context: as the peer's functions are called.
 */
#define POOL_NO_INLINE
#include "bench_kernel_pool.h"

static __always_inline void *bench_get(bool atomic)
{
	return atomic ? __pool_alloc(pool, POOL_F_ATOMIC) : pool_alloc(pool);
}

static __always_inline void bench_put(void *p)
{
	pool_free(pool, p);
}

const struct bench_peer bench_pool_call = {
	.name = "pool-call",
	.setup = setup,
	.teardown = teardown,
	BENCH_WORKS,
	.refused = refused,
};
