/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plat_impl.h - hot half of the seam, user space
 *
 * Layer:   seam; twin of kernel/plat_impl.h, in the order of common/seam/plat.h.
 * Context: as common/seam/plat.h says.
 *
 * A CPU is a thread's area: a struct pool_cpu, and one part per pool, found by the pool's offset.
 * Areas are never unmapped; after its owner's exit an area serves a new thread, and walks skip it
 * in between.  Threads without an area point to read-only zeros, where all arrays are closed.
 *
 * An area has a part of a pool from its owner's first slow path of that pool, until the part is
 * empty and its memory was released: plat_area.has.  Walks touch no other part.
 */
#ifndef POOL_PLAT_IMPL_H
#define POOL_PLAT_IMPL_H

#include "extra/tool.h"
#include "probes.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* One more than the pools that can have local parts at once; see plat_local_alloc(). */
#define PLAT_LOCALS		16384

/* Local parts that each area has from the beginning; the others: area.c */
#define PLAT_NEAR		128

/* Threads that can have an area at once. */
#define PLAT_AREAS		16384

/* The words that have a bit for each local part. */
#define PLAT_WORD_BITS		(8u * __SIZEOF_LONG__)
#define PLAT_WORDS		(PLAT_LOCALS / PLAT_WORD_BITS)

struct plat_area {
	struct pool_cpu cpu;
	unsigned int number;		/* set once, before other threads see it */
	struct plat_area *next_free;	/* area mutex: link in "ownerless" */
	bool is_free;			/* area mutex: it has no owner */
	unsigned int extents;		/* area mutex: number of far extents */
	unsigned int shelf;		/* owner: the shelf where slab.c looks first */
	unsigned int thread;		/* owner: id of the thread that has or had it; or 0 */
	unsigned long asked;		/* any thread: request to empty arrays: remote.c */
	unsigned int untrimmed;		/* owner: parts emptied since the last pool_area_trim() */
	unsigned long has[PLAT_WORDS];	/* any thread: a bit per part that may have memory */
	struct pool_local local[PLAT_NEAR] __attribute__((aligned(128)));
};

/*
 * Whole pages, for any page size, since they are made read-only.  On x86 they are no larger than
 * needed, because valgrind reads no symbols of a library whose .bss is a separate mapping.
 */
#if defined(__x86_64__) || defined(__i386__)
#define PLAT_PAGES		4096ul
#else
#define PLAT_PAGES		65536ul
#endif

/* Bytes of an area, and of the zeros that stand for one; see plat_area_none. */
#define PLAT_AREA_BYTES \
	((sizeof(struct plat_area) + 3 * POOL_ALIGN - 1) / PLAT_PAGES * \
	 PLAT_PAGES + PLAT_PAGES)

/*
 * area.c: area mutex to change; entries and count are read unlocked.  NULL: the area of a number
 * below the count was not copied into this child of a fork.
 */
extern struct plat_area *plat_areas[PLAT_AREAS];
extern unsigned int plat_area_count;

/*
 * area.c: threads without an area of their own point to these.  An area of zeros looks the same
 * wherever it begins, so the three special areas share their bytes, and differ in address.
 */
extern unsigned char plat_zeros[PLAT_AREA_BYTES];
#define plat_area_none		(plat_zeros)
#define plat_area_making	(plat_zeros + POOL_ALIGN)
#define plat_area_lost		(plat_zeros + 2 * POOL_ALIGN)

/*
 * Return this thread's area; NULL: none.  One comparison for all three special areas, since no real
 * area begins between them.
 */
static inline struct plat_area *plat_this_area(void)
{
	unsigned char *area = pool_thread_area;

	if ((uintptr_t)area - (uintptr_t)plat_area_none <=
	    (uintptr_t)(plat_area_lost - plat_area_none))
		return NULL;
	return (struct plat_area *)(void *)area;
}

/* Per-CPU copies */

/* live.c: a bit for each area that walks include; none is set from plat_live_end on. */
#define PLAT_LIVE_BITS		(8 * sizeof(unsigned long))
extern unsigned long plat_live[PLAT_AREAS / PLAT_LIVE_BITS];
extern unsigned int plat_live_end;
unsigned int plat_live_below(unsigned int cpu);

/*
 * Return the next lower area that walks include; most often the next number.  The acquire pairs
 * with the release in live.c.
 */
static inline unsigned int plat_cpu_below(unsigned int cpu)
{
	unsigned int end = cpu == UINT_MAX ?
			   __atomic_load_n(&plat_live_end, __ATOMIC_RELAXED) : cpu;
	unsigned int next = end - 1;

	if (next >= PLAT_AREAS)
		return UINT_MAX;
	if (__atomic_load_n(&plat_live[next / PLAT_LIVE_BITS], __ATOMIC_ACQUIRE) >>
	    next % PLAT_LIVE_BITS & 1)
		return next;
	return plat_live_below(next);
}

/* Return the bits of an area's parts from @i on; bit 0 is set if the area has part @i. */
static inline unsigned long plat_parts_from(const struct plat_area *area, unsigned int i)
{
	return __atomic_load_n(&area->has[i / PLAT_WORD_BITS], __ATOMIC_RELAXED) >>
	       i % PLAT_WORD_BITS;
}

static inline struct pool_local *plat_local_of(const struct pool *pool,
					       unsigned int cpu)
{
	unsigned int i = pool->view.part;
	struct plat_area *area;

	area = cpu < PLAT_AREAS ? plat_areas[cpu] : NULL;
	if (!area || !(plat_parts_from(area, i) & 1))
		return NULL;
	return (struct pool_local *)(void *)((unsigned char *)area + (long)pool->own.hot);
}

static inline struct pool_cpu *plat_cpu_of(unsigned int cpu)
{
	return cpu < PLAT_AREAS && plat_areas[cpu] ? &plat_areas[cpu]->cpu : NULL;
}

static inline unsigned int plat_cpu_hint(void)
{
	struct plat_area *area = plat_this_area();

	return area ? area->number : UINT_MAX;
}

/* slab/node.c: where there are several nodes */
unsigned int pool_node_here(void);
unsigned int pool_node_of(const void *obj);

/*
 * Return the node of an object, sealed or not, since a seal does not change the slab.  Objects of
 * sources without slabs all count as of node 0, because their node is not known.
 */
static inline unsigned int plat_node_of(const struct plat_backend *backend,
					const void *obj)
{
	return pool_start.nodes > 1 && backend->slabs ? pool_node_of(obj) : 0;
}

/* thread.c: make an area for a thread that has none yet; a thread that lost its area gets none */
void plat_area_make(unsigned int flags);

void plat_cpu_ready(struct pool *pool, unsigned int flags);

/* Atomics */

#define plat_read(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define plat_write(p, v)	__atomic_store_n(p, v, __ATOMIC_RELAXED)
#define plat_read_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define plat_write_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define plat_xchg_acquire(p, v)	__atomic_exchange_n(p, v, __ATOMIC_ACQUIRE)
#define plat_cmpxchg(p, old, v) \
	__atomic_compare_exchange_n(p, old, v, 0, __ATOMIC_ACQ_REL, \
				    __ATOMIC_RELAXED)

static inline unsigned long plat_word_add(unsigned long *w, unsigned long n)
{
	return __atomic_add_fetch(w, n, __ATOMIC_RELAXED);
}

static inline void plat_word_sub_release(unsigned long *w, unsigned long n)
{
	__atomic_fetch_sub(w, n, __ATOMIC_RELEASE);
}

/* Order all accesses; __atomic_thread_fence() is unknown to ThreadSanitizer. */
static inline void plat_fence(void)
{
	__sync_synchronize();
}

/* CPU lock */

/* lock.c: this thread's id, once known; the child of a fork has another. */
extern __thread unsigned int plat_thread_id
	__attribute__((tls_model("initial-exec")));
unsigned int plat_thread_id_find(void);
void plat_cpu_unlock_waited(struct pool_cpu *cpu);

static inline unsigned int plat_own_id(void)
{
	return plat_thread_id ? plat_thread_id : plat_thread_id_find();
}

/*
 * Try once to lock a CPU, without a wait, because the holder may be descheduled, or may be the
 * thread that this signal handler interrupted.
 */
static inline bool plat_cpu_trylock(struct pool_cpu *cpu)
{
	unsigned int free = 0;

	return __atomic_compare_exchange_n(&cpu->lock.holder, &free, plat_own_id(), 0,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void plat_cpu_lock(struct pool_cpu *cpu);

/* Unlock a CPU; only the thread that locked it may do so. */
static inline void plat_cpu_unlock(struct pool_cpu *cpu)
{
	unsigned int own = plat_thread_id;

	if (!__atomic_compare_exchange_n(&cpu->lock.holder, &own, 0, 0,
					 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		plat_cpu_unlock_waited(cpu);
}

/*
 * BUSY section, and calls that lock a mutex, libpool's or malloc()'s.  A thread that is cancelled
 * asynchronously ends behind the section, otherwise the bucket would stay BUSY, or the mutex held,
 * for ever.  Signals are not masked, which would cost two system calls: a handler that interrupts
 * the holder of a bucket skips the bucket.
 */

static inline struct plat_irq plat_busy_enter(void)
{
	struct plat_irq irq;

	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &irq.cancel_type);
	return irq;
}

static inline void plat_busy_leave(struct plat_irq irq)
{
	if (irq.cancel_type != PTHREAD_CANCEL_DEFERRED)
		pthread_setcanceltype(irq.cancel_type, NULL);
}

/* Context */

/* main.c: see pool_starting() */
extern bool pool_program_starts;

/*
 * True if a call with these flags, in this context, may do @what.  A signal handler may only fail
 * on purpose, because it may have interrupted malloc(), the code that it would wait for, or the
 * loader, whose lock dladdr() locks.  PLAT_RELOCK is never allowed, because another thread may get
 * the CPU lock meanwhile and not run; nor is it needed, since the lock keeps no handler out.
 */
static inline bool plat_may(enum plat_may what, unsigned int flags)
{
	if (what == PLAT_FAIL)
		return !plat_read(&pool_program_starts);
	return what != PLAT_RELOCK &&
	       !(flags & (POOL_F_ATOMIC | POOL_F_NESTED));
}

static inline const void *plat_thread(void)
{
	return &pool_thread_area;
}

/* Guarded objects go back only where malloc() may be called, since a handler may interrupt it. */
static inline bool plat_backend_may(const struct plat_backend *backend, const void *obj,
				    unsigned int flags)
{
	(void)backend;
	(void)obj;
	return plat_may(PLAT_ALLOC, flags);
}

/* Ageing */

/* tick.c */
#define POOL_TICK_VISITS	256ul
#define POOL_TICK(flags)	pool_tick(flags)
void pool_tick(unsigned int flags);

/* Tools that watch memory */

static inline bool plat_has_tool(const struct pool *pool)
{
	return plat_read(&pool->debug) & POOL_D_TOOLS;
}

/* slab/lent.c: marks of the objects in use; where "lent" is not 0 */
enum pool_fault pool_lent_annotate(const struct plat_backend *backend, void *p,
				   enum plat_annotation what);

static inline enum pool_fault plat_annotate(const struct pool *pool, void *p,
					    unsigned int size, unsigned int flags,
					    enum plat_annotation what)
{
	(void)flags;
	if (plat_has_tool(pool) || what == PLAT_KEPT)
		tool_annotate(pool, p, size, what);
	return pool->backend.lent ? pool_lent_annotate(&pool->backend, p, what) :
				    POOL_FAULT_KINDS;
}

#endif /* POOL_PLAT_IMPL_H */
