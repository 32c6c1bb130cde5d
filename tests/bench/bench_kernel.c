// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel.c - what an object costs in the kernel: pools and kmem_caches
 *
 * Layer:   part of pool_replay.ko, which calls it; twin of work.c and bench.c.
 * Context: process context; may sleep.
 *
 * The unit is the clock's nanosecond.  Under qemu -icount shift=0 each
 * instruction takes one, which makes it a count of instructions; elsewhere it
 * is time, and says little in a virtual machine.  Of some runs the least is
 * taken: what comes in between are interrupts, and they only add.  The cost of
 * the loop and of the write to the object is in all figures, and is given.
 */
#include "bench_kernel.h"
#include "pool.h"

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/slab.h>

#define OPS		64000
#define RUNS		7
#define BATCH_MAX	1000

static struct pool_head *pool;
static struct kmem_cache *cache;
static unsigned long object;
static void *held[BATCH_MAX];

static __always_inline void *get_pool(void)
{
	return pool_alloc(pool);
}

static __always_inline void put_pool(void *p)
{
	pool_free(pool, p);
}

static __always_inline void *get_cache(void)
{
	return kmem_cache_alloc(cache, GFP_KERNEL);
}

static __always_inline void put_cache(void *p)
{
	kmem_cache_free(cache, p);
}

static __always_inline void *get_empty(void)
{
	return &object;
}

static __always_inline void put_empty(void *p)
{
}

/* The compiler knows nothing of what happened to @p. */
static __always_inline void *forgotten(void *p)
{
	__asm__ __volatile__("" : "+r"(p) : : "memory");
	return p;
}

/* A batch of 1 is the hot pair.  Inlined with constants for all but n. */
static __always_inline bool work(void *(*get)(void), void (*put)(void *),
				 unsigned int batch)
{
	unsigned int n, i;

	for (n = OPS / batch; n; n--) {
		for (i = 0; i < batch; i++) {
			unsigned long *p = get();

			if (!p)
				return false;
			*p = n;
			held[i] = forgotten(p);
		}
		for (i = 0; i < batch; i++)
			put(held[i]);
	}
	return true;
}

#define DEFINE_WORK(name, batch)				\
static bool name##_##batch(void)				\
{								\
	return work(get_##name, put_##name, batch);		\
}

DEFINE_WORK(pool, 1)
DEFINE_WORK(pool, 64)
DEFINE_WORK(pool, 1000)
DEFINE_WORK(cache, 1)
DEFINE_WORK(cache, 64)
DEFINE_WORK(cache, 1000)
DEFINE_WORK(empty, 1)
DEFINE_WORK(empty, 64)
DEFINE_WORK(empty, 1000)

static const struct {
	const char *workload;
	const char *candidate;
	bool (*work)(void);
} rows[] = {
	{ "hot", "kmem_cache", cache_1 },
	{ "hot", "pool", pool_1 },
	{ "hot", "empty", empty_1 },
	{ "batch64", "kmem_cache", cache_64 },
	{ "batch64", "pool", pool_64 },
	{ "batch64", "empty", empty_64 },
	{ "batch1000", "kmem_cache", cache_1000 },
	{ "batch1000", "pool", pool_1000 },
	{ "batch1000", "empty", empty_1000 },
};

/* Hundredths of a ns per operation, the least of some runs; 0: failed. */
static u64 least(bool (*work)(void))
{
	u64 best = 0;
	int i;

	for (i = 0; i < RUNS; i++) {
		u64 start, ns;

		cond_resched();
		start = ktime_get_ns();
		if (!work())
			return 0;
		ns = ktime_get_ns() - start;
		if (!best || ns < best)
			best = ns;
	}
	return div_u64(best * 100, OPS);
}

static const char *measure(unsigned int size, char *buf, size_t room,
			   size_t *len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 cost = least(rows[i].work);
		u32 rest;

		if (!cost)
			return "an allocation failed";
		cost = div_u64_rem(cost, 100, &rest);
		*len += scnprintf(buf + *len, room - *len,
				  "%-10s %-10s %4u %6llu.%02u\n",
				  rows[i].workload, rows[i].candidate, size,
				  cost, rest);
	}
	return NULL;
}

static const char *bench_size(unsigned int size, char *buf, size_t room,
			      size_t *len)
{
	const char *why = "no pool or no cache";

	pool = create_pool("bench", size, 0);
	cache = kmem_cache_create_usercopy("replay-bench", size,
					   2 * sizeof(void *), 0, 0, size,
					   NULL);
	if (pool && cache)
		why = measure(size, buf, room, len);
	kmem_cache_destroy(cache);
	pool_destroy(pool);
	return why;
}

const char *bench_kernel(char *buf, size_t size)
{
	const char *why;
	size_t len = 0;

	why = bench_size(64, buf, size, &len);
	if (!why)
		why = bench_size(1024, buf, size, &len);
	return why;
}
