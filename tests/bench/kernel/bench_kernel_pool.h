/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * bench_kernel_pool.h - pools, inline or by exported functions
 *
 * Layer:   part of bench_kernel_pool.c and bench_kernel_call.c, of which the
 *	    latter defines POOL_NO_INLINE.
 *
 * The compiler by itself makes a function of an inline function that is called from
 * many places, as here; hence the always-inline halves in the former.
 */
#ifndef BENCH_BENCH_KERNEL_POOL_H
#define BENCH_BENCH_KERNEL_POOL_H

#include "bench_kernel_work.h"
#include "pool.h"

#include <linux/module.h>

static struct pool_head *pool;

static bool setup(unsigned int size, unsigned int limit)
{
	const struct pool_attr attr = {
		.name = "bench",
		.size = size,
		.limit = limit,
	};

	pool = create_pool_ext(&attr);
	return pool;
}

static void teardown(void)
{
	pool_destroy(pool);
	pool = NULL;
}

static bool refused(unsigned int n)
{
	return bench_refused(n);
}

#endif /* BENCH_BENCH_KERNEL_POOL_H */
