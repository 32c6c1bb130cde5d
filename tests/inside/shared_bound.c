// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * shared_bound.c - the bound of all shared pools together
 *
 * Layer:   tests of common/shared/shared.c and need.c.
 */
#include "test.h"

#define ROW		3
#define ROW_SIZE	POOL_SHARED_LARGE
#define ROW_OBJS	6400ul		/* 12.5 MiB */

/* Return how many bytes the shared parts of these pools have. */
static unsigned long shared_of(struct pool **pools)
{
	unsigned long bytes = 0, i;

	for (i = 0; i < ROW && pools[i]; i++)
		bytes += pool_shared_count(pools[i]) * ROW_SIZE;
	return bytes;
}

/*
 * Three pools take turns.  Each keeps as much as it lately needed, the first one most of the bound.
 * The bound may be exceeded by a slack, because a pool notes its bytes up to 64 KiB late, and may
 * put two clusters at once.  The last pool may also keep a quarter of what it has in use.
 */
TEST_CASE(all_shared_parts_together_keep_16_mib_and_a_quarter_of_what_is_in_use)
{
	unsigned long slack = ROW * (65536 + 2ul * POOL_CLUSTER_SIZE * ROW_SIZE);
	struct pool *pools[ROW] = { NULL };
	unsigned int i;
	void *half;

	pool_fail_every = 0;
	for (i = 0; i < ROW; i++) {
		pools[i] = test_pool(ROW_SIZE - 16 * i);
		ASSERT(pools[i]);
		test_free_list(pools[i], test_alloc_list(pools[i], ROW_OBJS));
		EXPECT_LE(shared_of(pools), POOL_SHARED_MOST + slack);
	}
	EXPECT_LE(POOL_SHARED_MOST / 2, shared_of(pools));
	half = test_alloc_list(pools[2], ROW_OBJS / 2);
	test_free_list(pools[2], test_alloc_list(pools[2], ROW_OBJS / 2));
	EXPECT_LE(shared_of(pools), POOL_SHARED_MOST + ROW_OBJS / 8 * ROW_SIZE + slack);
	test_free_list(pools[2], half);
	for (i = 0; i < ROW; i++)
		EXPECT(!pool_destroy(&pools[i]->head));
	/* Destroyed pools are no longer counted, so another pool may use the whole bound. */
	pools[0] = test_pool(ROW_SIZE);
	ASSERT(pools[0]);
	for (i = 0; i < 4; i++)
		test_free_list(pools[0], test_alloc_list(pools[0], ROW_OBJS));
	EXPECT_LE(ROW_OBJS * 3 / 4, pool_shared_count(pools[0]));
	EXPECT(!pool_destroy(&pools[0]->head));
}

#define LARGE_SIZE	(POOL_SHARED_LARGE * 3 / 2)
#define LARGE_MOST	(POOL_SHARED_MOST * 3 / 2)
#define LARGE_OBJS	(LARGE_MOST / LARGE_SIZE * 5 / 4)

/* Half as large again as POOL_SHARED_LARGE: of such objects 24 MiB stay instead of 16. */
POOL_CASE(shared_parts_keep_more_bytes_of_larger_objects, test_sure(LARGE_SIZE))
{
	unsigned long slack = 65536 + 2ul * POOL_CLUSTER_SIZE * LARGE_SIZE, have;
	unsigned int i;

	for (i = 0; i < 4; i++)
		test_free_list(pool, test_alloc_list(pool, LARGE_OBJS));
	have = pool_shared_count(pool) * LARGE_SIZE;
	EXPECT_LE(have, LARGE_MOST + slack);
	EXPECT_LE(POOL_SHARED_MOST + slack, have);
}

/*
 * The first pool's objects are all in use.  It neither puts clusters nor calls the backend, so it
 * cannot correct its note of shared bytes later: allocating the objects must.
 */
TEST_CASE(what_users_took_out_of_a_shared_part_leaves_the_bound_to_others)
{
	struct pool *pools[ROW] = { NULL };
	unsigned int i;
	void *list;

	pool_fail_every = 0;
	for (i = 0; i < 2; i++) {
		pools[i] = test_pool(ROW_SIZE - 16 * i);
		ASSERT(pools[i]);
	}
	for (i = 0; i < 4; i++)
		test_free_list(pools[0], test_alloc_list(pools[0], ROW_OBJS));
	list = test_alloc_list(pools[0], pool_allocated(pools[0]));
	EXPECT_EQ(pool_shared_count(pools[0]), 0);
	for (i = 0; i < 4; i++)
		test_free_list(pools[1], test_alloc_list(pools[1], ROW_OBJS));
	EXPECT_LE(ROW_OBJS * 3 / 4, pool_shared_count(pools[1]));
	test_free_list(pools[0], list);
	for (i = 0; i < 2; i++)
		EXPECT(!pool_destroy(&pools[i]->head));
}
