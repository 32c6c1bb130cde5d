// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fill.c - options that change the contents of objects, or the order of allocation
 *
 * Layer:   tests, both worlds.
 * Context: the case's own thread; the policy only counts faults.
 */
#include "cases_life.h"

/* All options that work without help of the platform. */
#define ALL_OPTIONS	(POOL_D_COLD_FIRST | POOL_D_INTEGRITY | \
			 POOL_D_NO_GLOBAL | POOL_D_NO_CACHE | POOL_D_CALLER | \
			 POOL_D_TAG | POOL_D_POISON | POOL_D_BACKUP)

POOL_CASE(cold_first_hands_out_the_oldest, test_checked_within(1 << 20, 8, 64, POOL_D_COLD_FIRST))
{
	unsigned int i;

	test_wave(pool, 30);
	for (i = 0; i < 30; i++)
		EXPECT_PTR_EQ(test_alloc(pool), test_objs[i]);
	test_free_many(pool, test_objs, 30);
}

/* A free destructs, so that checks may fill the object; the next allocation constructs again. */
TEST_CASE(filled_objects_are_constructed_again)
{
	static const unsigned int options[] = {
		POOL_D_INTEGRITY, POOL_D_POISON, POOL_D_BACKUP,
		POOL_D_INTEGRITY | POOL_D_POISON | POOL_D_TAG | POOL_D_BACKUP,
	};
	unsigned int i, j;

	test_options(4096, 8);
	pool_options.policy = POOL_POLICY_CONTINUE;
	for (i = 0; i < ARRAY_LEN(options); i++) {
		struct pool *pool;

		test_mode(options[i]);
		pool = constructed(24, POOL_M_DEFAULT);
		ASSERT(pool);
		for (j = 0; j < 5; j++)
			EXPECT(wave_intact(pool, 200));
		EXPECT_EQ(test_faults(pool), 0);
		ENDS_QUIETLY(&pool->head);
		EXPECT(life_is_even());
	}
}

#define OBJS		(50 + (unsigned int)test_scale(250))
#define COMBINED	(ALL_OPTIONS | POOL_D_TOOLS)

/* Return the options of combination @n, whose bit i is for the i-th option. */
static unsigned int combination(unsigned int n)
{
	unsigned int left = COMBINED, some = 0;

	for (; left; left &= left - 1, n >>= 1)
		if (n & 1)
			some |= left & -left;
	return some;
}

/* Objects come and go through all layers, because the bound has fewer bytes than the objects. */
POOLS_CASE(no_combination_of_options_finds_what_is_not_there, 1u << __builtin_popcount(COMBINED),
	   test_checked_within(27ul * OBJS, 4, 40 + nth % 9, combination(nth)))
{
	unsigned int i;

	test_alloc_many(pool, test_objs, OBJS);
	for (i = 0; i < OBJS; i++)
		*(unsigned char *)test_objs[i] = (unsigned char)i;
	test_free_many(pool, test_objs, OBJS);
	test_wave(pool, 50);
	EXPECT_EQ(test_faults(pool), 0);
	EXPECT(test_bound_holds());
}
