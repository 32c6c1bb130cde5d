// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * harden.c - hardened pools find wrong frees, and keep their caches
 *
 * Layer:   tests of common/debug/harden.c, both worlds; what slabs add: worlds/user/lent.c.
 * Context: the case's own thread; the policy only counts faults.
 */
#include "test.h"

/* Create a hardened pool whose alignment slabs do not have, so that no slab marks its objects. */
static struct pool *unmarked(void)
{
	static const struct pool_attr attr = {
		.name = "unmarked", .size = 2048, .align = 128, .flags = MEM_F_EXACT,
	};

	test_options(1 << 20, 8);
	pool_options.debug = POOL_D_HARDEN;
	pool_options.policy = POOL_POLICY_CONTINUE;
	return test_made(&attr);
}

/* Return the object @below slots under the freshest one; the oldest one if the array has fewer. */
static void *slot_below(struct pool *pool, unsigned int below)
{
	const struct pool_local *local = test_local(pool);
	unsigned long n = local->hot.n;

	if (!n)
		return NULL;
	return local->slot[below < n ? n - 1 - below : 0];
}

/* True if a second free of the object @below the freshest one is reported, and changes nothing. */
static bool finds_second_free(struct pool *pool, unsigned int below)
{
	unsigned long before = test_found(pool, POOL_FAULT_DOUBLE_FREE);
	unsigned int n = 8, i;

	test_wave(pool, n);
	for (i = 0; i < n; i++)
		if (slot_below(pool, below) == test_objs[i])
			break;
	if (i == n)
		return false;
	pool_free(&pool->head, test_objs[i]);
	return test_found(pool, POOL_FAULT_DOUBLE_FREE) == before + 1 &&
	       test_faults(pool) == before + 1 && test_quiet(pool, 0);
}

POOLS_CASE(a_second_free_of_the_object_on_top_or_three_below_is_found, 2, unmarked())
{
	EXPECT(finds_second_free(pool, 3 * nth));
}

POOL_CASE(a_second_free_in_a_bulk_call_is_found, unmarked())
{
	test_objs[0] = test_alloc(pool);
	test_objs[1] = test_alloc(pool);
	test_objs[2] = test_objs[0];
	pool_free_bulk(&pool->head, 0, 3, test_objs);
	EXPECT_EQ(test_found(pool, POOL_FAULT_DOUBLE_FREE), 1);
}

POOL_CASE(a_pointer_that_no_object_can_have_is_found, unmarked())
{
	char *obj = test_alloc(pool);

	ASSERT(obj);
	pool_free(&pool->head, obj + 1);
	EXPECT_EQ(test_found(pool, POOL_FAULT_INTERIOR), 1);
	EXPECT(test_quiet(pool, 1));
	test_free(pool, obj);
	EXPECT_EQ(test_faults(pool), 1);
}

/*
 * Inline calls find the array closed, so that the library checks; the library itself finds an open
 * array.
 */
POOL_CASE(a_hardened_pool_keeps_its_arrays, test_checked_within(1 << 20, 8, 64, POOL_D_HARDEN))
{
	void *obj;

	test_wave(pool, 20);
	EXPECT(test_local(pool)->hot.n > 0);
	EXPECT_PTR_EQ(pool_hot_get(&pool->head), NULL);
	obj = slot_below(pool, 0);
	EXPECT_PTR_EQ(test_alloc(pool), obj);
	EXPECT(!pool_hot_put(&pool->head, obj));
	test_free(pool, obj);
	EXPECT_PTR_EQ(slot_below(pool, 0), obj);
	EXPECT_EQ(test_faults(pool), 0);
}

/* Single, bulk and reserved objects come and go while other options are switched. */
POOL_CASE(right_calls_of_a_hardened_pool_are_no_faults,
	  test_checked_within(1 << 20, 8, 64, POOL_D_HARDEN))
{
	static const char * const off = "-poison -integrity cache global -memstats";
	static const char * const words[] = {
		"poison", "integrity", "no-cache", "no-global", "memstats",
	};
	struct pool_reserved *reserve;
	unsigned int i;

	pool_fail_every = 0;
	reserve = pool_reserve(&pool->head, 4);
	ASSERT(reserve);
	for (i = 0; i < 2 * ARRAY_LEN(words); i++) {
		test_alloc_many(pool, test_objs, 100);
		ASSERT(pool_alloc_bulk(&pool->head, 0, 100, test_objs + 100));
		test_objs[200] = pool_alloc_reserved(reserve);
		test_objs[201] = pool_alloc_nocache(&pool->head);
		pool_free_reserved(reserve, test_objs[200], 0);
		test_free(pool, test_objs[201]);
		EXPECT(pool_set_debug(&pool->head, words[i / 2]));
		pool_free_bulk(&pool->head, 0, 100, test_objs);
		test_free_many(pool, test_objs + 100, 100);
		if (i % 2)
			EXPECT(pool_set_debug(&pool->head, off));
		pool_reclaim(&pool->head);
	}
	pool_unreserve(reserve);
	EXPECT_EQ(test_faults(pool), 0);
}

static struct pool_head *declared;

static bool hardens(const char *words)
{
	char text[200];

	return pool_parse_debugging(words, text, sizeof(text)) == 1 && !*text;
}

TEST_CASE(a_declared_pool_is_hardened_before_its_first_use)
{
	struct pool_decl decl = {
		.ptr = &declared, .name = "late", .size = 2048,
		.file = __FILE__, .line = __LINE__,
	};
	struct pool *pool;
	void *obj;

	pool_options.debug = 0;
	pool_options.policy = POOL_POLICY_CONTINUE;
	pool_create_declared(&decl, NULL, POOL_ABI);
	ASSERT(declared);
	pool = pool_of(declared);
	EXPECT(hardens("harden"));
	EXPECT(hardens("no-harden"));
	EXPECT(hardens("harden"));
	obj = test_alloc(pool);
	test_free(pool, obj);
	test_free(pool, obj);
	EXPECT_EQ(test_found(pool, POOL_FAULT_DOUBLE_FREE), 1);
	pool_destroy_declared(&decl);
}
