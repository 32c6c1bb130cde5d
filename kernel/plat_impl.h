/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plat_impl.h - hot half of the seam, kernel
 *
 * Layer:   seam; twin of user/plat_impl.h, in the order of common/seam/plat.h.
 * Context: as common/seam/plat.h says.
 *
 * A CPU is a possible CPU, present or not.  Its struct pool_cpu exists from the start.  Its part of
 * a pool is made by its first miss there, and stays until the pool is destroyed.  Both stay when
 * the CPU goes offline.
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

/* plat.c: true while this CPU is inside the section of a CPU lock */
DECLARE_PER_CPU(bool, plat_locking);

/* plat.c: the part of CPUs that have none.  All zero, never written to. */
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
	/* Pairs with plat_local_make() by address dependency. */
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

/*
 * Return the node of an object, sealed or not, since a seal does not change the page.  Guarded
 * objects may be on any node, so for these it is this CPU's.
 */
static inline unsigned int plat_node_of(const struct plat_backend *backend,
					const void *obj)
{
	if (nr_node_ids == 1 || !obj ||
	    (backend->guarded && is_vmalloc_addr(obj)))
		return numa_mem_id();
	return page_to_nid(virt_to_page(obj));
}

/* plat.c: make this CPU's part of a pool. */
void plat_local_make(struct pool *pool, unsigned int flags);

/* Make this CPU's part if it has none.  A task that migrates meanwhile makes it at a later miss. */
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
 * A kernel with DEBUG_ATOMIC_SLEEP reports a constructor or destructor that sleeps, even if its
 * caller might sleep.  Other kernels compile this to nothing, and so does PREEMPT_RT, where they
 * may lock spinlocks, which sleep there.  Only calls of tasks are watched, since interrupt handlers
 * must not write to the interrupted task.
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
/* Each use has a comment that names its partner. */
#define plat_read_acquire(p)	smp_load_acquire(p) /* as its use says */
#define plat_write_release(p, v) smp_store_release(p, v) /* as its use says */
#define plat_xchg_acquire(p, v)	xchg_acquire(p, v)
#define plat_cmpxchg(p, old, v)	try_cmpxchg(p, old, v)

/* Return a counter word as the kernel's type; bitops of the kernel cast alike. */
static inline atomic_long_t *plat_long(unsigned long *w)
{
	return (atomic_long_t *)w;
}

static inline unsigned long plat_word_add(unsigned long *w, unsigned long n)
{
	return atomic_long_add_return_relaxed(n, plat_long(w));
}

/* Subtract by adding -n, because negating n as a long, as the kernel does, may overflow. */
static inline void plat_word_sub_release(unsigned long *w, unsigned long n)
{
	(void)atomic_long_fetch_add_release(-n, plat_long(w));
}

static inline void plat_fence(void)
{
	/* Each use has a comment that names its partner. */
	smp_mb();
}

/* CPU lock */

/* Disable interrupts and set plat_locking on this CPU; false: it was set, nothing changed. */
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
 * Lock a CPU.  This spins, which is short: the holder has interrupts off, is not preempted and
 * copies a bounded number of pointers.  It fails if plat_locking says that this CPU is inside the
 * section of a CPU lock, or about to enter or leave one.  The caller then is an NMI, a probe or a
 * tracer that interrupted the section.
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

/* Lock a CPU, for callers that are inside no section: in process context, or just behind one. */
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
 * True if a call with these flags, in this context, may do @what.
 *
 *   PLAT_ALLOC	call the slab: not in an NMI, not with POOL_F_NOSLAB, by which callers say that
 *		the slab may have called them, and on RT, where the slab's locks sleep, only
 *		if preemptible
 *   PLAT_WAIT	sleep: not with ATOMIC or NESTED, not in an RCU section, not in reclaim, whose
 *		own task holds the registry.  Kernels that do not count preemption cannot tell, and
 *		wait only if the caller says by POOL_F_WAIT that it can
 *   PLAT_FAIL	inject failures: once the system has booted
 *   others	anywhere: symbols can be read, and holders of CPU locks are never descheduled
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
 * True if a call may map and unmap guarded objects, which may sleep.  Kernels that do not count
 * preemption cannot tell whether a caller holds a lock, so all callers without POOL_F_ATOMIC must
 * be able to sleep there.  With POOL_F_FOREIGN the flags of the caller are those for another pool,
 * and do not say whether it may sleep.
 */
static inline bool guard_may_map(unsigned int flags)
{
	return !(flags & (POOL_F_ATOMIC | POOL_F_NESTED | POOL_F_FOREIGN)) && !preempt_count() &&
	       !irqs_disabled() && !rcu_preempt_depth();
}

/* True if an object of a guarded backend has pages of its own. */
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
 * Tools that watch memory watch the slab.  Some tools also get reports of the objects that pools
 * keep, if a pool has the option "tools": tools.c, kasan.c.  A quarantined object is not reported
 * to kmemleak as no leak, because kmemleak has locks, whose holder an NMI that frees may have
 * interrupted.
 */
#define POOL_HAS_TOOL	(IS_ENABLED(CONFIG_KASAN_GENERIC) || IS_ENABLED(CONFIG_KMSAN) || \
			 IS_ENABLED(CONFIG_DEBUG_KMEMLEAK))

unsigned int pool_tools_options(void);
void pool_tools_annotate(const struct pool *pool, void *p, unsigned int size,
			 unsigned int flags, enum plat_annotation what);
void pool_kasan_annotate(const struct pool *pool, void *p, unsigned int size,
			 enum plat_annotation what);

static inline enum pool_fault plat_annotate(const struct pool *pool, void *p,
					    unsigned int size, unsigned int flags,
					    enum plat_annotation what)
{
	if (POOL_HAS_TOOL && (plat_read(&pool->debug) & POOL_D_TOOLS))
		pool_tools_annotate(pool, p, size, flags, what);
	return POOL_FAULT_KINDS;
}

#endif /* POOL_PLAT_IMPL_H */
