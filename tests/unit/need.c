// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * need.c - how many objects are kept after bursts, by steady users, by gc
 *
 * Layer:   tests of common/core/need.c and reclaim.c.
 * Context: see test.h.
 */
#include "test.h"

#define BURST		100000

/* Allocate a list of @n objects, linked by their first words. */
static void *alloc_list(struct pool *pool, unsigned long n)
{
	void *list = NULL;

	while (n--) {
		void **obj = pool_alloc(&pool->head);

		if (!obj)
			break;
		*obj = list;
		list = obj;
	}
	return list;
}

/* Free a list; returns how long it was. */
static unsigned long free_list(struct pool *pool, void *list)
{
	unsigned long n = 0;

	while (list) {
		void *next = *(void **)list;

		pool_free(&pool->head, list);
		list = next;
		n++;
	}
	return n;
}

#define ROW		3
#define ROW_SIZE	POOL_SHARED_LARGE
#define ROW_OBJS	6400ul		/* 12.5 MiB */

/* Bytes in the shared parts of the pools that there are. */
static unsigned long shared_of(struct pool **pools)
{
	unsigned long bytes = 0, i;

	for (i = 0; i < ROW && pools[i]; i++)
		bytes += pool_shared_count(pools[i]) * ROW_SIZE;
	return bytes;
}

/*
 * Each of them keeps what it lately needed, and the first one has most of the bound.  A pool may
 * be 64 KiB behind with what it noted, and put two clusters at once.  While the last one is in
 * use, it keeps a quarter of that.
 */
TEST_CASE(all_shared_parts_together_keep_16_mib_and_a_quarter_of_what_is_in_use)
{
	unsigned long slack = ROW * (65536 + 2ul * POOL_CLUSTER_SIZE * ROW_SIZE);
	struct pool *pools[ROW] = { NULL };
	unsigned int i;
	void *half;

	pool_fail_every = 0;
	for (i = 0; i < ROW; i++) {
		pools[i] = test_pool(ROW_SIZE - 16 * i);
		ASSERT(pools[i]);
		free_list(pools[i], alloc_list(pools[i], ROW_OBJS));
		EXPECT_LE(shared_of(pools), POOL_SHARED_MOST + slack);
	}
	EXPECT_LE(POOL_SHARED_MOST / 2, shared_of(pools));
	half = alloc_list(pools[2], ROW_OBJS / 2);
	free_list(pools[2], alloc_list(pools[2], ROW_OBJS / 2));
	EXPECT_LE(shared_of(pools), POOL_SHARED_MOST + ROW_OBJS / 8 * ROW_SIZE + slack);
	free_list(pools[2], half);
	for (i = 0; i < ROW; i++)
		EXPECT(!pool_destroy(&pools[i]->head));
	/* What they had noted is gone with them: the bound is there for another. */
	pools[0] = test_pool(ROW_SIZE);
	ASSERT(pools[0]);
	for (i = 0; i < 4; i++)
		free_list(pools[0], alloc_list(pools[0], ROW_OBJS));
	EXPECT_LE(ROW_OBJS * 3 / 4, pool_shared_count(pools[0]));
	EXPECT(!pool_destroy(&pools[0]->head));
}

/* Its pool does not put, nor reach the backend, and so could not notice it later. */
TEST_CASE(what_users_took_out_of_a_shared_part_leaves_the_bound_to_others)
{
	struct pool *pools[ROW] = { NULL };
	unsigned int i;
	void *list;

	pool_fail_every = 0;
	for (i = 0; i < 2; i++) {
		pools[i] = test_pool(ROW_SIZE - 16 * i);
		ASSERT(pools[i]);
	}
	for (i = 0; i < 4; i++)
		free_list(pools[0], alloc_list(pools[0], ROW_OBJS));
	list = alloc_list(pools[0], pool_allocated(pools[0]));
	EXPECT_EQ(pool_shared_count(pools[0]), 0);
	for (i = 0; i < 4; i++)
		free_list(pools[1], alloc_list(pools[1], ROW_OBJS));
	EXPECT_LE(ROW_OBJS * 3 / 4, pool_shared_count(pools[1]));
	free_list(pools[0], list);
	for (i = 0; i < 2; i++)
		EXPECT(!pool_destroy(&pools[i]->head));
}

/* How many objects does a burst leave, beyond those that CPUs have cached? */
static unsigned long left_by_burst(struct pool *pool)
{
	void *list = alloc_list(pool, BURST);
	unsigned long n = free_list(pool, list);
	struct pool_stats now;

	pool_sum(pool, &now);
	return n < BURST ? ~0ul :
	       (unsigned long)(now.allocated - now.cached);
}

/* Does each of two bursts leave at most a tenth? */
static bool sheds_bursts(unsigned int size)
{
	struct pool *pool;
	bool good;

	pool_fail_every = 0;
	pool = test_pool(size);
	good = pool && left_by_burst(pool) <= BURST / 10 &&
	       test_quiet(pool, 0) && left_by_burst(pool) <= BURST / 10;
	return pool && !pool_destroy(&pool->head) && good;
}

/* A case each, since tools make them slow, and a case of KUnit ends after five minutes. */
TEST_CASE(a_burst_of_small_objects_leaves_at_most_a_tenth)
{
	EXPECT(sheds_bursts(16));
}

TEST_CASE(a_burst_of_objects_leaves_at_most_a_tenth)
{
	EXPECT(sheds_bursts(64));
}

TEST_CASE(a_burst_of_larger_objects_leaves_at_most_a_tenth)
{
	EXPECT(sheds_bursts(256));
}

TEST_CASE(a_burst_of_uncached_objects_leaves_at_most_a_tenth)
{
	struct pool *pool;

	pool_fail_every = 0;
	test_options(0, 32);
	pool = test_pool(64);
	ASSERT(pool);
	EXPECT_LE(left_by_burst(pool), BURST / 10);
	EXPECT(test_quiet(pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/* One thread allocates a batch, the other one frees it, in turns. */
#define BATCH		1000
#define WARM_UP		40
#define ROUNDS		100
#define TURNS		(2ul * (WARM_UP + ROUNDS))

struct turns {
	struct pool *pool;
	unsigned long turn;		/* even: the producer's */
	void *list;
	unsigned long after_warm_up;	/* backend calls */
	unsigned long at_end;		/* before threads drain their caches */
};

static unsigned long store_calls(struct pool *pool)
{
	return plat_read(&pool->store_gets) +
	       plat_read(&pool->store_puts);
}

static void produce(struct turns *t)
{
	if (t->turn == 2 * WARM_UP)
		t->after_warm_up = store_calls(t->pool);
	t->list = alloc_list(t->pool, BATCH);
}

static void await(const struct turns *t, unsigned long turn)
{
	while (__atomic_load_n(&t->turn, __ATOMIC_ACQUIRE) != turn)
		plat_pause(true);
}

/* The producer stays until the consumer has counted: threads that exit drain their caches. */
static void take_turns(unsigned int i, void *arg)
{
	struct turns *t = arg;
	unsigned long turn;

	for (turn = i; turn < TURNS; turn += 2) {
		await(t, turn);
		if (i)
			free_list(t->pool, t->list);
		else
			produce(t);
		t->at_end = store_calls(t->pool);
		__atomic_store_n(&t->turn, turn + 1, __ATOMIC_RELEASE);
	}
	await(t, TURNS);
}

/* Backend calls of a producer and a consumer after their warm-up. */
static unsigned long steady_calls(unsigned int size)
{
	static struct turns t;
	unsigned long calls;

	memset(&t, 0, sizeof(t));
	pool_fail_every = 0;
	t.pool = test_pool(size);
	if (!t.pool)
		return ~0ul;
	test_threads(2, take_turns, &t);
	calls = t.at_end - t.after_warm_up;
	return pool_destroy(&t.pool->head) ? ~0ul : calls;
}

TEST_CASE(a_steady_producer_and_consumer_reach_no_backend_calls)
{
	EXPECT_EQ(steady_calls(64), 0);
	EXPECT_EQ(steady_calls(1024), 0);
}

/* As on a large machine, where one put in several is sampled. */
TEST_CASE(all_of_that_holds_with_many_buckets)
{
	struct pool *pool;

	pool_options.buckets = POOL_BUCKETS_MAX;
	EXPECT_EQ(steady_calls(64), 0);
	pool = test_pool(256);
	ASSERT(pool);
	EXPECT_LE(left_by_burst(pool), BURST / 10);
	EXPECT(test_quiet(pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/* How many spans end while @n objects are brought down, one by one? */
static unsigned long ends_of_spans(unsigned int buckets, unsigned long n)
{
	unsigned long ends = 0;
	struct pool *pool;
	void *list;

	pool_options.buckets = buckets;
	test_options(0, 32);
	pool = test_pool(64);
	if (!pool)
		return 0;
	list = alloc_list(pool, n);
	while (list) {
		const struct pool_bucket *b = &pool->bucket[plat_cpu_hint() & (buckets - 1)];
		unsigned long left = b->need_left;
		void *next = *(void **)list;

		pool_free(&pool->head, list);
		ends += b->need_left > left;
		list = next;
	}
	pool_destroy(&pool->head);
	return ends;
}

TEST_CASE(a_span_is_as_long_with_many_buckets)
{
	unsigned long n = 20000 + test_scale(40000);
	unsigned long one, many;

	pool_fail_every = 0;
	one = ends_of_spans(1, n);
	many = ends_of_spans(POOL_BUCKETS_MAX, n);
	EXPECT_LE(n / POOL_NEED_SPAN - 2, one);
	EXPECT_LE(one, n / POOL_NEED_SPAN + 2);
	EXPECT_LE(many, one + 2);
}

/* Waves of threads that take turns, and that all read the line that decides where clusters go. */
#define WAVERS		8
#define WAVES		(20ul * WAVERS)

struct waves {
	struct pool *pool;
	unsigned long turn;
	unsigned long puts;		/* before the second half */
	unsigned long changes;		/* of the line, in the second half */
};

/* Free @list; returns how often what need.c decides by changed meanwhile. */
static unsigned long changes(struct pool *pool, void *list)
{
	const size_t from = offsetof(struct pool, need_kept);
	unsigned char were[offsetof(struct pool, pins) - offsetof(struct pool, need_kept)];
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
		n = changes(w->pool, alloc_list(w->pool, 2ul * POOL_NEED_SPAN));
		if (turn >= WAVES / 2)
			w->changes += n;
		__atomic_store_n(&w->turn, turn + 1, __ATOMIC_RELEASE);
	}
	await_wave(w, WAVES);
}

/* Returns how often the line was written for each 1000 clusters. */
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
 * It was written in each put by up to 8 CPUs, and in each eighth by 64.  Tasks that share CPUs, as
 * in the kernel, go on with the span of another task when they migrate, and end more of them.
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

TEST_CASE(they_reach_none_with_a_small_bound_either)
{
	test_options(16384, 8);
	EXPECT_EQ(steady_calls(64), 0);
	test_options(0, 8);
	EXPECT_EQ(steady_calls(64), 0);
}

TEST_CASE(the_average_need_is_what_a_wave_needs)
{
	struct pool *pool;
	struct pool_stats now;
	unsigned int i;

	pool_fail_every = 0;
	test_options(16384, 8);
	pool = test_pool(64);
	ASSERT(pool);
	for (i = 0; i < 20; i++)
		test_wave(pool, 1000);
	pool_stats_get(&pool->head, &now, sizeof(now));
	EXPECT_LE(900, now.need);
	EXPECT_LE(now.need, 1300);
	for (i = 0; i < 400; i++)
		test_wave(pool, 300);
	pool_stats_get(&pool->head, &now, sizeof(now));
	EXPECT_LE(now.need, 600);
	EXPECT_LE(now.allocated, 900);
	pool_destroy(&pool->head);
}

/* More than a span and the caches, few enough that a fall in vain is noticed. */
#define AGAIN		16384

/* Backend calls of one more burst. */
static unsigned long calls_of_burst(struct pool *pool, unsigned long n)
{
	unsigned long before = store_calls(pool);

	free_list(pool, alloc_list(pool, n));
	return store_calls(pool) - before;
}

TEST_CASE(what_is_wanted_again_and_again_is_kept_until_it_is_not)
{
	struct pool *pool;
	struct pool_stats now;
	unsigned int i;

	pool_fail_every = 0;
	test_options(16384, 8);
	pool = test_pool(64);
	ASSERT(pool);
	EXPECT_LE(AGAIN, calls_of_burst(pool, AGAIN));
	EXPECT_LE(AGAIN / 2, calls_of_burst(pool, AGAIN));
	for (i = 0; i < 20; i++)
		calls_of_burst(pool, AGAIN);
	EXPECT_LE(calls_of_burst(pool, AGAIN), AGAIN / 16);
	for (i = 0; i < 300; i++)
		test_wave(pool, 1000);
	pool_sum(pool, &now);
	EXPECT_LE(now.allocated, AGAIN / 5);
	EXPECT(test_quiet(pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

TEST_CASE(spare_objects_survive_a_gc_but_not_a_flush)
{
	struct pool *pool;
	struct pool_stats now;

	pool_fail_every = 0;
	test_options(0, 8);
	pool = test_pool(64);
	ASSERT(pool);
	EXPECT(pool_set_min_avail(&pool->head, 37));
	test_wave(pool, 1000);
	pool_gc(NULL);
	pool_sum(pool, &now);
	EXPECT_EQ(now.shared, 37);
	EXPECT_EQ(now.min_avail, 37);
	pool_gc(NULL);
	pool_reclaim(&pool->head);
	pool_sum(pool, &now);
	EXPECT_EQ(now.shared, 37);
	pool_flush(&pool->head);
	pool_sum(pool, &now);
	EXPECT_EQ(now.shared, 0);
	EXPECT_EQ(now.allocated, 0);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

TEST_CASE(spare_objects_are_kept_without_need)
{
	struct pool *pool;
	struct pool_stats now;

	pool_fail_every = 0;
	test_options(0, 8);
	pool = test_pool(64);
	ASSERT(pool);
	EXPECT(pool_set_min_avail(&pool->head, 2000));
	free_list(pool, alloc_list(pool, 3000));
	free_list(pool, alloc_list(pool, BURST));
	pool_sum(pool, &now);
	EXPECT_LE(2000, now.shared);
	EXPECT_LE(now.shared, BURST / 10);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

TEST_CASE(what_is_shed_never_takes_spare_objects)
{
	static const unsigned int spares[] = { 64, 200 };
	unsigned int i, k;

	for (i = 0; i < 2; i++) {
		struct pool *pool;

		pool_fail_every = 0;
		test_options(16384, 32);
		pool = test_pool(64);
		ASSERT(pool);
		EXPECT(pool_set_min_avail(&pool->head, spares[i]));
		test_wave(pool, 2000);
		EXPECT_LE(spares[i], pool_shared_count(pool));
		for (k = 0; k < 60; k++) {
			test_wave(pool, 300);
			EXPECT_LE(spares[i], pool_shared_count(pool));
		}
		EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	}
}

/* A thread that caches objects and stays. */
struct resident {
	struct pool *pool;
	unsigned int cpu;
	unsigned long state;		/* 1: has cached; 2: may go */
};

static void reside(struct resident *r)
{
	free_list(r->pool, alloc_list(r->pool, 300));
	r->cpu = plat_cpu_hint();
	__atomic_store_n(&r->state, 1ul, __ATOMIC_RELEASE);
	while (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != 2)
		plat_pause(true);
	free_list(r->pool, alloc_list(r->pool, 300));
}

static void reclaim_it(struct resident *r)
{
	while (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != 1)
		plat_pause(true);
	pool_reclaim(r->pool ? &r->pool->head : NULL);
}

static unsigned long clustered_at(struct resident *r)
{
	return plat_read(&plat_local_of(r->pool, r->cpu)->clustered);
}

static void reside_or_reclaim(unsigned int i, void *arg)
{
	struct resident *r = arg;
	unsigned long before;

	if (!i) {
		reside(r);
		return;
	}
	while (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != 1)
		plat_pause(true);
	before = clustered_at(r);
	pool_gc(NULL);
	if (before && clustered_at(r) == before) {
		reclaim_it(r);
		r->cpu = clustered_at(r) ? ~0u : 0;
	} else {
		r->cpu = ~0u;
	}
	__atomic_store_n(&r->state, 2ul, __ATOMIC_RELEASE);
}

TEST_CASE(a_reclaim_takes_other_cpus_clusters_a_gc_does_not)
{
	static struct resident r;

	memset(&r, 0, sizeof(r));
	pool_fail_every = 0;
	r.pool = test_pool(64);
	ASSERT(r.pool);
	test_threads(2, reside_or_reclaim, &r);
	EXPECT_EQ(r.cpu, 0);
	EXPECT(test_quiet(r.pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&r.pool->head), NULL);
}

static void churn_or_reclaim(unsigned int i, void *arg)
{
	struct pool *pool = arg;
	unsigned long r;

	for (r = 0; r < test_scale(300); r++) {
		if (i == 3)
			pool_reclaim(r & 1 ? &pool->head : NULL);
		else
			free_list(pool, alloc_list(pool, 200));
	}
}

TEST_CASE(a_reclaim_under_load_loses_nothing)
{
	struct pool *pool = test_pool(64);

	ASSERT(pool);
	test_threads(4, churn_or_reclaim, pool);
	EXPECT(test_quiet(pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/* Count @n more objects as in use. */
static void pretend(struct pool *pool, unsigned long n)
{
	plat_word_add(&pool->allocated, n);
}

TEST_CASE(five_million_objects_past_4_gib_are_counted_and_needed)
{
	unsigned long long many = 5000000;
	struct pool *pool;
	struct pool_stats now;

	pool_fail_every = 0;
	test_options(0, 8);
	pool = test_pool(4096);
	ASSERT(pool);
	pretend(pool, (unsigned long)many);
	test_wave(pool, 100);
	pool_stats_get(&pool->head, &now, sizeof(now));
	EXPECT_EQ(now.allocated, many + 100);
	EXPECT_EQ(now.used, many);
	EXPECT_EQ(now.shared, 100);
	EXPECT_LE(many, now.need);
	EXPECT_EQ(pool_total_allocated(), (many + 100) * 4096);
	EXPECT_EQ(pool_total_used(), many * 4096);
	pool_word_sub(&pool->allocated, (unsigned long)many);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}
