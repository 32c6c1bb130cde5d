/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * bench_kernel.h - what an object costs in the kernel
 *
 * Layer:   part of pool_replay.ko.
 */
#ifndef BENCH_BENCH_KERNEL_H
#define BENCH_BENCH_KERNEL_H

#include <linux/types.h>

struct kmem_cache;

/* Most objects that a workload has at once. */
#define BENCH_LIVE	1000

/* Pools, and what they are compared with.  Where a function is NULL it has no such thing. */
struct bench_peer {
	const char *name;
	/*
	 * @limit: no more than that many at once; 0: no limit.  Peers without
	 * "refused" know no limit.  After a failure, too, comes teardown().
	 */
	bool (*setup)(unsigned int size, unsigned int limit);
	void (*teardown)(void);
	/* @n times: allocate, write, free.  Those that may fail say so. */
	bool (*pairs)(unsigned int n);
	bool (*pairs_atomic)(unsigned int n);
	/* Allocate @n and write to them. */
	bool (*take)(void **held, unsigned int n);
	bool (*take_atomic)(void **held, unsigned int n);
	/* Free @n: newest first, oldest first, in the order of bench_order[]. */
	void (*give_lifo)(void **held, unsigned int n);
	void (*give_fifo)(void **held, unsigned int n);
	void (*give_shuffled)(void **held, unsigned int n);
	/* @n allocations that are to fail; false: one did not. */
	bool (*refused)(unsigned int n);
};

extern const struct bench_peer bench_empty;
extern const struct bench_peer bench_pool;
extern const struct bench_peer bench_pool_call;
extern const struct bench_peer bench_pool_bulk;
extern const struct bench_peer bench_cache;
extern const struct bench_peer bench_cache_bulk;
extern const struct bench_peer bench_mempool;
extern const struct bench_peer bench_objpool;	/* with BENCH_HAS_OBJPOOL */

/* 0 to BENCH_LIVE - 1, shuffled. */
extern unsigned int bench_order[BENCH_LIVE];

/* bench_kernel_cache.c: as the backend of a pool has it, or NULL. */
struct kmem_cache *bench_cache_create(unsigned int size);

/*
 * The table, as text, in @buf.  Returns NULL, or why there is none.  Two
 * parameters of the module say which one: bench_size, the bytes of an object,
 * and bench_cpus, 0 for costs, else for visits on that many CPUs.
 */
const char *bench_kernel(char *buf, size_t size);

/* The table of visits; bench_kernel() calls it. */
const char *bench_visits(unsigned int object, unsigned int cpus, char *buf,
			 size_t size);

#endif /* BENCH_BENCH_KERNEL_H */
