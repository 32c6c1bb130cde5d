// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * numa.c - objects stay near the CPUs that use them; and CPUs that nobody may interrupt
 *
 * Layer:   tests of the nodes in shared.c, of pool_alloc_node(), and of plat_empty_arrays().
 *
 * A machine with one node has nothing to show, so the cases do not apply there.  With two
 * nodes CPU 0 is near the first, and the last CPU near the second.
 */
#include "test.h"

#include <linux/sched/isolation.h>
#include <linux/topology.h>

#define SIZE		256
#define WAVE		1000
#define FEW		20

/* Work of one CPU at a time: as a rule the first one allocates, and the last one frees. */
struct relay {
	struct pool *pool;
	void (*work)(struct relay *r);
	unsigned int worker;	/* the worker whose turn it is */
	unsigned int remote;	/* objects of another node than their allocator's */
	unsigned int none;
};

static bool is_near(const void *obj, int node)
{
	return page_to_nid(virt_to_page(obj)) == node;
}

static void allocate(struct relay *r)
{
	unsigned int i;

	for (i = 0; i < WAVE; i++) {
		void *obj = pool_alloc(&r->pool->head);

		test_objs[i] = obj;
		if (!obj)
			r->none++;
		else
			r->remote += !is_near(obj, numa_mem_id());
	}
}

static void free_all(struct relay *r)
{
	unsigned int i;

	for (i = 0; i < WAVE; i++)
		pool_free(&r->pool->head, test_objs[i]);
}

static void turn(unsigned int i, void *arg)
{
	struct relay *r = arg;

	if (i == r->worker)
		r->work(r);
}

static void on_first(struct relay *r, void (*work)(struct relay *r))
{
	r->work = work;
	r->worker = 0;
	test_threads(test_cpus(), turn, r);
}

static void on_last(struct relay *r, void (*work)(struct relay *r))
{
	r->work = work;
	r->worker = test_cpus() - 1;
	test_threads(test_cpus(), turn, r);
}

static void round_trip(struct relay *r)
{
	on_first(r, allocate);
	on_last(r, free_all);
}

static struct pool *numa_pool(void)
{
	return test_sure_within(65536, 32, SIZE);
}

/* For cases of several nodes. */
#define IF_NODES(make)	ONLY_IF(num_online_nodes() > 1, "one node", make)

/* Once the pool has enough objects for both CPUs, it gets hardly any further ones from the slab. */
POOL_CASE(clusters_go_home_to_the_node_of_their_objects, IF_NODES(numa_pool()))
{
	struct pool_stats before, now;
	struct relay r = { .pool = pool };
	unsigned int i;

	for (i = 0; i < 10; i++)
		round_trip(&r);
	r.remote = 0;
	pool_sum(pool, &before);
	for (i = 0; i < 20; i++)
		round_trip(&r);
	pool_sum(pool, &now);
	EXPECT_EQ(r.none, 0);
	EXPECT_LE(r.remote, 20 * WAVE / 100);
	EXPECT_LE(now.store_gets - before.store_gets, 20 * WAVE / 10);
}

POOL_CASE(an_object_is_of_the_node_that_is_asked_for, IF_NODES(numa_pool()))
{
	struct relay r = { .pool = pool };
	struct pool_stats before, now;
	void *obj;
	int node;

	round_trip(&r);
	for_each_online_node(node) {
		obj = pool_alloc_node(&pool->head, GFP_KERNEL, node);
		EXPECT(obj && is_near(obj, node));
		test_free(pool, obj);
		obj = pool_alloc_node(&pool->head,
				      GFP_KERNEL | __GFP_THISNODE, node);
		EXPECT(obj && is_near(obj, node));
		test_free(pool, obj);
	}
	pool_sum(pool, &before);
	obj = pool_alloc_node(&pool->head, GFP_KERNEL, 0);
	pool_sum(pool, &now);
	EXPECT_EQ(now.shared, before.shared - 1);
	test_free(pool, obj);
}

/* Allocate on the first CPU, and put all objects into the shared part of its node. */
static void fill_first_node(struct relay *r)
{
	unsigned int i;

	on_first(r, allocate);
	for (i = 0; i < WAVE; i++)
		pool_shared_put_one(r->pool, test_objs[i], 0);
}

POOL_CASE(a_miss_leaves_objects_of_other_nodes_alone, IF_NODES(numa_pool()))
{
	struct relay r = { .pool = pool };

	fill_first_node(&r);
	EXPECT(pool_shared_count(pool) >= WAVE);
	on_last(&r, allocate);
	EXPECT_EQ(r.none, 0);
	EXPECT_EQ(r.remote, 0);
	on_last(&r, free_all);
}

/* All free objects are in the shared pool of the first node. */
POOL_CASE(at_the_limit_a_node_gets_what_another_one_has, IF_NODES(numa_pool()))
{
	struct relay r = { .pool = pool };

	fill_first_node(&r);
	EXPECT(pool_set_limit(&pool->head, pool_allocated(pool)));
	on_last(&r, allocate);
	EXPECT_EQ(r.none, 0);
	on_last(&r, free_all);
}

/* Return the node of the last CPU, which is another node than the first CPU's. */
static int far_node(void)
{
	return cpu_to_mem(test_cpus() - 1);
}

static void *alloc_far(struct pool *pool, gfp_t gfp)
{
	void *obj = pool_alloc_node(&pool->head, gfp | __GFP_THISNODE, far_node());

	return obj && is_near(obj, far_node()) ? obj : NULL;
}

/* Free objects of the other node, and in every second call one of this node on top of them. */
static void mix(struct relay *r)
{
	unsigned int i;

	for (i = 0; i < 10 * WAVE; i++) {
		void *far = alloc_far(r->pool, GFP_KERNEL);
		void *near = i % 2 ? pool_alloc_node(&r->pool->head, GFP_KERNEL, numa_mem_id()) :
				     NULL;

		r->none += !far;
		test_free(r->pool, far);
		test_free(r->pool, near);
	}
}

POOL_CASE(a_node_that_is_named_finds_what_was_freed_last,
	  IF_NODES(test_sure_within(1 << 20, 32, SIZE)))
{
	struct relay r = { .pool = pool };

	on_first(&r, mix);
	EXPECT_EQ(r.none, 0);
	EXPECT_LE(test_sum(pool)->allocated, 2 * POOL_HOT_SLOTS);
}

/* Allocate for the other node, though this CPU's array has all objects of the limit. */
static void far_at_limit(struct relay *r)
{
	unsigned int i;

	for (i = 0; i < FEW; i++)
		test_objs[i] = pool_alloc_node(&r->pool->head, GFP_KERNEL, numa_mem_id());
	test_free_many(r->pool, test_objs, FEW);
	for (i = 0; i < FEW; i++) {
		test_objs[i] = alloc_far(r->pool, i % 2 ? GFP_KERNEL : GFP_NOWAIT);
		r->none += !test_objs[i];
	}
	r->remote = !!alloc_far(r->pool, GFP_KERNEL);
	for (i = 0; i < FEW; i++)
		test_free(r->pool, test_objs[i]);
}

POOL_CASE(at_the_limit_free_objects_make_room_for_the_node_that_is_named, IF_NODES(numa_pool()))
{
	struct relay r = { .pool = pool };

	EXPECT(pool_set_limit(&pool->head, FEW));
	on_first(&r, far_at_limit);
	EXPECT_EQ(r.none, 0);
	EXPECT_EQ(r.remote, 0);
}

static struct pool *guarded_pool(void)
{
	test_options(65536, 32);
	pool_fail_every = 0;
	return test_in_mode(POOL_D_UAF, SIZE);
}

/*
 * Guarded objects may be of any node, as areas of vmalloc() are.  The shared part has only guarded
 * objects.
 */
POOL_CASE(a_node_that_is_named_gets_no_guarded_object, IF_NODES(guarded_pool()))
{
	unsigned int i;

	EXPECT(pool_set_limit(&pool->head, FEW));
	test_alloc_many(pool, test_objs, FEW);
	EXPECT(is_vmalloc_addr(test_objs[0]));
	for (i = 0; i < FEW; i++)
		EXPECT(pool_shared_put_one(pool, test_objs[i], 0));
	for (i = 0; i < FEW; i++) {
		test_objs[i] = alloc_far(pool, GFP_KERNEL);
		EXPECT(test_objs[i] && !is_vmalloc_addr(test_objs[i]));
	}
	test_free_many(pool, test_objs, FEW);
}

POOL_CASE(a_node_that_does_not_exist_is_refused, numa_pool())
{
	void *obj;

	EXPECT_PTR_EQ(pool_alloc_node(&pool->head, GFP_KERNEL, -2), NULL);
	EXPECT_PTR_EQ(pool_alloc_node(&pool->head, GFP_KERNEL, nr_node_ids),
		      NULL);
	EXPECT_EQ(test_sum(pool)->failed, 2);
	obj = pool_alloc_node(&pool->head, GFP_KERNEL, NUMA_NO_NODE);
	EXPECT(obj);
	test_free(pool, obj);
}

/* Leave objects in this CPU's array. */
static void use_some(struct relay *r)
{
	test_wave(r->pool, FEW);
}

static void ask(struct relay *r)
{
	r->none = !plat_empty_arrays(r->pool, POOL_FOREVER);
}

static void age(struct relay *r)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		pool_age();
}

POOL_CASE(an_isolated_cpu_is_not_interrupted_for_its_array,
	  ONLY_IF(!housekeeping_cpu(test_cpus() - 1, HK_TYPE_DOMAIN), "no CPU is isolated",
		  numa_pool()))
{
	unsigned int last = test_cpus() - 1, had;
	struct relay r = { .pool = pool };

	on_last(&r, use_some);
	had = plat_local_of(pool, last)->hot.n;
	EXPECT(had >= FEW);
	on_first(&r, ask);
	EXPECT_EQ(r.none, 1);
	on_first(&r, age);
	EXPECT_EQ(plat_local_of(pool, last)->hot.n, had);
	on_first(&r, use_some);
	had = plat_local_of(pool, 0)->hot.n;
	on_last(&r, ask);
	EXPECT_EQ(r.none, 0);
	EXPECT(plat_local_of(pool, 0)->hot.n < had);
}
