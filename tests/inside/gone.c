// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * gone.c - calls with pools that were destroyed are reported
 *
 * Layer:   tests, both worlds.
 * Context: the case's own thread; the policy only counts faults.
 */
#include "test.h"

/* True if @calls calls with the destroyed pool were reported, and nothing else. */
static bool told_of(struct pool *pool, unsigned int calls)
{
	return plat_read(&pool->faults[POOL_FAULT_DESTROYED]) == calls &&
	       plat_read(&pool->reports) == calls;
}

static const unsigned int options[] = {
	POOL_D_INTEGRITY, POOL_D_CALLER, POOL_D_TAG, POOL_D_POISON, POOL_D_BACKUP,
	POOL_D_COLD_FIRST, POOL_D_UAF | POOL_D_NO_CACHE, POOL_D_MEMSTATS,
	POOL_D_CALLER | POOL_D_HARDEN,
};

/* Create, use and destroy a checked pool; @obj is an object that it had. */
static struct pool *gone(unsigned int debug, void **obj)
{
	struct pool *pool = test_checked(64, debug);

	*obj = pool ? test_alloc(pool) : NULL;
	if (!*obj)
		return NULL;
	test_free(pool, *obj);
	return pool_destroy(&pool->head) ? NULL : pool;
}

/* GONE_CASE(name) - a case of a destroyed pool and an object of it, for each of the options. */
#define GONE_CASE(name)							\
	static void name##_of(TEST_HANDLE, struct pool *pool, void *obj); \
	TEST_CASE(name)							\
	{								\
		unsigned int i;						\
		void *obj;						\
									\
		for (i = 0; i < ARRAY_LEN(options); i++) {		\
			struct pool *pool = gone(options[i], &obj);	\
									\
			ASSERT(pool);					\
			name##_of(TEST_PASSED, pool, obj);		\
		}							\
	}								\
	static void name##_of(TEST_HANDLE, struct pool *pool, void *obj)

GONE_CASE(a_second_pool_destroy_is_reported)
{
	(void)obj;
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	EXPECT(told_of(pool, 1));
	EXPECT_EQ(test_count_pools(), 0);
}

GONE_CASE(an_allocation_from_a_destroyed_pool_is_reported_and_gets_nothing)
{
	void *objs[3] = { obj };

	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_ATOMIC), NULL);
	EXPECT_PTR_EQ(pool_alloc_nocache(&pool->head), NULL);
	EXPECT_PTR_EQ(pool_alloc_timeout(&pool->head, 0, POOL_FOREVER), NULL);
	EXPECT(!pool_set_debug(&pool->head, "no-integrity"));
	EXPECT(!pool_alloc_bulk(&pool->head, 0, 3, objs));
	EXPECT_EQ(pool_alloc_bulk_some(&pool->head, 0, 3, objs), 0);
	EXPECT(told_of(pool, 7));
}

GONE_CASE(a_free_to_a_destroyed_pool_is_reported_and_does_nothing)
{
	void *objs[2] = { obj, obj };

	pool_free(&pool->head, obj);
	pool_free_bulk(&pool->head, 0, 2, objs);
	EXPECT(told_of(pool, 3));
}

/* The next pool gets the place of the destroyed pool's arrays, but not its struct. */
TEST_CASE(a_destroyed_pool_is_not_taken_for_the_next_one)
{
	void *obj;
	struct pool *pool = gone(POOL_D_CALLER, &obj), *next;

	ASSERT(pool);
	next = test_pool(64);
	ASSERT(next && next != pool);
	pool_fail_every = 0;
	test_wave(next, 2);
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	pool_free(&pool->head, obj);
	EXPECT(told_of(pool, 2));
	EXPECT(test_quiet(next, 0));
	EXPECT_PTR_EQ(pool_destroy(&next->head), NULL);
}

/* The struct of the last of 300 destroyed pools must still be known. */
TEST_CASE(checked_pools_may_come_and_go)
{
	struct pool *pool = NULL;
	unsigned int i;
	void *obj;

	for (i = 0; i < 300; i++) {
		pool = gone(POOL_D_CALLER, &obj);
		ASSERT(pool);
	}
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	EXPECT(told_of(pool, 1));
}
