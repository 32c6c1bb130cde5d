// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * limit.c - limits, alone and under race, and the counters of failures
 *
 * Layer:   tests of common/shared/backend.c, alloc.c and attr.c.
 */
#include "test.h"

POOL_CASE(a_limit_holds_to_the_object, test_sure(64))
{
	struct pool_stats now;
	unsigned int i;

	EXPECT(pool_set_limit(&pool->head, 10));
	for (i = 0; i < 10; i++) {
		test_objs[i] = pool_alloc(&pool->head);
		EXPECT(test_objs[i]);
	}
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	EXPECT_PTR_EQ(pool_zalloc(&pool->head), NULL);
	EXPECT_PTR_EQ(pool_alloc_nocache(&pool->head), NULL);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_ATOMIC), NULL);
	pool_stats_get(&pool->head, &now, sizeof(now));
	EXPECT_EQ(now.allocated, 10);
	EXPECT_EQ(now.limit, 10);
	EXPECT_LE(3, now.refused);
	EXPECT_EQ(now.refused + now.failed, 4);
	EXPECT_EQ(now.injected, 0);
	test_free_many(pool, test_objs, 10);
	for (i = 0; i < 10; i++) {
		test_objs[i] = pool_alloc(&pool->head);
		EXPECT(test_objs[i]);
	}
	test_free_many(pool, test_objs, 10);
}

POOL_CASE(a_limit_of_0_is_none_and_can_come_and_go, test_sure(64))
{
	EXPECT(pool_set_limit(&pool->head, 1));
	test_objs[0] = pool_alloc(&pool->head);
	EXPECT(test_objs[0]);
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	EXPECT(pool_set_limit(&pool->head, 0));
	test_objs[1] = pool_alloc(&pool->head);
	EXPECT(test_objs[1]);
	EXPECT(pool_set_limit(&pool->head, 1));
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	test_free_many(pool, test_objs, 2);
	EXPECT_EQ(pool->limit, 1);
}

POOL_CASE(the_three_causes_of_failure_are_counted_apart, test_pool(64))
{
	pool_fail_every = 1;
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	test_objs[0] = __pool_alloc(&pool->head, POOL_F_NO_FAIL);
	EXPECT(test_objs[0]);
	pool_fail_every = 0;
	EXPECT(pool_set_limit(&pool->head, 1));
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	EXPECT_EQ(test_sum(pool)->injected, 1);
	EXPECT_EQ(test_sum(pool)->refused, 1);
	EXPECT_EQ(test_sum(pool)->failed, 0);
	EXPECT_EQ(pool_total_failures(), 2);
	plat_word_add(&pool->failed, (unsigned long)INT_MAX);
	EXPECT_EQ(pool_total_failures(), INT_MAX);
	test_free(pool, test_objs[0]);
}

/* Each of several callers holds up to HOLD objects of a pool that has a limit. */
#define HOLDERS		4
#define HOLD		10

struct holders {
	struct pool *pool;
	unsigned long here;		/* threads that have started */
	unsigned long done;		/* threads that have ended */
	unsigned long over;		/* times that the limit was exceeded */
	unsigned long refused;		/* allocations that got NULL */
};

static void hold_and_free(unsigned int i, void *arg)
{
	struct holders *h = arg;
	unsigned long state = 77 + i;
	void *objs[HOLD];
	unsigned int n = 0;
	unsigned long r;

	plat_word_add(&h->here, 1);
	test_await(&h->here, HOLDERS);
	for (r = 0; r < test_scale(40000); r++) {
		if (n < HOLD && (test_random(&state) & 1)) {
			objs[n] = pool_alloc(&h->pool->head);
			if (objs[n])
				n++;
			else
				plat_word_add(&h->refused, 1);
		} else if (n) {
			pool_free(&h->pool->head, objs[--n]);
		}
		if (pool_allocated(h->pool) > h->pool->limit)
			plat_word_add(&h->over, 1);
	}
	while (n)
		pool_free(&h->pool->head, objs[--n]);
}

/* Let HOLDERS threads allocate and free under this limit; return their counts. */
static struct holders run_holders(struct pool *pool, unsigned int limit)
{
	struct holders h = { .pool = pool };

	pool_set_limit(&pool->head, limit);
	test_threads(HOLDERS, hold_and_free, &h);
	return h;
}

POOL_CASE(racing_callers_never_exceed_the_limit, test_sure(64))
{
	EXPECT_EQ(run_holders(pool, HOLD).over, 0);
}

/* One CPU leaves all objects in its caches, where a call on another CPU must find them. */
struct left {
	struct pool *pool;
	unsigned int n;			/* the limit */
	unsigned int got;
	unsigned long stage;		/* 1: one CPU has cached all; 2: the other has had them */
};

static void leave_or_take(unsigned int i, void *arg)
{
	struct left *l = arg;

	if (!i) {
		test_alloc_just(l->pool, test_objs, l->n);
		test_free_many(l->pool, test_objs, l->n);
		plat_word_add(&l->stage, 1);
		test_await(&l->stage, 2);
		return;
	}
	test_await(&l->stage, 1);
	do {
		test_objs[l->got] = __pool_alloc(&l->pool->head, POOL_F_ATOMIC);
	} while (test_objs[l->got] && ++l->got < l->n);
	test_free_many(l->pool, test_objs, l->got);
	plat_word_add(&l->stage, 1);
}

static const unsigned int limits[] = { 1, 8, 64, 100, 1000, TEST_OBJS - 1 };

POOLS_CASE(a_limit_refuses_only_if_more_than_15_of_16_are_in_use, ARRAY_LEN(limits), test_sure(64))
{
	struct left l = { .pool = pool, .n = limits[nth] };

	EXPECT(pool_set_limit(&pool->head, l.n));
	test_threads(2, leave_or_take, &l);
	EXPECT_LE(l.n * 15 + 1, l.got * 16);
	if (l.n < 16 * pool_start.cpus)
		EXPECT_EQ(l.got, l.n);
}

/* A call that interrupted a slow path cannot use the array, but must find objects in clusters. */
POOL_CASE(a_limit_does_not_refuse_a_nested_call_what_lies_in_clusters, test_sure(64))
{
	struct pool_local *local;
	unsigned int i;

	EXPECT(pool_set_limit(&pool->head, 8));
	test_wave(pool, 8);
	test_wave(pool, 8);
	local = test_local(pool);
	EXPECT(plat_read(&local->clustered));
	plat_write(&local->hot.open, POOL_HELD);
	for (i = 0; i < 8; i++)
		test_objs[i] = __pool_alloc(&pool->head, POOL_F_ATOMIC);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_ATOMIC), NULL);
	plat_write(&local->hot.open, POOL_OPEN);
	for (i = 0; i < 8; i++)
		EXPECT(test_objs[i]);
	test_free_many(pool, test_objs, 8);
}

/* Set a limit and visit the pool; true if the array has no more slots than its share of it. */
static bool array_obeys(struct pool *pool, unsigned int limit)
{
	unsigned int i;

	if (!pool_set_limit(&pool->head, limit))
		return false;
	for (i = 0; i < 4; i++)
		test_wave(pool, TEST_SOME);
	return test_local(pool)->hot.slots <= POOL_LIMIT_SLOTS(limit) / pool_start.cpus;
}

POOL_CASE(an_array_gives_slots_after_a_limit_is_set, test_sure(64))
{
	unsigned int i;

	test_wave(pool, TEST_SOME);
	ASSERT(test_local(pool)->hot.slots);
	EXPECT(array_obeys(pool, TEST_OBJS));
	EXPECT(array_obeys(pool, TEST_SOME));
	EXPECT(pool_set_limit(&pool->head, 1));
	for (i = 0; i < POOL_HOT_MAX + 4 && plat_read(&pool->slots); i++)
		test_free(pool, test_alloc(pool));
	EXPECT_EQ(plat_read(&pool->slots), 0);
	EXPECT_EQ(test_local(pool)->hot.slots, 0);
	EXPECT(pool_set_limit(&pool->head, 0));
	test_wave(pool, TEST_SOME);
	EXPECT_EQ(plat_read(&pool->slots), test_local(pool)->hot.slots);
	EXPECT(plat_read(&pool->slots));
}

/* Create a pool without caches, or one whose objects are too large for arrays. */
static struct pool *without_arrays(bool caches)
{
	pool_fail_every = 0;
	test_options(65536, 32);
	return caches ? test_pool(4096) : test_in_mode(POOL_D_NO_CACHE | POOL_D_NO_GLOBAL, 64);
}

POOLS_CASE(without_arrays_a_limit_refuses_only_when_all_is_in_use, 2, without_arrays(nth))
{
	struct holders h = run_holders(pool, HOLDERS * HOLD);

	EXPECT_EQ(h.over, 0);
	EXPECT_EQ(h.refused, 0);
}

/* Hold and free objects; the last thread flushes and reclaims the pool meanwhile. */
static void hold_or_disturb(unsigned int i, void *arg)
{
	struct holders *h = arg;
	unsigned long r;

	if (i < HOLDERS) {
		hold_and_free(i, arg);
		plat_word_add(&h->done, 1);
		return;
	}
	for (r = 0; plat_read(&h->done) < HOLDERS; r++) {
		pool_flush(&h->pool->head);
		if (r % 16 == 0)
			pool_reclaim(&h->pool->head);
		plat_pause(true);
	}
}

POOL_CASE(flushes_and_reclaims_do_not_make_a_limit_refuse, test_sure_within(65536, 32, 4096))
{
	struct holders h = { .pool = pool };

	EXPECT(pool_set_limit(&pool->head, HOLDERS * HOLD));
	test_threads(HOLDERS + 1, hold_or_disturb, &h);
	EXPECT_EQ(plat_read(&h.over), 0);
	EXPECT_EQ(plat_read(&h.refused), 0);
}

POOL_CASE(unknown_flags_of_a_call_do_not_pass_a_limit_over, test_sure(64))
{
	unsigned int bit;
	void *objs[2];

	EXPECT(pool_set_limit(&pool->head, 1));
	test_objs[0] = pool_alloc(&pool->head);
	EXPECT(test_objs[0]);
	for (bit = 5; bit < 32; bit++) {
		unsigned int flags = 1u << bit;

		EXPECT_PTR_EQ(__pool_alloc(&pool->head, flags), NULL);
		EXPECT(!pool_alloc_bulk(&pool->head, flags, 2, objs));
	}
	__pool_free(&pool->head, test_objs[0], ~POOL_F_ATOMIC);
	EXPECT(test_quiet(pool, 0));
	EXPECT_EQ(pool_allocated(pool), 1);
}

TEST_CASE(a_pool_that_is_null_has_no_limits_and_no_reserves)
{
	EXPECT(!pool_set_limit(NULL, 1));
	EXPECT(!pool_set_min_avail(NULL, 1));
	EXPECT_PTR_EQ(pool_reserve(NULL, 1), NULL);
}
