// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bound.c - is the bound kept, and what does it cost in hits?
 *
 * Layer:   a program; the steps are those of steps.h.
 * Context: one thread.
 *
 *	bound [SIZE...]			64 256 1024 16384
 *
 * Per size, of 100 allocations: how many an exact least-recently-used order of single objects would
 * serve, simulated on the same steps and bound; how many calls the pools served without the shared
 * pool or the backend; and how many objects came from neither.  The last number is lower, since
 * objects come by clusters and some are evicted before they are used.  Then clusters evicted per
 * 1000 allocations, and the most bytes cached at any sample, over the bound.
 */
#include "pool.h"
#include "steps.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#define BOUND		524288ul
#define WARM		(4 * STEPS)
#define RUN		(32 * STEPS)
#define SAMPLE		8		/* steps between two readings of the cached bytes */

/*
 * An exact order of frees: each entry is a cached object, by the number of the free that cached it.
 */
static struct {
	unsigned long cached[STEPS_POOLS][65536];	/* a ring */
	unsigned int first[STEPS_POOLS];		/* the oldest */
	unsigned int end[STEPS_POOLS];			/* after the freshest */
	unsigned long bytes;
	unsigned long now;
	unsigned long hits;
} lru;

static struct pool_head *pools[STEPS_POOLS];
static void *held[STEPS_POOLS][STEPS_BURST];
static unsigned int count[STEPS_POOLS];
static struct steps steps;
static unsigned long allocs;
static double most;			/* cached bytes, as a multiple of the bound */

static unsigned long *lru_slot(unsigned int pool, unsigned int i)
{
	return &lru.cached[pool][i % 65536];
}

static void lru_alloc(unsigned int pool, unsigned long size)
{
	if (lru.end[pool] == lru.first[pool])
		return;
	lru.end[pool]--;
	lru.bytes -= size;
	lru.hits++;
}

static void lru_evict(unsigned long size)
{
	unsigned int oldest = STEPS_POOLS;
	unsigned int i;

	for (i = 0; i < STEPS_POOLS; i++) {
		if (lru.first[i] == lru.end[i])
			continue;
		if (oldest == STEPS_POOLS || *lru_slot(i, lru.first[i]) <
		    *lru_slot(oldest, lru.first[oldest]))
			oldest = i;
	}
	lru.first[oldest]++;
	lru.bytes -= size;
}

static void lru_free(unsigned int pool, unsigned long size)
{
	*lru_slot(pool, lru.end[pool]++) = ++lru.now;
	lru.bytes += size;
	while (lru.bytes > BOUND)
		lru_evict(size);
}

/* Sums over all pools. */
struct sums {
	unsigned long long cached;
	unsigned long long calls;	/* calls of the shared pool or the backend */
	unsigned long long objects;	/* objects that these calls got */
	unsigned long long evictions;
};

static struct sums sums(void)
{
	struct sums all = { 0 };
	struct pool_stats s;
	unsigned int i;

	for (i = 0; i < STEPS_POOLS; i++) {
		pool_stats_get(pools[i], &s, sizeof(s));
		all.cached += s.cached * s.object_size;
		all.calls += s.gets + s.store_gets;
		all.objects += s.get_objs + s.store_gets;
		all.evictions += s.evictions;
	}
	return all;
}

static void step(unsigned long size)
{
	unsigned int burst, k;
	unsigned int i = steps_next(&steps, &burst);

	if (count[i]) {
		for (k = 0; k < count[i]; k++) {
			pool_free(pools[i], held[i][k]);
			lru_free(i, size);
		}
		count[i] = 0;
		return;
	}
	for (k = 0; k < burst; k++) {
		held[i][k] = pool_alloc(pools[i]);
		if (!held[i][k])
			err(1, "pool_alloc()");
		lru_alloc(i, size);
	}
	count[i] = burst;
	allocs += burst;
}

static void run(unsigned long size, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		double part;

		step(size);
		if (i % SAMPLE)
			continue;
		part = (double)sums().cached / BOUND;
		if (part > most)
			most = part;
	}
}

static void begin(unsigned long size)
{
	unsigned int i;

	steps_make(&steps);
	for (i = 0; i < STEPS_POOLS; i++) {
		pools[i] = create_pool("bound", (unsigned int)size, 0);
		if (!pools[i])
			errx(1, "no pool");
		lru.first[i] = 0;
		lru.end[i] = 0;
	}
	lru.bytes = 0;
	most = 0;
}

static void end(void)
{
	unsigned int i, k;

	for (i = 0; i < STEPS_POOLS; i++) {
		for (k = 0; k < count[i]; k++)
			pool_free(pools[i], held[i][k]);
		count[i] = 0;
		pool_destroy(pools[i]);
	}
}

/* Of 100 allocations. */
static double percent(unsigned long long n)
{
	return 100 * (double)n / (double)allocs;
}

static void measure(unsigned long size)
{
	struct sums before, after;

	begin(size);
	run(size, WARM);
	before = sums();
	allocs = 0;
	lru.hits = 0;
	run(size, RUN);
	after = sums();
	printf("%6lu %8.2f %8.2f %8.2f %10.2f %13.3f\n", size,
	       percent(lru.hits), 100 - percent(after.calls - before.calls),
	       100 - percent(after.objects - before.objects),
	       10 * percent(after.evictions - before.evictions), most);
	end();
}

int main(int argc, char **argv)
{
	static const char *const usual[] = { "64", "256", "1024", "16384" };
	int i;

	if (!pool_set_hot_size(BOUND))
		return 1;
	printf("# hits of 100 allocations, 32 pools, bound %lu\n", BOUND);
	printf("%6s %8s %8s %8s %10s %13s\n", "# size", "exact", "calls",
	       "objects", "evictions", "cached/bound");
	for (i = 1; i < argc; i++)
		measure(strtoul(argv[i], NULL, 10));
	for (i = 0; argc == 1 && i < 4; i++)
		measure(strtoul(usual[i], NULL, 10));
	return 0;
}
