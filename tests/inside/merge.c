// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * merge.c - one pool for several creations
 *
 * Layer:   tests of common/life/merge.c, and of what registrations count.
 *
 * Sizes are multiples of 16, which no world rounds up.
 */
#include "test.h"

/* Make a pool that may be merged, with caches or without. */
static struct pool *cached(const char *name, unsigned int size,
			   unsigned int flags)
{
	struct pool_head *head = create_pool(name, size, MEM_F_SHARED | flags);

	return head ? pool_of(head) : NULL;
}

static struct pool *plain(unsigned int size, unsigned int flags)
{
	struct pool_attr attr = {
		.name = "plain", .size = size, .flags = MEM_F_SHARED | flags,
		.mode = POOL_M_NO_CACHE,
	};

	return test_made(&attr);
}

/* pool_destroy() does not say whose registration ends, so the pool must stay exact. */
TEST_CASE(a_pool_stays_exact_for_whoever_is_left)
{
	struct pool *a = plain(3200, 0);
	struct pool *exact = plain(3200, MEM_F_EXACT);

	ASSERT(a);
	EXPECT_PTR_EQ(a, exact);
	EXPECT_PTR_EQ(pool_destroy(&a->head), NULL);
	EXPECT(plain(3184, 0) != exact);
	EXPECT_PTR_EQ(plain(3200, 0), exact);
	pool_destroy_all();
}

/* A new size is compared with the size of the pool, not with the size that joined the pool last. */
TEST_CASE(chains_of_smaller_sizes_do_not_drift_down)
{
	struct pool *a = plain(32000, 0);
	void *obj = a ? test_alloc(a) : NULL;
	unsigned int i;

	ASSERT(obj);
	for (i = 1; i < 20; i++)
		EXPECT_PTR_EQ(plain(32000 - 16 * i, 0), a);
	for (; i < 40; i++)
		EXPECT(plain(32000 - 16 * i, 0) != a);
	EXPECT_EQ(a->head.size, 32000);
	test_free(a, obj);
	pool_destroy_all();
}

TEST_CASE(a_smaller_near_size_stays_apart_where_ends_matter)
{
	struct pool *a = cached("a", 3216, 0);
	struct pool *exact = cached("exact", 3200, MEM_F_EXACT);
	struct pool *tagged, *smaller;

	ASSERT(a && exact);
	EXPECT(exact != a);
	EXPECT_EQ(exact->head.size, 3200);
	ASSERT(pool_configure("tag"));
	tagged = cached("tagged", 6432, 0);
	smaller = cached("smaller", 6416, 0);
	ASSERT(tagged && smaller);
	EXPECT(tagged != smaller);
	EXPECT_EQ(smaller->head.size, 6416);
	pool_destroy_all();
}

/* 16 bytes are less than 1 % of 1616, but not of 1600. */
TEST_CASE(nearness_is_less_than_a_hundredth_of_the_larger_size)
{
	struct pool *a = plain(1616, 0);
	struct pool *b = plain(1584, 0);

	ASSERT(a && b);
	EXPECT(a != b);
	EXPECT_PTR_EQ(plain(1600, 0), a);
	EXPECT(plain(1568, 0) != b);
	EXPECT_EQ(test_count_pools(), 3);
	pool_destroy_all();
}

/* Sizes that differ by less than 16 bytes are near, however small they are. */
TEST_CASE(nearness_of_small_sizes_is_less_than_16_bytes)
{
	struct pool *c = plain(64 + 2 * POOL_SIZE_ROUND + 16, 0);
	struct pool *b = plain(64 + POOL_SIZE_ROUND, 0);
	struct pool *a = plain(64, 0);

	ASSERT(a && b && c);
	EXPECT((a == b) == (POOL_SIZE_ROUND < 16));
	EXPECT(c != a && c != b);
	pool_destroy_all();
}

/* The pools are created in rising order, so that none joins another one. */
TEST_CASE(the_best_match_is_the_smallest_that_is_large_enough)
{
	struct pool *a = plain(6400, 0);
	struct pool *near = plain(6432, 0);
	struct pool *far = plain(6464, 0);

	ASSERT(a && near && far);
	EXPECT(a != near && near != far && far != a);
	EXPECT_PTR_EQ(plain(6432, 0), near);
	EXPECT_PTR_EQ(plain(6464, 0), far);
	EXPECT_PTR_EQ(plain(6416, 0), near);
	EXPECT_PTR_EQ(plain(6448, 0), far);
	EXPECT_PTR_EQ(plain(6384, 0), a);
	EXPECT_EQ(test_count_pools(), 3);
	pool_destroy_all();
}

static void touch(void *obj, void *arg)
{
	(void)obj;
	(void)arg;
}

TEST_CASE(pools_that_differ_in_more_than_size_stay_apart)
{
	static const struct pool_attr attrs[12] = {
		{ .align = 64 }, { .align = 128 },
		{ .mode = POOL_M_NO_GLOBAL }, { .mode = POOL_M_NO_CACHE },
		{ .limit = 5 }, { .limit = 5 }, { .min_avail = 1 },
		{ .limit = 5, .min_avail = 1 }, { .ctor = touch },
		{ .ctor = touch }, { .dtor = touch }, { .dtor = touch },
	};
	struct pool *first = cached("first", 64, 0);
	unsigned int i;

	ASSERT(pool_configure("global"));
	for (i = 0; i < 12; i++) {
		struct pool_attr attr = attrs[i];

		attr.name = "x";
		attr.size = 64;
		attr.flags = MEM_F_SHARED;
		EXPECT(create_pool_ext(&attr));
		EXPECT_EQ(test_count_pools(), i + 2);
	}
	EXPECT_PTR_EQ(cached("again", 64, 0), first);
	pool_destroy_all();
}

/* An attribute with the default value does not keep pools apart. */
TEST_CASE(pools_that_only_spell_the_default_are_one)
{
	struct pool_attr attr = { .name = "x", .size = 64, .flags = MEM_F_SHARED };
	struct pool *first = cached("first", 64, 0);

	ASSERT(first);
	attr.align = POOL_ALIGN_MIN;
	EXPECT_PTR_EQ(test_made(&attr), first);
	attr.align = 1;
	EXPECT_PTR_EQ(test_made(&attr), first);
	pool_destroy_all();
}

TEST_CASE(a_pool_that_got_a_limit_is_joined_by_nobody)
{
	struct pool *a = cached("a", 64, 0);
	struct pool *b, *c;

	ASSERT(a);
	EXPECT(pool_set_limit(&a->head, 5));
	b = cached("b", 64, 0);
	ASSERT(b);
	EXPECT(a != b);
	EXPECT(pool_set_min_avail(&b->head, 5));
	c = cached("c", 64, 0);
	ASSERT(c);
	EXPECT(c != a && c != b);
	EXPECT(pool_set_limit(&a->head, 0));
	EXPECT_PTR_EQ(cached("d", 64, 0), a);
	pool_destroy_all();
}

TEST_CASE(a_refused_creation_registers_nowhere)
{
	struct pool *a = cached("a", 64, 0);

	ASSERT(a);
	EXPECT_PTR_EQ(cached("a", 64, 0x80), NULL);
	EXPECT_PTR_EQ(cached("", 64, 0), NULL);
	EXPECT_PTR_EQ(cached(NULL, 64, 0), NULL);
	EXPECT_PTR_EQ(cached("a", 0, 0), NULL);
	EXPECT_PTR_EQ(pool_create_at("a", 64, MEM_F_SHARED, "f", 1, POOL_OWNER,
				     POOL_ABI + 1), NULL);
	EXPECT_EQ(test_sum(a)->registrations, 1);
	EXPECT_EQ(test_count_pools(), 1);
	EXPECT_PTR_EQ(pool_destroy(&a->head), NULL);
}

TEST_CASE(chains_of_larger_sizes_do_not_drift_up)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		struct pool *pool = plain(32000 + 16 * i, 0);

		ASSERT(pool);
		EXPECT_EQ(pool->head.size, 32000 + 16 * i);
	}
	EXPECT_EQ(test_count_pools(), 20);
	pool_destroy_all();
}

/* The arguments of the registrations that the macros below would make. */
static struct {
	struct pool_head **ptr;
	const char *name;
	unsigned int size;
	unsigned int align;
} noted[3];

/* Note the arguments of a declaration instead of registering the pool. */
#undef REGISTER_ALIGNED_POOL
#define REGISTER_ALIGNED_POOL(var, text, bytes, line) do {	\
		noted[n].ptr = var;				\
		noted[n].name = text;				\
		noted[n].size = bytes;				\
		noted[n++].align = line;			\
	} while (0)

TEST_CASE(a_declaration_is_a_variable_that_is_registered)
{
	static struct pool_head *variable;
	unsigned int n = 0;

	REGISTER_POOL(&variable, "variable", 61);
	{
		DECLARE_POOL(global, "variable", 61);

		EXPECT_PTR_EQ(noted[1].ptr, &global);
	}
	{
		DECLARE_STATIC_POOL(own, "variable", 61);

		EXPECT_PTR_EQ(noted[2].ptr, &own);
	}
	EXPECT_EQ(n, 3);
	EXPECT_PTR_EQ(noted[0].ptr, &variable);
	while (n--) {
		EXPECT_EQ(strcmp(noted[n].name, "variable"), 0);
		EXPECT_EQ(noted[n].size, 61);
		EXPECT_EQ(noted[n].align, 0);
	}
}
