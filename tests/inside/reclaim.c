// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reclaim.c - flush, gc, other CPUs' caches, CPUs that are gone
 *
 * Layer:   tests of common/reclaim/reclaim.c.
 */
#include "test.h"

/* Leave free objects of a pool in this CPU's caches and in the shared pool. */
static void spread(struct pool *pool)
{
	test_wave(pool, 1000);
}

PAIR_CASE(gc_empties_all_shared_pools_only, one, test_within(16384, 8, 64), two, test_pool(128))
{
	struct pool *pool[2] = { one, two };
	unsigned long long cached[2];
	unsigned int i, j;

	for (i = 0; i < 2; i++) {
		spread(pool[i]);
		test_alloc_many(pool[i], test_objs, 10);
		for (j = 0; j < 10; j++)
			pool_park(pool[i], test_objs[j]);
	}
	for (i = 0; i < 2; i++) {
		EXPECT(test_sum(pool[i])->shared > 0);
		cached[i] = test_sum(pool[i])->cached;
	}
	pool_gc(NULL);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(test_sum(pool[i])->shared, 0);
		EXPECT_EQ(test_sum(pool[i])->parked, 0);
		EXPECT_EQ(test_sum(pool[i])->cached, cached[i]);
	}
}

static void spread_there(unsigned int i, void *arg)
{
	struct pool *pool = arg;
	void **objs = test_objs + i * TEST_SOME;

	test_alloc_many(pool, objs, TEST_SOME);
	test_free_many(pool, objs, TEST_SOME);
}

/* A pool that CPU 1 destroys while the caches of CPU 0 have objects of it. */
struct reached {
	struct pool *pool;
	unsigned long step;		/* 1: there are objects; 2: the pool is gone */
	unsigned long made, gone;	/* objects, as the backend and the destructor count them */
};

static void one_less(void *obj, void *arg)
{
	struct reached *r = arg;

	(void)obj;
	plat_word_add(&r->gone, 1);
}

static void keep_or_destroy(unsigned int i, void *arg)
{
	struct reached *r = arg;
	struct pool_stats now;

	if (i) {
		test_await(&r->step, 1);
		pool_stats_get(&r->pool->head, &now, sizeof(now));
		r->made = now.store_gets - now.store_puts;
		if (pool_destroy(&r->pool->head))
			r->made = 0;
		plat_write_release(&r->step, 2ul);
		return;
	}
	spread_there(i, r->pool);
	plat_write_release(&r->step, 1ul);
	test_await(&r->step, 2);
}

TEST_CASE(destroying_reaches_other_cpus_caches)
{
	struct reached r = { .step = 0 };
	struct pool_attr attr = {
		.name = "other", .size = 64, .dtor = one_less, .arg = &r,
	};
	struct pool_head *pool = create_pool_ext(&attr);

	ASSERT(pool);
	r.pool = pool_of(pool);
	test_threads(2, keep_or_destroy, &r);
	EXPECT_LE(TEST_SOME, r.made);
	EXPECT_EQ(r.gone, r.made);
}

POOL_CASE(a_cpu_that_is_gone_leaves_all_to_the_shared_pool, test_within(65536, 8, 64))
{
	struct pool_stats before, now;

	spread(pool);
	pool_sum(pool, &before);
	EXPECT(before.cached > 0);
	pool_cpu_gone(plat_cpu_hint());
	pool_sum(pool, &now);
	EXPECT_EQ(now.cached, 0);
	EXPECT_EQ(now.shared, before.shared + before.cached);
	EXPECT_EQ(now.allocated, before.allocated);
	EXPECT_EQ(test_charged(), 0);
	EXPECT_EQ(test_cpu()->stashed, 0);
	EXPECT_EQ(test_cpu()->hot_bytes, 0);
	spread(pool);
}

POOL_CASE(without_a_shared_pool_a_cpu_that_is_gone_frees_all, test_in_mode(POOL_D_NO_GLOBAL, 64))
{
	spread(pool);
	pool_cpu_gone(plat_cpu_hint());
	EXPECT_EQ(test_sum(pool)->allocated, 0);
	EXPECT_EQ(test_charged(), 0);
}

POOL_CASE(the_last_resort_takes_other_cpus_clusters, test_within(65536, 8, 64))
{
	struct pool_stats before, now;
	void *obj;

	test_wave(pool, 300);
	pool_sum(pool, &before);
	EXPECT(test_local(pool)->clustered > 0);
	obj = pool_take_remote(pool, 0);
	EXPECT(obj);
	pool_sum(pool, &now);
	EXPECT_EQ(now.used, 1);
	EXPECT_EQ(now.moving, 0);
	EXPECT_EQ(now.allocated, before.allocated);
	EXPECT(test_bound_holds());
	test_free(pool, obj);
}

POOL_CASE(a_detached_cluster_counts_as_moving_and_stays_charged, test_pool(64))
{
	struct pool_stats before, now;
	struct pool_cluster *c;
	unsigned long charged;
	unsigned int n;

	spread(pool);
	pool_sum(pool, &before);
	charged = test_charged();
	plat_cpu_lock(test_cpu());
	c = pool_cluster_newest(test_local(pool));
	if (c)
		pool_cluster_detach(c);
	plat_cpu_unlock(test_cpu());
	ASSERT(c);
	n = c->n;
	pool_sum(pool, &now);
	EXPECT_EQ(now.moving, n);
	EXPECT_EQ(now.cached, before.cached);
	EXPECT_EQ(test_charged(), charged);
	EXPECT(test_bound_holds());
	pool_put_cluster_below(pool, c, 0);
	pool_cluster_settled(test_local(pool), n);
	EXPECT_EQ(test_charged(), charged - n * 64);
}

struct evicting {
	struct pool *pool;
	unsigned long detached;
	unsigned long bad;
};

/* Evict as an atomic free of another pool does, with a pause between its steps. */
static void evict_slowly(struct evicting *e)
{
	struct pool_local *local = test_local(e->pool);
	struct pool_cluster *c;
	unsigned int n, i;

	plat_cpu_lock(test_cpu());
	c = pool_cluster_newest(local);
	pool_cluster_detach(c);
	plat_cpu_unlock(test_cpu());
	n = c->n;
	plat_word_add(&e->detached, 1);
	for (i = 0; i < 200; i++)
		plat_pause(true);
	while (c->n)
		pool_park(e->pool, c->obj[--c->n]);
	pool_cluster_put(e->pool, c, POOL_F_ATOMIC);
	pool_cluster_settled(local, n);
}

static void evict_or_destroy(unsigned int i, void *arg)
{
	struct evicting *e = arg;

	spread_there(i, e->pool);
	if (i) {
		evict_slowly(e);
		return;
	}
	test_await(&e->detached, 1);
	if (pool_destroy(&e->pool->head))
		plat_word_add(&e->bad, 1);
	if (test_charged() || !pool_list_empty(&test_cpu()->by_age))
		plat_word_add(&e->bad, 1);
}

TEST_CASE(destroying_waits_for_evictions_and_takes_what_they_park)
{
	struct evicting e = { .pool = test_in_mode(POOL_D_NO_GLOBAL, 64) };

	ASSERT(e.pool);
	test_threads(2, evict_or_destroy, &e);
	EXPECT_EQ(plat_read(&e.bad), 0);
}

#define OTHERS	8

struct crowded {
	struct pool *pool;
	struct pool *other[OTHERS];
	unsigned long ready;
	unsigned long done;
	unsigned long bad;
};

/*
 * Worker 1 fills the caches with objects of one pool, then uses other pools, which evict them.
 * Worker 0 tries to destroy the first pool meanwhile.
 */
static void crowd_out(unsigned int i, void *arg)
{
	struct crowded *c = arg;
	void *objs[100];
	unsigned int k;

	if (!i) {
		test_await(&c->ready, 1);
		while (!plat_read(&c->done))
			if (!pool_destroy(&c->pool->head)) {
				plat_word_add(&c->bad, 1);
				return;
			}
		return;
	}
	for (k = 0; k < 6; k++)
		spread_there(i, c->pool);
	plat_word_add(&c->ready, 1);
	for (k = 0; k < OTHERS; k++) {
		test_alloc_many(c->other[k], objs, 100);
		test_free_many(c->other[k], objs, 100);
	}
	plat_word_add(&c->done, 1);
}

POOLS_CASE(a_pool_in_use_is_not_destroyed_while_others_evict_it, test_scale(100),
	   test_within(16384, 8, 64))
{
	struct crowded c = { .pool = pool };
	void *kept = test_alloc(pool);
	unsigned int k;

	for (k = 0; k < OTHERS; k++) {
		c.other[k] = test_pool(64);
		ASSERT(c.other[k]);
	}
	test_threads(2, crowd_out, &c);
	ASSERT(!plat_read(&c.bad));
	test_free(pool, kept);
	for (k = 0; k < OTHERS; k++)
		EXPECT_PTR_EQ(pool_destroy(&c.other[k]->head), NULL);
}

static void flush_or_destroy(unsigned int i, void *arg)
{
	struct crowd *c = arg;
	unsigned long r;

	for (r = 0; r < test_scale(400); r++) {
		struct pool_head *pool;

		if (i) {
			pool_gc(NULL);
			continue;
		}
		pool = create_pool("test", 64, 0);
		if (!pool)
			continue;
		spread_there(i, pool_of(pool));
		while (pool_destroy(pool))
			plat_word_add(&c->bad, 1);
	}
}

TEST_CASE(an_idle_pool_is_destroyed_while_others_collect)
{
	test_options(4096, 8);
	EXPECT_EQ(test_crowd(4, flush_or_destroy, NULL), 0);
}

/* Objects that a destructor has allocated, as another thread might do while it runs. */
static struct {
	struct pool *pool;
	unsigned long n;
} taken;

static void take_half(void *obj, void *arg)
{
	unsigned long n = taken.n ? 0 : pool_shared_count(taken.pool) / 2;

	(void)obj;
	(void)arg;
	while (taken.n < n && taken.n < TEST_OBJS) {
		test_objs[taken.n] = pool_shared_get_one(taken.pool, 0);
		taken.n += !!test_objs[taken.n];
	}
}

TEST_CASE(gc_leaves_the_spares_though_others_take_objects_meanwhile)
{
	struct pool_attr attr = {
		.name = "taken", .size = 64, .flags = MEM_F_EXACT, .dtor = take_half,
		.min_avail = 100,
	};
	struct pool_head *head;

	test_options(4096, 8);
	head = create_pool_ext(&attr);
	ASSERT(head);
	taken.pool = pool_of(head);
	taken.n = TEST_OBJS;
	test_wave(taken.pool, 1000);
	ASSERT(pool_shared_count(taken.pool) > 500);
	taken.n = 0;
	pool_gc(NULL);
	EXPECT(taken.n > 200);
	EXPECT_LE(100, pool_shared_count(taken.pool));
	while (taken.n)
		test_free(taken.pool, test_objs[--taken.n]);
	taken.n = TEST_OBJS;
	EXPECT(test_quiet(taken.pool, 0));
	EXPECT_PTR_EQ(pool_destroy(head), NULL);
}
