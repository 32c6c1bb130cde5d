/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plat_impl.h - hot half of the seam, kernel
 *
 * Layer:   seam; twin of user/plat_impl.h, in the order of common/plat.h.
 * Context: as common/plat.h says.
 *
 * A CPU is a possible CPU, present or not.  What it has of all pools exists from the
 * start.  What it has of one pool is made when it first misses there, and stays until the
 * pool ends; a CPU that is gone leaves both behind.
 */
#ifndef POOL_PLAT_IMPL_H
#define POOL_PLAT_IMPL_H

#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "pool_trace.h"

/* plat.c */
DECLARE_PER_CPU(struct pool_cpu, plat_cpus);

/* plat.c: is this CPU inside a CPU lock's section?  Its own, interrupts off */
DECLARE_PER_CPU(bool, plat_locking);

/* plat.c: the part that CPUs find where they have none.  All zero, never written. */
extern const struct pool_local plat_closed;

/* Per-CPU copies */

static inline unsigned int plat_cpu_below(unsigned int cpu)
{
	cpu = min(cpu, nr_cpu_ids);
	while (cpu--)
		if (cpu_possible(cpu))
			return cpu;
	return UINT_MAX;
}

static inline struct pool_local *plat_local_of(const struct pool *pool,
					       unsigned int cpu)
{
	struct pool_hot *hot;

	if (!cpu_possible(cpu))
		return NULL;
	/* Pairs with plat_local_make(): all is read through this pointer. */
	hot = READ_ONCE(*per_cpu_ptr(pool->own.hot, cpu));
	return hot == &plat_closed.hot ?
	       NULL : container_of(hot, struct pool_local, hot);
}

static inline struct pool_cpu *plat_cpu_of(unsigned int cpu)
{
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return NULL;
	return per_cpu_ptr(&plat_cpus, cpu);
}

static inline unsigned int plat_cpu_hint(void)
{
	return raw_smp_processor_id();
}

/* A seal does not change the page.  Guarded objects have pages of any node. */
static inline unsigned int plat_node_of(const struct plat_backend *backend,
					const void *obj)
{
	if (nr_node_ids == 1 || !obj ||
	    (backend->guarded && is_vmalloc_addr(obj)))
		return numa_mem_id();
	return page_to_nid(virt_to_page(obj));
}

/* plat.c: for a CPU that has no part of this pool. */
void plat_local_make(struct pool *pool, unsigned int flags);

/* This may be another CPU by now, which then has to miss for itself. */
static inline void plat_cpu_ready(struct pool *pool, unsigned int flags)
{
	if (unlikely(raw_cpu_read(*pool->own.hot) == &plat_closed.hot))
		plat_local_make(pool, flags);
}

/* For tracers */

#define POOL_TRACE(event, ...)	trace_pool_##event(__VA_ARGS__)

/*
 * Constructors and destructors
 *
 * A kernel with DEBUG_ATOMIC_SLEEP reports one that sleeps, also where its caller might; in
 * others this is nothing.  With PREEMPT_RT the spinlocks that they may take sleep.  Handlers
 * never sleep, and do not write to the task that they interrupted.
 */

#ifndef CONFIG_PREEMPT_RT
#define POOL_UNSLEEPING(call)						\
	do {								\
		const bool watched = in_task();				\
									\
		if (watched)						\
			non_block_start();				\
		call;							\
		if (watched)						\
			non_block_end();				\
	} while (0)
#endif

/* Atomics */

#define plat_read(p)		READ_ONCE(*(p))
#define plat_write(p, v)	WRITE_ONCE(*(p), v)
/* Each use says what it is for, and with what it pairs. */
#define plat_read_acquire(p)	smp_load_acquire(p) /* as its use says */
#define plat_write_release(p, v) smp_store_release(p, v) /* as its use says */
#define plat_xchg_acquire(p, v)	xchg_acquire(p, v)
#define plat_cmpxchg(p, old, v)	try_cmpxchg(p, old, v)

/* Words are read as all else; the kernel's own bit operations do the same. */
static inline atomic_long_t *plat_long(unsigned long *w)
{
	return (atomic_long_t *)w;
}

static inline unsigned long plat_word_add(unsigned long *w, unsigned long n)
{
	return atomic_long_add_return_relaxed(n, plat_long(w));
}

/* Adds: a long does not hold the negative of the top bit, which is one such n. */
static inline void plat_word_sub_release(unsigned long *w, unsigned long n)
{
	(void)atomic_long_fetch_add_release(-n, plat_long(w));
}

static inline void plat_fence(void)
{
	/* Each use says with what it pairs. */
	smp_mb();
}

/* CPU lock */

/* Interrupts off, and this CPU's mark set; false: it is set already. */
static __always_inline bool lock_section_enter(unsigned long *flags)
{
	local_irq_save(*flags);
	if (__this_cpu_read(plat_locking)) {
		local_irq_restore(*flags);
		return false;
	}
	__this_cpu_write(plat_locking, true);
	barrier();
	return true;
}

/*
 * Waits, because the holder has interrupts off, is not preempted and copies a
 * bounded number of pointers.  Fails where this CPU is inside a section of any CPU
 * lock, or about to enter or leave one: then the caller is an NMI, a probe or a
 * tracer that interrupted it.  Each CPU has a mark of its own for that.
 */
static __always_inline bool plat_cpu_trylock(struct pool_cpu *cpu)
{
	unsigned long flags;

	if (in_nmi() || !lock_section_enter(&flags))
		return false;
	raw_spin_lock(&cpu->lock.spin);
	cpu->lock.flags = flags;
	return true;
}

/* The caller is in process context, or has just left its section: it is inside of none. */
static inline void plat_cpu_lock(struct pool_cpu *cpu)
	__acquires(&cpu->lock.spin)
{
	unsigned long flags;

	while (!lock_section_enter(&flags))
		cpu_relax();
	raw_spin_lock(&cpu->lock.spin);
	cpu->lock.flags = flags;
}

static inline void plat_cpu_unlock(struct pool_cpu *cpu)
	__releases(&cpu->lock.spin)
{
	unsigned long flags = cpu->lock.flags;

	raw_spin_unlock(&cpu->lock.spin);
	barrier();
	__this_cpu_write(plat_locking, false);
	local_irq_restore(flags);
}

/* BUSY section */

static inline struct plat_irq plat_busy_enter(void)
{
	struct plat_irq irq;

	local_irq_save(irq.flags);
	return irq;
}

static inline void plat_busy_leave(struct plat_irq irq)
{
	local_irq_restore(irq.flags);
}

/* Context */

extern struct task_struct *pool_reclaimer;	/* shrinker.c */

/*
 * The slab may not be called in an NMI, nor where it may have called the caller, who says
 * so; on RT it takes sleeping locks.  Kernels that do
 * not count preemption cannot tell whether a caller could sleep.  They wait only where the
 * caller says by POOL_F_WAIT that it can.
 * Readers of RCU may be preempted, but may not wait, and may free.  A destructor in reclaim
 * may not wait for the registry, which its own task holds.  The table of symbols
 * can be read anywhere, and holders of CPU locks are never descheduled.
 */
static inline bool plat_may(enum plat_may what, unsigned int flags)
{
	switch (what) {
	case PLAT_ALLOC:
		return (flags & POOL_F_NOSLAB) != POOL_F_NOSLAB && !in_nmi() &&
		       (!IS_ENABLED(CONFIG_PREEMPT_RT) || preemptible());
	case PLAT_WAIT:
		if (flags & (POOL_F_ATOMIC | POOL_F_NESTED) ||
		    READ_ONCE(pool_reclaimer) == current)
			return false;
		/* This kernel does not know; the caller says so. */
		if (!IS_ENABLED(CONFIG_PREEMPT_COUNT) && (flags & POOL_F_WAIT))
			return !in_interrupt() && !irqs_disabled();
		return preemptible() && !rcu_preempt_depth();
	case PLAT_FAIL:
		return system_state >= SYSTEM_RUNNING;
	default:
		return true;
	}
}

static inline const void *plat_thread(void)
{
	return current;
}

/*
 * Only callers that can sleep map and unmap guarded objects.  Kernels that do not count
 * preemption cannot tell whether a caller holds a lock: there callers must be able to
 * sleep.  The caller of another pool's call knows nothing of that.
 */
static inline bool guard_may_map(unsigned int flags)
{
	return !(flags & (POOL_F_ATOMIC | POOL_F_NESTED | POOL_F_FOREIGN)) && !preempt_count() &&
	       !irqs_disabled() && !rcu_preempt_depth();
}

/* Does an object of a guarded source have pages of its own? */
static inline bool guard_owns(const struct plat_backend *backend, const void *obj)
{
	return backend->guarded && is_vmalloc_addr(obj);
}

static inline bool plat_backend_may(const struct plat_backend *backend, const void *obj,
				    unsigned int flags)
{
	if (backend->guarded && (!obj || is_vmalloc_addr(obj)))
		return guard_may_map(flags);
	return plat_may(PLAT_ALLOC, flags);
}

/*
 * Tools that watch memory.  They watch the slab.  Some are told of what pools keep, too, where
 * these have the option "tools": tools.c, kasan.c.  A quarantined object is no leak, but
 * kmemleak does not know: it takes locks, and an NMI, which may free, could have interrupted
 * their holder.
 */
#define POOL_HAS_TOOL	(IS_ENABLED(CONFIG_KASAN_GENERIC) || IS_ENABLED(CONFIG_KMSAN) || \
			 IS_ENABLED(CONFIG_DEBUG_KMEMLEAK))

unsigned int pool_tools_options(void);
void pool_tools_tell(const struct pool *pool, void *p, unsigned int size,
		     unsigned int flags, enum plat_told what);
void pool_kasan_tell(const struct pool *pool, void *p, unsigned int size,
		     enum plat_told what);

static inline enum pool_fault plat_tell(const struct pool *pool, void *p,
					unsigned int size, unsigned int flags,
					enum plat_told what)
{
	if (POOL_HAS_TOOL && (plat_read(&pool->debug) & POOL_D_TOOLS))
		pool_tools_tell(pool, p, size, flags, what);
	return POOL_FAULT_KINDS;
}

#endif /* POOL_PLAT_IMPL_H */
