// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * slab.c - calls of pools with locks held: locks of the slab, and raw spinlocks of the caller
 *
 * Layer:   tests of POOL_F_NOSLAB, and of what plat.c and gfp.c tell lockdep.
 */
#include "test.h"
#include "helper_traced.h"

#include <linux/debug_locks.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#define LOAD	500
#define HELD	100

/*
 * A pool that is called from inside the slab, and would call the slab, because the pool has no
 * caches.
 */
static struct {
	struct pool_head *pool;
	struct task_struct *task;	/* only its locks count */
	void *held[HELD];
	unsigned int n;
	bool frees;
	bool busy;
	unsigned long turns;
	unsigned long none;
} inside;

/* Make HELD allocations, then as many frees. */
static void call_pool(void)
{
	if (inside.frees) {
		__pool_free(inside.pool, inside.held[--inside.n], POOL_F_NOSLAB);
	} else {
		inside.held[inside.n] = __pool_alloc(inside.pool, POOL_F_NOSLAB);
		if (inside.held[inside.n])
			inside.n++;
		else
			inside.none++;
	}
	if (!inside.n || inside.n == HELD)
		inside.frees = inside.n;
}

/* Call the pool while the slab has a lock: this event comes before the lock is released. */
static void on_release(void *data, struct lockdep_map *lock, unsigned long ip)
{
	if (current == inside.task && !inside.busy) {
		inside.busy = true;
		inside.turns++;
		call_pool();
		inside.busy = false;
	}
}

/* Fill slabs and empty them, so that they move from list to list; the locks of this task count. */
static void use_slab(void)
{
	unsigned long i, waves;

	inside.task = current;
	for (waves = test_scale(1000); waves; waves--) {
		for (i = 0; i < LOAD; i++)
			test_objs[i] = kmalloc(192, GFP_KERNEL);
		for (i = 0; i < LOAD; i++)
			kfree(test_objs[i]);
	}
	inside.task = NULL;
}

TEST_CASE(probes_inside_the_slab_allocate_and_free)
{
	struct pool_attr attr = {
		.name = "inside", .size = 192, .mode = POOL_M_NO_CACHE,
	};
	struct pool_stats now;
	unsigned int i;

	if (!IS_ENABLED(CONFIG_LOCKDEP) || !IS_ENABLED(CONFIG_TRACEPOINTS))
		kunit_skip(test, "this kernel does not trace locks");
	memset(&inside, 0, sizeof(inside));
	inside.pool = create_pool_ext(&attr);
	ASSERT(inside.pool);
	test_alloc_many(pool_of(inside.pool), test_objs, HELD);
	for (i = 0; i < HELD; i++)
		__pool_free(inside.pool, test_objs[i], POOL_F_NOSLAB);
	EXPECT(TRACED("lock_release", on_release, use_slab()));
	while (inside.n)
		pool_free(inside.pool, inside.held[--inside.n]);
	pool_sum(pool_of(inside.pool), &now);
	kunit_info(test, "probes=%lu none=%lu gets=%llu", inside.turns, inside.none,
		   now.store_gets);
	EXPECT_LE(HELD, inside.turns);
	EXPECT_EQ(inside.none, 0);
	EXPECT_EQ(now.store_gets, HELD);
	EXPECT_PTR_EQ(pool_destroy(inside.pool), NULL);
}

static DEFINE_RAW_SPINLOCK(raw_lock);

static void *get_plain(struct pool_head *pool)
{
	return __pool_alloc(pool, POOL_F_ATOMIC);
}

static void *get_gfp(struct pool_head *pool)
{
	return pool_alloc_gfp(pool, GFP_NOWAIT | __GFP_NOWARN);
}

static void *get_here(struct pool_head *pool)
{
	return pool_alloc_node(pool, GFP_NOWAIT | __GFP_NOWARN, numa_mem_id());
}

/* Allocate more objects than a CPU may cache, so that the second wave empties clusters. */
static void use_unpreempted(void *pool)
{
	static void *(*const get[])(struct pool_head *pool) = { get_plain, get_gfp, get_here };
	unsigned int wave, i;

	for (wave = 0; wave < 2 * ARRAY_LEN(get); wave++) {
		for (i = 0; i < TEST_OBJS / 2; i++)
			test_objs[i] = get[wave / 2](pool);
		for (i = 0; i < TEST_OBJS / 2; i++)
			pool_free(pool, test_objs[i]);
	}
}

static void use_under_raw_lock(struct pool_head *pool)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&raw_lock, flags);
	use_unpreempted(pool);
	raw_spin_unlock_irqrestore(&raw_lock, flags);
}

static const unsigned int options[] = {
	0, POOL_D_NO_CACHE, POOL_D_NO_CACHE | POOL_D_NO_GLOBAL,
	POOL_D_POISON | POOL_D_CALLER, POOL_D_INTEGRITY | POOL_D_UAF,
};

/* lockdep is off after its first report.  On RT the calls may get nothing. */
POOLS_CASE(lockdep_has_no_objection_to_calls_that_must_not_be_preempted, ARRAY_LEN(options),
	   ONLY_IF(IS_ENABLED(CONFIG_PROVE_LOCKING), "this kernel has no lockdep",
		   test_checked(64, options[nth])))
{
	EXPECT(debug_locks);
	use_under_raw_lock(&pool->head);
	smp_call_function_single(test_cpus() - 1, use_unpreempted, &pool->head, 1);
	EXPECT(debug_locks);
	EXPECT_EQ(test_faults(pool), 0);
}

TEST_CASE(an_object_that_was_given_to_kfree_is_reported_when_it_comes_back)
{
	struct pool *pool = ONLY_IF(!IS_ENABLED(CONFIG_KASAN_GENERIC), "KASAN keeps what is freed",
				    test_checked(320, POOL_D_TAG));
	void *lost;

	ASSERT(pool);
	pool_fail_every = 0;
	lost = test_alloc(pool);
	ASSERT(lost);
	kfree(lost);
	EXPECT(test_reports_elsewhere(pool));
	pool_destroy(&pool->head);
}
