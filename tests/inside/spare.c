// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * spare.c - empty clusters are stored, reused and freed
 *
 * Layer:   tests of common/shared/spare.c and cluster.c.
 */
#include "test.h"

/* Fill the stash except for @room clusters. */
static void fill_stash(struct pool_cpu *cpu, unsigned int room)
{
	unsigned int i;

	for (i = 0; i < POOL_STASH_MAX; i++) {
		struct pool_cluster *c = test_cluster_new();

		plat_cpu_lock(cpu);
		if (c && cpu->stashed < POOL_STASH_MAX - room) {
			pool_stash_push(cpu, c);
			c = NULL;
		}
		plat_cpu_unlock(cpu);
		plat_mem_free(c);
	}
}

/* Empty a cluster while the stash is full; return how many clusters left the stash with it. */
static unsigned int empty_one(struct pool *pool)
{
	unsigned int n = test_local(pool)->hot.n;
	struct pool_cpu *cpu = test_cpu();
	unsigned int went;

	test_alloc_many(pool, test_objs, n);
	fill_stash(cpu, 0);
	test_free(pool, test_alloc(pool));
	went = POOL_STASH_MAX - cpu->stashed;
	test_free_many(pool, test_objs, n);
	return went;
}

/*
 * The quick fill needs a free slot in the stash, so with a full stash the fill is slow.  The
 * cluster that the fill empties becomes a spare of the pool, with as many clusters of the stash in
 * its slots as the pool keeps.
 */
POOL_CASE(a_cluster_that_finds_the_stash_full_is_a_spare_with_those_that_its_pool_keeps,
	  test_clustered_pool())
{
	struct pool_local *local = test_local(pool);
	unsigned int keeps;
	unsigned long fills;

	fills = local->fills;
	pool_cluster_trim(pool);
	keeps = pool_spares_lacking(pool);
	if (keeps > POOL_BOXED_MAX + 1)
		keeps = POOL_BOXED_MAX + 1;
	EXPECT_EQ(empty_one(pool), keeps - 1);
	EXPECT_EQ(local->fills, fills + 1);
	EXPECT_EQ(pool->spares, keeps);
	EXPECT_EQ(pool_cluster_trim(pool), keeps * sizeof(struct pool_cluster));
}

/* A pool that has enough spares must leave the stash its clusters, which other pools need. */
POOL_CASE(a_pool_that_keeps_no_more_empty_clusters_leaves_the_stash_full, test_clustered_pool())
{
	unsigned long spares;

	while (pool_spares_lacking(pool)) {
		struct pool_cluster *c = test_cluster_new();

		ASSERT(c);
		pool_cluster_put(pool, c, POOL_F_ATOMIC);
	}
	spares = pool->spares;
	EXPECT_EQ(empty_one(pool), 0);
	EXPECT_LE(pool->spares, spares + 1);
}

POOL_CASE(a_stash_takes_as_many_of_a_spare_as_it_has_room_for, test_pool(64))
{
	struct pool_cluster *box = test_cluster_box();
	struct pool_cpu *cpu = test_cpu();

	ASSERT(box);
	test_free(pool, test_alloc(pool));
	fill_stash(cpu, 1);
	plat_cpu_lock(cpu);
	EXPECT_PTR_EQ(pool_cluster_stash_all(cpu, box), box);
	EXPECT_PTR_EQ(cpu->stash[POOL_STASH_MAX - 1], box->obj[0]);
	plat_cpu_unlock(cpu);
	EXPECT_EQ(cpu->stashed, POOL_STASH_MAX);
	EXPECT_EQ(box->boxed, 0);
	plat_mem_free(box);
}

/* Offer more spares than a pool with @allocated objects keeps; return how many it keeps. */
static unsigned long kept_spares(struct pool *pool, unsigned long allocated)
{
	unsigned long kept;
	unsigned int i;

	plat_word_add(&pool->allocated, allocated);
	for (i = 0; i < POOL_SPARES_MAX + 10; i++) {
		struct pool_cluster *c = test_cluster_new();

		if (c)
			pool_cluster_put(pool, c, 0);
	}
	kept = plat_read(&pool->spares);
	pool_word_sub(&pool->allocated, allocated);
	pool_cluster_trim(pool);
	return kept;
}

POOL_CASE(a_pool_keeps_as_many_empty_clusters_as_its_objects_would_fill, test_pool(64))
{
	EXPECT_EQ(kept_spares(pool, 0), POOL_SPARES_MIN);
	EXPECT_EQ(kept_spares(pool, 100ul * POOL_CLUSTER_SIZE), 100);
	EXPECT_EQ(kept_spares(pool, 1000000), POOL_SPARES_MAX);
}

POOL_CASE(each_empty_cluster_in_a_spare_is_had_once, test_pool(64))
{
	struct pool_cluster *had[2], *box = test_cluster_box();
	unsigned int i;

	ASSERT(box);
	pool_cluster_put(pool, box, POOL_F_ATOMIC);
	EXPECT_EQ(plat_read(&pool->spares), 2);
	for (i = 0; i < 2; i++) {
		had[i] = pool_cluster_get_one(pool, POOL_F_ATOMIC);
		ASSERT(had[i]);
		EXPECT_EQ(had[i]->boxed, 0);
		EXPECT_EQ(plat_read(&pool->spares), 1 - i);
	}
	EXPECT(had[0] != had[1]);
	EXPECT(had[0] == box || had[1] == box);
	plat_mem_free(had[0]);
	plat_mem_free(had[1]);
}

/*
 * Handlers that may not call the allocator leave their empty clusters to the pool, and one call
 * takes at most POOL_SPARES_MIN of these.  In programs handlers may call the allocator, so they
 * leave no more than that.
 */
POOL_CASE(no_call_takes_all_clusters_that_handlers_emptied, test_pool(64))
{
	unsigned long all = plat_may(PLAT_ALLOC, POOL_F_ATOMIC) ? POOL_SPARES_MIN :
							    3 * POOL_STASH_MAX;
	unsigned long most = POOL_SPARES_MIN;
	struct pool_cluster *chain;
	unsigned int i, n = 0;

	for (i = 0; i < 3 * POOL_STASH_MAX; i++) {
		struct pool_cluster *c = test_cluster_new();

		ASSERT(c);
		pool_cluster_put(pool, c, POOL_F_ATOMIC);
	}
	EXPECT_EQ(plat_read(&pool->spares), all);
	chain = pool_cluster_get(pool, 1, POOL_F_ATOMIC);
	while (chain) {
		struct pool_cluster *c = chain;

		chain = c->next;
		plat_mem_free(c);
		n++;
	}
	EXPECT_EQ(n, most);
	EXPECT_EQ(plat_read(&pool->spares), all - most);
}
