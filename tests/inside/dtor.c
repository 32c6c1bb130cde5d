// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dtor.c - which calls run constructors and destructors
 *
 * Layer:   tests of common/shared/below.c, parked.c, shrink.c, bound.c and idle.c.
 *
 * Another pool may be used in interrupts, or under a lock that a destructor takes.  Its calls
 * evict objects that are no longer needed.
 */
#include "cases_life.h"

#define SIZE	64u
#define MOST	400u

static unsigned int calls(void)
{
	return life.made + life.undone;
}

/* Create a pool of constructed objects and another one, on a CPU that caches little. */
static bool both(unsigned int mode, struct pool **pool, struct pool **other)
{
	test_options(4096, 4);
	*pool = constructed(SIZE, mode);
	*other = test_pool(SIZE);
	return *pool && *other;
}

/* Use @other until it has evicted all else.  True if no constructor or destructor ran. */
static bool evicted_quietly(struct pool *other)
{
	unsigned int before = calls();

	test_wave(other, MOST);
	return calls() == before;
}

/*
 * Bring most objects of @pool to its parked list: use many of them, then few, while @other evicts
 * the rest.  True if no constructor or destructor of @pool ran in calls of @other.
 */
static bool quietly_parked(struct pool *pool, struct pool *other)
{
	bool quiet = true;
	unsigned int i;

	for (i = 0; i < 1000 && !test_sum(pool)->parked; i++) {
		quiet &= wave_intact(pool, i ? 30 : MOST);
		quiet &= evicted_quietly(other);
	}
	return quiet;
}

/* Destroy both pools; true if each object was constructed once, and destructed once. */
static bool ends_even(struct pool *pool, struct pool *other)
{
	bool gone = !pool_destroy(&other->head);

	return !pool_destroy(&pool->head) && gone && life_is_even();
}

TEST_CASE(a_destructor_does_not_run_in_calls_of_another_pool)
{
	struct pool *pool, *other;
	unsigned int i;

	ASSERT(both(POOL_M_DEFAULT, &pool, &other));
	EXPECT(wave_intact(pool, MOST));
	for (i = 0; i < 300; i++) {
		EXPECT(wave_intact(pool, 30));
		EXPECT(evicted_quietly(other));
	}
	EXPECT(test_quiet(pool, 0));
	EXPECT(ends_even(pool, other));
}

/*
 * Without a shared pool, evicted objects with a destructor can only be parked.  The next calls of
 * the pool itself must return them to the backend.
 */
TEST_CASE(what_waits_for_its_pool_goes_down_with_its_next_calls)
{
	static const unsigned int modes[] = { POOL_M_DEFAULT, POOL_M_NO_GLOBAL };
	struct pool *pool, *other;
	unsigned long parked;
	unsigned int i, k;

	for (i = 0; i < 2; i++) {
		ASSERT(both(modes[i], &pool, &other));
		EXPECT(quietly_parked(pool, other));
		parked = test_sum(pool)->parked;
		EXPECT(parked);
		for (k = 0; k < parked; k++)
			EXPECT(wave_intact(pool, 60));
		EXPECT_EQ(test_sum(pool)->parked, 0);
		EXPECT(test_quiet(pool, 0));
		EXPECT(ends_even(pool, other));
	}
}

TEST_CASE(what_waits_for_its_pool_is_given_back_where_memory_is_short)
{
	struct pool *pool, *other;
	unsigned long unused, later;

	ASSERT(both(POOL_M_NO_GLOBAL, &pool, &other));
	EXPECT(quietly_parked(pool, other));
	EXPECT(test_sum(pool)->parked);
	EXPECT(pool_unused_bytes(0, &unused));
	EXPECT_LE(SIZE, pool_shrink_bytes(1, 0));
	EXPECT(pool_unused_bytes(0, &later));
	EXPECT_LE(later, unused);
	EXPECT_LE(SIZE, pool_shrink_bytes(POOL_ALL, 0));
	EXPECT_EQ(test_sum(pool)->parked, 0);
	EXPECT(ends_even(pool, other));
}

TEST_CASE(what_waits_for_its_pool_is_given_back_by_age)
{
	struct pool *pool, *other;
	unsigned int undone;

	ASSERT(both(POOL_M_DEFAULT, &pool, &other));
	EXPECT(quietly_parked(pool, other));
	EXPECT(test_sum(pool)->parked);
	undone = life.undone;
	pool_age();
	EXPECT(life.undone > undone);
	EXPECT_EQ(test_sum(pool)->parked, 0);
	EXPECT(ends_even(pool, other));
}

/* True if no constructor or destructor ran while @act removed a pool's clusters from this CPU. */
static bool taken_quietly(bool (*act)(void))
{
	struct pool *pool, *other;
	unsigned int before;
	bool quiet;

	test_options(1 << 16, 4);
	pool = constructed(SIZE, POOL_M_DEFAULT);
	other = test_pool(SIZE);
	if (!pool || !other || !wave_intact(pool, MOST))
		return false;
	before = calls();
	quiet = act() && !pool_clustered_bytes(test_cpu()) &&
		calls() == before;
	pool_configure("max_cached=0");
	quiet &= wave_intact(pool, MOST) && test_quiet(pool, 0);
	return ends_even(pool, other) && quiet;
}

static bool memory_is_short(void)
{
	pool_shrink_bytes(POOL_ALL, POOL_F_FOREIGN);
	return true;
}

static bool cap_comes(void)
{
	return pool_configure("max_cached=1");
}

/*
 * The caller of an allocation that reclaims may hold a lock that another pool's destructor takes.
 */
TEST_CASE(an_allocation_that_takes_back_from_all_runs_no_destructor)
{
	EXPECT(taken_quietly(memory_is_short));
}

TEST_CASE(a_cap_that_comes_late_runs_no_destructor)
{
	EXPECT(taken_quietly(cap_comes));
}

/* With "integrity" a free destructs the object, so parked objects are not constructed. */
TEST_CASE(a_filled_object_is_not_constructed_while_it_waits)
{
	struct pool *pool, *other;

	test_options(4096, 4);
	test_mode(POOL_D_INTEGRITY);
	pool = constructed(SIZE, POOL_M_NO_GLOBAL);
	test_mode(0);
	other = test_pool(SIZE);
	ASSERT(pool && other);
	EXPECT(quietly_parked(pool, other));
	EXPECT(test_sum(pool)->parked);
	EXPECT(wave_intact(pool, MOST));
	EXPECT(test_quiet(pool, 0));
	EXPECT(ends_even(pool, other));
}
