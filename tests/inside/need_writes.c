// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * need_writes.c - how often need.c writes what all CPUs read
 *
 * Layer:   tests of common/shared/need.c.
 */
#include "test.h"

/* Threads that take turns; all read the cache line with the numbers by which need.c decides. */
#define WAVERS		8
#define WAVES		(20ul * WAVERS)

struct waves {
	struct pool *pool;
	unsigned long turn;
	unsigned long puts;		/* puts before the second half */
	unsigned long changes;		/* changes of the line in the second half */
};

/* Free @list; return how often the line by which need.c decides was changed meanwhile. */
static unsigned long changes(struct pool *pool, void *list)
{
	const size_t from = offsetof(struct pool, need_target);
	unsigned char were[offsetof(struct pool, pins) - offsetof(struct pool, need_target)];
	unsigned long n = 0;

	while (list) {
		void *next = *(void **)list;

		memcpy(were, (char *)pool + from, sizeof(were));
		pool_free(&pool->head, list);
		n += memcmp(were, (char *)pool + from, sizeof(were)) != 0;
		list = next;
	}
	return n;
}

static unsigned long puts_of(struct pool *pool)
{
	struct pool_stats now;

	pool_sum(pool, &now);
	return (unsigned long)now.puts;
}

static void await_wave(const struct waves *w, unsigned long turn)
{
	while (__atomic_load_n(&w->turn, __ATOMIC_ACQUIRE) != turn)
		plat_pause(true);
}

/* A thread that exits drains its caches, so it stays until the last one has counted. */
static void make_waves(unsigned int i, void *arg)
{
	struct waves *w = arg;
	unsigned long turn, n;

	for (turn = i; turn < WAVES; turn += WAVERS) {
		await_wave(w, turn);
		if (turn == WAVES / 2)
			w->puts = puts_of(w->pool);
		n = changes(w->pool, test_alloc_list(w->pool, 2ul * POOL_NEED_SPAN));
		if (turn >= WAVES / 2)
			w->changes += n;
		__atomic_store_n(&w->turn, turn + 1, __ATOMIC_RELEASE);
	}
	await_wave(w, WAVES);
}

/* Return how often the line was written for each 1000 clusters. */
static unsigned long writes_per_1000(unsigned int buckets)
{
	static struct waves w;
	unsigned long puts;

	memset(&w, 0, sizeof(w));
	pool_options.buckets = buckets;
	test_options(32768, POOL_CLUSTER_SIZE);
	w.pool = test_pool(64);
	if (!w.pool)
		return ~0ul;
	test_threads(WAVERS, make_waves, &w);
	puts = puts_of(w.pool) - w.puts;
	if (pool_destroy(&w.pool->head) || puts < WAVES * POOL_NEED_SPAN / POOL_CLUSTER_SIZE / 2)
		return ~0ul;
	return w.changes * 1000 / puts;
}

/*
 * All CPUs read the line, so each write costs each CPU a miss.  With POOL_BUCKETS_MAX fewer writes
 * are allowed.  Kernel threads share CPUs, where they end more spans, because the next thread on a
 * CPU continues the span of the previous thread.
 */
TEST_CASE(what_decides_where_clusters_go_is_hardly_written)
{
	unsigned int part;

	pool_fail_every = 0;
	EXPECT_LE(writes_per_1000(2), 1000 / 16);
	EXPECT_LE(writes_per_1000(8), 1000 / 16);
	part = test_nr_cpus() < WAVERS ? 4 : 16;
	EXPECT_LE(writes_per_1000(POOL_BUCKETS_MAX), 1000 / 8 / part);
}
