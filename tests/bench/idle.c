// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * idle.c - how well is a busy pool served beside idle ones, and a small one beside
 * a huge one?
 *
 * Layer:   a program.
 * Context: one thread.
 *
 * First table: idle pools fill the caches and are never called again.  A busy pool
 * then allocates and frees batches; its working set is printed in KiB.  "last" is
 * the last batch of 400 that did not find all of its objects in the caches, from 1;
 * 0: all did.  "late": of 100 objects, how many came from below after batch 100.
 *
 * Second table: small pools allocate and free 1 to 12 objects of 64 bytes at a time
 * while a huge one allocates and frees twice the bound; "hits": of 100 objects of
 * the small ones, how many did not come from below.
 */
#include "pool.h"
#include "random.h"

#include <err.h>
#include <stdio.h>

#define BOUND		524288u
#define BATCHES		400u
#define LATE		100u
#define MOST		300u		/* idle pools */
#define SMALL		8u
#define ROUNDS		300u

static struct pool_head *pools[MOST];
static void *objs[BOUND / 16];

static struct pool_head *new_pool(unsigned int size)
{
	struct pool_head *pool = create_pool("idle", size, MEM_F_EXACT);

	if (!pool)
		errx(1, "no pool");
	return pool;
}

/* Returns how many objects did not come from this thread's caches. */
static unsigned long long from_below(struct pool_head *pool)
{
	struct pool_stats s;

	pool_stats_get(pool, &s, sizeof(s));
	return s.get_objs + s.store_gets;
}

static void batch(struct pool_head *pool, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		objs[i] = pool_alloc(pool);
	for (i = 0; i < n; i++)
		pool_free(pool, objs[i]);
}

/* @idle: how many pools; @n: objects of each; then the busy pool's size and number. */
static void beside_idle(unsigned int idle, unsigned int size, unsigned int n,
			unsigned int busy_size, unsigned int busy_n)
{
	unsigned long long late = 0;
	struct pool_head *busy;
	unsigned int i, last = 0;

	for (i = 0; i < idle; i++)
		pools[i] = new_pool(size);
	for (i = 0; i < 3 * idle; i++)
		batch(pools[i % idle], n);
	busy = new_pool(busy_size);
	for (i = 1; i <= BATCHES; i++) {
		unsigned long long before = from_below(busy);

		batch(busy, busy_n);
		if (from_below(busy) == before || i == 1)
			continue;
		last = i;
		if (i > LATE)
			late += from_below(busy) - before;
	}
	printf("%4u x %4u x %5u %6u x %4u %6u %6u %6.1f\n", idle, n, size,
	       busy_n, busy_size, busy_n * busy_size / 1024, last,
	       100 * (double)late / busy_n / (BATCHES - LATE));
	pool_destroy(busy);
	for (i = 0; i < idle; i++)
		pool_destroy(pools[i]);
}

static void beside_huge(unsigned int size)
{
	unsigned int n = 2 * BOUND / size, seed = 7, i, round;
	struct pool_head *huge = new_pool(size);
	static void *held[2 * BOUND / 16];
	unsigned long allocs = 0;
	unsigned long long below = 0;

	for (i = 0; i < SMALL; i++)
		pools[i] = new_pool(64);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < n; i++) {
			struct pool_head *pool = pools[random_below(&seed, SMALL)];
			unsigned int k = 1 + random_below(&seed, 12);
			unsigned long long before = from_below(pool);

			if (round % 2)
				pool_free(huge, held[i]);
			else
				held[i] = pool_alloc(huge);
			batch(pool, k);
			if (round < ROUNDS / 10)
				continue;
			allocs += k;
			below += from_below(pool) - before;
		}
	}
	printf("%6u %8.2f\n", size, 100 - 100 * (double)below / (double)allocs);
	for (i = 0; i < SMALL; i++)
		pool_destroy(pools[i]);
	pool_destroy(huge);
}

int main(void)
{
	if (!pool_set_hot_size(BOUND))
		return 1;
	printf("# bound %u\n%20s %13s %6s %6s %6s\n", BOUND, "# idle: objects",
	       "busy", "KiB", "last", "late");
	beside_idle(1, 64, 8192, 1024, 200);
	beside_idle(1, 64, 8192, 1024, 505);
	beside_idle(1, 64, 8192, 16384, 30);
	beside_idle(8, 1024, 64, 1024, 400);
	beside_idle(32, 256, 128, 1024, 400);
	beside_idle(300, 64, 64, 1024, 400);
	beside_idle(0, 64, 0, 1024, 512);
	printf("%6s %8s\n", "# huge", "hits");
	beside_huge(1024);
	beside_huge(16384);
	return 0;
}
