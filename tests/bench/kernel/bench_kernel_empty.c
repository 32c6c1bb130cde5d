// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_empty.c - one address: the cost of the loop itself
 *
 * Layer:   part of pool_replay.ko; a peer of bench_kernel.c.
 * Context: any.
 */
#include "bench_kernel_work.h"

static unsigned long object;

static bool setup(unsigned int size, unsigned int limit)
{
	return true;
}

static void teardown(void)
{
}

static __always_inline void *bench_get(bool atomic)
{
	return &object;
}

/* Read the object's address, as the loops of other peers do. */
static __always_inline void bench_put(void *p)
{
	bench_forgotten(p);
}

const struct bench_peer bench_empty = {
	.name = "empty",
	.setup = setup,
	.teardown = teardown,
	BENCH_WORKS,
};
