/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * bench_kernel.h - the cost of an object in the kernel
 *
 * Layer:   part of pool_replay.ko.
 */
#ifndef BENCH_BENCH_KERNEL_H
#define BENCH_BENCH_KERNEL_H

#include <linux/types.h>

struct kmem_cache;

/* Most objects that a workload has at once. */
#define BENCH_LIVE	1000

/* Pools, and allocators they are compared with.  A NULL function: the peer has none. */
struct bench_peer {
	const char *name;
	/*
	 * @limit: no more than that many at once; 0: no limit.  Peers without
	 * "refused" know no limit.  teardown() follows even a failure.
	 */
	bool (*setup)(unsigned int size, unsigned int limit);
	void (*teardown)(void);
	/* @n times: allocate, write, free.  False: an allocation failed. */
	bool (*pairs)(unsigned int n);
	bool (*pairs_atomic)(unsigned int n);
	/* Allocate @n and write to them. */
	bool (*take)(void **held, unsigned int n);
	bool (*take_atomic)(void **held, unsigned int n);
	/* Free @n: newest first, oldest first, in the order of bench_order[]. */
	void (*give_lifo)(void **held, unsigned int n);
	void (*give_fifo)(void **held, unsigned int n);
	void (*give_shuffled)(void **held, unsigned int n);
	/* Make @n allocations that must fail; false if one succeeded. */
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

/* bench_kernel_cache.c: make a cache like those behind pools; NULL if that fails. */
struct kmem_cache *bench_cache_create(unsigned int size);

/*
 * Write the table, as text, to @buf.  Returns NULL, or why there is none.
 * Parameters of the module select it: bench_size, the bytes of an object;
 * bench_what, the table; and bench_cpus, which makes "costs" visits on that many CPUs.
 */
const char *bench_kernel(char *buf, size_t size);

/* The table of visits; bench_kernel() calls it. */
const char *bench_visits(unsigned int object, unsigned int cpus, char *buf,
			 size_t size);

/* The tables of what CPUs do to each other, and of the longest calls; bench_kernel() calls them. */
const char *bench_contend(unsigned int object, char *buf, size_t size);
const char *bench_latency(char *buf, size_t size);

/* The table of many pools, and of many CPUs that use one pool; bench_kernel() calls it. */
const char *bench_many(char *buf, size_t size);

/* The table of frees while tasks wait, which also calls bench_limits(); bench_kernel() calls it. */
const char *bench_waits(unsigned int object, char *buf, size_t size);
const char *bench_limits(unsigned int object, char *buf, size_t size);

#endif /* BENCH_BENCH_KERNEL_H */
