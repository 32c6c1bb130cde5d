// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * work.c - the workloads, for one candidate
 *
 * Layer:   below bench.c; compiled once per candidate, which a macro names:
 *	    BENCH_POOL, BENCH_POOL_SO, BENCH_MALLOC or BENCH_EMPTY.
 * Context: plain threads.
 */
#ifdef BENCH_POOL_SO
#define POOL_NO_INLINE
#endif
#include "pool.h"
#include "bench.h"

#include <stdbool.h>
#include <stdlib.h>

#if defined(BENCH_POOL) || defined(BENCH_POOL_SO)

static struct pool_head *pool;

static bool setup(size_t size)
{
	pool = create_pool("bench", (unsigned int)size, 0);
	return pool;
}

static void teardown(void)
{
	pool_destroy(pool);
}

static inline void *get(void)
{
	return pool_alloc(pool);
}

static inline void put(void *p)
{
	pool_free(pool, p);
}

#elif defined(BENCH_MALLOC)

static size_t object_size;

static bool setup(size_t size)
{
	object_size = size;
	return true;
}

static void teardown(void)
{
}

static inline void *get(void)
{
	return malloc(object_size);
}

static inline void put(void *p)
{
	free(p);
}

#elif defined(BENCH_EMPTY)

static unsigned long object;

static bool setup(size_t size)
{
	(void)size;
	return true;
}

static void teardown(void)
{
}

static inline void *get(void)
{
	return &object;
}

static inline void put(void *p)
{
	(void)p;
}

#endif

/* The compiler knows nothing of what happened to @p. */
static inline void *forgotten(void *p)
{
	__asm__ __volatile__("" : "+r"(p) : : "memory");
	return p;
}

/* What every user of an object does at least. */
static inline void *get_written(unsigned long value)
{
	unsigned long *p = get();

	if (!p)
		abort();
	*p = value;
	return forgotten(p);
}

static void hot(unsigned long n)
{
	while (n--)
		put(get_written(n));
}

static void batch(unsigned long n, unsigned int size)
{
	void *held[BATCH_MAX];
	unsigned int i;

	for (n /= size; n; n--) {
		for (i = 0; i < size; i++)
			held[i] = get_written(n);
		for (i = 0; i < size; i++)
			put(held[i]);
	}
}

static void produce(struct ring *ring, unsigned long n)
{
	while (n--)
		ring_put(ring, get_written(n));
}

static void consume(struct ring *ring, unsigned long n)
{
	while (n--)
		put(ring_take(ring));
}

#if defined(BENCH_POOL)
const struct candidate bench_pool = { .name = "pool",
#elif defined(BENCH_POOL_SO)
const struct candidate bench_pool_so = { .name = "pool-so",
#elif defined(BENCH_MALLOC)
const struct candidate bench_malloc = { .name = "malloc",
#else
const struct candidate bench_empty = { .name = "empty",
#endif
	.setup = setup,
	.teardown = teardown,
	.hot = hot,
	.batch = batch,
	.produce = produce,
	.consume = consume,
};
