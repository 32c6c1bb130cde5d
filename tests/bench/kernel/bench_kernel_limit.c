// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_limit.c - what a limit costs, and how much of it another CPU gets
 *
 * Layer:   part of pool_replay.ko; bench_kernel_wait.c calls it.
 * Context: process context, bound to CPU 0; may sleep.
 *
 * Two kinds of rows.  "limited PEER LIMIT PAIR BATCH": ns of an allocation and its free, of one
 * object at a time, and of 100 at a time, or 16 if that is the limit; the least of some runs.
 * LIMIT 0: none.  "reach LIMIT GOT": this CPU has freed LIMIT objects, and another CPU, or this one
 * if there is no other, gets GOT of them with POOL_F_ATOMIC.
 *
 * The semaphore counts the objects of a slab, and its callers do not sleep.
 */
#include "bench_kernel_work.h"
#include "pool.h"

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#define OPS		10000
#define RUNS		4
#define BATCH		100
#define LARGE		100000
#define SMALL		16	/* no array: less than a slot for each CPU */
#define REACH_MOST	1024

static struct kmem_cache *cache;
static struct semaphore semaphore;

static bool setup(unsigned int size, unsigned int limit)
{
	sema_init(&semaphore, limit);
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
	return down_trylock(&semaphore) ? NULL :
	       kmem_cache_alloc(cache, atomic ? GFP_ATOMIC : GFP_KERNEL);
}

static __always_inline void bench_put(void *p)
{
	kmem_cache_free(cache, p);
	up(&semaphore);
}

static const struct bench_peer bench_semaphore = {
	.name = "semaphore",
	.setup = setup,
	.teardown = teardown,
	BENCH_WORKS,
};

static const struct {
	const struct bench_peer *peer;
	unsigned int limit;
} limited[] = {
	{ &bench_cache, 0 },
	{ &bench_mempool, 0 },
	{ &bench_semaphore, LARGE },
	{ &bench_pool, 0 },
	{ &bench_pool, LARGE },
	{ &bench_pool, SMALL },
};

static void *held[REACH_MOST];

/* Returns the ns of OPS pairs of calls, with @batch objects at a time; 0: an allocation failed. */
static u64 run_once(const struct bench_peer *peer, unsigned int batch)
{
	u64 start = ktime_get_ns();
	unsigned int n;

	if (batch == 1)
		return peer->pairs(OPS) ? ktime_get_ns() - start : 0;
	for (n = OPS / batch; n; n--) {
		if (!peer->take(held, batch))
			return 0;
		peer->give_lifo(held, batch);
	}
	return ktime_get_ns() - start;
}

/* Returns the time of a pair in tenths of a ns, the least of some runs; 0: an allocation failed. */
static unsigned int least(const struct bench_peer *peer, unsigned int batch)
{
	u64 best = U64_MAX;
	unsigned int i;

	for (i = 0; i < RUNS; i++)
		best = min(best, run_once(peer, batch));
	return (unsigned int)div_u64(best, OPS / 10);
}

/* Returns how many objects this CPU gets at once, and frees them. */
static long get_all(void *arg)
{
	struct pool_head *pool = arg;
	unsigned int n = 0;
	long got;

	while (n < REACH_MOST && (held[n] = __pool_alloc(pool, POOL_F_ATOMIC)))
		n++;
	got = n;
	while (n)
		pool_free(pool, held[--n]);
	return got;
}

static long reach(unsigned int object, unsigned int limit)
{
	struct pool_attr attr = { .name = "bench", .size = object, .limit = limit };
	struct pool_head *pool = create_pool_ext(&attr);
	long got = -1;

	if (pool && get_all(pool) == limit)
		got = work_on_cpu(cpumask_last(cpu_online_mask), get_all, pool);
	pool_destroy(pool);
	return got;
}

const char *bench_limits(unsigned int object, char *buf, size_t size)
{
	static const unsigned int limits[] = { 8, 64, REACH_MOST };
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(limited); i++) {
		const struct bench_peer *peer = limited[i].peer;
		unsigned int limit = limited[i].limit;
		unsigned int batch = limit == SMALL ? SMALL : BATCH;
		unsigned int pair = 0, of_batch = 0;

		if (peer->setup(object, limit)) {
			pair = least(peer, 1);
			of_batch = least(peer, batch);
		}
		peer->teardown();
		if (!pair || !of_batch)
			return "an allocation failed";
		len += scnprintf(buf + len, size - len, "limited %s %u %u.%u %u.%u\n",
				 peer->name, limit, pair / 10, pair % 10,
				 of_batch / 10, of_batch % 10);
	}
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		len += scnprintf(buf + len, size - len, "reach %u %ld\n", limits[i],
				 reach(object, limits[i]));
	return NULL;
}
