// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * registry.c - creating, destroying and walking over pools; options
 *
 * Layer:   tests of common/base/registry.c, stats.c and configure.c.
 */
#include "test.h"

TEST_CASE(bad_arguments_create_nothing)
{
	EXPECT_PTR_EQ(create_pool("zero", 0, 0), NULL);
	EXPECT_PTR_EQ(create_pool("huge", PLAT_SIZE_MAX + 1, 0), NULL);
	EXPECT_PTR_EQ(create_pool("max", ~0u, 0), NULL);
	EXPECT_PTR_EQ(create_pool("", 64, 0), NULL);
	EXPECT_PTR_EQ(create_pool(NULL, 64, 0), NULL);
	EXPECT_PTR_EQ(create_pool("flags", 64, 0x80), NULL);
	EXPECT_PTR_EQ(pool_create_at("abi", 64, 0, "f", 1, NULL, POOL_ABI + 1),
		      NULL);
	EXPECT_PTR_EQ(pool_registry_next(NULL), NULL);
}

PAIR_CASE(equal_names_are_legal, a, test_pool(64), b, test_pool(64))
{
	EXPECT(a != b);
	EXPECT(a->id != b->id);
	test_free(a, test_alloc(a));
	test_free(b, test_alloc(b));
}

/*
 * Another user has joined and left since the caller saw the pool unused, so the pool may be in use
 * again.
 */
TEST_CASE(a_pool_ends_only_if_nobody_joined_it_since_it_was_unused)
{
	struct pool_head *one = create_pool("ends", 64, MEM_F_SHARED);
	unsigned long seen = 0;

	ASSERT(one);
	EXPECT_EQ(pool_registry_drop(pool_of(one), NULL, NULL, &seen), POOL_KEPT);
	EXPECT_PTR_EQ(create_pool("ends", 64, MEM_F_SHARED), one);
	EXPECT_PTR_EQ(pool_destroy(one), NULL);
	EXPECT_EQ(pool_registry_drop(pool_of(one), NULL, NULL, &seen), POOL_KEPT);
	EXPECT_EQ(seen, 2);
	EXPECT_PTR_EQ(pool_destroy(one), NULL);
}

static void make_and_walk(unsigned int i, void *arg)
{
	struct crowd *c = arg;
	unsigned long r;

	for (r = 0; r < test_scale(200); r++) {
		struct pool *pool = NULL;
		struct pool_head *own = create_pool("own", 64 + 16 * i, 0);

		if (!own) {
			plat_word_add(&c->bad, 1);
			continue;
		}
		pool_free(own, pool_alloc(own));
		while ((pool = pool_registry_next(pool)))
			if (strcmp(pool->name, "own"))
				plat_word_add(&c->bad, 1);
		if (pool_destroy(own))
			plat_word_add(&c->bad, 1);
	}
}

TEST_CASE(pools_come_and_go_while_others_walk)
{
	EXPECT_EQ(test_crowd(4, make_and_walk, NULL), 0);
	EXPECT_PTR_EQ(pool_registry_next(NULL), NULL);
}

TEST_CASE(more_pools_than_local_parts_still_work)
{
	static struct pool *pools[1100];
	unsigned int i, n = (unsigned int)test_scale(1100);

	for (i = 0; i < n; i++) {
		pools[i] = test_pool(64);
		ASSERT(pools[i]);
		test_free(pools[i], test_alloc(pools[i]));
	}
	for (i = 0; i < n; i++)
		ENDS_QUIETLY(&pools[i]->head);
}

/* The caller's struct is larger than this library's first, and then smaller. */
POOL_CASE(numbers_are_filled_in_as_far_as_both_sides_know_them, test_pool(64))
{
	static struct {
		struct pool_stats stats;
		unsigned long long newer;
	} now;

	memset(&now, 0xff, sizeof(now));
	pool_stats_get(&pool->head, &now.stats, sizeof(now));
	EXPECT_EQ(now.stats.size, sizeof(now.stats));
	EXPECT_EQ(now.newer, 0);
	EXPECT_EQ(now.stats.object_size, 64);
	EXPECT_EQ(strcmp(now.stats.name, "test"), 0);
	memset(&now, 0xff, sizeof(now));
	pool_stats_get(&pool->head, &now.stats, 16);
	EXPECT_EQ(now.stats.size, 16);
	EXPECT_EQ(now.stats.allocated, 0);
	EXPECT_EQ(now.stats.used, ~0ull);
}

TEST_CASE(a_lenient_reader_passes_wrong_options_over)
{
	EXPECT(pool_options_set("bogus,hot_size=2k,wrong=1", "test", false));
	EXPECT_EQ(pool_options.hot_size, 2048);
}
