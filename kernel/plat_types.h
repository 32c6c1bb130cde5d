/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plat_types.h - the seam's types, kernel
 *
 * Layer:   seam; twin of user/plat_types.h.
 * Context: none, types only.
 */
#ifndef POOL_PLAT_TYPES_H
#define POOL_PLAT_TYPES_H

#include <linux/atomic.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>
#include <linux/types.h>

struct dentry;
struct kmem_cache;

/* pool.ko, and its tests, may change the pools of all modules. */
#undef pool_set_limit
#undef pool_set_min_avail
#undef pool_set_debug

/*
 * Retries of the last look, a jiffy each, so that a preempted task can finish moving its objects.
 */
#define PLAT_LAST_TRIES	64

/* The limit of kmalloc(). */
#define PLAT_SIZE_MAX	((unsigned int)KMALLOC_MAX_SIZE)

#define PLAT_MEM_FLAGS	(MEM_F_SHARED | MEM_F_EXACT | MEM_F_TYPESAFE | \
			 MEM_F_USERCOPY | MEM_F_UAF)

/* By default a fault in a kernel is a warning. */
#define PLAT_POLICY	POOL_POLICY_WARN

/*
 * The CPU lock, which protects a CPU's lists, charge and stash: raw, since it is locked with
 * preemption off, even on RT.  Lock order: after an array that is held; before a bucket.
 */
struct plat_lock {
	raw_spinlock_t spin;
	unsigned long flags;		/* interrupt flags of the holder, to restore */
};

/* Interrupt state to restore when a bucket is released. */
struct plat_irq {
	unsigned long flags;
};

/*
 * The backend of a pool: a cache.  A guarded backend uses guard.c, and the cache only for callers
 * that cannot sleep.
 */
struct plat_backend {
	struct kmem_cache *cache;
	bool guarded;
	unsigned int size;
	unsigned int align;
};

/* The directory of the pool in debugfs. */
struct plat_view {
	struct dentry *dir;
};

/* For sparse. */
#define POOL_MUST_HOLD(lock)	__must_hold(lock)
#define POOL_RELEASES(lock)	__releases(lock)

#endif /* POOL_PLAT_TYPES_H */
