// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * rcu.c - objects that readers of RCU may still see when they are freed
 *
 * Layer:   tests of pool_free_rcu().
 */
#include "test.h"

#include <linux/rcupdate.h>
#include <linux/slab.h>

#define OBJECTS		100

struct shown {
	unsigned long value;
	struct pool_rcu rcu;
};

static struct shown *shown(struct pool *pool, unsigned long value)
{
	struct shown *obj = test_alloc(pool);

	if (obj)
		obj->value = value;
	return obj;
}

static void unshow(struct pool *pool, struct shown *obj)
{
	pool_free_rcu(&pool->head, obj, &obj->rcu);
}

/* Allocate and free objects; true if @obj, freed before, was among them. */
static bool comes_back(struct pool *pool, const void *obj)
{
	unsigned int i;
	bool found = false;

	for (i = 0; i < OBJECTS; i++) {
		test_objs[i] = __pool_alloc(&pool->head, POOL_F_ATOMIC);
		found |= test_objs[i] == obj;
		if (test_objs[i])
			memset(test_objs[i], 0, sizeof(struct shown));
	}
	test_free_many(pool, test_objs, OBJECTS);
	return found;
}

POOL_CASE(a_reader_sees_an_object_as_it_was_though_it_is_freed, test_pool(sizeof(struct shown)))
{
	struct shown *obj = shown(pool, 4711);

	ASSERT(obj);
	rcu_read_lock();
	unshow(pool, obj);
	EXPECT(!comes_back(pool, obj));
	EXPECT_EQ(obj->value, 4711);
	rcu_read_unlock();
	rcu_barrier();
	EXPECT(comes_back(pool, obj));
}

TEST_CASE(the_end_of_a_pool_waits_for_what_readers_may_see)
{
	struct pool *pool = test_pool(sizeof(struct shown));
	unsigned int i;

	ASSERT(pool);
	test_alloc_many(pool, test_objs, OBJECTS);
	for (i = 0; i < OBJECTS; i++)
		unshow(pool, test_objs[i]);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

POOL_CASE(an_allocation_at_the_limit_waits_for_what_readers_may_see,
	  test_pool(sizeof(struct shown)))
{
	struct shown *obj;

	EXPECT(pool_set_limit(&pool->head, 1));
	obj = shown(pool, 1);
	ASSERT(obj);
	unshow(pool, obj);
	EXPECT_PTR_EQ(__pool_alloc(&pool->head, POOL_F_WAIT), obj);
	pool_free(&pool->head, obj);
}

POOL_CASE(freeing_null_after_a_grace_period_does_nothing, test_pool(sizeof(struct shown)))
{
	pool_free_rcu(&pool->head, NULL, NULL);
}
