/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - differences between the kernels this is built for
 *
 * Layer:   none; included by the files of kernel/ that need it.
 * Context: compile time.
 *
 * Features are tested for, not versions: distributions backport them.
 */
#ifndef POOL_COMPAT_H
#define POOL_COMPAT_H

#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/shrinker.h>
#include <linux/slab.h>

#ifdef CONFIG_SLOB
#error "kfree() has to take objects of all caches: SLUB or SLAB is needed"
#endif

/*
 * Absent before 6.5, where a usercopy region keeps a cache from merging.  There the cache of a pool
 * without such a region may be merged with another one.
 */
#ifndef SLAB_NO_MERGE
#define SLAB_NO_MERGE	0
#endif

/*
 * Since 6.10 the slab may count memory by the line that asks for it.  pool_tag.h sets the user's
 * line.  Where nobody has set one, it is the line that uses this macro.
 */
#ifdef CONFIG_MEM_ALLOC_PROFILING
#define pool_compat_tagged(alloc, ...) \
	(current->alloc_tag ? alloc##_noprof(__VA_ARGS__) : alloc(__VA_ARGS__))
#else
#define pool_compat_tagged(alloc, ...)	alloc(__VA_ARGS__)
#endif

/*
 * Around calls of the slab that may come with preemption or interrupts off.  With
 * PROVE_RAW_LOCK_NESTING lockdep reports the slab's locks under a raw_spinlock_t and in hard
 * interrupts, for the sake of PREEMPT_RT.  Pools do not call the slab there on RT: plat_may().
 * Without RT such calls are right, so an override map keeps lockdep from reporting them, as in
 * lib/debugobjects.c.  Callers that can be preempted do not use the map, because it would forbid
 * the slab to sleep.  Each file that calls the slab has its own map.
 */
#if IS_ENABLED(CONFIG_PROVE_RAW_LOCK_NESTING) && defined(DEFINE_WAIT_OVERRIDE_MAP)

static DEFINE_WAIT_OVERRIDE_MAP(pool_slab_map, LD_WAIT_CONFIG);

static inline bool pool_slab_enter(void)
{
	bool mapped = !IS_ENABLED(CONFIG_PREEMPT_RT) && (preempt_count() || irqs_disabled());

	if (mapped)
		lock_map_acquire_try(&pool_slab_map);
	return mapped;
}

static inline void pool_slab_leave(bool mapped)
{
	if (mapped)
		lock_map_release(&pool_slab_map);
}

#else

static inline bool pool_slab_enter(void)
{
	return false;
}

static inline void pool_slab_leave(bool mapped)
{
}

#endif

/* Allocate and register a shrinker; since 6.7 the kernel allocates it.  NULL: no memory. */
static inline struct shrinker *
pool_compat_shrinker(unsigned long (*count)(struct shrinker *shrinker,
					    struct shrink_control *sc),
		     unsigned long (*scan)(struct shrinker *shrinker,
					   struct shrink_control *sc))
{
	struct shrinker *shrinker;

#ifdef SHRINKER_ALLOCATED
	shrinker = shrinker_alloc(0, "pool");
#else
	shrinker = kzalloc(sizeof(*shrinker), GFP_KERNEL);
#endif
	if (!shrinker)
		return NULL;
	shrinker->count_objects = count;
	shrinker->scan_objects = scan;
	shrinker->seeks = DEFAULT_SEEKS;
#ifdef SHRINKER_ALLOCATED
	shrinker_register(shrinker);
#else
	if (register_shrinker(shrinker, "pool")) {
		kfree(shrinker);
		return NULL;
	}
#endif
	return shrinker;
}

static inline void pool_compat_shrinker_end(struct shrinker *shrinker)
{
#ifdef SHRINKER_ALLOCATED
	shrinker_free(shrinker);
#else
	unregister_shrinker(shrinker);
	kfree(shrinker);
#endif
}

/* Namespaces are tokens before 6.13 and strings since; Kbuild looks. */
#ifdef POOL_NS_IS_TOKEN
#define POOL_NS(ns)	ns
#else
#define POOL_NS(ns)	#ns
#endif

/*
 * With lazy RCU a call_rcu() may be delayed by ten seconds, for which the end of a pool, or an
 * allocation at the limit, would wait.
 */
#ifdef POOL_HAS_CALL_RCU_HURRY
#define pool_compat_call_rcu	call_rcu_hurry
#else
#define pool_compat_call_rcu	call_rcu
#endif

/* The work queue that is bound to no CPU. */
#ifdef POOL_HAS_SYSTEM_DFL_WQ
#define pool_compat_unbound_wq	system_dfl_wq
#else
#define pool_compat_unbound_wq	system_unbound_wq
#endif

/* An export for all modules. */
#define POOL_EXPORT(sym)	EXPORT_SYMBOL_NS_GPL(sym, POOL_NS(LIBPOOL))

/* An export for the tests of pool.ko. */
#define POOL_EXPORT_TEST(sym)	EXPORT_SYMBOL_NS_GPL(sym, POOL_NS(LIBPOOL_TEST))

#endif /* POOL_COMPAT_H */
