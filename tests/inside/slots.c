// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * slots.c - reserves that are refilled, and callers that wait for an object of a reserve
 *
 * Layer:   tests of common/limit/slots.c, and of alloc.c where a call has a reserve.
 */
#include "test.h"

/*
 * Create a reserve of @n objects of a pool that has no other object and gets none, because each
 * call of the backend fails.  The limit, which is never reached, keeps the pool from getting
 * objects ahead.
 */
static struct pool_reserved *last_reserve(struct pool *pool, unsigned int n)
{
	struct pool_reserved *r;

	pool_fail_every = 0;
	pool_set_limit(&pool->head, TEST_OBJS);
	r = pool_reserve(&pool->head, n);
	pool_fail_every = 1;
	return r;
}

POOL_CASE(what_is_freed_refills_a_reserve, test_pool(64))
{
	struct pool_reserved *r = last_reserve(pool, 3);
	unsigned int i;

	ASSERT(r);
	for (i = 0; i < 3; i++)
		test_objs[i] = pool_alloc_reserved(r);
	EXPECT(test_objs[0] && test_objs[1] && test_objs[2]);
	pool_free_reserved(r, test_objs[0], 0);
	pool_free_reserved(r, test_objs[2], POOL_F_ATOMIC);
	EXPECT_EQ(test_sum(pool)->reserved, 2);
	EXPECT(test_quiet(pool, 3));
	EXPECT_PTR_EQ(pool_alloc_reserved(r), test_objs[2]);
	EXPECT_PTR_EQ(pool_alloc_reserved(r), test_objs[0]);
	EXPECT_PTR_EQ(pool_alloc_reserved(r), NULL);
	EXPECT_EQ(test_sum(pool)->reserved, 0);
	for (i = 0; i < 3; i++)
		pool_free_reserved(r, test_objs[i], 0);
	EXPECT_EQ(test_sum(pool)->reserved, 3);
	pool_unreserve(r);
}

POOL_CASE(what_a_full_reserve_has_no_room_for_goes_to_its_pool, test_pool(64))
{
	struct pool_reserved *r = last_reserve(pool, 2);
	unsigned int i;

	ASSERT(r);
	pool_fail_every = 0;
	test_alloc_many(pool, test_objs, TEST_SOME);
	test_objs[TEST_SOME] = pool_alloc_reserved(r);
	EXPECT(test_quiet(pool, TEST_SOME + 2));
	for (i = 0; i <= TEST_SOME; i++)
		pool_free_reserved(r, test_objs[i], 0);
	EXPECT_EQ(test_sum(pool)->reserved, 2);
	EXPECT(test_quiet(pool, 2));
	pool_unreserve(r);
}

POOL_CASE(a_reserve_is_asked_when_the_pool_has_nothing, test_pool(64))
{
	struct pool_reserved *r = last_reserve(pool, 1);

	ASSERT(r);
	pool_fail_every = 0;
	test_objs[0] = pool_alloc_reserved_timeout(r, 0, 0);
	EXPECT(test_objs[0]);
	EXPECT_EQ(test_sum(pool)->reserved, 1);
	pool_fail_every = 1;
	test_objs[1] = pool_alloc_reserved_timeout(r, POOL_F_MUST_ZERO, 0);
	ASSERT(test_objs[1]);
	EXPECT_EQ(*(unsigned long *)test_objs[1], 0);
	EXPECT_EQ(test_sum(pool)->reserved, 0);
	EXPECT_EQ(test_sum(pool)->failed + test_sum(pool)->refused + test_sum(pool)->injected, 0);
	pool_free_reserved(r, test_objs[0], 0);
	EXPECT_EQ(test_sum(pool)->reserved, 1);
	test_free(pool, test_objs[1]);
	pool_unreserve(r);
}

#define TIMED		50

/* Return how many milliseconds a call took that got no object; 0 if it got one. */
static unsigned int in_vain(struct pool_reserved *r, unsigned int flags,
			    unsigned int ms)
{
	unsigned int start = plat_resched();
	void *obj = pool_alloc_reserved_timeout(r, flags, ms);

	return obj ? 0 : plat_resched() - start;
}

POOL_CASE(a_wait_for_an_empty_reserve_takes_as_long_as_it_was_told_to, test_pool(64))
{
	struct pool_reserved *r = last_reserve(pool, 1);
	void *obj;

	ASSERT(r);
	obj = pool_alloc_reserved_timeout(r, 0, POOL_FOREVER);
	EXPECT(obj);
	EXPECT(in_vain(r, 0, TIMED) >= TIMED);
	EXPECT_PTR_EQ(pool_alloc_reserved_timeout(r, 0, 0), NULL);
	EXPECT_PTR_EQ(pool_alloc_reserved_timeout(r, POOL_F_ATOMIC, POOL_FOREVER), NULL);
	EXPECT_EQ(test_sum(pool)->failed + test_sum(pool)->refused + test_sum(pool)->injected, 3);
	pool_free_reserved(r, obj, 0);
	EXPECT_PTR_EQ(pool_alloc_reserved_timeout(r, POOL_F_ATOMIC, 0), obj);
	test_free(pool, obj);
	pool_unreserve(r);
}

/* Each caller needs an object of both reserves at once, as stacked drivers do. */
struct work {
	struct pool_reserved *upper, *lower;	/* lower: NULL if only an upper object is needed */
	unsigned long rounds;
	unsigned long nulls;
	unsigned long shared;		/* times that two had the same object */
};

/* True if no other thread had this object while this one had it. */
static bool is_mine(void *obj, unsigned int i)
{
	memset(obj, (int)i + 1, 64);
	plat_pause(true);
	return !memcmp(obj, (char *)obj + 1, 63) && *(char *)obj == (char)i + 1;
}

static void use_lower(struct work *w, unsigned int i)
{
	void *obj = pool_alloc_reserved_timeout(w->lower, 0, POOL_FOREVER);

	if (!obj)
		plat_word_add(&w->nulls, 1);
	else if (!is_mine(obj, i))
		plat_word_add(&w->shared, 1);
	pool_free_reserved(w->lower, obj, 0);
}

static void work(unsigned int i, void *arg)
{
	struct work *w = arg;
	unsigned long n = w->rounds;

	while (n--) {
		void *obj = pool_alloc_reserved_timeout(w->upper, 0,
							POOL_FOREVER);

		if (obj && w->lower)
			use_lower(w, i);
		if (!obj)
			plat_word_add(&w->nulls, 1);
		else if (!is_mine(obj, i))
			plat_word_add(&w->shared, 1);
		pool_free_reserved(w->upper, obj, 0);
	}
}

POOL_CASE(one_object_in_reserve_is_enough_for_all_who_wait, test_pool(64))
{
	struct work w = { .rounds = test_scale(4000) };

	w.upper = last_reserve(pool, 1);
	ASSERT(w.upper);
	test_threads(4, work, &w);
	EXPECT_EQ(plat_read(&w.nulls) + plat_read(&w.shared), 0);
	EXPECT_EQ(test_sum(pool)->reserved, 1);
	EXPECT(test_quiet(pool, 1));
	EXPECT_EQ(pool_allocated(pool), 1);
	pool_unreserve(w.upper);
}

PAIR_CASE(a_chain_of_reserves_makes_progress_without_memory,
	  upper, test_pool(64), lower, test_pool(64))
{
	struct work w = { .rounds = test_scale(2000) };

	w.upper = last_reserve(upper, 2);
	w.lower = last_reserve(lower, 1);
	ASSERT(w.upper && w.lower);
	test_threads(4, work, &w);
	EXPECT_EQ(plat_read(&w.nulls) + plat_read(&w.shared), 0);
	EXPECT_EQ(test_sum(upper)->reserved, 2);
	EXPECT_EQ(test_sum(lower)->reserved, 1);
	pool_unreserve(w.upper);
	pool_unreserve(w.lower);
}

/* Allocate and free objects of a reserve, which no other thread may have meanwhile. */
#define CROWD	8

static void take_and_refill(unsigned int i, void *arg)
{
	unsigned long state = 31 + i, n;
	struct work *w = arg;
	void *objs[CROWD];
	unsigned int have = 0;

	for (n = 0; n < w->rounds; n++) {
		void *obj = NULL;

		if (have < CROWD && (test_random(&state) & 1))
			obj = pool_alloc_reserved(w->upper);
		if (obj) {
			memset(obj, (int)i + 1, 64);
			objs[have++] = obj;
		} else if (have) {
			obj = objs[--have];
			if (*(char *)obj != (char)i + 1)
				plat_word_add(&w->shared, 1);
			pool_free_reserved(w->upper, obj, 0);
		}
	}
	while (have)
		pool_free_reserved(w->upper, objs[--have], 0);
}

POOL_CASE(a_reserve_is_full_again_when_all_have_freed_to_it, test_pool(64))
{
	struct work w = { .rounds = test_scale(100000) };

	w.upper = last_reserve(pool, 2 * CROWD);
	ASSERT(w.upper);
	test_threads(4, take_and_refill, &w);
	EXPECT_EQ(plat_read(&w.shared), 0);
	EXPECT_EQ(test_sum(pool)->reserved, 2 * CROWD);
	EXPECT_EQ(plat_read(&w.upper->have), 2 * CROWD);
	EXPECT_EQ(plat_read(&w.upper->room), 0);
	pool_unreserve(w.upper);
}

/* A count that is too high looks as if other CPUs emptied and filled slots all the time. */
POOL_CASE(a_search_for_a_slot_ends, test_pool(64))
{
	struct pool_reserved *r = last_reserve(pool, 1);
	void *obj, *more;

	ASSERT(r);
	pool_fail_every = 0;
	more = test_alloc(pool);
	plat_word_add(&r->room, 1);
	pool_free_reserved(r, more, 0);
	EXPECT_EQ(plat_read(&r->room), 1);
	EXPECT_EQ(test_sum(pool)->reserved, 1);
	EXPECT(test_quiet(pool, 1));
	obj = pool_alloc_reserved(r);
	EXPECT(obj);
	plat_word_add(&r->have, 1);
	EXPECT_PTR_EQ(pool_alloc_reserved(r), NULL);
	EXPECT_EQ(plat_read(&r->have), 1);
	plat_write(&r->have, 0ul);
	test_free(pool, obj);
	pool_unreserve(r);
}

POOL_CASE(an_object_in_a_reserve_is_checked_as_a_free_one,
	  test_checked(64, POOL_D_INTEGRITY | POOL_D_TAG))
{
	struct pool_reserved *r = last_reserve(pool, 2);
	char *obj[2];

	ASSERT(r);
	obj[0] = pool_alloc_reserved(r);
	obj[1] = pool_alloc_reserved(r);
	EXPECT(obj[0] && obj[1]);
	pool_free_reserved(r, obj[0], 0);
	pool_free_reserved(r, obj[0], 0);
	test_free(pool, obj[0]);
	EXPECT_EQ(test_found(pool, POOL_FAULT_DOUBLE_FREE), 2);
	EXPECT_EQ(test_sum(pool)->reserved, 1);
	pool_free_reserved(r, obj[1], 0);
	obj[1][5] ^= 1;
	EXPECT_PTR_EQ(pool_alloc_reserved(r), obj[0]);
	EXPECT_EQ(test_found(pool, POOL_FAULT_WRITTEN), 1);
	obj[0][64] ^= 1;
	pool_free_reserved(r, obj[0], 0);
	EXPECT_EQ(test_faults(pool), 4);
	EXPECT_EQ(test_sum(pool)->reserved, 0);
	EXPECT_PTR_EQ(pool_alloc_reserved(r), NULL);
	pool_unreserve(r);
	test_quarantined = 2;
}

POOL_CASE(an_object_that_was_never_used_is_checked_in_a_reserve_too,
	  test_checked(64, POOL_D_INTEGRITY))
{
	struct pool_reserved *r;
	unsigned char *obj;

	pool_fail_every = 0;
	obj = test_alloc(pool);
	test_free(pool, obj);
	pool_fail_every = 1;
	r = pool_reserve(&pool->head, 1);
	ASSERT(r);
	test_free(pool, obj);
	EXPECT_EQ(test_faults(pool), 1);
	obj[7] ^= 1;
	EXPECT_PTR_EQ(pool_alloc_reserved(r), NULL);
	EXPECT_EQ(test_faults(pool), 2);
	pool_unreserve(r);
	test_quarantined = 1;
}

TEST_CASE(objects_missing_when_a_reserve_ends_are_freed_to_the_pool)
{
	struct pool *pool = test_pool(64);
	struct pool_reserved *r;
	void *obj[2];

	ASSERT(pool);
	r = last_reserve(pool, 4);
	ASSERT(r);
	obj[0] = pool_alloc_reserved(r);
	obj[1] = pool_alloc_reserved(r);
	pool_free_reserved(r, obj[0], 0);
	obj[0] = pool_alloc_reserved(r);
	pool_unreserve(r);
	EXPECT_EQ(test_sum(pool)->reserved, 0);
	EXPECT(test_quiet(pool, 2));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), &pool->head);
	test_free_many(pool, obj, 2);
	EXPECT(test_quiet(pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

POOL_CASE(a_reserve_or_an_object_that_is_null_does_nothing, test_pool(64))
{
	struct pool_reserved *r = last_reserve(pool, 1);
	void *obj;

	ASSERT(r);
	EXPECT_PTR_EQ(pool_alloc_reserved(NULL), NULL);
	EXPECT_PTR_EQ(pool_alloc_reserved_timeout(NULL, 0, POOL_FOREVER),
		      NULL);
	pool_free_reserved(NULL, NULL, 0);
	pool_free_reserved(r, NULL, 0);
	EXPECT(test_quiet(pool, 1));
	obj = pool_alloc_reserved(r);
	pool_free_reserved(r, NULL, 0);
	EXPECT_EQ(test_sum(pool)->reserved, 0);
	EXPECT_PTR_EQ(pool_alloc_reserved(r), NULL);
	pool_free_reserved(NULL, obj, 0);
	EXPECT(test_quiet(pool, 1));
	pool_free_reserved(r, obj, 0);
	EXPECT_EQ(test_sum(pool)->reserved, 1);
	pool_unreserve(r);
}
