// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * shared.c - buckets, the BUSY marker, and parked objects
 *
 * Layer:   tests of common/shared/shared.c and parked.c.
 * Context: see test.h.
 */
#include "test.h"

/* A pool with one bucket. */
static struct pool *one_bucket(unsigned int size)
{
	pool_options.buckets = 1;
	return test_pool(size);
}

TEST_CASE(clusters_move_whole)
{
	struct pool *pool;
	struct pool_cluster *c;
	struct pool_stats now;
	unsigned int n = 0;

	test_options(16384, 8);
	pool = one_bucket(64);
	ASSERT(pool);
	test_alloc_many(pool, test_objs, 1000);
	test_free_many(pool, test_objs, 1000);
	pool_sum(pool, &now);
	EXPECT(now.shared > 0);
	EXPECT_EQ(now.puts, now.evictions);
	while ((c = test_take_shared(pool))) {
		EXPECT(c->n > 0);
		EXPECT_LE(c->n, pool_cluster_max(pool));
		n += c->n;
		pool_backend_put_cluster(pool, c, 0);
		plat_mem_free(c);
	}
	EXPECT_EQ(n, now.shared);
	EXPECT_EQ(plat_read(&pool->filled), 0);
	EXPECT(test_quiet(pool, 0));
	pool_destroy(&pool->head);
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

/*
 * Caches of 16 clusters, as for large objects.  A burst of twice as many must find its empty
 * clusters in the stash of its CPU instead of the pool's spares.
 */
TEST_CASE(clusters_that_a_burst_empties_stay_on_their_cpu)
{
	unsigned int cluster = pool_options.cluster < 8 ?
			       pool_options.cluster : 8;
	unsigned int n = 32 * cluster;
	struct pool *pool;

	pool_fail_every = 0;
	test_options(16 * cluster * 64, cluster);
	pool = test_pool(64);
	ASSERT(pool);
	test_wave(pool, n);
	test_alloc_many(pool, test_objs, n);
	EXPECT_EQ(plat_read(&pool->spares), 0);
	test_free_many(pool, test_objs, n);
	EXPECT_EQ(plat_read(&pool->spares), 0);
	EXPECT(test_quiet(pool, 0));
	pool_destroy(&pool->head);
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

TEST_CASE(the_last_object_is_found_in_any_bucket)
{
	unsigned int buckets;

	for (buckets = 1; buckets <= POOL_BUCKETS_MAX; buckets *= 2) {
		unsigned int b;
		struct pool *pool;
		void *obj;

		pool_options.buckets = buckets;
		pool = test_pool(64);
		ASSERT(pool);
		EXPECT_EQ(pool->buckets, buckets);
		obj = test_alloc(pool);
		EXPECT(pool_shared_put_one(pool, obj, 0));
		for (b = 1; b < buckets; b++) {
			struct pool_bucket *from = &pool->bucket[0];
			struct pool_bucket *to = &pool->bucket[b];
			unsigned int i = 0;

			while (!pool->bucket[i].head)
				i++;
			from = &pool->bucket[i];
			to->head = from->head;
			to->objs = 1;
			if (to != from) {
				from->head = NULL;
				from->objs = 0;
			}
			pool_word_sub(&pool->filled,
				      plat_read(&pool->filled));
			plat_word_add(&pool->filled, 1ul << b);
			EXPECT_PTR_EQ(pool_shared_get_one(pool, 0), obj);
			EXPECT_EQ(plat_read(&pool->filled), 0);
			EXPECT(pool_shared_put_one(pool, obj, 0));
		}
		EXPECT(test_quiet(pool, 0));
		EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	}
}

POOL_CASE(a_busy_bucket_is_passed_over, one_bucket(64))
{
	struct pool_cluster *head;
	void *obj;

	obj = test_alloc(pool);
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
	struct pool_stats now;
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
	pool_sum(pool, &now);
	EXPECT_EQ(now.parked, 1);
	EXPECT_EQ(now.used, 1);
	pool_fail_every = 1;
	EXPECT_PTR_EQ(pool_alloc(&pool->head), obj);
	pool_sum(pool, &now);
	EXPECT_EQ(now.parked, 0);
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

struct contended {
	struct pool *pool;
	unsigned long bad;
};

/* Objects move between all CPUs; each is marked while it is owned. */
static void pass_objects(unsigned int i, void *arg)
{
	struct contended *c = arg;
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

TEST_CASE(cpus_on_one_bucket_never_get_the_same_object)
{
	struct contended c;
	unsigned int i;

	memset(&c, 0, sizeof(c));
	test_options(pool_options.hot_size, 4);
	c.pool = one_bucket(64);
	ASSERT(c.pool);
	test_alloc_many(c.pool, test_objs, 16);
	for (i = 0; i < 16; i++) {
		memset(test_objs[i], 0, 64);
		EXPECT(pool_shared_put_one(c.pool, test_objs[i], 0));
	}
	test_threads(4, pass_objects, &c);
	EXPECT_EQ(plat_read(&c.bad), 0);
	EXPECT(test_quiet(c.pool, 0));
	pool_destroy(&c.pool->head);
}

/* pass_objects() with whole clusters, two of them for four CPUs. */
static void pass_clusters(unsigned int i, void *arg)
{
	struct contended *c = arg;
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

TEST_CASE(cpus_on_one_bucket_never_lose_a_cluster)
{
	struct contended c;
	struct pool_stats now;
	unsigned int i;

	memset(&c, 0, sizeof(c));
	c.pool = one_bucket(64);
	ASSERT(c.pool);
	test_alloc_many(c.pool, test_objs, 2);
	for (i = 0; i < 2; i++) {
		struct pool_cluster *new = test_cluster_new();

		ASSERT(new);
		new->obj[new->n++] = test_objs[i];
		EXPECT(pool_put_to_shared_cache(c.pool, new));
	}
	test_threads(4, pass_clusters, &c);
	EXPECT_EQ(plat_read(&c.bad), 0);
	pool_sum(c.pool, &now);
	EXPECT_EQ(now.shared, 2);
	EXPECT_EQ(now.gets, now.puts - 2);
	EXPECT(test_quiet(c.pool, 0));
	for (i = 0; i < 2; i++)
		EXPECT(pool_shared_get_one(c.pool, 0));
	test_free_many(c.pool, test_objs, 2);
	pool_destroy(&c.pool->head);
}

POOL_CASE(parked_objects_are_taken_whole_and_used, test_pool(64))
{
	struct pool_stats now;
	unsigned int i;
	void *obj;

	test_alloc_just(pool, test_objs, 10);
	for (i = 0; i < 10; i++)
		pool_park(pool, test_objs[i]);
	pool_sum(pool, &now);
	EXPECT_EQ(now.parked, 10);
	EXPECT_EQ(now.used, 10);
	obj = pool_alloc(&pool->head);
	EXPECT_PTR_EQ(obj, test_objs[9]);
	pool_sum(pool, &now);
	EXPECT_EQ(now.parked, 0);
	EXPECT_EQ(now.used, 1);
	EXPECT_EQ(now.cached + now.shared, 9);
	test_free(pool, obj);
}

POOL_CASE(no_call_brings_away_all_that_was_parked, test_pool(64))
{
	struct pool_stats now;
	unsigned int i, calls = 0;
	void *obj;

	pool_fail_every = 0;
	test_alloc_many(pool, test_objs, 1000);
	for (i = 0; i < 1000; i++)
		pool_park(pool, test_objs[i]);
	do {
		unsigned long before;

		pool_sum(pool, &now);
		before = now.parked;
		obj = pool_alloc_nocache(&pool->head);
		ASSERT(obj);
		pool_free_slow(&pool->head, obj, 0);
		pool_sum(pool, &now);
		EXPECT_LE(before, now.parked + 3 * 16);
		calls++;
	} while (now.parked && calls < 1000);
	EXPECT_EQ(now.parked, 0);
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
	struct contended *c = arg;
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

TEST_CASE(parking_and_taking_at_once_loses_nothing)
{
	struct contended c;
	struct pool_stats now;

	memset(&c, 0, sizeof(c));
	c.pool = test_pool(16);
	ASSERT(c.pool);
	test_threads(4, park_many, &c);
	EXPECT_EQ(plat_read(&c.bad), 0);
	pool_sum(c.pool, &now);
	EXPECT_EQ(now.used, now.parked);
	EXPECT_PTR_EQ(pool_destroy(&c.pool->head), NULL);
}
