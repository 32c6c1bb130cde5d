// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sleep.c - calls that may sleep say so, others are watched, and long walks let others run
 *
 * Layer:   tests of pool_might_alloc(), plat_sleep() and POOL_UNSLEEPING().
 * Context: see test.h.
 *
 * A kernel with DEBUG_ATOMIC_SLEEP asks in __might_sleep() whether this place may
 * sleep, and reports where it may not.  A probe there counts the questions.
 */
#include "test.h"

#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/seq_file.h>

#define CALLS	100

#if IS_ENABLED(CONFIG_KPROBES) && IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP)

static struct task_struct *counted;
static unsigned int asked;

static int on_question(struct kprobe *probe, struct pt_regs *regs)
{
	if (current == counted)
		asked++;
	return 0;
}

/* A cond_resched() of kernel/plat.c: the first argument is its file. */
static int on_rest(struct kprobe *probe, struct pt_regs *regs)
{
	const char *file = (const char *)regs_get_kernel_argument(regs, 0);

	if (current == counted && strstr(file, "kernel/plat.c"))
		asked++;
	return 0;
}

/* Is this CPU's lock of pools held? */
static int on_locked(struct kprobe *probe, struct pt_regs *regs)
{
	if (current == counted && __this_cpu_read(plat_locking))
		asked++;
	return 0;
}

/* How often the function with this name is called while fn() runs. */
static unsigned int calls_of(const char *name, kprobe_pre_handler_t handler,
			     void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	struct kprobe probe = { .symbol_name = name, .pre_handler = handler };

	if (register_kprobe(&probe))
		return 0;
	asked = 0;
	counted = current;
	fn(pool);
	counted = NULL;
	unregister_kprobe(&probe);
	return asked;
}

/* How often the kernel is asked while fn() runs. */
static unsigned int questions(void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return calls_of("__might_sleep", on_question, fn, pool);
}

/* How often fn() lets others run. */
static unsigned int rests(void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return calls_of("__might_resched", on_rest, fn, pool);
}

/* How often fn() calls the function with this name; with @locked, under the CPU lock. */
static unsigned int calls(const char *name, bool locked,
			  void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return calls_of(name, locked ? on_locked : on_question, fn, pool);
}

#else

static unsigned int calls(const char *name, bool locked,
			  void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return 0;
}

static unsigned int questions(void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return 0;
}

static unsigned int rests(void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return 0;
}

#endif

static void hit(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pool_free(pool, pool_alloc(pool));
}

static void hit_atomic(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pool_free(pool, __pool_alloc(pool, POOL_F_ATOMIC));
}

static void hit_zeroed(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pool_free(pool, pool_zalloc(pool));
}

static void hit_timeout(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pool_free(pool, pool_alloc_timeout(pool, 0, 1));
}

static void hit_gfp(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pool_free(pool, pool_alloc_gfp(pool, GFP_KERNEL));
}

static void hit_node(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pool_free(pool, pool_alloc_node(pool, GFP_KERNEL, NUMA_NO_NODE));
}

static void hit_bulk(struct pool_head *pool)
{
	unsigned int i;
	void *obj;

	for (i = 0; i < CALLS; i++)
		if (pool_alloc_bulk(pool, 0, 1, &obj))
			pool_free(pool, obj);
}

static void hit_bulk_some(struct pool_head *pool)
{
	unsigned int i;
	void *obj;

	for (i = 0; i < CALLS; i++)
		if (pool_alloc_bulk_some(pool, 0, 1, &obj))
			pool_free(pool, obj);
}

static void hit_nocache(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pool_free(pool, pool_alloc_nocache(pool));
}

static struct pool_reserved *reserve;

static void hit_reserved_timeout(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pool_free(pool, pool_alloc_reserved_timeout(reserve, 0, 1));
}

static void hit_reserved_atomic(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pool_free(pool, pool_alloc_reserved_timeout(reserve, POOL_F_ATOMIC, 1));
}

static void hit_gfp_nowait(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pool_free(pool, pool_alloc_gfp(pool, GFP_NOWAIT));
}

static void (*const sleepers[])(struct pool_head *pool) = {
	hit, hit_zeroed, hit_timeout, hit_gfp, hit_node, hit_bulk, hit_bulk_some,
	hit_nocache, hit_reserved_timeout,
};

/* One call each that has nothing to do, as far as there is such a call. */
static void call_reserve(struct pool_head *pool)
{
	reserve = pool_reserve(pool, 1);
}

static void call_unreserve(struct pool_head *pool)
{
	pool_unreserve(reserve);
}

static void call_unreserve_none(struct pool_head *pool)
{
	pool_unreserve(NULL);
}

static void call_flush_none(struct pool_head *pool)
{
	pool_flush(NULL);
}

static void call_gc(struct pool_head *pool)
{
	pool_gc(NULL);
}

static void call_shrink(struct pool_head *pool)
{
	pool_shrink(1);
}

static void call_age(struct pool_head *pool)
{
	pool_age();
}

static void call_set_limit(struct pool_head *pool)
{
	pool_set_limit(pool, 0);
}

static void call_set_min_avail(struct pool_head *pool)
{
	pool_set_min_avail(pool, 0);
}

static void call_set_debug(struct pool_head *pool)
{
	pool_set_debug(pool, "no-poison");
}

static void call_totals(struct pool_head *pool)
{
	pool_total_allocated();
}

static void call_create(struct pool_head *pool)
{
	pool_destroy(create_pool("said", 64, 0));
}

/* In this order. */
static const struct {
	const char *name;
	void (*call)(struct pool_head *pool);
} others[] = {
	{ "reserve", call_reserve },
	{ "unreserve", call_unreserve },
	{ "unreserve none", call_unreserve_none },
	{ "reclaim", pool_reclaim },
	{ "reclaim nothing", pool_reclaim },
	{ "flush", pool_flush },
	{ "flush none", call_flush_none },
	{ "gc", call_gc },
	{ "shrink", call_shrink },
	{ "age", call_age },
	{ "set_limit", call_set_limit },
	{ "set_min_avail", call_set_min_avail },
	{ "set_debug", call_set_debug },
	{ "totals", call_totals },
	{ "create", call_create },
};

/* A pool whose calls hit; NULL: there is none. */
static struct pool *pool_that_hits(struct kunit *test)
{
	struct pool *pool;

	if (!IS_ENABLED(CONFIG_KPROBES) || !IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP))
		kunit_skip(test, "this kernel does not ask, or has no kprobes");
	pool = test_pool(64);
	if (pool)
		hit(&pool->head);
	return pool;
}

TEST_CASE(each_allocation_that_may_sleep_says_so_though_it_hits)
{
	struct pool *pool = pool_that_hits(test);
	unsigned int i;

	ASSERT(pool);
	reserve = pool_reserve(&pool->head, 1);
	ASSERT(reserve);
	for (i = 0; i < ARRAY_LEN(sleepers); i++)
		EXPECT_LE(CALLS, questions(sleepers[i], &pool->head));
	pool_unreserve(reserve);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

TEST_CASE(each_other_call_that_may_sleep_says_so_though_it_does_nothing)
{
	struct pool *pool = pool_that_hits(test);
	unsigned int i;

	ASSERT(pool);
	for (i = 0; i < ARRAY_LEN(others); i++)
		KUNIT_EXPECT_GE_MSG(test, questions(others[i].call, &pool->head), 1u,
				    "%s", others[i].name);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

TEST_CASE(an_allocation_that_may_not_sleep_says_nothing)
{
	struct pool *pool = pool_that_hits(test);

	ASSERT(pool);
	reserve = pool_reserve(&pool->head, 1);
	ASSERT(reserve);
	EXPECT_LE(questions(hit_atomic, &pool->head), CALLS / 2);
	EXPECT_LE(questions(hit_gfp_nowait, &pool->head), CALLS / 2);
	EXPECT_LE(questions(hit_reserved_atomic, &pool->head), CALLS / 2);
	pool_unreserve(reserve);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

#define POOLS	20

static void walk_totals(struct pool_head *pool)
{
	pool_total_used();
}

static void walk_gc(struct pool_head *pool)
{
	pool_gc(NULL);
}

static void walk_age(struct pool_head *pool)
{
	pool_age();
}

/* As where the kernel reclaims: a count, then steps until nothing is left. */
static void walk_reclaim(struct pool_head *pool)
{
	unsigned long bytes;

	plat_mutex_lock(PLAT_REGISTRY);
	pool_unused_bytes(POOL_F_ATOMIC, &bytes);
	pool_shrink_bytes(POOL_ALL, POOL_F_ATOMIC);
	plat_mutex_unlock(PLAT_REGISTRY);
}

static void walk_dump(struct pool_head *pool)
{
	char text[16];

	dump_pools_to_buf(text, sizeof(text), "json");
}

/* It takes all pools, and leaves out all but the first. */
static void walk_dump_of_one(struct pool_head *pool)
{
	char text[16];

	dump_pools_to_buf(text, sizeof(text), "byname json 1");
}

TEST_CASE(each_walk_over_all_pools_lets_others_run_between_two)
{
	struct pool *pool[POOLS];
	unsigned int i;

	pool[0] = pool_that_hits(test);
	ASSERT(pool[0]);
	for (i = 1; i < POOLS; i++)
		pool[i] = test_pool(64);
	EXPECT_LE(POOLS, rests(walk_totals, NULL));
	EXPECT_LE(2 * POOLS, rests(walk_gc, NULL));
	EXPECT_LE(POOLS, rests(walk_age, NULL));
	EXPECT_LE(2 * POOLS, rests(walk_reclaim, NULL));
	EXPECT_LE(3 * POOLS, rests(walk_dump, NULL));
	EXPECT_LE(2 * POOLS, rests(walk_dump_of_one, NULL));
	for (i = 0; i < POOLS; i++)
		EXPECT_PTR_EQ(pool_destroy(&pool[i]->head), NULL);
}

/* The file of debugfs, as read for the first time: without a buffer yet. */
static void walk_registrations(struct pool_head *pool)
{
	struct file *file;
	struct seq_file *m;

	file = filp_open("/sys/kernel/debug/pool/by-name/merged/registrations", O_RDONLY, 0);
	if (IS_ERR(file))
		return;
	m = file->private_data;
	m->op->show(m, NULL);
	filp_close(file, NULL);
}

static void walk_details(struct pool_head *pool)
{
	char text[16];

	dump_pools_to_buf(text, sizeof(text), "raw detailed match merged");
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

TEST_CASE(a_flush_lets_others_run_between_two_clusters)
{
	struct pool *pool = pool_that_hits(test);
	unsigned int n, i;

	ASSERT(pool);
	n = POOLS * pool->cluster;
	if (n > TEST_OBJS)
		n = TEST_OBJS;
	test_alloc_many(pool, test_objs, n);
	for (i = 0; i < n; i++)
		EXPECT(pool_shared_put_one(pool, test_objs[i], 0));
	EXPECT_LE(n / pool->cluster, rests(pool_flush, &pool->head));
	EXPECT_EQ(pool_shared_count(pool), 0);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

static void come_and_go(struct pool_head *pool)
{
	struct pool *p = pool_of(pool);
	unsigned int i;

	for (i = 0; i < CALLS; i++) {
		test_alloc_many(p, test_objs, POOLS * p->cluster);
		test_free_many(p, test_objs, POOLS * p->cluster);
	}
}

TEST_CASE(buckets_are_looked_at_without_the_cpu_lock)
{
	static const char * const how[] = {
		"pool_put_to_shared_cache", "pool_refill_local_from_shared",
	};
	struct pool *pool = pool_that_hits(test);
	unsigned int i;

	ASSERT(pool);
	test_options(8192, 8);
	for (i = 0; i < ARRAY_SIZE(how); i++) {
		EXPECT_LE(1, calls(how[i], false, come_and_go, &pool->head));
		EXPECT_EQ(calls(how[i], true, come_and_go, &pool->head), 0);
	}
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

static void walk_parked(struct pool_head *pool)
{
	pool_drain_parked(pool_of(pool));
}

static void trim(struct pool_head *pool)
{
	pool_cluster_trim(pool_of(pool));
}

/* The longest lists: what was evicted of a pool with a destructor, and emptied clusters. */
TEST_CASE(a_long_list_of_what_was_put_aside_lets_others_run)
{
	static void (*const walks[])(struct pool_head *pool) = {
		walk_parked, walk_gc, walk_age,
	};
	struct pool *pool = pool_that_hits(test);
	struct pool_cluster *c, *next;
	unsigned int i, j;

	ASSERT(pool);
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
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/* Calls in which the kernel reports whoever sleeps, and all calls. */
struct watched {
	unsigned int reported;
	unsigned int calls;
};

static void count_call(void *obj, void *arg)
{
	struct watched *seen = arg;

	seen->calls++;
#if IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP)
	if (current->non_block_count)
		seen->reported++;
#endif
}

TEST_CASE(a_constructor_or_destructor_that_sleeps_is_reported)
{
	struct watched seen = { 0, 0 };
	struct pool_attr attr = {
		.name = "built", .size = 64, .ctor = count_call, .dtor = count_call,
		.arg = &seen,
	};
	struct pool_head *pool;

	if (!IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP) || IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "this kernel does not ask, or its spinlocks sleep");
	pool = create_pool_ext(&attr);
	ASSERT(pool);
	test_wave(pool_of(pool), 100);
	EXPECT(pool_set_debug(pool, "integrity"));
	test_wave(pool_of(pool), 100);
	EXPECT(pool_set_debug(pool, "poison"));
	test_wave(pool_of(pool), 100);
	EXPECT_PTR_EQ(pool_destroy(pool), NULL);
	EXPECT_LE(300, seen.calls);
	EXPECT_EQ(seen.reported, seen.calls);
}
