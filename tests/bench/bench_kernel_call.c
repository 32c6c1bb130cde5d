// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_call.c - pools, by the functions that pool.ko exports
 *
 * Layer:   part of pool_replay.ko; a peer of bench_kernel.c.
 * Context: as the peer's functions are called.
 */
#define POOL_NO_INLINE
#include "bench_kernel_pool.h"

const struct bench_peer bench_pool_call = {
	.name = "pool-call",
	.setup = setup,
	.teardown = teardown,
	BENCH_WORKS,
	.refused = refused,
};
