/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper_calls.h - how often this task calls a function of the kernel
 *
 * Layer:   tests, kernel; for sleep.c and rest.c.
 */
#ifndef POOL_HELPER_CALLS_H
#define POOL_HELPER_CALLS_H

#include <linux/kprobes.h>

#define CALLS	100

#if IS_ENABLED(CONFIG_KPROBES) && IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP)

static struct task_struct *counted;
static unsigned int asked;

/* Return how often the function of this name is called while fn() runs. */
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

#endif

/* CALLER(name, call) - a function of this name, which makes one call for a pool. */
#define CALLER(name, call)						\
	static void name(struct pool_head *pool)			\
	{								\
		call;							\
	}

/* Make CALLS allocations that hit. */
static void hit(struct pool_head *pool)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		pool_free(pool, pool_alloc(pool));
}

/* Create a pool whose next allocations hit. */
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

#endif /* POOL_HELPER_CALLS_H */
