// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * declare.c - declared pools of this module
 *
 * Layer:   tests of kernel/declare.c.
 *
 * One name is a variable, so that a case can spoil it; helper_declare.c declares four more pools.
 * Two sizes of that file are near to two sizes of this file.  The larger one is here in one case,
 * and there in the other.
 */
#include "test.h"
#include "helper_declare.h"

#include <linux/module.h>
#include <linux/string.h>

struct declared_type {
	char text[40];
} __aligned(64);

static struct {
	char name[12];
} spoilt = { "d_exists" };

static struct pool_head *existing;

DECLARE_STATIC_POOL(declared_static, "d_static", 3 * sizeof(void *));
DECLARE_STATIC_ALIGNED_POOL(declared_aligned, "d_aligned", 500, 128);
DECLARE_STATIC_TYPED_POOL(declared_typed, "d_typed", struct declared_type);
REGISTER_POOL(&existing, spoilt.name, 600);
DECLARE_STATIC_POOL(declared_smaller, "d_smaller", 3200);
DECLARE_STATIC_POOL(declared_larger, "d_larger", 6432);

/* Return how many variables of declarations are set. */
static unsigned int count_set(void)
{
	return !!declared_static + !!declared_aligned + !!declared_typed +
	       !!existing + !!declared_elsewhere + helper_has_pool() +
	       !!declared_smaller + !!declared_larger +
	       !!declared_larger_there + !!declared_smaller_there;
}

TEST_CASE(one_line_creates_the_declared_pools_of_all_files)
{
	EXPECT_EQ(count_set(), 0);
	ASSERT(pool_register_declared() == 0);
	EXPECT_EQ(count_set(), 10);
	EXPECT_EQ(test_count_pools(), 8);
	EXPECT(!strcmp(pool_of(declared_static)->name, "d_static"));
	EXPECT_EQ(declared_static->size, 4 * sizeof(void *));
	EXPECT_EQ(pool_of(declared_aligned)->align, 128);
	EXPECT_EQ(pool_of(declared_typed)->align, 64);
	EXPECT_EQ(declared_typed->size, sizeof(struct declared_type));
	EXPECT_EQ(pool_of(existing)->flags, MEM_F_SHARED);
	test_objs[0] = test_alloc(pool_of(declared_elsewhere));
	EXPECT(test_objs[0]);
	test_free(pool_of(declared_elsewhere), test_objs[0]);
	pool_release_declared();
	EXPECT_EQ(count_set(), 0);
	EXPECT_EQ(test_count_pools(), 0);
}

TEST_CASE(declared_pools_merge_alike_whatever_file_comes_first)
{
	ASSERT(pool_register_declared() == 0);
	EXPECT_PTR_EQ(declared_smaller, declared_larger_there);
	EXPECT_PTR_EQ(declared_smaller_there, declared_larger);
	EXPECT_EQ(declared_smaller->size, 3216);
	EXPECT_EQ(declared_larger->size, 6432);
	EXPECT(!strcmp(pool_of(declared_smaller)->name, "d_larger_th"));
	pool_release_declared();
	EXPECT_EQ(test_count_pools(), 0);
}

TEST_CASE(a_declaration_that_fails_takes_the_others_with_it)
{
	spoilt.name[0] = 0;
	EXPECT_EQ(-pool_register_declared(), ENOMEM);
	EXPECT_EQ(count_set(), 0);
	EXPECT_EQ(test_count_pools(), 0);
	spoilt.name[0] = 'd';
	EXPECT_EQ(pool_register_declared(), 0);
	EXPECT_EQ(count_set(), 10);
	pool_release_declared();
	EXPECT_EQ(test_count_pools(), 0);
}

TEST_CASE(declaring_and_releasing_twice_changes_nothing)
{
	struct pool_head *first;

	pool_release_declared();
	ASSERT(pool_register_declared() == 0);
	first = declared_static;
	EXPECT_EQ(pool_register_declared(), 0);
	EXPECT_PTR_EQ(declared_static, first);
	EXPECT_EQ(pool_of(first)->users, 1);
	pool_release_declared();
	EXPECT_EQ(test_count_pools(), 0);
	pool_release_declared();
	EXPECT_EQ(count_set(), 0);
}

TEST_CASE(declared_pools_that_merged_are_released_one_by_one)
{
	struct pool_head *mine;

	ASSERT(pool_register_declared() == 0);
	mine = create_pool("mine", 600, MEM_F_SHARED);
	EXPECT_PTR_EQ(mine, existing);
	pool_release_declared();
	EXPECT_EQ(test_count_pools(), 1);
	EXPECT_EQ(pool_of(mine)->users, 1);
	EXPECT_PTR_EQ(pool_destroy(mine), NULL);
}

TEST_CASE(a_declared_pool_in_use_outlives_its_release)
{
	struct pool_head *pool;
	void *obj;

	ASSERT(pool_register_declared() == 0);
	pool = declared_typed;
	obj = test_alloc(pool_of(pool));
	EXPECT(obj);
	pool_release_declared();
	EXPECT_EQ(count_set(), 0);
	EXPECT_EQ(test_count_pools(), 1);
	pool_free(pool, obj);
	EXPECT_PTR_EQ(pool_destroy(pool), NULL);
}

TEST_CASE(declarations_of_no_module_or_of_another_header_are_refused)
{
	EXPECT_EQ(-pool_register_declared_of(NULL, POOL_ABI), EINVAL);
	pool_release_declared_of(NULL);
	EXPECT_EQ(-pool_register_declared_of(THIS_MODULE, POOL_ABI + 1),
		  EINVAL);
	EXPECT_EQ(count_set(), 0);
	EXPECT_EQ(test_count_pools(), 0);
}

TEST_CASE(a_declaration_is_no_parameter_that_could_be_set)
{
	const struct kernel_param *param = NULL;
	unsigned int i, n = 0;

	for (i = 0; i < THIS_MODULE->num_kp; i++) {
		if (THIS_MODULE->kp[i].ops != &pool_decl_ops)
			continue;
		param = &THIS_MODULE->kp[i];
		EXPECT_EQ(param->perm, 0);
		EXPECT_EQ(-param->ops->set("1", param), ENOENT);
		EXPECT_EQ(-param->ops->set(NULL, param), ENOENT);
		n++;
	}
	EXPECT_EQ(n, 10);
}
