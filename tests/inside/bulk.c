// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bulk.c - many objects at once, and reserves
 *
 * Layer:   tests of common/api/bulk.c and reserve.c.
 */
#include "test.h"

#define COUNTS	7

static const unsigned int counts[COUNTS] = { 0, 1, 2, 63, 64, 65, 1000 };

/* Get @n objects by one bulk call, even where every n-th backend call fails. */
static bool take(struct pool *pool, unsigned int n, void **objs)
{
	unsigned int tries = 100;

	if (pool_fail_every)
		test_wave(pool, n);
	while (tries--)
		if (pool_alloc_bulk(&pool->head, 0, n, objs))
			return true;
	return false;
}

/* True if all pointers are set and no two are equal.  Each object is marked with its number. */
static bool distinct(unsigned int n, void **objs)
{
	unsigned int i, good = 0;

	for (i = 0; i < n; i++)
		if (objs[i])
			*(unsigned int *)objs[i] = i;
	for (i = 0; i < n; i++)
		good += objs[i] && *(unsigned int *)objs[i] == i;
	return good == n;
}

POOL_CASE(any_number_of_objects_comes_and_goes_at_once, test_pool(64))
{
	unsigned int i, round;

	for (round = 0; round < 3; round++)
		for (i = 0; i < COUNTS; i++) {
			unsigned int n = counts[i];

			test_objs[n] = &pool;
			ASSERT(take(pool, n, test_objs));
			EXPECT(distinct(n, test_objs));
			EXPECT_PTR_EQ(test_objs[n], &pool);
			EXPECT(test_quiet(pool, n));
			pool_free_bulk(&pool->head, 0, n, test_objs);
			EXPECT(test_quiet(pool, 0));
			EXPECT(test_bound_holds());
		}
}

POOL_CASE(nothing_is_a_success_wherever_it_goes, test_pool(64))
{
	pool_fail_every = 1;
	EXPECT(pool_alloc_bulk(&pool->head, 0, 0, NULL));
	EXPECT(pool_alloc_bulk(&pool->head, POOL_F_MUST_ZERO, 0, NULL));
	pool_free_bulk(&pool->head, 0, 0, NULL);
	EXPECT_EQ(pool_total_failures(), 0);
}

POOL_CASE(a_bulk_above_the_limit_takes_nothing, test_sure(64))
{
	EXPECT(pool_set_limit(&pool->head, 100));
	EXPECT(!pool_alloc_bulk(&pool->head, 0, 101, test_objs));
	EXPECT(test_quiet(pool, 0));
	EXPECT_LE(test_sum(pool)->allocated, 100);
	EXPECT_EQ(test_sum(pool)->refused, 1);
	EXPECT_EQ(test_sum(pool)->failed + test_sum(pool)->injected, 0);
	EXPECT(pool_alloc_bulk(&pool->head, 0, 100, test_objs));
	EXPECT(distinct(100, test_objs));
	EXPECT(!pool_alloc_bulk(&pool->head, 0, 1, test_objs + 100));
	EXPECT(test_quiet(pool, 100));
	pool_free_bulk(&pool->head, 0, 100, test_objs);
}

/* Of 500 objects the call gets the 60 that the limit leaves, and counts one refusal. */
POOL_CASE(a_bulk_for_some_takes_what_there_is, test_sure(64))
{
	ASSERT(pool_set_limit(&pool->head, 100));
	EXPECT_EQ(pool_alloc_bulk_some(&pool->head, 0, 0, NULL), 0);
	EXPECT_EQ(pool_alloc_bulk_some(&pool->head, 0, 40, test_objs), 40);
	EXPECT_EQ(plat_read(&pool->refused), 0);
	EXPECT_EQ(pool_alloc_bulk_some(&pool->head, POOL_F_MUST_ZERO, 500,
				       test_objs + 40), 60);
	EXPECT_EQ(plat_read(&pool->refused), 1);
	EXPECT(distinct(100, test_objs));
	EXPECT(test_quiet(pool, 100));
	EXPECT_EQ(pool_alloc_bulk_some(&pool->head, 0, 1, test_objs + 100), 0);
	pool_free_bulk(&pool->head, 0, 100, test_objs);
}

POOL_CASE(a_bulk_for_some_of_a_failing_backend_leaks_nothing, test_within(0, 8, 64))
{
	unsigned int i, n;

	pool_fail_every = 7;
	for (i = 0; i < 50; i++) {
		n = pool_alloc_bulk_some(&pool->head, 0, 300, test_objs);
		EXPECT_LE(n, 300);
		EXPECT(test_quiet(pool, n));
		pool_free_bulk(&pool->head, 0, n, test_objs);
	}
}

POOL_CASE(a_bulk_that_fails_half_way_leaks_nothing, test_pool(64))
{
	unsigned int k;

	for (k = 1; k <= 20; k++) {
		pool_fail_every = 2 * k - 1;
		EXPECT(!pool_alloc_bulk(&pool->head, 0, TEST_OBJS, test_objs));
		EXPECT(test_quiet(pool, 0));
		EXPECT(test_bound_holds());
		pool_reclaim(&pool->head);
	}
	EXPECT_EQ(test_sum(pool)->injected, 20);
}

POOL_CASE(nulls_among_freed_objects_are_passed_over, test_pool(64))
{
	unsigned int i;

	memset(test_objs, 0, sizeof(test_objs[0]) * 300);
	pool_free_bulk(&pool->head, 0, 300, test_objs);
	EXPECT(test_quiet(pool, 0));
	for (i = 0; i < 300; i++)
		test_objs[i] = i % 3 && i > 10 && i < 290 ?
			       test_alloc(pool) : NULL;
	pool_free_bulk(&pool->head, 0, 300, test_objs);
}

POOL_CASE(a_bulk_may_be_zeroed, test_pool(128))
{
	unsigned int i, k, tries = 100, sum = 0;

	test_alloc_many(pool, test_objs, TEST_SOME);
	for (i = 0; i < TEST_SOME; i++)
		memset(test_objs[i], 0xa5, 128);
	test_free_many(pool, test_objs, TEST_SOME);
	while (tries-- && !pool_alloc_bulk(&pool->head, POOL_F_MUST_ZERO,
					   TEST_SOME, test_objs))
		;
	for (i = 0; i < TEST_SOME; i++)
		for (k = 0; k < 128; k++)
			sum += ((unsigned char *)test_objs[i])[k];
	EXPECT_EQ(sum, 0);
	pool_free_bulk(&pool->head, 0, TEST_SOME, test_objs);
}

POOL_CASE(the_last_of_a_bulk_is_the_freshest, test_pool(64))
{
	unsigned int i;

	ASSERT(take(pool, 500, test_objs));
	pool_free_bulk(&pool->head, 0, 500, test_objs);
	for (i = 500; i--;)
		EXPECT_PTR_EQ(pool_alloc(&pool->head), test_objs[i]);
	EXPECT(test_quiet(pool, 500));
	test_free_many(pool, test_objs, 500);
}

/* Use more objects than the array has slots; true if that leaves empty clusters in the stash. */
static bool stash_some(struct pool *pool)
{
	test_wave(pool, 400);
	return take(pool, 400, test_objs) && test_cpu()->stashed;
}

POOL_CASE(a_bulk_that_the_array_cannot_take_leaves_the_freshest_in_it, test_sure(64))
{
	unsigned int i;

	ASSERT(stash_some(pool));
	pool_free_bulk(&pool->head, 0, 100, test_objs);
	pool_free_bulk(&pool->head, 0, 300, test_objs + 100);
	EXPECT(test_bound_holds());
	for (i = 400; i--;)
		EXPECT_PTR_EQ(pool_alloc(&pool->head), test_objs[i]);
	EXPECT(test_quiet(pool, 400));
	test_free_many(pool, test_objs, 400);
}

POOL_CASE(a_bulk_fills_and_spills_once_per_cluster, test_sure(64))
{
	struct pool_local *local;
	unsigned long most;

	ASSERT(stash_some(pool));
	pool_free_bulk(&pool->head, 0, 400, test_objs);
	local = test_local(pool);
	most = local->fills + 400 / pool->cluster + 2;
	ASSERT(take(pool, 400, test_objs));
	EXPECT_LE(local->fills, most);
	most = local->spills + 2 * 400 / pool->cluster + 2;
	pool_free_bulk(&pool->head, 0, 400, test_objs);
	EXPECT_LE(local->spills, most);
}

/* No single allocation may come between the two bulk calls, because it would fill the array. */
POOL_CASE(a_bulk_of_what_is_cached_visits_once_for_all_slots_of_an_array, test_sure(64))
{
	unsigned long visits;

	ASSERT(stash_some(pool));
	pool_free_bulk(&pool->head, 0, 400, test_objs);
	visits = test_cpu()->visits;
	ASSERT(take(pool, 400, test_objs));
	EXPECT_LE(test_cpu()->visits, visits + 400 / POOL_HOT_SLOTS + 1);
	pool_free_bulk(&pool->head, 0, 400, test_objs);
}

POOL_CASE(an_atomic_bulk_takes_what_is_cached, test_pool(64))
{
	test_alloc_just(pool, test_objs, TEST_SOME);
	test_free_many(pool, test_objs, TEST_SOME);
	EXPECT(pool_alloc_bulk(&pool->head, POOL_F_ATOMIC, TEST_SOME, test_objs));
	EXPECT(distinct(TEST_SOME, test_objs));
	pool_free_bulk(&pool->head, POOL_F_ATOMIC, TEST_SOME, test_objs);
	EXPECT(test_quiet(pool, 0));
	pool_fail_every = 1;
	EXPECT(!pool_alloc_bulk(&pool->head, POOL_F_ATOMIC, TEST_SOME + 1, test_objs));
}

/* Create a pool of mode number @nth. */
static struct pool *of_mode(unsigned int nth)
{
	static const unsigned int modes[] = {
		0, POOL_D_NO_GLOBAL, POOL_D_NO_CACHE | POOL_D_NO_GLOBAL,
	};

	test_options(16384, 8);
	return test_in_mode(modes[nth], 64);
}

POOLS_CASE(a_bulk_works_in_every_mode, 3, of_mode(nth))
{
	unsigned int k;

	pool_fail_every = 0;
	for (k = 0; k < COUNTS; k++) {
		ASSERT(pool_alloc_bulk(&pool->head, 0, counts[k], test_objs));
		EXPECT(distinct(counts[k], test_objs));
		pool_free_bulk(&pool->head, 0, counts[k], test_objs);
		EXPECT(test_quiet(pool, 0));
		EXPECT(test_bound_holds());
	}
	pool_fail_every = 51;	/* every second call of the backend gets objects ahead */
	EXPECT(!pool_alloc_bulk(&pool->head, 0, TEST_OBJS, test_objs));
}

/* Bulk calls run as in a handler that has interrupted a call: they must not touch the array. */
POOL_CASE(a_nested_bulk_uses_the_layers_below, test_pool(64))
{
	unsigned int flags = 0;
	struct pool_local *here;
	unsigned int i, n;
	bool got, more;

	test_alloc_many(pool, test_objs, 60);
	for (i = 0; i < 30; i++)
		EXPECT(pool_shared_put_one(pool, test_objs[i], 0));
	test_free_many(pool, test_objs + 30, 20);
	here = pool_here_enter(pool, &flags);
	ASSERT(here);
	n = test_local(pool)->hot.n;
	pool_free_bulk(&pool->head, POOL_F_ATOMIC, 10, test_objs + 50);
	got = pool_alloc_bulk(&pool->head, POOL_F_ATOMIC, 30, test_objs);
	pool_fail_every = 1;
	more = pool_alloc_bulk(&pool->head, POOL_F_ATOMIC, 1000,
			       test_objs + 30);
	n -= test_local(pool)->hot.n;
	pool_here_leave(here);
	EXPECT(got && distinct(30, test_objs));
	EXPECT(!more);
	EXPECT_EQ(n, 0);
	test_free_many(pool, test_objs, got ? 30 : 0);
	pool_fail_every = 0;
	test_wave(pool, TEST_SOME);
}

/* Allocate and free bulks of all sizes, and check that no other thread writes to their objects. */
static void bulk_and_single(unsigned int i, void *arg)
{
	struct crowd *c = arg;
	unsigned long state = i + 1, r;
	unsigned int *objs[70];

	for (r = 0; r < test_scale(2000); r++) {
		unsigned int n = (unsigned int)(test_random(&state) % 71);
		unsigned int k;

		if (!pool_alloc_bulk(&c->pool->head, 0, n, (void **)objs))
			continue;
		for (k = 0; k < n; k++)
			*objs[k] = i * 100 + k;
		for (k = 0; k < n; k++)
			if (*objs[k] != i * 100 + k)
				plat_word_add(&c->bad, 1);
		for (k = n / 2; k < n; k++) {
			pool_free(&c->pool->head, objs[k]);
			objs[k] = NULL;
		}
		pool_free_bulk(&c->pool->head, 0, n, (void **)objs);
	}
}

TEST_CASE(after_a_switch_a_bulk_takes_no_more_unseen_than_the_array_had)
{
	unsigned int i, had, unseen = 0;
	struct pool *pool;

	test_options(1 << 20, 32);
	pool_options.poison = 0xa5;
	pool = test_pool(64);
	ASSERT(pool);
	pool_fail_every = 0;
	test_alloc_many(pool, test_objs, 1000);
	for (i = 0; i < 1000; i++)
		memset(test_objs[i], 0x11, 64);
	test_free_many(pool, test_objs, 1000);
	had = test_local(pool)->hot.n;
	pool_switch(pool, POOL_D_POISON, 0);
	ASSERT(take(pool, 400, test_objs));
	for (i = 0; i < 400; i++)
		unseen += *(unsigned char *)test_objs[i] != 0xa5;
	EXPECT_LE(unseen, had);
	pool_free_bulk(&pool->head, 0, 400, test_objs);
	EXPECT(test_quiet(pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/*
 * A free checked the object, but could only park it.  The link of the parked list replaced the
 * object's seal, but the table of objects still has the object as checked, so a bulk call must not
 * hand it out unchecked.
 */
POOL_CASE(a_bulk_takes_no_object_unseen_that_was_checked_and_parked,
	  test_sure_within(1 << 20, 32, 64))
{
	unsigned int i;
	void *obj;

	test_wave(pool, 1000);
	test_wave(pool, 1000);
	test_alloc_many(pool, test_objs, 192);
	test_free_many(pool, test_objs, 190);
	pool_switch(pool, POOL_D_INTEGRITY, 0);
	obj = pool_check_free(pool, test_objs[191], POOL_F_ATOMIC, NULL);
	ASSERT(obj);
	pool_park(pool, obj);
	test_free(pool, test_objs[190]);
	ASSERT(take(pool, 128, test_objs));
	for (i = 0; i < 128; i++)
		test_free(pool, test_objs[i]);
	EXPECT_EQ(test_faults(pool), 0);
	pool_switch(pool, 0, POOL_D_INTEGRITY);
}

/* Return how many pointers have a seal among those that a bulk call gives. */
static unsigned int sealed_of(struct pool *pool, unsigned int n)
{
	unsigned int i, sealed = 0;

	if (!take(pool, n, test_objs))
		return n;
	for (i = 0; i < n; i++)
		sealed += !!pool_seal_of(test_objs[i]);
	return sealed;
}

/* The sealed object is the whole bulk in the first call, and the last one in the second call. */
POOL_CASE(after_checks_end_a_bulk_hands_out_no_sealed_pointer, test_sure_within(1 << 20, 32, 64))
{
	pool_switch(pool, POOL_D_INTEGRITY, 0);
	test_wave(pool, 200);
	pool_switch(pool, 0, POOL_D_INTEGRITY);
	ASSERT(sealed_of(pool, 1) == 0);
	test_free(pool, test_objs[0]);
	ASSERT(sealed_of(pool, 2) == 0);
	pool_free_bulk(&pool->head, 0, 2, test_objs);
	EXPECT_EQ(test_faults(pool), 0);
}

POOL_CASE(bulks_of_many_at_once_lose_nothing, test_within(16384, 8, 64))
{
	EXPECT_EQ(test_crowd(4, bulk_and_single, pool), 0);
}
