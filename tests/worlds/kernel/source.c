// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * source.c - what pools ask the slab for
 *
 * Layer:   tests of kernel/plat.c and gfp.c.
 */
#include "test.h"
#include "failslab.h"
#include "helper_traced.h"

#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

/* The flags with which any cache was called, or kmalloc() by a task. */
static struct {
	const struct kmem_cache *cache;
	const struct task_struct *task;
	unsigned int calls;
	unsigned int meek;		/* calls that leave the last reserve alone */
	unsigned int wake;		/* calls that may wake kswapd */
	unsigned int reclaim;
} asked;

static void look(gfp_t gfp)
{
	asked.calls++;
	asked.meek += (gfp & (__GFP_MEMALLOC | __GFP_NOMEMALLOC)) ==
		      __GFP_NOMEMALLOC;
	asked.wake += !!(gfp & __GFP_KSWAPD_RECLAIM);
	asked.reclaim += !!(gfp & __GFP_DIRECT_RECLAIM);
}

static void on_alloc(void *data, unsigned long caller, const void *obj,
		     struct kmem_cache *cache, gfp_t gfp, int node)
{
	if (cache == asked.cache)
		look(gfp);
}

static void on_kmalloc(void *data, unsigned long caller, const void *p,
		       size_t wanted, size_t bytes, gfp_t gfp, int node)
{
	if (current == asked.task && in_task())
		look(gfp);
}

/* Note calls of all caches, by a task. */
static void on_any(void *data, unsigned long caller, const void *obj,
		   struct kmem_cache *cache, gfp_t gfp, int node)
{
	if (current == asked.task && in_task())
		look(gfp);
}

/* Call @use while @probe is called for each event of this name; false if there is no such event. */
static bool probed(const char *name, void *probe, struct pool *pool,
		   void (*use)(struct pool *pool))
{
	memset(&asked, 0, sizeof(asked));
	asked.cache = pool->backend.cache;
	asked.task = current;
	return TRACED(name, probe, use(pool));
}

/* Call @use, and note each allocation of the pool's cache; false if they cannot be seen. */
static bool watched(struct pool *pool, void (*use)(struct pool *pool))
{
	return probed("kmem_cache_alloc", on_alloc, pool, use);
}

/* Call @use, and note allocations of all caches, also those of clusters and CPUs' parts. */
static bool all_watched(struct pool *pool, void (*use)(struct pool *pool))
{
	return probed("kmem_cache_alloc", on_any, pool, use);
}

#define IF_TRACED(make) \
	ONLY_IF(IS_ENABLED(CONFIG_TRACEPOINTS), "this kernel has no tracepoints", make)

/* Create a pool of which each call reaches the slab, which does not fail by itself. */
static struct pool *uncached_pool(void)
{
	static const struct pool_attr attr = {
		.name = "uncached", .size = 64, .mode = POOL_M_NO_CACHE,
	};

	pool_fail_every = 0;
	return test_made(&attr);
}

/* Make all kinds of calls as a task that frees memory. */
static void use_as_reclaimer(struct pool *pool)
{
	static const gfp_t gfps[] = {
		GFP_KERNEL, GFP_ATOMIC, GFP_KERNEL | __GFP_MEMALLOC,
		GFP_KERNEL | __GFP_THISNODE, GFP_NOIO | __GFP_NOFAIL,
	};
	unsigned int before = memalloc_noreclaim_save();
	void *obj;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gfps); i++) {
		obj = pool_alloc_gfp(&pool->head, gfps[i]);
		test_free(pool, obj);
	}
	test_free(pool, pool_alloc(&pool->head));
	test_free(pool, __pool_alloc(&pool->head, POOL_F_ATOMIC));
	memalloc_noreclaim_restore(before);
}

POOL_CASE(the_last_reserve_of_the_system_is_never_touched, IF_TRACED(uncached_pool()))
{
	EXPECT(watched(pool, use_as_reclaimer));
	EXPECT_EQ(asked.calls, 7);
	EXPECT_EQ(asked.meek, asked.calls);
}

static void *found;

/* Allocate the first object of a pool, as a task that frees memory. */
static void use_first_as_reclaimer(struct pool *pool)
{
	unsigned int before = memalloc_noreclaim_save();

	found = pool_alloc(&pool->head);
	memalloc_noreclaim_restore(before);
}

/* The first object needs memory for the table of objects, but not that of the last reserve. */
POOL_CASE(the_last_reserve_is_not_for_what_checks_need,
	  IF_TRACED(test_in_mode(POOL_D_INTEGRITY, 64)))
{
	pool_fail_every = 0;
	EXPECT(probed("kmalloc", on_kmalloc, pool, use_first_as_reclaimer));
	EXPECT(found);
	EXPECT(asked.calls);
	EXPECT_EQ(asked.meek, asked.calls);
	test_free(pool, found);
}

/* Allocate as a task that frees memory, while the slab fails once. */
static void use_as_last_resort(struct pool *pool)
{
	unsigned int before = memalloc_noreclaim_save();

	test_fail_nth(1);
	found = pool_alloc_gfp(&pool->head, GFP_NOIO | __GFP_NOFAIL);
	test_fail_nth(0);
	memalloc_noreclaim_restore(before);
	test_free(pool, found);
}

POOL_CASE(the_last_reserve_is_for_calls_that_must_not_fail_when_all_else_has,
	  IF_TRACED(IF_FAILSLAB(uncached_pool())))
{
	/* Let this CPU get its part of the pool. */
	test_free(pool, pool_alloc(&pool->head));
	EXPECT(watched(pool, use_as_last_resort));
	EXPECT(found);
	EXPECT_EQ(asked.calls, 2);
	EXPECT_EQ(asked.meek, 1);
}

static void free_all(struct pool *pool)
{
	test_free_many(pool, test_objs, TEST_OBJS);
}

static void free_all_unpreempted(struct pool *pool)
{
	unsigned long flags;

	local_irq_save(flags);
	free_all(pool);
	local_irq_restore(flags);
}

/* A wakeup takes locks of the scheduler, which a caller with interrupts off may hold. */
POOLS_CASE(frees_with_interrupts_off_wake_nobody_and_none_reclaims, 2,
	   IF_TRACED(test_sure_within(1 << 20, 8, 64)))
{
	test_alloc_just(pool, test_objs, TEST_OBJS);
	if (nth) {
		EXPECT(all_watched(pool, free_all));
		EXPECT_LE(1, asked.wake);
		EXPECT_EQ(asked.meek, asked.calls);
	} else {
		EXPECT(all_watched(pool, free_all_unpreempted));
		EXPECT(asked.calls || IS_ENABLED(CONFIG_PREEMPT_RT));
		EXPECT_EQ(asked.wake, 0);
	}
	EXPECT_EQ(asked.reclaim, 0);
}

static void alloc_all(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < TEST_OBJS; i++)
		test_objs[i] = __pool_alloc(&pool->head, POOL_F_ATOMIC);
}

static void alloc_all_unpreempted(struct pool *pool)
{
	unsigned long flags;

	local_irq_save(flags);
	alloc_all(pool);
	local_irq_restore(flags);
}

POOL_CASE(allocations_with_interrupts_off_wake_nobody, IF_TRACED(test_sure(64)))
{
	EXPECT(watched(pool, alloc_all_unpreempted));
	EXPECT(asked.calls || IS_ENABLED(CONFIG_PREEMPT_RT));
	EXPECT_EQ(asked.wake, 0);
	free_all(pool);
	pool_reclaim(&pool->head);
	EXPECT(watched(pool, alloc_all));
	EXPECT(asked.calls);
	EXPECT_EQ(asked.wake, asked.calls);
	free_all(pool);
}

static void use_atomic(struct pool *pool)
{
	test_free(pool, pool_alloc_gfp(&pool->head, GFP_ATOMIC));
}

/*
 * GFP_ATOMIC has a reserve of its own, which the flag that forbids the last reserve would also
 * forbid.
 */
POOL_CASE(the_reserve_of_calls_that_cannot_wait_is_theirs, IF_TRACED(uncached_pool()))
{
	EXPECT(watched(pool, use_atomic));
	EXPECT_EQ(asked.calls, 1);
	EXPECT_EQ(asked.meek, 0);
}

static bool ranged(unsigned int offset, unsigned int size)
{
	struct pool_attr attr = {
		.name = "ranged", .size = 100, .flags = MEM_F_USERCOPY,
		.useroffset = offset, .usersize = size,
	};
	struct pool_head *pool = create_pool_ext(&attr);

	if (pool)
		pool_free(pool, pool_alloc(pool));
	pool_destroy(pool);
	return pool;
}

TEST_CASE(ranges_for_user_space_lie_within_the_object)
{
	EXPECT(ranged(0, 0));
	EXPECT(ranged(0, 100));
	EXPECT(ranged(99, 1));
	EXPECT(ranged(50, 0));
	EXPECT(!ranged(0, 101));
	EXPECT(!ranged(100, 1));
	EXPECT(!ranged(1, 100));
	EXPECT(!ranged(1, ~0u));
	EXPECT(!ranged(~0u, 1));
}

#define SAFE	200u
#define SIZE	256u

static struct pool *typesafe(void)
{
	static const struct pool_attr attr = {
		.name = "safe", .size = SIZE, .flags = MEM_F_EXACT | MEM_F_TYPESAFE,
	};

	return test_made(&attr);
}

static unsigned int intact(unsigned int n)
{
	unsigned int i, good = 0;

	for (i = 0; i < n; i++)
		good += !memchr_inv(test_objs[i], 0x3c, SIZE);
	return good;
}

/* A reader of RCU that sees objects while they are in use, and after they were freed. */
static struct {
	bool reads;
	bool freed;
	unsigned int good;
} reader;

static int read_on(void *unused)
{
	unsigned int i;

	rcu_read_lock();
	WRITE_ONCE(reader.reads, true);
	for (i = 0; i < 2000 && !READ_ONCE(reader.freed); i++)
		mdelay(1);
	reader.good = intact(SAFE);
	rcu_read_unlock();
	while (!kthread_should_stop())
		usleep_range(1000, 2000);
	return 0;
}

POOL_CASE(readers_see_a_typesafe_object_as_it_was_though_it_is_given_back,
	  ONLY_IF(num_online_cpus() > 1, "one CPU only", typesafe()))
{
	struct task_struct *task;
	unsigned int i;

	test_alloc_many(pool, test_objs, SAFE);
	for (i = 0; i < SAFE; i++)
		memset(test_objs[i], 0x3c, SIZE);
	memset(&reader, 0, sizeof(reader));
	task = kthread_run(read_on, NULL, "reader");
	ASSERT(!IS_ERR(task));
	while (!READ_ONCE(reader.reads))
		usleep_range(1000, 2000);
	test_free_many(pool, test_objs, SAFE);
	pool_reclaim(&pool->head);
	WRITE_ONCE(reader.freed, true);
	kthread_stop(task);
	EXPECT_EQ(reader.good, SAFE);
}

static struct pool *typesafe_in_mode(unsigned int mode)
{
	struct pool *pool;

	test_mode(mode);
	pool = typesafe();
	test_mode(0);
	return pool;
}

POOL_CASE(a_typesafe_object_is_written_to_by_no_option, typesafe_in_mode(POOL_D_TOUCH))
{
	static const char * const words[] = {
		"integrity", "poison", "backup", "uaf", "tools",
	};
	unsigned int i;

	EXPECT_EQ(plat_read(&pool->debug) & POOL_D_TOUCH, 0);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		EXPECT(!pool_set_debug(&pool->head, words[i]));
	EXPECT(pool_set_debug(&pool->head, "no-integrity -poison"));
	EXPECT(pool_set_debug(NULL, "integrity"));
	EXPECT_EQ(plat_read(&pool->debug) & POOL_D_TOUCH, 0);
	EXPECT(pool_set_debug(NULL, "no-integrity"));
	test_alloc_many(pool, test_objs, SAFE);
	for (i = 0; i < SAFE; i++)
		memset(test_objs[i], 0x3c, SIZE);
	test_free_many(pool, test_objs, SAFE / 2);
	for (i = SAFE / 2; i < SAFE; i++)
		pool_park(pool, test_objs[i]);
	EXPECT_EQ(intact(SAFE), SAFE);
}

static void touch(void *obj, void *arg)
{
	memset(obj, 0, SIZE);
}

TEST_CASE(a_typesafe_pool_has_no_constructor_and_no_destructor)
{
	struct pool_attr attr = {
		.name = "built", .size = SIZE, .flags = MEM_F_TYPESAFE,
		.ctor = touch,
	};

	EXPECT_PTR_EQ(create_pool_ext(&attr), NULL);
	attr.ctor = NULL;
	attr.dtor = touch;
	EXPECT_PTR_EQ(create_pool_ext(&attr), NULL);
}

TEST_CASE(a_typesafe_pool_shares_with_no_other_and_gives_no_zeros)
{
	struct pool_attr attr = {
		.name = "shared", .size = SIZE, .flags = MEM_F_SHARED,
	};
	struct pool_head *pool = create_pool_ext(&attr), *safe;

	ASSERT(pool);
	attr.flags |= MEM_F_TYPESAFE;
	safe = create_pool_ext(&attr);
	ASSERT(safe);
	EXPECT(safe != pool);
	EXPECT_PTR_EQ(pool_zalloc(safe), NULL);
	EXPECT_PTR_EQ(pool_alloc_gfp(safe, GFP_KERNEL | __GFP_ZERO), NULL);
	EXPECT_PTR_EQ(pool_destroy(safe), NULL);
	EXPECT_PTR_EQ(pool_destroy(pool), NULL);
}
