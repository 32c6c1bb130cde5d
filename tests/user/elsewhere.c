// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * elsewhere.c - objects that are freed, but not to their pool
 *
 * Layer:   tests of common/debug/check.c.
 * Context: see test.h.
 */
#include "main.h"
#include "test.h"

#include <stdlib.h>

/* malloc() gives the same memory again, perhaps not at once. */
#define GIVEN_BACK	1000u

/* Objects of slabs are no memory of malloc(), and free() ends the program. */
TEST_CASE(an_object_that_was_given_to_free_is_reported_when_it_comes_back)
{
	struct pool *pool;
	void *lost, *objs[GIVEN_BACK];
	unsigned int n = 0;

	if (UNDER_CHECKER)
		SKIP_BECAUSE("a tool keeps what is freed");
	pool = test_checked(POOL_SLAB_MAX + 1024, POOL_D_TAG);
	ASSERT(pool);
	pool_fail_every = 0;
	lost = test_alloc(pool);
	ASSERT(lost);
	free(lost);
	while (n < GIVEN_BACK && !test_faults(pool))
		objs[n++] = test_alloc(pool);
	EXPECT_EQ(plat_read(&pool->faults[POOL_FAULT_ELSEWHERE]), 1);
	EXPECT_EQ(test_faults(pool), 1);
	EXPECT_EQ(plat_read(&pool->abandoned), 1);
	test_free_many(pool, objs, n);
	pool_destroy(&pool->head);
}
