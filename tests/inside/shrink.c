// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * shrink.c - a piece of unused memory is released
 *
 * Layer:   tests of common/reclaim/shrink.c.
 */
#include "test.h"

/* MANY objects of 256 bytes fill 64 pages of 4096 bytes. */
#define MANY	1024u
#define SIZE	256u

/* Create a pool with @n free objects, nearly all in its shared part. */
static struct pool *shared_pool(unsigned int n)
{
	struct pool *pool;

	test_options(16384, 8);
	pool = test_pool(SIZE);
	if (pool)
		test_wave(pool, n);
	return pool;
}

static unsigned long held(struct pool *pool)
{
	return pool_allocated(pool) * SIZE;
}

/* Return how many bytes of objects the backend got meanwhile; clusters are not counted. */
static unsigned long gone(struct pool *pool, unsigned long before)
{
	return before - held(pool);
}

POOL_CASE(a_shrink_by_nothing_gives_nothing, shared_pool(MANY))
{
	unsigned long before = held(pool);

	EXPECT_EQ(pool_shrink(0), 0);
	EXPECT_EQ(held(pool), before);
}

TEST_CASE(a_shrink_where_there_is_nothing_gives_nothing)
{
	pool_shrink(POOL_ALL);
	EXPECT_EQ(pool_shrink(1), 0);
	EXPECT_EQ(pool_shrink(POOL_ALL), 0);
}

POOL_CASE(a_shrink_gives_about_as_much_as_is_asked_for, shared_pool(MANY))
{
	unsigned long page = pool_start.page;
	unsigned long before, want;

	pool_drain_stashes(POOL_ALL, false);
	pool_cluster_trim(pool);
	before = held(pool);
	want = before / 4 / page;
	EXPECT(want);
	EXPECT_LE(want, pool_shrink(want));
	/* At most one cluster of each kind is released too much. */
	EXPECT_LE(want * page / 2, gone(pool, before));
	EXPECT_LE(gone(pool, before), want * page + 2ul * 64 * SIZE);
}

POOL_CASE(a_shrink_by_more_than_there_is_leaves_arrays, shared_pool(MANY))
{
	EXPECT(pool_shrink(POOL_ALL));
	EXPECT_EQ(test_sum(pool)->shared, 0);
	EXPECT_EQ(test_sum(pool)->cached, test_local(pool)->hot.n);
	EXPECT_EQ(test_cpu()->stashed, 0);
	EXPECT_EQ(plat_read(&pool->spares), 0);
	EXPECT(test_bound_holds());
}

POOL_CASE(a_shrink_leaves_spare_objects, shared_pool(MANY))
{
	pool_set_min_avail(&pool->head, 100);
	pool_shrink(POOL_ALL);
	EXPECT_LE(100, test_sum(pool)->shared);
	EXPECT_LE(test_sum(pool)->shared, 100 + POOL_CLUSTER_SIZE);
}

/* The shared pool is empty, so clusters of the CPU must become its spare objects. */
POOL_CASE(a_shrink_makes_spare_objects_of_what_cpus_have, test_within(65536, 8, 64))
{
	test_wave(pool, 300);
	pool_flush(&pool->head);
	pool_set_min_avail(&pool->head, 20);
	EXPECT(test_local(pool)->clustered > 40);
	pool_shrink(POOL_ALL);
	EXPECT_LE(20, test_sum(pool)->shared);
	EXPECT_LE(test_sum(pool)->shared, 20 + POOL_CLUSTER_SIZE);
	EXPECT_EQ(test_local(pool)->clustered, 0);
}

PAIR_CASE(who_has_more_gives_more, large, shared_pool(4 * MANY), small, shared_pool(MANY))
{
	unsigned long before[2], want;

	pool_drain_stashes(POOL_ALL, false);
	pool_cluster_trim(large);
	pool_cluster_trim(small);
	before[0] = held(large);
	before[1] = held(small);
	want = before[1] / 2;
	pool_shrink_bytes(want, 0);
	EXPECT(gone(large, before[0]) > gone(small, before[1]));
	EXPECT_LE(gone(small, before[1]), want / 2);
}

/* A shrink must release about the same share of both pools, whichever it visits first. */
PAIR_CASE(no_pool_is_emptied_for_another_one,
	  one, shared_pool(3 * MANY), two, shared_pool(2 * MANY))
{
	struct pool *pool[2] = { one, two };
	unsigned long before[2], all = 0;
	unsigned int i;

	pool_drain_stashes(POOL_ALL, false);
	for (i = 0; i < 2; i++) {
		pool_cluster_trim(pool[i]);
		before[i] = held(pool[i]);
		all += before[i];
	}
	pool_shrink(all / 2 / pool_start.page);
	for (i = 0; i < 2; i++) {
		EXPECT_LE(before[i] / 3, gone(pool[i], before[i]));
		EXPECT_LE(gone(pool[i], before[i]), before[i] / 3 * 2);
	}
}

/* A shrink must release clusters of the idle pool, not of the busy one. */
PAIR_CASE(the_oldest_clusters_go_first,
	  idle, test_within(POOL_CACHE_SIZE, 8, 64), busy, test_pool(64))
{
	unsigned long before;

	test_wave(idle, 400);
	test_wave(busy, 400);
	EXPECT(test_local(idle)->clustered > 200);
	pool_flush(&idle->head);
	pool_flush(&busy->head);
	pool_drain_stashes(POOL_ALL, false);
	before = test_local(busy)->clustered;
	pool_shrink_bytes(100 * 64, 0);
	EXPECT(test_local(idle)->clustered <= 400 - 50);
	EXPECT_EQ(test_local(busy)->clustered, before);
}

/* Shrink; if @held, while this thread has locked the registry. */
static void shrink(unsigned long bytes, bool held)
{
	if (held)
		plat_mutex_lock(PLAT_REGISTRY);
	pool_shrink_bytes(bytes, held ? POOL_F_ATOMIC : 0);
	if (held)
		plat_mutex_unlock(PLAT_REGISTRY);
}

/* Clusters of guarded objects, which cannot be freed here, are the oldest ones. */
TEST_CASE(clusters_that_cannot_go_hide_no_others)
{
	struct pool *guarded, *busy;
	unsigned int i;

	test_options(POOL_CACHE_SIZE, 1);
	test_mode(POOL_D_UAF);
	guarded = test_pool(16);
	test_mode(0);
	busy = test_pool(64);
	ASSERT(guarded && busy);
	test_wave(guarded, 2 * POOL_EVICT_MOST);
	test_wave(busy, 400);
	EXPECT(test_local(guarded)->clustered > POOL_EVICT_MOST);
	EXPECT(test_local(busy)->clustered);
	for (i = 0; i < 4; i++)
		shrink(POOL_ALL, true);
	if (plat_may(PLAT_ALLOC, POOL_F_ATOMIC))
		EXPECT_EQ(test_local(busy)->clustered, 0);
	EXPECT(test_local(guarded)->clustered);
	EXPECT_PTR_EQ(pool_destroy(&guarded->head), NULL);
	EXPECT_PTR_EQ(pool_destroy(&busy->head), NULL);
}

TEST_CASE(what_is_unused_is_known_beforehand)
{
	unsigned long before, now, given;
	struct pool *pool;

	pool_shrink(POOL_ALL);
	EXPECT(pool_unused_bytes(0, &before));
	pool = shared_pool(MANY);
	ASSERT(pool);
	EXPECT(pool_unused_bytes(0, &now));
	EXPECT_LE(now - before, held(pool));
	given = pool_shrink_bytes(POOL_ALL, 0);
	EXPECT_LE(now - before, given);
	EXPECT(pool_unused_bytes(0, &now));
	EXPECT_LE(now, before);
	pool_destroy(&pool->head);
}

/* A shrinker may run while its own thread has locked the registry, so it must not wait. */
POOL_CASE(a_shrink_that_may_not_wait_passes_the_registry_by, shared_pool(MANY))
{
	unsigned long bytes;
	bool known;

	EXPECT(!pool_unused_bytes(POOL_F_ATOMIC | POOL_F_NESTED, &bytes));
	pool_shrink_bytes(POOL_ALL, POOL_F_ATOMIC | POOL_F_NESTED);
	EXPECT(pool_shared_count(pool));
	plat_mutex_lock(PLAT_REGISTRY);
	known = pool_unused_bytes(POOL_F_ATOMIC, &bytes);
	pool_shrink_bytes(POOL_ALL, POOL_F_ATOMIC);
	plat_mutex_unlock(PLAT_REGISTRY);
	EXPECT(known);
	if (plat_may(PLAT_ALLOC, POOL_F_ATOMIC))
		EXPECT_EQ(pool_shared_count(pool), 0);
}

/* The second pool of a case. */
static struct pool *second;

static void use(struct crowd *c, unsigned int i)
{
	struct pool *pool = i & 1 ? c->pool : second;
	unsigned char *objs[100];
	unsigned int k;

	test_alloc_many(pool, (void **)objs, 100);
	for (k = 0; k < 100; k++)
		if (objs[k])
			memset(objs[k], (int)i, SIZE);
	for (k = 0; k < 100; k++)
		if (objs[k] && (objs[k][0] != i || objs[k][SIZE - 1] != i))
			plat_word_add(&c->bad, 1);
	test_free_many(pool, (void **)objs, 100);
}

static void use_or_shrink(unsigned int i, void *arg)
{
	unsigned long r;

	for (r = 0; r < test_scale(2000); r++)
		if (i)
			use(arg, i);
		else
			shrink(r % 16 * 4096, r & 1);
}

PAIR_CASE(a_shrink_under_load_loses_nothing, pool, test_within(16384, 8, SIZE),
	  other, test_pool(SIZE))
{
	second = other;
	EXPECT_EQ(test_crowd(4, use_or_shrink, pool), 0);
}

static void destroy_or_shrink(unsigned int i, void *arg)
{
	struct crowd *c = arg;
	unsigned long r;

	for (r = 0; r < test_scale(400); r++) {
		struct pool_head *pool;

		if (i & 1) {
			shrink(POOL_ALL, r & 1);
			continue;
		}
		pool = create_pool("test", 64, 0);
		if (!pool)
			continue;
		test_alloc_many(pool_of(pool), test_objs + i * 100, 100);
		test_free_many(pool_of(pool), test_objs + i * 100, 100);
		while (pool_destroy(pool))
			plat_word_add(&c->bad, 1);
	}
}

TEST_CASE(an_idle_pool_is_destroyed_while_others_shrink)
{
	test_options(4096, 8);
	EXPECT_EQ(test_crowd(4, destroy_or_shrink, NULL), 0);
}
