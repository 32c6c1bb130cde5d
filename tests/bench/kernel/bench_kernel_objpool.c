// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_objpool.c - an objpool, in kernels that have them (since 6.7)
 *
 * Layer:   part of pool_replay.ko; a peer of bench_kernel.c.
 * Context: as the peer's functions are called.
 *
 * Its objects are all made beforehand, an equal part for each CPU.  Their number
 * is the limit.
 */
#include "bench_kernel_work.h"

#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/objpool.h>

static struct objpool_head objpool;
static bool made;

static bool setup(unsigned int size, unsigned int limit)
{
	if (!limit)
		limit = (BENCH_LIVE + 24) * num_possible_cpus();
	made = !objpool_init(&objpool, limit, size, GFP_KERNEL, NULL, NULL,
			     NULL);
	return made;
}

static void teardown(void)
{
	if (made)
		objpool_fini(&objpool);
	made = false;
}

static __always_inline void *bench_get(bool atomic)
{
	return objpool_pop(&objpool);
}

static __always_inline void bench_put(void *p)
{
	objpool_push(p, &objpool);
}

static bool refused(unsigned int n)
{
	return bench_refused(n);
}

const struct bench_peer bench_objpool = {
	.name = "objpool",
	.setup = setup,
	.teardown = teardown,
	BENCH_WORKS,
	.refused = refused,
};
