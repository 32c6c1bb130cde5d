// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cache.c - local clusters and the byte bound
 *
 * Layer:   tests of common/core/cluster.c, fill.c, spill.c, quick.h and carry.c.
 */
#include "test.h"
#include "shared/walk.h"

POOL_CASE(objects_too_large_for_an_array_are_clustered_singly, test_within(16384, 8, 4112))
{
	unsigned int i;

	test_wave(pool, 3);
	EXPECT_EQ(test_local(pool)->hot.slots, 0);
	EXPECT_EQ(test_local(pool)->clustered, 3);
	EXPECT_EQ(test_charged(), 3 * 4112);
	for (i = 3; i--;)
		EXPECT_PTR_EQ(pool_alloc(&pool->head), test_objs[i]);
	EXPECT_EQ(test_charged(), 0);
	test_free_many(pool, test_objs, 3);
}

POOL_CASE(a_spill_moves_the_coldest_half, test_within(1 << 20, 32, 64))
{
	struct pool_cluster *c;
	struct pool_local *local;
	unsigned int slots, half, i;

	slots = test_min(POOL_HOT_MAX, POOL_HOT_SLOTS);
	half = test_min(slots / 2, pool->cluster);
	test_alloc_just(pool, test_objs, slots + 1);
	test_free_many(pool, test_objs, slots);
	local = test_local(pool);
	EXPECT_EQ(local->hot.n, slots);
	EXPECT_EQ(local->spills, 0);
	test_free(pool, test_objs[slots]);
	EXPECT_EQ(local->spills, 1);
	EXPECT_EQ(local->clustered, half);
	EXPECT_EQ(local->hot.n, slots + 1 - half);
	c = pool_cluster_newest(local);
	ASSERT(c);
	for (i = 0; i < half; i++)
		EXPECT_PTR_EQ(c->obj[i], test_objs[i]);
	EXPECT_PTR_EQ(local->slot[0], test_objs[half]);
}

/* Allocate until the array is empty, and one object more; return how many that were. */
static unsigned int fill_once(struct pool *pool, const struct pool_local *local)
{
	unsigned int n = 0;

	while (local->hot.n)
		test_objs[n++] = test_alloc(pool);
	test_objs[n++] = test_alloc(pool);
	return n;
}

/* Return how many clusters have fewer objects than @max; UINT_MAX if one has more. */
static unsigned int partly_full(const struct pool_local *local, unsigned int max)
{
	const struct pool_list *node;
	unsigned int n = 0;

	for (node = local->by_pool.next; node != &local->by_pool; node = node->next) {
		const struct pool_cluster *c;

		c = pool_list_entry(node, struct pool_cluster, by_pool);
		if (c->n > max)
			return UINT_MAX;
		n += c->n < max;
	}
	return n;
}

/* 15 objects are more than the array has slots for, by less than a cluster. */
POOL_CASE(a_spill_tops_up_the_newest_cluster, test_within(16384, 8, 1024))
{
	struct pool_local *local;
	struct pool_cluster *c;

	test_wave(pool, 15);
	local = test_local(pool);
	c = pool_cluster_newest(local);
	ASSERT(c);
	EXPECT(c->n > 0);
	EXPECT_LE(c->n, pool_cluster_max(pool));
	EXPECT_PTR_EQ(&c->by_lru, test_cpu()->by_lru.next);
	EXPECT_LE(partly_full(local, pool_cluster_max(pool)), 1);
}

static const unsigned int sizes[] = { 1, 2, 8, POOL_CLUSTER_SIZE };

/* After test_wave() a fill takes only one object of the newest cluster, which is then not full. */
POOLS_CASE(spills_of_a_whole_array_keep_to_the_size_of_clusters, ARRAY_LEN(sizes),
	   test_sure_within(1 << 20, sizes[nth], 64))
{
	struct pool_local *local = test_local(pool);
	unsigned int n;

	test_wave(pool, 400);
	n = fill_once(pool, local);
	EXPECT_LE(partly_full(local, pool->cluster), 1);
	test_free_many(pool, test_objs, n);
	EXPECT_LE(partly_full(local, pool->cluster), 1);
}

POOL_CASE(a_fill_leaves_the_rest_of_a_cluster_newest, test_within(1 << 20, 32, 64))
{
	struct pool_cluster *c, *d;
	struct pool_local *local;
	unsigned int n, got = 0;

	test_wave(pool, 1000);
	local = test_local(pool);
	c = pool_cluster_newest(local);
	n = c->n;
	while (local->hot.n)
		test_objs[got++] = pool_alloc(&pool->head);
	test_objs[got++] = pool_alloc(&pool->head);
	d = pool_cluster_newest(local);
	if (n > local->hot.n + 1)
		EXPECT_PTR_EQ(d, c);
	else
		EXPECT(d != c);
	test_free_many(pool, test_objs, got);
}

PAIR_CASE(an_idle_pool_does_not_starve_a_newcomer,
	  idle, test_within(65536, 8, 64), busy, test_pool(64))
{
	unsigned long before;
	unsigned int i;

	test_wave(idle, 2000);
	for (i = 0; i < 50; i++)
		test_wave(busy, 60);
	before = test_local(busy)->evictions + test_local(idle)->evictions;
	for (i = 0; i < 50; i++)
		test_wave(busy, 60);
	EXPECT_EQ(test_local(busy)->evictions + test_local(idle)->evictions,
		  before);
}

struct sampled {
	struct pool *pool[4];
	unsigned long running;
	unsigned long samples;
	unsigned long bad;
};

static void sample_charge(struct sampled *s)
{
	unsigned long bound = pool_options.hot_size;
	struct pool_cpu *cpu;
	unsigned int i;

	pool_each_cpu(i, cpu) {
		unsigned long charged = pool_charged(cpu);

		if (charged > bound)
			plat_word_add(&s->bad, 1);
		if (charged > bound / 2)
			plat_word_add(&s->samples, 1);
	}
}

/* All threads sample the charge, because thread 0, which only samples, may get no CPU time. */
static void churn(unsigned int i, void *arg)
{
	struct sampled *s = arg;
	unsigned long seed = 88172645463325252ul + i;
	void *objs[64];
	unsigned long r;
	unsigned int j;

	while (!i && plat_read(&s->running)) {
		sample_charge(s);
		plat_pause(true);
	}
	if (!i)
		return;
	plat_cpu_ready(s->pool[0], 0);
	for (r = 0; r < test_scale(3000); r++) {
		struct pool *pool = s->pool[test_random(&seed) % 4];

		test_alloc_many(pool, objs, 64);
		for (j = 0; j < 64; j++)
			pool_free(&pool->head, objs[j]);
		sample_charge(s);
	}
	pool_word_sub(&s->running, 1);
}

TEST_CASE(the_charge_never_passes_the_bound)
{
	struct sampled *s = plat_mem_alloc(sizeof(*s), PLAT_MEM_SLEEP);
	unsigned int i;

	ASSERT(s);
	test_options(16384, 8);
	for (i = 0; i < 4; i++) {
		s->pool[i] = test_pool(32 << i);
		ASSERT(s->pool[i]);
	}
	plat_word_add(&s->running, 3);
	test_threads(4, churn, s);
	EXPECT_EQ(plat_read(&s->bad), 0);
	EXPECT(plat_read(&s->samples) > 0);
	for (i = 0; i < 4; i++)
		ENDS_QUIETLY(&s->pool[i]->head);
	plat_mem_free(s);
}

/*
 * The bound was lowered before the fill from a whole cluster.  The fill must first reduce the
 * array, and then bring no more objects than the array has slots.
 */
POOLS_CASE(fills_from_whole_clusters_obey_a_lowered_bound, 6, test_clustered_pool())
{
	unsigned int slots = 8 + 4 * nth, half = POOL_HOT_MAX / 2, n;
	struct pool_local *local;

	pool_set_hot_size(slots * 4 * 64);
	local = test_local(pool);
	n = fill_once(pool, local);
	EXPECT_LE(local->hot.slots, half > slots ? half : slots);
	while (n < 300) {
		test_objs[n++] = test_alloc(pool);
		EXPECT_LE(local->hot.n, local->hot.slots);
	}
	test_free_many(pool, test_objs, n);
}

/* How many objects of a pool that test_whole() made are in use, in test_objs. */
static unsigned int whole;

POOL_CASE(a_spill_of_a_whole_array_obeys_a_lowered_bound, test_whole(&whole))
{
	unsigned int slots = 40;
	struct pool_local *local = test_local(pool);

	pool_set_hot_size(slots * 4 * 64);
	test_free(pool, test_objs[--whole]);
	EXPECT(local->hot.slots < POOL_HOT_MAX || POOL_HOT_MAX <= slots);
	EXPECT(test_bound_holds());
	test_free_many(pool, test_objs, whole);
}

POOL_CASE(a_bound_of_nothing_caches_nothing, test_within(0, 8, 64))
{
	test_wave(pool, 100);
	EXPECT_EQ(test_sum(pool)->cached, 0);
	EXPECT_EQ(test_charged(), 0);
	EXPECT(test_quiet(pool, 0));
	EXPECT(!pool_set_hot_size(POOL_CACHE_SIZE_MAX + 1));
	EXPECT_EQ(pool_options.hot_size, 0);
}

POOL_CASE(a_cpu_that_only_frees_reaches_a_bound_of_nothing, test_within(1 << 20, 8, 64))
{
	test_alloc_many(pool, test_objs, 4000);
	test_free_many(pool, test_objs, 2000);
	EXPECT(test_charged() > 0);
	pool_set_hot_size(0);
	test_free_many(pool, test_objs + 2000, 2000);
	EXPECT_EQ(test_charged(), 0);
}

static struct pool *one_bucket(void)
{
	pool_options.buckets = 1;
	return test_within(16384, 32, 8192);
}

POOL_CASE(single_objects_make_no_cluster_above_its_size, one_bucket())
{
	unsigned int i;

	EXPECT_EQ(pool_cluster_max(pool), 1);
	pool_set_hot_size(32768);
	EXPECT_EQ(pool_cluster_max(pool), POOL_CLUSTER_SIZE < 2 ? 1 : 2);
	pool_set_hot_size(16384);
	test_alloc_many(pool, test_objs, 14);
	for (i = 0; i < 14; i++)
		EXPECT(pool_shared_put_one(pool, test_objs[i], 0));
	EXPECT_EQ(pool->bucket[0].head->n, 1);
	test_free(pool, test_alloc(pool));
}
