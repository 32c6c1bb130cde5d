// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * owner.c - what built-in code owns
 *
 * Layer:   tests of POOL_OWNER of common/pool.h; inside/owner.c has those of owners.
 */
#include "test.h"
#include "helper_built_in.h"

TEST_CASE(built_in_code_owns_pools_by_the_name_of_its_module)
{
	struct pool_head *one = built_in_one.create();
	struct pool_head *two = built_in_two.create();

	ASSERT(one && two);
	EXPECT(one != two);
	EXPECT_PTR_EQ(built_in_one_more.create(), one);
	EXPECT_PTR_EQ(built_in_two.destroy(one), one);
	EXPECT_PTR_EQ(built_in_one_more.destroy(one), NULL);
	built_in_two.destroy_all();
	EXPECT_EQ(test_count_pools(), 1);
	built_in_one_more.destroy_all();
	EXPECT_EQ(test_count_pools(), 0);
}
