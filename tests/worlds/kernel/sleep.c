// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sleep.c - calls that may sleep say so, and others are watched
 *
 * Layer:   tests of pool_might_alloc(), pool_might_sleep() and POOL_UNSLEEPING().
 *
 * A kernel with DEBUG_ATOMIC_SLEEP asks in __might_sleep() whether this place may
 * sleep, and reports where it may not.  A probe there counts the questions.
 */
#include "test.h"
#include "helper_calls.h"

#if IS_ENABLED(CONFIG_KPROBES) && IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP)

static int on_question(struct kprobe *probe, struct pt_regs *regs)
{
	if (current == counted)
		asked++;
	return 0;
}

/* Return how often fn() says that it may sleep. */
static unsigned int questions(void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return calls_of("__might_sleep", on_question, fn, pool);
}

/* Return how often fn() allocates so that the kernel may reclaim, as lockdep sees it. */
static unsigned int reclaims(void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return calls_of("fs_reclaim_acquire", on_question, fn, pool);
}

#else

static unsigned int reclaims(void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return 0;
}

static unsigned int questions(void (*fn)(struct pool_head *pool), struct pool_head *pool)
{
	return 0;
}

#endif

/* HITS(name, call) - a function that makes CALLS allocations by @call, which hit. */
#define HITS(name, call)						\
	static void name(struct pool_head *pool)			\
	{								\
		unsigned int i;						\
									\
		for (i = 0; i < CALLS; i++)				\
			pool_free(pool, call);				\
	}

static struct pool_reserved *reserve;

static void *one_of_bulk(struct pool_head *pool)
{
	void *obj;

	return pool_alloc_bulk(pool, 0, 1, &obj) ? obj : NULL;
}

static void *one_of_some(struct pool_head *pool)
{
	void *obj;

	return pool_alloc_bulk_some(pool, 0, 1, &obj) ? obj : NULL;
}

HITS(hit_atomic, __pool_alloc(pool, POOL_F_ATOMIC))
HITS(hit_zeroed, pool_zalloc(pool))
HITS(hit_timeout, pool_alloc_timeout(pool, 0, 1))
HITS(hit_gfp, pool_alloc_gfp(pool, GFP_KERNEL))
HITS(hit_node, pool_alloc_node(pool, GFP_KERNEL, NUMA_NO_NODE))
HITS(hit_bulk, one_of_bulk(pool))
HITS(hit_bulk_some, one_of_some(pool))
HITS(hit_nocache, pool_alloc_nocache(pool))
HITS(hit_reserved_timeout, pool_alloc_reserved_timeout(reserve, 0, 1))
HITS(hit_reserved_atomic, pool_alloc_reserved_timeout(reserve, POOL_F_ATOMIC, 1))
HITS(hit_gfp_nowait, pool_alloc_gfp(pool, GFP_NOWAIT))

static void (*const sleepers[])(struct pool_head *pool) = {
	hit, hit_zeroed, hit_timeout, hit_gfp, hit_node, hit_bulk, hit_bulk_some,
	hit_nocache,
};

/* Calls that find nothing to do, where there is such a call. */
CALLER(call_reserve, reserve = pool_reserve(pool, 1))
CALLER(call_unreserve, pool_unreserve(reserve))
CALLER(call_unreserve_none, pool_unreserve(NULL))
CALLER(call_flush_none, pool_flush(NULL))
CALLER(call_gc, pool_gc(NULL))
CALLER(call_shrink, pool_shrink(1))
CALLER(call_age, pool_age())
CALLER(call_set_limit, pool_set_limit(pool, 0))
CALLER(call_set_min_avail, pool_set_min_avail(pool, 0))
CALLER(call_set_debug, pool_set_debug(pool, "no-poison"))
CALLER(call_totals, pool_total_allocated())
CALLER(call_create, pool_destroy(create_pool("said", 64, 0)))

/* Calls that may sleep; each needs what those before it have left. */
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

POOL_CASE(each_allocation_that_may_sleep_says_so_though_it_hits, pool_that_hits(test))
{
	unsigned int i;

	reserve = pool_reserve(&pool->head, 1);
	ASSERT(reserve);
	for (i = 0; i < ARRAY_LEN(sleepers); i++)
		EXPECT_LE(CALLS, questions(sleepers[i], &pool->head));
	EXPECT_LE(CALLS, questions(hit_reserved_timeout, &pool->head));
	pool_unreserve(reserve);
}

/* A caller with a reserve says nothing, because others may wait for what it frees. */
POOL_CASE(each_allocation_that_may_reclaim_says_so_though_it_hits,
	  ONLY_IF(IS_ENABLED(CONFIG_LOCKDEP), "this kernel has no lockdep", pool_that_hits(test)))
{
	unsigned int i;

	reserve = pool_reserve(&pool->head, 1);
	ASSERT(reserve);
	for (i = 0; i < ARRAY_LEN(sleepers); i++)
		EXPECT_LE(CALLS, reclaims(sleepers[i], &pool->head));
	EXPECT_LE(reclaims(hit_reserved_timeout, &pool->head), CALLS / 2);
	EXPECT_LE(reclaims(hit_atomic, &pool->head), CALLS / 2);
	pool_unreserve(reserve);
}

POOL_CASE(each_other_call_that_may_sleep_says_so_though_it_does_nothing, pool_that_hits(test))
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(others); i++)
		KUNIT_EXPECT_GE_MSG(test, questions(others[i].call, &pool->head), 1u,
				    "%s", others[i].name);
}

POOL_CASE(an_allocation_that_may_not_sleep_says_nothing, pool_that_hits(test))
{
	reserve = pool_reserve(&pool->head, 1);
	ASSERT(reserve);
	EXPECT_LE(questions(hit_atomic, &pool->head), CALLS / 2);
	EXPECT_LE(questions(hit_gfp_nowait, &pool->head), CALLS / 2);
	EXPECT_LE(questions(hit_reserved_atomic, &pool->head), CALLS / 2);
	pool_unreserve(reserve);
}

/* Counts of a constructor's calls: all, and those in which the kernel would report a sleep. */
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
