// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reserve.c - objects put aside for allocations that must not fail
 *
 * Layer:   tests of common/api/reserve.c.
 */
#include "test.h"

/* Create a reserve, even where every n-th backend call fails. */
static struct pool_reserved *reserve(struct pool *pool, unsigned int n)
{
	struct pool_reserved *r = NULL;
	unsigned int tries = 100;

	if (pool_fail_every && n <= TEST_OBJS)
		test_wave(pool, n);
	while (!r && tries--)
		r = pool_reserve(&pool->head, n);
	return r;
}

POOL_CASE(a_reserve_gives_what_was_put_aside_and_then_nothing, test_pool(64))
{
	struct pool_reserved *r = reserve(pool, 50);
	unsigned int i, good = 0;

	ASSERT(r);
	EXPECT(test_quiet(pool, 50));
	EXPECT_EQ(test_sum(pool)->reserved, 50);
	pool_fail_every = 1;
	for (i = 0; i < 50; i++) {
		test_objs[i] = pool_alloc_reserved(r);
		if (test_objs[i])
			memset(test_objs[i], (int)i, 64);
		EXPECT_EQ(test_sum(pool)->reserved, 49 - i);
	}
	for (i = 0; i < 50; i++)
		good += test_objs[i] && *(unsigned char *)test_objs[i] == i;
	EXPECT_EQ(good, 50);
	for (i = 0; i < 5; i++)
		EXPECT_PTR_EQ(pool_alloc_reserved(r), NULL);
	EXPECT_EQ(test_sum(pool)->reserved, 0);
	EXPECT(test_quiet(pool, 50));
	test_free_many(pool, test_objs, 50);
	EXPECT(test_quiet(pool, 0));
	pool_unreserve(r);
}

/* The array is held, the CPU locked, the backend fails, and shared pool and caches are empty. */
POOL_CASE(a_reserve_needs_no_layer_and_no_lock, test_pool(64))
{
	struct pool_reserved *r = reserve(pool, 3);
	unsigned int flags = 0;
	struct pool_local *here;
	void *obj[3] = { NULL }, *none;

	ASSERT(r);
	pool_fail_every = 1;
	here = pool_here_enter(pool, &flags);
	ASSERT(here);
	if (pool_here_lock(here)) {
		obj[0] = pool_alloc_reserved(r);
		obj[1] = pool_alloc_reserved(r);
		pool_here_unlock(here);
	}
	obj[2] = pool_alloc_reserved(r);
	none = pool_alloc_reserved(r);
	pool_here_leave(here);
	EXPECT(obj[0] && obj[1] && obj[2] && !none);
	test_free_many(pool, obj, 3);
	pool_unreserve(r);
}

POOL_CASE(what_is_left_of_a_reserve_is_freed, test_pool(64))
{
	struct pool_reserved *r, *other;
	void *obj[2];

	r = reserve(pool, TEST_SOME);
	other = reserve(pool, 7);
	ASSERT(r && other);
	EXPECT_EQ(test_sum(pool)->reserved, TEST_SOME + 7);
	obj[0] = pool_alloc_reserved(r);
	obj[1] = pool_alloc_reserved(r);
	pool_unreserve(r);
	EXPECT_EQ(test_sum(pool)->reserved, 7);
	EXPECT(test_quiet(pool, 9));
	test_free_many(pool, obj, 2);
	pool_unreserve(other);
	pool_unreserve(NULL);
	EXPECT_EQ(test_sum(pool)->reserved, 0);
}

POOL_CASE(a_pool_with_a_reserve_is_not_destroyed, test_pool(64))
{
	struct pool_reserved *r = reserve(pool, 2);

	ASSERT(r);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), &pool->head);
	EXPECT_EQ(test_sum(pool)->reserved, 2);
	test_free(pool, pool_alloc_reserved(r));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), &pool->head);
	pool_unreserve(r);
}

/* All objects of the reserve are freed, so the reserve keeps nothing of the pool. */
TEST_CASE(an_empty_reserve_outlives_its_pool)
{
	struct pool *pool = test_pool(64);
	struct pool_reserved *r = pool ? reserve(pool, 1) : NULL;

	ASSERT(r);
	test_free(pool, pool_alloc_reserved(r));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	EXPECT_PTR_EQ(pool_alloc_reserved(r), NULL);
	pool_unreserve(r);
}

POOL_CASE(a_reserve_of_a_wrong_size_is_refused, test_pool(16))
{
	struct pool_reserved *r;

	EXPECT_PTR_EQ(pool_reserve(&pool->head, 0), NULL);
	EXPECT_PTR_EQ(pool_reserve(&pool->head, POOL_RESERVE_MAX + 1), NULL);
	EXPECT_PTR_EQ(pool_reserve(&pool->head, ~0u), NULL);
	EXPECT_EQ(test_sum(pool)->allocated + test_sum(pool)->reserved, 0);
	EXPECT_EQ(test_sum(pool)->failed + test_sum(pool)->refused + test_sum(pool)->injected, 0);
	pool_fail_every = 0;
	r = pool_reserve(&pool->head, POOL_RESERVE_MAX);
	ASSERT(r);
	EXPECT(test_quiet(pool, POOL_RESERVE_MAX));
	EXPECT_EQ(test_sum(pool)->reserved, POOL_RESERVE_MAX);
	pool_unreserve(r);
}

POOL_CASE(a_reserve_that_cannot_be_filled_takes_nothing, test_sure(64))
{
	EXPECT(pool_set_limit(&pool->head, 10));
	EXPECT_PTR_EQ(pool_reserve(&pool->head, 11), NULL);
	EXPECT_EQ(test_sum(pool)->reserved, 0);
	EXPECT(test_quiet(pool, 0));
	EXPECT(pool_set_limit(&pool->head, 0));
	pool_fail_every = 5;	/* every second call gets ahead: one miss of ten fails */
	EXPECT_PTR_EQ(pool_reserve(&pool->head, 1000), NULL);
	EXPECT_EQ(test_sum(pool)->reserved, 0);
}

struct takers {
	struct pool_reserved *r;
	unsigned long got;
};

static void take_all(unsigned int i, void *arg)
{
	struct takers *t = arg;
	unsigned int extra = 0;

	(void)i;
	while (extra < 100) {
		void *obj = pool_alloc_reserved(t->r);

		if (obj)
			test_objs[plat_word_add(&t->got, 1) - 1] = obj;
		else
			extra++;
	}
}

POOL_CASE(takers_at_once_get_each_object_once, test_pool(64))
{
	unsigned long round;
	struct takers t;

	for (round = 0; round < test_scale(40) + 1; round++) {
		unsigned int i, good = 0;

		memset(&t, 0, sizeof(t));
		t.r = reserve(pool, 1000);
		ASSERT(t.r);
		test_threads(4, take_all, &t);
		ASSERT(plat_read(&t.got) == 1000);
		for (i = 0; i < 1000; i++)
			*(unsigned int *)test_objs[i] = i;
		for (i = 0; i < 1000; i++)
			good += *(unsigned int *)test_objs[i] == i;
		EXPECT_EQ(good, 1000);
		EXPECT_EQ(test_sum(pool)->reserved, 0);
		pool_unreserve(t.r);
		EXPECT_EQ(test_sum(pool)->reserved, 0);
		test_free_many(pool, test_objs, 1000);
		EXPECT(test_quiet(pool, 0));
	}
}

static void mark(void *obj, void *arg)
{
	(void)arg;
	memset(obj, 0x3c, 64);
}

static const struct pool_attr marked = { .name = "made", .size = 64, .ctor = mark };

POOL_CASE(a_reserve_of_constructed_objects_has_them_constructed, test_made(&marked))
{
	struct pool_reserved *r = reserve(pool, 5);
	unsigned char *obj;

	ASSERT(r);
	obj = pool_alloc_reserved(r);
	ASSERT(obj);
	EXPECT(obj[0] == 0x3c && obj[63] == 0x3c);
	test_free(pool, obj);
	pool_unreserve(r);
}
