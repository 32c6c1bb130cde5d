// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * shared.c - buckets, the BUSY marker, and parked objects
 *
 * Layer:   tests of common/shared/shared.c and parked.c.
 */
#include "test.h"

/* Create a pool with one bucket. */
static struct pool *one_bucket(unsigned int size)
{
	pool_options.buckets = 1;
	return test_pool(size);
}

static struct pool *one_bucket_within(unsigned long hot_size, unsigned int cluster)
{
	test_options(hot_size, cluster);
	return one_bucket(64);
}

POOL_CASE(clusters_move_whole, one_bucket_within(16384, 8))
{
	struct pool_cluster *c;
	unsigned int n = 0, shared;

	test_wave(pool, 1000);
	shared = test_sum(pool)->shared;
	EXPECT(shared > 0);
	EXPECT_EQ(test_sum(pool)->puts, test_sum(pool)->evictions);
	while ((c = test_take_shared(pool))) {
		EXPECT(c->n > 0);
		EXPECT_LE(c->n, pool_cluster_max(pool));
		n += c->n;
		pool_backend_put_cluster(pool, c, 0);
		plat_mem_free(c);
	}
	EXPECT_EQ(n, shared);
	EXPECT_EQ(plat_read(&pool->filled), 0);
}

TEST_CASE(a_pool_has_a_bucket_per_cpu)
{
	static const unsigned int cpus[] = {
		0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 32, 33, 64, 65, 256, 8192,
	};
	static const unsigned int buckets[] = {
		1, 1, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 64, 64, 64,
	};
	struct pool *pool;
	unsigned int i;

	for (i = 0; i < sizeof(cpus) / sizeof(*cpus); i++)
		EXPECT_EQ(pool_buckets_for(cpus[i]),
			  buckets[i] < POOL_BUCKETS_MAX ? buckets[i] :
			  POOL_BUCKETS_MAX);
	pool_options.buckets = 0;
	pool = test_pool(64);
	ASSERT(pool);
	EXPECT_EQ(pool->buckets, pool_buckets_for(pool_start.cpus));
	pool_destroy(&pool->head);
}

/* Fields that some CPUs write all the time are on other lines than fields that all CPUs read. */
TEST_CASE(lines_that_change_per_cluster_are_apart)
{
	static const size_t at[] = {
		offsetof(struct pool, name), offsetof(struct pool, allocated),
		offsetof(struct pool, need_target), offsetof(struct pool, parked),
		offsetof(struct pool, spare), offsetof(struct pool, filled),
		offsetof(struct pool, bucket),
	};
	unsigned int i;

	for (i = 1; i < sizeof(at) / sizeof(*at); i++)
		EXPECT(at[i] / POOL_ALIGN > at[i - 1] / POOL_ALIGN);
	EXPECT_EQ(offsetof(struct pool, spares) / POOL_ALIGN,
		  offsetof(struct pool, spare) / POOL_ALIGN);
	EXPECT_EQ(sizeof(struct pool_bucket) % POOL_ALIGN, 0);
}

/* Objects of a cluster in the next case. */
#define FEW	(pool_options.cluster < 8 ? pool_options.cluster : 8)

/*
 * The CPU may cache 16 clusters of the pool, as with large objects.  A burst of twice as many must
 * find its empty clusters in the stash of the CPU instead of the pool's spares.
 */
POOL_CASE(clusters_that_a_burst_empties_stay_on_their_cpu,
	  test_sure_within(16 * FEW * 64, FEW, 64))
{
	unsigned int n = 32 * pool->cluster;

	test_wave(pool, n);
	test_alloc_many(pool, test_objs, n);
	EXPECT_EQ(plat_read(&pool->spares), 0);
	test_free_many(pool, test_objs, n);
	EXPECT_EQ(plat_read(&pool->spares), 0);
}

POOL_CASE(the_newest_cluster_of_a_bucket_comes_first, one_bucket(64))
{
	struct pool_cluster *c[3];
	unsigned int i;

	test_alloc_many(pool, test_objs, 3);
	for (i = 0; i < 3; i++) {
		c[i] = test_cluster_new();
		ASSERT(c[i]);
		c[i]->obj[c[i]->n++] = test_objs[i];
		EXPECT(pool_put_to_shared_cache(pool, c[i]));
	}
	for (i = 3; i--;)
		EXPECT_PTR_EQ(test_take_shared(pool), c[i]);
	EXPECT_PTR_EQ(test_take_shared(pool), NULL);
	for (i = 0; i < 3; i++) {
		test_free(pool, c[i]->obj[0]);
		plat_mem_free(c[i]);
	}
}

static struct pool *of_buckets(unsigned int buckets)
{
	pool_options.buckets = buckets;
	return test_pool(64);
}

/* Move the only cluster of a pool's shared part to bucket @b. */
static void move_to(struct pool *pool, unsigned int b)
{
	struct pool_bucket *from = pool->bucket;
	struct pool_cluster *c;

	while (!from->head)
		from++;
	c = from->head;
	from->head = NULL;
	from->objs = 0;
	pool->bucket[b].head = c;
	pool->bucket[b].objs = 1;
	plat_write(&pool->filled, 1ul << b);
}

/* 1, 2, 4 buckets and so on. */
POOLS_CASE(the_last_object_is_found_in_any_bucket, __builtin_ctz(POOL_BUCKETS_MAX) + 1,
	   of_buckets(1u << nth))
{
	void *obj = test_alloc(pool);
	unsigned int b;

	EXPECT_EQ(pool->buckets, 1u << nth);
	EXPECT(pool_shared_put_one(pool, obj, 0));
	for (b = 0; b < pool->buckets; b++) {
		move_to(pool, b);
		EXPECT_PTR_EQ(pool_shared_get_one(pool, 0), obj);
		EXPECT_EQ(plat_read(&pool->filled), 0);
		EXPECT(pool_shared_put_one(pool, obj, 0));
	}
}

POOL_CASE(a_busy_bucket_is_passed_over, one_bucket(64))
{
	struct pool_cluster *head;
	void *obj = test_alloc(pool);

	ASSERT(obj);
	EXPECT(pool_shared_put_one(pool, obj, 0));
	head = pool->bucket[0].head;
	pool->bucket[0].head = POOL_BUSY;
	EXPECT_PTR_EQ(pool_shared_get_one(pool, 0), NULL);
	EXPECT_PTR_EQ(test_take_shared(pool), NULL);
	EXPECT(!pool_put_to_shared_cache(pool, head));
	EXPECT_PTR_EQ(pool->bucket[0].head, POOL_BUSY);
	pool->bucket[0].head = head;
	EXPECT_PTR_EQ(pool_shared_get_one(pool, 0), obj);
	test_free(pool, obj);
}

POOL_CASE(a_free_that_finds_all_busy_is_not_lost, one_bucket(64))
{
	unsigned int flags = 0;
	struct pool_local *here;
	void *obj;

	test_free(pool, test_alloc(pool));
	obj = test_alloc(pool);
	ASSERT(obj);
	here = pool_here_enter(pool, &flags);
	ASSERT(here);
	pool->bucket[0].head = POOL_BUSY;
	__pool_free(&pool->head, obj, POOL_F_ATOMIC);
	pool->bucket[0].head = NULL;
	pool_here_leave(here);
	EXPECT_EQ(test_sum(pool)->parked, 1);
	EXPECT_EQ(test_sum(pool)->used, 1);
	pool_fail_every = 1;
	EXPECT_PTR_EQ(pool_alloc(&pool->head), obj);
	EXPECT_EQ(test_sum(pool)->parked, 0);
	test_free(pool, obj);
}

POOL_CASE(single_objects_share_a_cluster, one_bucket(64))
{
	unsigned int i, n;

	n = pool->cluster;
	test_alloc_many(pool, test_objs, n);
	for (i = 0; i < n; i++)
		EXPECT(pool_shared_put_one(pool, test_objs[i], 0));
	ASSERT(pool->bucket[0].head);
	EXPECT_EQ(pool->bucket[0].head->n, n);
	EXPECT_PTR_EQ(pool->bucket[0].head->next, NULL);
	for (i = n; i--;)
		EXPECT_PTR_EQ(pool_shared_get_one(pool, 0), test_objs[i]);
	EXPECT_PTR_EQ(pool_shared_get_one(pool, 0), NULL);
	test_free_many(pool, test_objs, n);
}

/* Take objects of the shared part and put them back; no other CPU may have one meanwhile. */
static void pass_objects(unsigned int i, void *arg)
{
	struct crowd *c = arg;
	unsigned long mark = 0x1111 * (i + 1);
	unsigned long r;

	for (r = 0; r < test_scale(20000); r++) {
		unsigned long *obj = pool_shared_get_one(c->pool, 0);

		if (!obj)
			continue;
		if (plat_read(&obj[1]))
			plat_word_add(&c->bad, 1);
		plat_write(&obj[1], mark);
		plat_pause(false);
		if (plat_read(&obj[1]) != mark)
			plat_word_add(&c->bad, 1);
		plat_write(&obj[1], 0ul);
		while (!pool_shared_put_one(c->pool, obj, 0))
			plat_pause(true);
	}
}

POOL_CASE(cpus_on_one_bucket_never_get_the_same_object, one_bucket_within(pool_options.hot_size, 4))
{
	unsigned int i;

	test_alloc_many(pool, test_objs, 16);
	for (i = 0; i < 16; i++) {
		memset(test_objs[i], 0, 64);
		EXPECT(pool_shared_put_one(pool, test_objs[i], 0));
	}
	EXPECT_EQ(test_crowd(4, pass_objects, pool), 0);
}

/* Take clusters of the shared part, of which there are two, and put them back. */
static void pass_clusters(unsigned int i, void *arg)
{
	struct crowd *c = arg;
	unsigned long r;

	(void)i;
	for (r = 0; r < test_scale(20000); r++) {
		struct pool_cluster *got = test_take_shared(c->pool);

		if (!got)
			continue;
		if (got->n != 1)
			plat_word_add(&c->bad, 1);
		while (!pool_put_to_shared_cache(c->pool, got))
			plat_pause(true);
	}
}

POOL_CASE(cpus_on_one_bucket_never_lose_a_cluster, one_bucket(64))
{
	unsigned int i;

	test_alloc_many(pool, test_objs, 2);
	for (i = 0; i < 2; i++) {
		struct pool_cluster *new = test_cluster_new();

		ASSERT(new);
		new->obj[new->n++] = test_objs[i];
		EXPECT(pool_put_to_shared_cache(pool, new));
	}
	EXPECT_EQ(test_crowd(4, pass_clusters, pool), 0);
	EXPECT_EQ(test_sum(pool)->shared, 2);
	EXPECT_EQ(test_sum(pool)->gets, test_sum(pool)->puts - 2);
	EXPECT(test_quiet(pool, 0));
	for (i = 0; i < 2; i++)
		EXPECT(pool_shared_get_one(pool, 0));
	test_free_many(pool, test_objs, 2);
}

POOL_CASE(parked_objects_are_taken_whole_and_used, test_pool(64))
{
	unsigned int i;
	void *obj;

	test_alloc_just(pool, test_objs, 10);
	for (i = 0; i < 10; i++)
		pool_park(pool, test_objs[i]);
	EXPECT_EQ(test_sum(pool)->parked, 10);
	EXPECT_EQ(test_sum(pool)->used, 10);
	obj = pool_alloc(&pool->head);
	EXPECT_PTR_EQ(obj, test_objs[9]);
	EXPECT_EQ(test_sum(pool)->parked, 0);
	EXPECT_EQ(test_sum(pool)->used, 1);
	EXPECT_EQ(test_sum(pool)->cached + test_sum(pool)->shared, 9);
	test_free(pool, obj);
}

POOL_CASE(no_call_brings_away_all_that_was_parked, test_sure(64))
{
	unsigned int i, calls;

	test_alloc_many(pool, test_objs, 1000);
	for (i = 0; i < 1000; i++)
		pool_park(pool, test_objs[i]);
	for (calls = 0; test_sum(pool)->parked && calls < 1000; calls++) {
		unsigned long before = test_sum(pool)->parked;
		void *obj = pool_alloc_nocache(&pool->head);

		ASSERT(obj);
		pool_free_slow(&pool->head, obj, 0);
		EXPECT_LE(before, test_sum(pool)->parked + 3 * 16);
	}
	EXPECT_EQ(test_sum(pool)->parked, 0);
	EXPECT_LE(20, calls);
}

POOL_CASE(a_pool_is_destroyed_with_parked_objects, test_pool(8))
{
	unsigned int i;

	test_alloc_many(pool, test_objs, 10);
	for (i = 0; i < 10; i++)
		pool_park(pool, test_objs[i]);
}

static void park_many(unsigned int i, void *arg)
{
	struct crowd *c = arg;
	unsigned long r;

	(void)i;
	for (r = 0; r < test_scale(5000); r++) {
		void *obj = pool_unpark_all(c->pool, 0);

		if (!obj)
			obj = test_alloc(c->pool);
		if (!obj)
			plat_word_add(&c->bad, 1);
		else
			pool_park(c->pool, obj);
	}
}

POOL_CASE(parking_and_taking_at_once_loses_nothing, test_pool(16))
{
	EXPECT_EQ(test_crowd(4, park_many, pool), 0);
	EXPECT_EQ(test_sum(pool)->used, test_sum(pool)->parked);
}
