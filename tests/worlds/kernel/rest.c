// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * rest.c - long walks let others run, and buckets are looked at without the CPU lock
 *
 * Layer:   tests of plat_resched(), and of fill.c and spill.c under probes.
 */
#include "test.h"
#include "helper_calls.h"
#include "helper_files.h"

#include <linux/seq_file.h>

#if IS_ENABLED(CONFIG_KPROBES) && IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP)

/* Count a cond_resched() of kernel/wait.c; the first argument is the file of the caller. */
static int on_rest(struct kprobe *probe, struct pt_regs *regs)
{
	const char *file = (const char *)regs_get_kernel_argument(regs, 0);

	if (current == counted && strstr(file, "kernel/wait.c"))
		asked++;
	return 0;
}

static int on_call(struct kprobe *probe, struct pt_regs *regs)
{
	if (current == counted)
		asked++;
	return 0;
}

/* Count a call while this CPU's lock of pools is held. */
static int on_locked(struct kprobe *probe, struct pt_regs *regs)
{
	if (current == counted && __this_cpu_read(plat_locking))
		asked++;
	return 0;
}

/* Return how often fn() lets others run. */
static unsigned int rests(void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return calls_of("__might_resched", on_rest, fn, pool);
}

/* Return how often fn() calls this function; with @locked, how often under the CPU lock. */
static unsigned int calls(const char *name, bool locked,
			  void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return calls_of(name, locked ? on_locked : on_call, fn, pool);
}

#else

static unsigned int calls(const char *name, bool locked,
			  void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return 0;
}

static unsigned int rests(void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return 0;
}

#endif

#define POOLS	20

CALLER(walk_totals, pool_total_used())
CALLER(walk_gc, pool_gc(NULL))
CALLER(walk_age, pool_age())
CALLER(walk_reserve, pool_unreserve(pool_reserve(pool, POOLS)))
CALLER(lower_cap, pool_configure("max_cached=1"))
CALLER(walk_parked, pool_drain_parked(pool_of(pool)))
CALLER(trim, pool_cluster_trim(pool_of(pool)))
/* The dump is made, though its text has no buffer. */
CALLER(walk_dump, dump_pools_to_buf(NULL, 0, "json"))
/* The dump visits all pools, and shows the first one only. */
CALLER(walk_dump_of_one, dump_pools_to_buf(NULL, 0, "byname json 1"))
CALLER(walk_details, dump_pools_to_buf(NULL, 0, "raw detailed match merged"))

static void look(struct pool_head *pool, void *arg)
{
}

static void walk_each(struct pool_head *pool)
{
	pool_for_each(look, NULL);
}

/* Reclaim as the kernel does: count first, then make steps until nothing is left. */
static void walk_reclaim(struct pool_head *pool)
{
	unsigned long bytes;

	plat_mutex_lock(PLAT_REGISTRY);
	pool_unused_bytes(POOL_F_ATOMIC, &bytes);
	pool_shrink_bytes(POOL_ALL, POOL_F_ATOMIC);
	plat_mutex_unlock(PLAT_REGISTRY);
}

TEST_CASE(each_walk_over_all_pools_lets_others_run_between_two)
{
	struct pool *pool[POOLS];
	unsigned int i;

	pool_fail_every = 0;
	pool[0] = pool_that_hits(test);
	ASSERT(pool[0]);
	for (i = 1; i < POOLS; i++)
		pool[i] = test_pool(64);
	EXPECT_LE(POOLS, rests(walk_totals, NULL));
	EXPECT_LE(POOLS, rests(walk_each, NULL));
	EXPECT_LE(2 * POOLS, rests(walk_gc, NULL));
	/*
	 * After a gc no pool has anything to release; ageing lets others run once in 256 such
	 * pools.
	 */
	EXPECT_EQ(rests(walk_age, NULL), 0);
	/*
	 * Reclaim's two walks let others run after each pool that releases something, and after
	 * each 64 pools that release nothing.
	 */
	EXPECT_EQ(rests(walk_reclaim, NULL), 0);
	for (i = 0; i < POOLS; i++)
		EXPECT(pool_shared_put_one(pool[i], pool_alloc_nocache(&pool[i]->head), 0));
	EXPECT_LE(2 * POOLS, rests(walk_reclaim, NULL));
	EXPECT_LE(3 * POOLS, rests(walk_dump, NULL));
	EXPECT_LE(2 * POOLS, rests(walk_dump_of_one, NULL));
	for (i = 0; i < POOLS; i++)
		EXPECT_PTR_EQ(pool_destroy(&pool[i]->head), NULL);
}

/* Read the file of debugfs for the first time, when it has no buffer yet. */
static void walk_registrations(struct pool_head *pool)
{
	struct file *file;
	struct seq_file *m;

	file = open_as_init("/sys/kernel/debug/pool/by-name/merged/registrations", O_RDONLY);
	if (IS_ERR(file))
		return;
	m = file->private_data;
	m->op->show(m, NULL);
	filp_close(file, NULL);
}

TEST_CASE(a_list_of_registrations_lets_others_run_between_two)
{
	struct pool *hits = pool_that_hits(test);
	struct pool_head *pool = NULL;
	unsigned int i;

	ASSERT(hits);
	for (i = 0; i < POOLS; i++)
		pool = create_pool("merged", 1000, MEM_F_SHARED);
	ASSERT(pool);
	EXPECT_LE(POOLS, rests(walk_registrations, pool));
	EXPECT_LE(POOLS, rests(walk_details, pool));
	for (i = 0; i < POOLS; i++)
		EXPECT_PTR_EQ(pool_destroy(pool), NULL);
	EXPECT_PTR_EQ(pool_destroy(&hits->head), NULL);
}

POOL_CASE(a_reserve_lets_others_run_between_two_objects, pool_that_hits(test))
{
	pool_fail_every = 0;
	EXPECT_LE(2 * POOLS, rests(walk_reserve, &pool->head));
}

POOL_CASE(a_flush_lets_others_run_between_two_clusters, pool_that_hits(test))
{
	unsigned int n, i;

	n = POOLS * pool->cluster;
	if (n > TEST_OBJS)
		n = TEST_OBJS;
	test_alloc_many(pool, test_objs, n);
	for (i = 0; i < n; i++)
		EXPECT(pool_shared_put_one(pool, test_objs[i], 0));
	EXPECT_LE(n / pool->cluster, rests(pool_flush, &pool->head));
	EXPECT_EQ(pool_shared_count(pool), 0);
}

POOL_CASE(a_cap_that_comes_late_lets_others_run_between_two_clusters, pool_that_hits(test))
{
	unsigned long clusters;

	test_options(1 << 20, 8);
	test_wave(pool, TEST_OBJS);
	clusters = pool_clustered_bytes(test_cpu()) / pool->head.size / POOL_CLUSTER_SIZE;
	EXPECT_LE(POOLS, clusters);
	EXPECT_LE(clusters, rests(lower_cap, &pool->head));
	EXPECT_EQ(pool_clustered_bytes(test_cpu()), 0);
}

/* Allocate and free more objects than the bound of the case allows. */
static void come_and_go(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		head_wave(pool, 400);
}

POOL_CASE(buckets_are_looked_at_without_the_cpu_lock, pool_that_hits(test))
{
	static const char * const how[] = {
		"pool_put_to_shared_cache", "pool_refill_local_from_shared",
	};
	unsigned int i;

	test_options(8192, 8);
	for (i = 0; i < ARRAY_SIZE(how); i++) {
		EXPECT_LE(1, calls(how[i], false, come_and_go, &pool->head));
		EXPECT_EQ(calls(how[i], true, come_and_go, &pool->head), 0);
	}
}

/*
 * The longest lists are the list of parked objects with a destructor, and the list of empty
 * clusters.
 */
POOL_CASE(a_long_list_of_what_was_put_aside_lets_others_run, pool_that_hits(test))
{
	static void (*const walks[])(struct pool_head *pool) = {
		walk_parked, walk_gc, walk_age,
	};
	struct pool_cluster *c, *next;
	unsigned int i, j;

	for (i = 0; i < ARRAY_LEN(walks); i++) {
		test_alloc_many(pool, test_objs, TEST_OBJS);
		for (j = 0; j < TEST_OBJS; j++)
			pool_park(pool, test_objs[j]);
		EXPECT_LE(TEST_OBJS / 64 - 1, rests(walks[i], &pool->head));
	}
	pool_cluster_trim(pool);
	for (c = pool_cluster_get(pool, 20 * POOL_STASH_MAX, 0); c; c = next) {
		next = c->next;
		pool_cluster_put(pool, c, POOL_F_NOSLAB);
	}
	EXPECT_LE(20, rests(trim, &pool->head));
}
