/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plat_impl.h - hot half of the seam, for the schedule enumerator
 *
 * Layer:   seam; the third beside kernel/plat_impl.h and user/plat_impl.h, in the
 *	    order of common/seam/plat.h.
 * Context: as common/seam/plat.h says.
 *
 * A CPU is a fibre, with an area like a thread of user space; an interrupt is
 * another fibre on the same CPU.  Operations are macros where a trace is to show
 * their operands.  An operation that reads nothing that others write is no point: a
 * switch there is the same as one at the next point.
 */
#ifndef POOL_PLAT_IMPL_H
#define POOL_PLAT_IMPL_H

#include <stdio.h>
#include <string.h>

/* Pools that a scenario may have at once, and its CPUs. */
#define PLAT_LOCALS	3
#define PLAT_CPUS	3

struct plat_area {
	struct pool_cpu cpu;
	unsigned int number;
	struct pool_local local[PLAT_LOCALS] __attribute__((aligned(128)));
};

/* plat.c: the areas of all CPUs; and zeros, for CPUs that have lost theirs. */
extern struct plat_area *plat_areas[PLAT_CPUS];
extern unsigned int plat_cpus;
extern const struct plat_area plat_zeros;

static inline struct plat_area *plat_this_area(void)
{
	if (pool_thread_area == (const unsigned char *)&plat_zeros)
		return NULL;
	return (struct plat_area *)(void *)pool_thread_area;
}

/* Per-CPU copies */

/* A bit for each CPU that has an owner, or that has something of a pool. */
extern unsigned long plat_live;

static inline unsigned int plat_cpu_below(unsigned int cpu)
{
	unsigned long live = __atomic_load_n(&plat_live, __ATOMIC_ACQUIRE);

	if (cpu < PLAT_CPUS)
		live &= (1ul << cpu) - 1;
	return live ? (unsigned int)(8 * sizeof(live) - 1) - (unsigned int)__builtin_clzl(live) :
		      UINT_MAX;
}

static inline struct pool_local *plat_local_of(const struct pool *pool,
					       unsigned int cpu)
{
	unsigned char *area;

	if (cpu >= plat_cpus)
		return NULL;
	area = (unsigned char *)plat_areas[cpu];
	return (struct pool_local *)(void *)(area + pool->own.hot);
}

static inline struct pool_cpu *plat_cpu_of(unsigned int cpu)
{
	return cpu < plat_cpus ? &plat_areas[cpu]->cpu : NULL;
}

static inline unsigned int plat_cpu_hint(void)
{
	struct plat_area *area = plat_this_area();

	return area ? area->number : UINT_MAX;
}

/* One node. */
static inline unsigned int plat_node_of(const struct plat_backend *backend,
					const void *obj)
{
	(void)backend;
	(void)obj;
	return 0;
}

/* Empty: all CPUs have their parts from the beginning. */
static inline void plat_cpu_ready(struct pool *pool, unsigned int flags)
{
	(void)pool;
	(void)flags;
}

/* Atomics */

#define plat_read(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define plat_write(p, v)	__atomic_store_n(p, v, __ATOMIC_RELAXED)
#define plat_read_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define plat_write_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define plat_xchg_acquire(p, v)	__atomic_exchange_n(p, v, __ATOMIC_ACQUIRE)
#define plat_cmpxchg(p, old, v) \
	__atomic_compare_exchange_n(p, old, v, 0, __ATOMIC_ACQ_REL, \
				    __ATOMIC_RELAXED)

#define plat_word_add(w, n)	__atomic_add_fetch(w, n, __ATOMIC_RELAXED)
#define plat_word_sub_release(w, n) \
	((void)__atomic_sub_fetch(w, n, __ATOMIC_RELEASE))

static inline void plat_fence(void)
{
	sched_order(__ATOMIC_SEQ_CST);
}

/* CPU lock; plat.c */

bool plat_cpu_trylock(struct pool_cpu *cpu);
void plat_cpu_lock(struct pool_cpu *cpu);
void plat_cpu_unlock(struct pool_cpu *cpu);

/* BUSY section.  Empty, as in user space: a handler finds the bucket BUSY. */

static inline struct plat_irq plat_busy_enter(void)
{
	return (struct plat_irq){ 0 };
}

static inline void plat_busy_leave(struct plat_irq irq)
{
	(void)irq;
}

/* Context */

static inline bool plat_may(enum plat_may what, unsigned int flags)
{
	return what == PLAT_FAIL || !(flags & (POOL_F_ATOMIC | POOL_F_NESTED));
}

static inline const void *plat_thread(void)
{
	return pool_thread_area;
}

static inline bool plat_backend_may(const struct plat_backend *backend, const void *obj,
				    unsigned int flags)
{
	(void)backend;
	(void)obj;
	return plat_may(PLAT_ALLOC, flags);
}

/* Nothing to do: no tool watches memory here. */

static inline enum pool_fault plat_annotate(const struct pool *pool, void *p,
					    unsigned int size, unsigned int flags,
					    enum plat_annotation what)
{
	(void)pool;
	(void)p;
	(void)size;
	(void)flags;
	(void)what;
	return POOL_FAULT_KINDS;
}

#endif /* POOL_PLAT_IMPL_H */
