// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ahead.c - a miss that reaches the backend gets more than its object
 *
 * Layer:   tests of common/api/alloc.c and backend.c.
 */
#include "test.h"

#define BOUND		524288ul

/* Return how many objects an array may have at most. */
static unsigned int array_holds(void)
{
	unsigned int n = POOL_HOT_SLOTS;

	return n < POOL_HOT_MAX ? n : POOL_HOT_MAX;
}

/* Return half of the slots, at least one, and no more than the pool may still get. */
static unsigned long half_of(unsigned int slots, unsigned long have,
			     unsigned long most)
{
	unsigned long n = slots > 1 ? slots / 2 : 1;

	return have < most && n > most - have ? most - have : n;
}

/* Allocate an object; true if the pool grew by as many as expected, and its numbers agree. */
static bool grows(struct pool *pool, void **obj)
{
	const struct pool_hot *hot = &test_local(pool)->hot;
	unsigned int n = hot->n, slots = hot->slots;
	struct pool_stats before, now;
	unsigned long come;

	pool_sum(pool, &before);
	*obj = test_alloc(pool);
	pool_sum(pool, &now);
	if (now.allocated != now.used + now.cached || now.cached != hot->n ||
	    now.used != before.used + 1)
		return false;
	come = n ? 0 : half_of(slots, (unsigned long)before.allocated,
			       test_local(pool)->most);
	return now.store_gets - before.store_gets == come &&
	       hot->n == n + come - 1;
}

POOL_CASE(a_pool_that_grows_gets_half_of_its_room_at_once, test_sure_within(1 << 20, 32, 64))
{
	unsigned int i;

	for (i = 0; i < 400; i++)
		EXPECT(grows(pool, &test_objs[i]));
	EXPECT_EQ(test_local(pool)->hot.slots, test_local(pool)->most);
	test_free_many(pool, test_objs, 400);
}

POOL_CASE(who_takes_one_object_gets_one, test_pool(64))
{
	unsigned int i;

	for (i = 0; i < 10; i++) {
		test_objs[0] = test_alloc(pool);
		EXPECT_EQ(pool_allocated(pool), 1);
		test_free(pool, test_objs[0]);
	}
}

/* Allocate @n objects.  True if at no moment the pool had an object that was not in use. */
static bool one_at_a_time(struct pool *pool, unsigned int n)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < n; i++) {
		test_objs[i] = test_alloc(pool);
		good = good && test_objs[i] && pool_allocated(pool) == i + 1;
	}
	test_free_many(pool, test_objs, n);
	return good;
}

POOL_CASE(with_a_limit_objects_come_one_at_a_time, test_pool(64))
{
	EXPECT(pool_set_limit(&pool->head, 1000));
	EXPECT(one_at_a_time(pool, 200));
}

/* A pool that has needed more objects before must get only as many as users take. */
POOL_CASE(what_was_given_back_is_regained_one_at_a_time, test_pool(64))
{
	plat_write(&pool->need_target, 1000ul);
	EXPECT(one_at_a_time(pool, 200));
}

PAIR_CASE(beside_three_quarters_of_the_bound_objects_come_one_at_a_time,
	  idle, test_within(BOUND, 32, 1024), pool, test_pool(64))
{
	test_wave(idle, 450);
	EXPECT_LE(BOUND - BOUND / 4, test_charged());
	EXPECT(one_at_a_time(pool, 200));
}

static void construct(void *obj, void *arg)
{
	*(void **)obj = arg;
}

TEST_CASE(nothing_that_is_constructed_or_checked_is_got_ahead)
{
	struct pool_attr attr = {
		.name = "made", .size = 64, .flags = MEM_F_EXACT,
		.ctor = construct, .arg = &attr,
	};
	struct pool *made = test_made(&attr);
	struct pool *checked = test_checked(64, POOL_D_INTEGRITY);

	ASSERT(made && checked);
	EXPECT(one_at_a_time(made, 200));
	EXPECT(one_at_a_time(checked, 200));
	pool_destroy(&made->head);
	pool_destroy(&checked->head);
}

/* With one object more than its slots, the array would be spilled and filled in each round. */
POOL_CASE(nothing_is_got_ahead_across_an_array, test_within(1 << 20, 32, 64))
{
	const unsigned int full = array_holds();
	struct pool_local *local;
	unsigned int i;

	for (i = 0; i < 10; i++)
		test_wave(pool, full);
	local = test_local(pool);
	EXPECT_EQ(pool_allocated(pool), local->most);
	EXPECT_EQ(local->spills + local->fills, 0);
}

/* Objects left of the last batch must not fill slots that users free to and allocate from. */
POOL_CASE(a_pool_that_has_grown_may_swing_by_an_array, test_within(1 << 20, 32, 64))
{
	const unsigned int full = array_holds();
	struct pool_local *local;
	unsigned long visits;
	unsigned int i;

	test_alloc_many(pool, test_objs, 1000);
	test_free_many(pool, test_objs, full);
	test_alloc_many(pool, test_objs, full);
	local = test_local(pool);
	visits = local->spills + local->fills;
	for (i = 0; i < 10; i++) {
		test_free_many(pool, test_objs, full);
		test_alloc_many(pool, test_objs, full);
	}
	EXPECT_EQ(local->spills + local->fills, visits);
	test_free_many(pool, test_objs, 1000);
}

/* With objects of 4096 bytes half of an array is more than a sixteenth of the bound. */
POOL_CASE(a_sixteenth_of_the_bound_comes_at_once_at_most, test_sure_within(BOUND, 32, 4096))
{
	const unsigned int size = 4096, n = 100;
	struct pool_stats before, now;
	unsigned long most = 0;
	unsigned int i;

	pool_sum(pool, &now);
	for (i = 0; i < n; i++) {
		before = now;
		test_objs[i] = test_alloc(pool);
		pool_sum(pool, &now);
		if (now.store_gets - before.store_gets > most)
			most = (unsigned long)(now.store_gets - before.store_gets);
	}
	i = test_local(pool)->most / 2;
	EXPECT_EQ(most, i < BOUND / 16 / size ? i : BOUND / 16 / size);
	test_free_many(pool, test_objs, n);
}

/* The number of objects that fit the bound is no multiple of a batch. */
POOL_CASE(the_last_batch_ends_at_the_bound, test_within(BOUND, 32, 1008))
{
	unsigned int fit = BOUND / 1008;

	test_alloc_many(pool, test_objs, fit);
	EXPECT_EQ(pool_allocated(pool), fit);
	test_free_many(pool, test_objs, fit);
}

/* With one object more than the bound allows, each round would evict a cluster. */
POOL_CASE(nothing_is_got_ahead_across_the_bound, test_within(BOUND, 32, 1024))
{
	unsigned int fit = BOUND / 1024;

	test_alloc_many(pool, test_objs, fit);
	EXPECT_EQ(pool_allocated(pool), fit);
	EXPECT_EQ(test_sum(pool)->used, fit);
	test_free_many(pool, test_objs, fit);
	test_wave(pool, fit);
	EXPECT_EQ(test_local(pool)->evictions, 0);
	EXPECT(test_bound_holds());
}

/* The slots of five other pools' arrays, which have no objects, are charged. */
POOL_CASE(a_pool_gets_batches_beside_empty_arrays, test_within(BOUND, 32, 64))
{
	unsigned int i, calls = 0;
	struct pool *idle[5];

	for (i = 0; i < ARRAY_LEN(idle); i++) {
		idle[i] = test_pool(1024);
		ASSERT(idle[i]);
		test_alloc_many(idle[i], test_objs + 128 * i, 128);
		test_free_many(idle[i], test_objs + 128 * i, 128);
		test_alloc_many(idle[i], test_objs + 128 * i, 128);
	}
	for (i = 640; i < 1640; i++) {
		unsigned long before = pool_allocated(pool);

		test_objs[i] = test_alloc(pool);
		calls += pool_allocated(pool) != before;
	}
	EXPECT_LE(calls, POOL_HOT_MAX < 128 ? 1000 : 50);
	test_free_many(pool, test_objs + 640, 1000);
	for (i = 0; i < ARRAY_LEN(idle); i++) {
		test_free_many(idle[i], test_objs + 128 * i, 128);
		pool_destroy(&idle[i]->head);
	}
}

/* The bound is used up, so neither objects got ahead nor their slots may evict others. */
PAIR_CASE(what_is_got_ahead_evicts_nothing, pool, test_within(BOUND, 32, 64), idle, test_pool(1024))
{
	unsigned int n = BOUND / 1024;
	unsigned int i = 10;
	unsigned long evictions;

	test_alloc_many(pool, test_objs, 10);
	test_alloc_just(idle, test_objs + 10, n);
	test_free_many(idle, test_objs + 10, n);
	while ((plat_read(&test_local(pool)->hot.n) || test_local(pool)->clustered) &&
	       i < 100)
		test_objs[i++] = test_alloc(pool);
	EXPECT_LE(i, 99);
	EXPECT_LE(test_local(pool)->hot.slots * 2, test_local(pool)->most);
	pool_set_hot_size(test_charged());
	evictions = test_local(idle)->evictions;
	test_alloc_many(pool, test_objs + i, 1000 - i);
	EXPECT_EQ(test_local(idle)->evictions, evictions);
	EXPECT(test_bound_holds());
	test_free_many(pool, test_objs, 1000);
}

/*
 * Every second call of the backend fails, those that get objects ahead among them.  No allocation
 * may fail, because the next call of the backend succeeds.
 */
POOL_CASE(a_backend_that_fails_ahead_fails_no_call, test_sure(64))
{
	struct pool_stats now;

	test_alloc_many(pool, test_objs, 10);
	pool_fail_every = 2;
	test_alloc_many(pool, test_objs + 10, TEST_SOME - 10);
	pool_sum(pool, &now);
	EXPECT_EQ(now.allocated, TEST_SOME);
	EXPECT_EQ(now.used, TEST_SOME);
	if (test_local(pool)->most >= 4)
		EXPECT_LE(now.injected, 2);
	EXPECT_EQ(now.failed, 0);
	test_free_many(pool, test_objs, TEST_SOME);
}

#define EACH	500

static void grow(unsigned int i, void *arg)
{
	test_alloc_many(arg, test_objs + i * EACH, EACH);
}

POOL_CASE(cpus_that_get_ahead_at_once_count_each_object, test_pool(64))
{
	unsigned int n = test_cpus() < 8 ? test_cpus() : 8;
	struct pool_stats now;

	test_threads(n, grow, pool);
	pool_sum(pool, &now);
	EXPECT_EQ(now.used, n * EACH);
	EXPECT_EQ(now.allocated, now.used + now.cached + now.shared);
	EXPECT_EQ(now.store_gets - now.store_puts, now.allocated);
	test_free_many(pool, test_objs, n * EACH);
}
