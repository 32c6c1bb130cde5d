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

/* The object is larger than those of slabs, because free() of these would end the program. */
TEST_CASE(an_object_that_was_given_to_free_is_reported_when_it_comes_back)
{
	struct pool *pool;
	void *lost;

	if (UNDER_CHECKER)
		SKIP_BECAUSE("a tool keeps what is freed");
	pool = test_checked(POOL_SLAB_MAX + 1024, POOL_D_TAG);
	ASSERT(pool);
	pool_fail_every = 0;
	lost = test_alloc(pool);
	ASSERT(lost);
	free(lost);
	EXPECT(test_reports_elsewhere(pool));
	pool_destroy(&pool->head);
}
