// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * owner.c - pools and their owners, which are modules; user space has none
 *
 * Layer:   tests of common/base/registration.c, merge.c and create.c.
 *
 * An owner is an address; real modules are in tests/vm/stock.sh.
 */
#include "test.h"

static const char one, two;

static struct pool_head *owned(const char *name, unsigned int size,
			       const void *owner)
{
	return pool_create_at(name, size, MEM_F_SHARED, "owner.c", 1,
			      owner, POOL_ABI);
}

TEST_CASE(pools_of_two_owners_are_merged_only_when_told_to)
{
	struct pool_head *a = owned("mine", 96, &one);
	struct pool_head *b = owned("yours", 96, &two);
	struct pool_head *c = owned("both", 96, &two);

	ASSERT(a && b && c);
	EXPECT(a != b);
	EXPECT_PTR_EQ(b, c);
	ASSERT(pool_configure("merge-modules"));
	EXPECT(owned("third", 96, &one));
	EXPECT(owned("fourth", 96, &two));
	EXPECT_EQ(test_count_pools(), 2);
	EXPECT_EQ(pool_of(a)->users + pool_of(b)->users, 5);
	ASSERT(pool_configure("no-merge-modules"));
	EXPECT(owned("fifth", 112, &one) != owned("sixth", 112, &two));
	EXPECT_EQ(test_count_pools(), 4);
	pool_destroy_owned(&one);
	pool_destroy_owned(&two);
	EXPECT_EQ(test_count_pools(), 0);
}

TEST_CASE(destroying_an_owners_pools_leaves_those_of_others)
{
	struct pool_head *mine, *yours, *both;
	void *obj;

	ASSERT(pool_configure("merge-modules"));
	mine = owned("mine", 96, &one);
	yours = owned("yours", 160, &two);
	both = owned("both", 320, &one);
	ASSERT(mine && yours && both);
	EXPECT_PTR_EQ(owned("both2", 320, &two), both);
	test_wave(pool_of(mine), TEST_SOME);
	obj = test_alloc(pool_of(both));
	pool_destroy_owned(&one);
	EXPECT_EQ(test_count_pools(), 2);
	EXPECT_EQ(pool_of(both)->users, 1);
	test_free(pool_of(both), obj);
	EXPECT_PTR_EQ(pool_destroy_of(yours, &two), NULL);
	pool_destroy_owned(&two);
	EXPECT_EQ(test_count_pools(), 0);
}

/*
 * Two owners share a pool.  The first owner may end its own registration, but not the other
 * owner's.
 */
TEST_CASE(an_owner_gives_back_none_but_its_own_registration)
{
	struct pool_head *both;
	void *obj;

	ASSERT(pool_configure("merge-modules"));
	both = owned("both", 96, &one);
	ASSERT(both);
	EXPECT_PTR_EQ(owned("both2", 96, &two), both);
	obj = test_alloc(pool_of(both));
	EXPECT_PTR_EQ(pool_destroy_of(both, &one), NULL);
	pool_destroy_owned(&one);
	ASSERT(test_count_pools() == 1);
	EXPECT_PTR_EQ(pool_destroy_of(both, &one), both);
	EXPECT_EQ(pool_owner_gone(&one), 0);
	ASSERT(test_count_pools() == 1);
	test_free(pool_of(both), obj);
	EXPECT_PTR_EQ(pool_destroy_of(both, &two), NULL);
	EXPECT_EQ(test_count_pools(), 0);
}

/*
 * A module at the address of an unloaded one has the same owner, but not the pools of the unloaded
 * one.
 */
TEST_CASE(what_an_owner_that_is_gone_left_is_not_its_successors)
{
	struct pool_head *left = owned("left", 96, &one);
	struct pool_head *next;

	ASSERT(left);
	EXPECT_EQ(pool_owner_gone(&one), 1);
	EXPECT_EQ(pool_owner_gone(&one), 0);
	next = owned("next", 96, &one);
	EXPECT(next != left);
	pool_destroy_owned(&one);
	EXPECT_EQ(test_count_pools(), 1);
	EXPECT_PTR_EQ(pool_destroy_of(left, &two), NULL);
}

static unsigned int undone;

static void undo(void *obj, void *arg)
{
	(void)obj;
	(void)arg;
	undone++;
}

/* The destructor's code is unloaded with its owner, so no object may be destructed later. */
TEST_CASE(a_pool_with_a_destructor_does_not_outlive_its_owner)
{
	struct pool_attr attr = { .name = "built", .size = 96, .dtor = undo };
	struct pool_head *left = owned("left", 96, &one);
	struct pool_head *built;

	built = pool_create_ext_at(&attr, sizeof(attr), "owner.c", 1,
				   &one, POOL_ABI);
	ASSERT(left && built);
	undone = 0;
	pool_fail_every = 0;
	test_wave(pool_of(built), TEST_SOME);
	EXPECT_EQ(pool_owner_gone(&one), 1);
	EXPECT_EQ(undone, TEST_SOME);
	EXPECT_EQ(test_count_pools(), 1);
	EXPECT_PTR_EQ(pool_destroy_of(left, &two), NULL);
}
