// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tools.c - pools under a tool that watches memory
 *
 * Layer:   tests, both worlds; what the tools themselves see: tools.sh.
 * Context: the case's own thread.
 */
#include "test.h"

static bool is_open(struct pool *pool)
{
	test_wave(pool, 50);
	return plat_read(&test_local(pool)->hot.slots);
}

TEST_CASE(what_tools_need_is_a_default_that_can_be_undone)
{
	unsigned int needed = pool_start.debug;
	struct pool *pool;

	test_options(1 << 20, 8);
	pool_options.debug = needed;
	pool = test_pool(64);
	EXPECT_EQ(is_open(pool), !needed);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	EXPECT(pool_configure("cache,no-tools"));
	pool = test_pool(64);
	EXPECT(is_open(pool));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

POOL_CASE(a_pool_that_tells_tools_lets_objects_rest,
	  test_checked_within(1 << 20, 8, 64, POOL_D_TOOLS))
{
	unsigned int i;

	test_wave(pool, 40);
	for (i = 0; i < 8; i++)
		EXPECT_PTR_EQ(test_alloc(pool), test_objs[i]);
	test_free_many(pool, test_objs, 8);
	EXPECT(!is_open(pool));
}

TEST_CASE(a_pool_that_tells_tools_keeps_sizes_to_the_byte)
{
	struct pool_head *a, *b;

	pool_options.debug = POOL_D_TOOLS;
	a = create_pool("test", 61, MEM_F_SHARED);
	b = create_pool("test", 62, MEM_F_SHARED);
	ASSERT(a && b);
	EXPECT(a != b);
	EXPECT_EQ(a->size, 61);
	EXPECT_EQ(b->size, 62);
	EXPECT_PTR_EQ(pool_destroy(a), NULL);
	EXPECT_PTR_EQ(pool_destroy(b), NULL);
}

/* True if the table of states has no word that points to this object or into it. */
static bool is_hidden(struct pool *pool, const void *obj)
{
	const void *const *segment = pool->object_table.segment[0];
	const unsigned long *word = segment[0];
	unsigned long at = (unsigned long)obj;
	unsigned int i;

	for (i = 0; i < 30 * (1 + 2 * sizeof(long)); i++)
		if (word[i] >= at && word[i] < at + pool->head.size)
			return false;
	return true;
}

POOL_CASE(the_table_of_states_is_no_holder_of_objects_in_use, test_in_mode(POOL_D_TOOLS, 64))
{
	void *obj = test_alloc(pool);

	EXPECT(is_hidden(pool, obj));
	EXPECT_PTR_EQ(pool_state_around(pool, (char *)obj + 63), obj);
	test_free(pool, obj);
	EXPECT(!is_hidden(pool, obj));
	EXPECT_PTR_EQ(pool_state_around(pool, (char *)obj + 63), obj);
}
