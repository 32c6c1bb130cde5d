// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * need.c - how many objects are kept after bursts, by steady users, by gc
 *
 * Layer:   tests of common/shared/need.c and reclaim.c.
 */
#include "test.h"

#define BURST		100000

/* Return how many objects a pool keeps after a burst, without those that CPUs cache. */
static unsigned long left_by_burst(struct pool *pool)
{
	void *list = test_alloc_list(pool, BURST);
	unsigned long n = test_free_list(pool, list);

	return n < BURST ? ~0ul :
	       (unsigned long)(test_sum(pool)->allocated - test_sum(pool)->cached);
}

/* True if the pool keeps at most a tenth of each of two bursts. */
static bool sheds_bursts(struct pool *pool)
{
	return left_by_burst(pool) <= BURST / 10 && test_quiet(pool, 0) &&
	       left_by_burst(pool) <= BURST / 10;
}

/* Tools make bursts slow, and KUnit ends a case after five minutes, so each size has a case. */
POOL_CASE(a_burst_of_small_objects_leaves_at_most_a_tenth, test_sure(16))
{
	EXPECT(sheds_bursts(pool));
}

POOL_CASE(a_burst_of_larger_objects_leaves_at_most_a_tenth, test_sure(256))
{
	EXPECT(sheds_bursts(pool));
}

POOL_CASE(a_burst_of_uncached_objects_leaves_at_most_a_tenth, test_sure_within(0, 32, 64))
{
	EXPECT_LE(left_by_burst(pool), BURST / 10);
}

/* A producer allocates batches, and a consumer frees each before the next one comes. */
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
	t->list = test_alloc_list(t->pool, BATCH);
}

static void await(const struct turns *t, unsigned long turn)
{
	while (__atomic_load_n(&t->turn, __ATOMIC_ACQUIRE) != turn)
		plat_pause(true);
}

/* A thread that exits drains its caches, so the producer stays until the consumer has counted. */
static void take_turns(unsigned int i, void *arg)
{
	struct turns *t = arg;
	unsigned long turn;

	for (turn = i; turn < TURNS; turn += 2) {
		await(t, turn);
		if (i)
			test_free_list(t->pool, t->list);
		else
			produce(t);
		t->at_end = store_calls(t->pool);
		__atomic_store_n(&t->turn, turn + 1, __ATOMIC_RELEASE);
	}
	await(t, TURNS);
}

/* Return how often a producer and a consumer call the backend after their warm-up. */
static unsigned long steady_calls(struct pool *pool)
{
	struct turns t = { .pool = pool };

	test_threads(2, take_turns, &t);
	return t.at_end - t.after_warm_up;
}

POOLS_CASE(a_steady_producer_and_consumer_reach_no_backend_calls, 2, test_sure(nth ? 1024 : 64))
{
	EXPECT_EQ(steady_calls(pool), 0);
}

static struct pool *many_buckets(unsigned int size)
{
	pool_options.buckets = POOL_BUCKETS_MAX;
	return test_sure(size);
}

/* With as many buckets as a large machine has, each put reads the counts of all. */
PAIR_CASE(all_of_that_holds_with_many_buckets, pool, many_buckets(64), other, many_buckets(256))
{
	EXPECT_EQ(steady_calls(pool), 0);
	EXPECT_LE(left_by_burst(other), BURST / 10);
}

/* Return how many spans end while @n objects are freed to the shared part, one by one. */
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
	list = test_alloc_list(pool, n);
	while (list) {
		const struct pool_bucket *b = &pool->bucket[plat_cpu_hint() & (buckets - 1)];
		unsigned long left = b->need_remaining;
		void *next = *(void **)list;

		pool_free(&pool->head, list);
		ends += b->need_remaining > left;
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

POOLS_CASE(they_reach_none_with_a_small_bound_either, 2,
	   test_sure_within(nth ? 0 : 16384, 8, 64))
{
	EXPECT_EQ(steady_calls(pool), 0);
}

POOL_CASE(the_average_need_is_what_a_wave_needs, test_sure_within(16384, 8, 64))
{
	unsigned int i;

	for (i = 0; i < 20; i++)
		test_wave(pool, 1000);
	EXPECT_LE(900, test_sum(pool)->need);
	EXPECT_LE(test_sum(pool)->need, 1300);
	for (i = 0; i < 400; i++)
		test_wave(pool, 300);
	EXPECT_LE(test_sum(pool)->need, 600);
	EXPECT_LE(test_sum(pool)->allocated, 900);
}

/* More objects than a span and the caches have, but so few that a needless release is noticed. */
#define AGAIN		16384

/* Return how often one more burst calls the backend. */
static unsigned long calls_of_burst(struct pool *pool, unsigned long n)
{
	unsigned long before = store_calls(pool);

	test_free_list(pool, test_alloc_list(pool, n));
	return store_calls(pool) - before;
}

POOL_CASE(what_is_wanted_again_and_again_is_kept_until_it_is_not, test_sure_within(16384, 8, 64))
{
	unsigned int i;

	EXPECT_LE(AGAIN, calls_of_burst(pool, AGAIN));
	EXPECT_LE(AGAIN / 2, calls_of_burst(pool, AGAIN));
	for (i = 0; i < 20; i++)
		calls_of_burst(pool, AGAIN);
	EXPECT_LE(calls_of_burst(pool, AGAIN), AGAIN / 16);
	for (i = 0; i < 300; i++)
		test_wave(pool, 1000);
	EXPECT_LE(test_sum(pool)->allocated, AGAIN / 5);
}

POOL_CASE(spare_objects_are_kept_without_need, test_sure_within(0, 8, 64))
{
	EXPECT(pool_set_min_avail(&pool->head, 2000));
	test_free_list(pool, test_alloc_list(pool, 3000));
	test_free_list(pool, test_alloc_list(pool, BURST));
	EXPECT_LE(2000, test_sum(pool)->shared);
	EXPECT_LE(test_sum(pool)->shared, BURST / 10);
}

POOLS_CASE(what_is_shed_never_takes_spare_objects, 2, test_sure_within(16384, 32, 64))
{
	unsigned int k, spares = nth ? 200 : 64;

	EXPECT(pool_set_min_avail(&pool->head, spares));
	test_wave(pool, 2000);
	EXPECT_LE(spares, pool_shared_count(pool));
	for (k = 0; k < 60; k++) {
		test_wave(pool, 300);
		EXPECT_LE(spares, pool_shared_count(pool));
	}
}

/* A thread that caches objects and stays. */
struct resident {
	struct pool *pool;
	unsigned int cpu;
	unsigned long state;		/* 1: has cached; 2: may go */
	unsigned long before;		/* objects in its clusters, at first */
	unsigned long after_gc, after_reclaim;
};

static void reside(struct resident *r)
{
	test_free_list(r->pool, test_alloc_list(r->pool, 300));
	r->cpu = plat_cpu_hint();
	plat_write_release(&r->state, 1ul);
	test_await(&r->state, 2);
	test_free_list(r->pool, test_alloc_list(r->pool, 300));
}

static void reside_or_reclaim(unsigned int i, void *arg)
{
	struct resident *r = arg;
	const struct pool_local *there;

	if (!i) {
		reside(r);
		return;
	}
	test_await(&r->state, 1);
	there = plat_local_of(r->pool, r->cpu);
	r->before = plat_read(&there->clustered);
	pool_gc(NULL);
	r->after_gc = plat_read(&there->clustered);
	pool_reclaim(&r->pool->head);
	r->after_reclaim = plat_read(&there->clustered);
	plat_write_release(&r->state, 2ul);
}

POOL_CASE(a_reclaim_takes_other_cpus_clusters_a_gc_does_not, test_sure(64))
{
	struct resident r = { .pool = pool };

	test_threads(2, reside_or_reclaim, &r);
	EXPECT(r.before);
	EXPECT_EQ(r.after_gc, r.before);
	EXPECT_EQ(r.after_reclaim, 0);
}

static void churn_or_reclaim(unsigned int i, void *arg)
{
	struct pool *pool = arg;
	unsigned long r;

	for (r = 0; r < test_scale(300); r++) {
		if (i == 3)
			pool_reclaim(r & 1 ? &pool->head : NULL);
		else
			test_free_list(pool, test_alloc_list(pool, 200));
	}
}

POOL_CASE(a_reclaim_under_load_loses_nothing, test_pool(64))
{
	test_threads(4, churn_or_reclaim, pool);
}

/* Count @n more objects as in use. */
static void pretend(struct pool *pool, unsigned long n)
{
	plat_word_add(&pool->allocated, n);
}

POOL_CASE(five_million_objects_past_4_gib_are_counted_and_needed, test_sure_within(0, 8, 4096))
{
	unsigned long long many = 5000000;

	pretend(pool, (unsigned long)many);
	test_wave(pool, 100);
	EXPECT_EQ(test_sum(pool)->allocated, many + 100);
	EXPECT_EQ(test_sum(pool)->used, many);
	EXPECT_EQ(test_sum(pool)->shared, 100);
	EXPECT_LE(many, test_sum(pool)->need);
	EXPECT_EQ(pool_total_allocated(), (many + 100) * 4096);
	EXPECT_EQ(pool_total_used(), many * 4096);
	pool_word_sub(&pool->allocated, (unsigned long)many);
}
