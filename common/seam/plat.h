/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plat.h - the seam: all that common/ needs of the world it runs in
 *
 * Layer:   below everything in common/; implemented in kernel/ and in user/.
 * Context: said per operation.
 *
 * Goals:     common/ does not know where it runs; the kernel build pays
 *            nothing; the seam is minimal: an operation is added when
 *            common/ needs it, and removed with its last user.
 * Non-goal:  to look like Linux.
 *
 * plat_types.h and plat_impl.h (the hot half, static inline) are found by -I in kernel/ or user/.
 * plat_report.h has the operations that report to people.  Both worlds keep the order of this file,
 * and then of plat_report.h.  Cases in tests/inside/plat.c test what an operation promises.  Where
 * only its use can show that, the cases of its users do.
 *
 * Five operations that programs need, too, are in pool_hot.h, with both worlds' implementations:
 * pool_hot_enter(), pool_hot_leave(), pool_hot_annotate_held(), pool_hot_annotate_open() and
 * pool_barrier().  Functions that C has by one name and meaning in all three places do not belong
 * to the seam: those of <string.h>, and snprintf() of plain integers and strings.
 *
 * What both worlds call alike:
 *
 *   here              kernel                     user space
 *   CPU               CPU                        thread with an area
 *   interrupt         hardirq, softirq, NMI      signal handler
 *   CPU is gone       CPU dead                   thread exit
 *   POOL_F_ATOMIC     GFP_NOWAIT                 async-signal context
 */
#ifndef POOL_PLAT_H
#define POOL_PLAT_H

#include "pool.h"
#include "seam/config.h"
#include "debug/debug.h"
#include "seam/list.h"
#include "plat_types.h"
#include "seam/plat_report.h"

struct pool;
struct pool_cpu;
struct pool_local;

/*
 * plat_types.h also has
 *
 * PLAT_LAST_TRIES
 *	This many calls of plat_pause(true) let a descheduled thread run.
 * PLAT_SIZE_MAX
 *	Bytes of the largest object that the platform can make.
 * PLAT_MEM_FLAGS
 *	The flags that a new pool may have, MEM_F_*.
 * PLAT_POLICY
 *	The default policy for faults: one of plat_policies[].
 */

/* The actions that plat_may() allows or forbids to a call with some flags in this context. */
enum plat_may {
	PLAT_ALLOC,	/* call the platform's allocator, to get or to give back */
	PLAT_WAIT,	/* wait for others: plat_pause() may sleep */
	PLAT_NAME,	/* call plat_symbol() */
	PLAT_RELOCK,	/* unlock a CPU and lock it again at once, without sleeping */
	PLAT_FAIL,	/* fail on purpose: not while the program, or the kernel, starts */
};

/* The states of bytes for plat_annotate(); PLAT_KEPT also without POOL_D_TOOLS. */
enum plat_annotation {
	PLAT_USED,	/* an object in use; bytes up to @size behind it: no user's */
	PLAT_BACK,	/* a freed object, which the pool may touch */
	PLAT_SHOWN,	/* bytes of a free object: the pool is about to touch them */
	PLAT_HIDDEN,	/* bytes of a free object: nothing may touch them */
	PLAT_KEPT,	/* an object that the pool has to its end: no leak */
};

/*
 * Hot half, in plat_impl.h; as prototypes, "any" for macros.
 *
 * Per-CPU copies; hot sections: pool_hot.h
 *
 * unsigned int plat_cpu_below(unsigned int cpu)
 *	The highest number below @cpu of a CPU that has an owner, or something of a pool.
 *	UINT_MAX: there is none.
 * struct pool_local *plat_local_of(const struct pool *pool, unsigned int cpu)
 * struct pool_cpu *plat_cpu_of(unsigned int cpu)
 *	Parts of CPU number @cpu, dead ones too; NULL where there never was one: a CPU may
 *	have a struct pool_cpu and no part of this pool.  The owner may be writing what they
 *	point to.
 * unsigned int plat_cpu_hint(void)
 *	This CPU's number; it may be stale outside of hot sections.  A CPU without a
 *	struct pool_cpu gets a number that no CPU has.  Any context.
 * unsigned int plat_node_of(const struct plat_backend *backend, const void *obj)
 *	The node of memory that an object, perhaps sealed, is of.  The node that is
 *	near this CPU, perhaps stale, with NULL and where it is unknown.  0 for
 *	all of a source that has no nodes.  Any context.
 * void plat_cpu_ready(struct pool *pool, unsigned int flags)
 *	Make what this CPU lacks: its struct pool_cpu, and its part of this pool; if these flags
 *	let the allocator be called.  Any context; outside of hot sections, no lock held.
 *
 * Atomics: relaxed unless the name says more.
 *
 * any plat_read(any *p), void plat_write(any *p, any v)
 * any plat_read_acquire(any *p), void plat_write_release(any *p, any v)
 * any plat_xchg_acquire(any *p, any v)
 * bool plat_cmpxchg(any *p, any *old, any new)
 *	Acquire and release.  False: nothing was stored or ordered, and *old is the
 *	value found.
 * unsigned long plat_word_add(unsigned long *w, unsigned long n)
 *	Returns the new value.
 * void plat_word_sub_release(unsigned long *w, unsigned long n)
 * void plat_fence(void)
 *	Writes before it are seen before reads after it.
 *
 * CPU lock, one per struct pool_cpu
 *
 * bool plat_cpu_trylock(struct pool_cpu *cpu)
 *	For allocations and frees, in any context.  Waits for a bounded time at most.
 *	False: the holder was interrupted by the caller, or may be descheduled.
 * void plat_cpu_lock(struct pool_cpu *cpu)
 *	Waits; sleeps where the holder may be descheduled.  Process context, or a
 *	plain thread, never a signal handler.
 * void plat_cpu_unlock(struct pool_cpu *cpu)
 *	Only the CPU or thread that locked it may call this.
 *
 * BUSY section: the caller keeps a bucket BUSY in between
 *
 * struct plat_irq plat_busy_enter(void), void plat_busy_leave(struct plat_irq irq)
 *	Any context.  In between, this CPU runs nothing else that plat_cpu_trylock()
 *	admits, as far as the world can ensure that.
 *
 * Context
 *
 * bool plat_may(enum plat_may what, unsigned int flags)
 * const void *plat_thread(void)
 *	Identifies the calling thread: no two threads that exist have the same.
 * bool plat_backend_may(const struct plat_backend *backend, const void *obj,
 *		       unsigned int flags)
 *	True if plat_backend_free() may be called here for this object, or with @obj
 *	NULL for any object of the source.  As PLAT_ALLOC, but guarded objects are
 *	refused more often.
 *
 * Tools that watch memory; only for pools with POOL_D_TOOLS.  With POOL_D_HARDEN also the source
 * of objects, where it has marks of them.
 *
 * enum pool_fault plat_annotate(const struct pool *pool, void *p, unsigned int size,
 *				 unsigned int flags, enum plat_annotation what)
 *	Annotate the state of these bytes for tools, from here on.  Any context; a tool that
 *	needs memory or locks is skipped unless plat_may(PLAT_ALLOC, @flags).  Returns
 *	what the source finds wrong with PLAT_BACK, which then changes nothing in the
 *	source; POOL_FAULT_KINDS: nothing, or the source has no marks.
 */

/**
 * plat_local_alloc() - Give a pool a place for its local parts, one per CPU.
 * @pool: its own.hot is set, and head.hot: to the same, or with POOL_D_HARDEN to arrays
 *	that are closed for ever.
 *
 * A part is all zero when plat_local_of() first shows it: at once, or when
 * plat_cpu_ready() has made it.
 *
 * Context: Process context; registry mutex not held.
 * Return: false when there is no room; then all CPUs find the pool's hot arrays closed,
 * for ever.
 */
bool plat_local_alloc(struct pool *pool);

/**
 * plat_local_free() - Free the local parts.
 * @pool: a pool that plat_local_alloc() served.  All CPUs find its hot arrays closed from now on.
 *
 * Context: Process context; no other code looks at these parts any more.
 */
void plat_local_free(struct pool *pool);

/* The mutexes.  A thread that needs several of them locks the last one of this list first. */
enum plat_mutex {
	PLAT_WAITERS,		/* protects the queues of callers that wait for objects */
	PLAT_REGISTRY,		/* protects the lists of pools, registrations, options */
	PLAT_CREATE,		/* excludes other creations, renewals and changes of options */
	PLAT_DUMP,		/* excludes other dumps; protects the list of memstats blocks */
};

/**
 * plat_mutex_lock() - Lock a mutex; plat_mutex_unlock() ends it.
 * @mutex: which.
 *
 * Context: Process context; may sleep.
 */
void plat_mutex_lock(enum plat_mutex mutex);
void plat_mutex_unlock(enum plat_mutex mutex);

/**
 * plat_registry_wait() - Sleep until another thread has unlocked the registry mutex.
 *
 * The mutex is free meanwhile.  May also return for no reason.
 *
 * Context: Process context; may sleep; registry mutex held.
 */
void plat_registry_wait(void);

/* What an allocation of memory may do. */
enum plat_mem {
	PLAT_MEM_SLEEP,		/* sleep and do I/O; in process context */
	PLAT_MEM_NO_IO,		/* sleep, but start no I/O, which may wait for us */
	PLAT_MEM_AT_HAND,	/* reclaim nothing and wait for nothing, as a free must */
};

/**
 * plat_mem_alloc() - Get memory for the library's own data, not for objects.
 * @size: bytes.
 * @how: whether the call may sleep, and what it may reclaim.
 *
 * Context: As @how says, and plat_may(PLAT_ALLOC); outside of hot sections, no lock held.
 * Return: memory for plat_mem_free(), or NULL.  It is zeroed, except with
 * PLAT_MEM_AT_HAND, and 128-byte aligned with PLAT_MEM_SLEEP.
 */
void *plat_mem_alloc(size_t size, enum plat_mem how);
void plat_mem_free(void *p);

/**
 * plat_backend_create() - Make a source of objects.
 * @backend: set up.
 * @name: for the platform's own listings.
 * @id: makes @name unique there.
 * @size: bytes of an object, with what lies behind it.
 * @attr: of the pool: its flags, and its align, which is at least two pointers.
 * @debug: option bits.  POOL_D_UAF: guarded: objects get pages of their own, an
 *	inaccessible one on both sides, and end where their pages do, as far as
 *	@align allows.  When freed they are inaccessible at once, and their
 *	addresses are not used again for a while: see uaf_keep.
 *	POOL_D_TOOLS, POOL_D_NO_CACHE: each object is a block of the platform's
 *	general allocator, where the platform has another source besides.
 *	POOL_D_HARDEN: a source that can keeps marks: see plat_annotate().
 * @why: set unless memory is short.
 *
 * Context: Process context; may sleep.
 * Return: false: there is none, and @why says why.
 */
bool plat_backend_create(struct plat_backend *backend, const char *name, unsigned long long id,
			 unsigned int size, const struct pool_attr *attr,
			 unsigned int debug, const char **why);

/**
 * plat_backend_destroy() - Release what plat_backend_create() made.
 * @backend: no call uses it any more.
 * @lost: how many objects were never freed; their memory stays.
 *
 * Context: Process context; may sleep.
 */
void plat_backend_destroy(struct plat_backend *backend, unsigned long lost);

/**
 * plat_backend_alloc() - Get objects from the platform.
 * @backend: the source.
 * @n: how many, at least 1.
 * @objs: where to.
 * @flags: POOL_F_ATOMIC: do not sleep.
 *
 * Context: plat_may(PLAT_ALLOC); outside of hot sections, no lock held.
 * Return: how many there are, of undefined contents; fewer than @n where the platform
 * has no more at once.
 */
unsigned int plat_backend_alloc(struct plat_backend *backend, unsigned int n, void **objs,
				unsigned int flags);

/**
 * plat_backend_free() - Give objects back to the platform.
 * @backend: their source.
 * @n: how many, at least 1.
 * @objs: the objects.
 * @fault: set to what is wrong with the first one that was not given back.
 *
 * Context: plat_backend_may(); outside of hot sections, no lock held.
 * Return: how many were given back, the first ones; fewer than @n: something is wrong
 * with the next pointer.
 */
unsigned int plat_backend_free(struct plat_backend *backend, unsigned int n, void **objs,
			       enum pool_fault *fault);

/**
 * plat_backend_denser() - Test whether a new object lies in denser memory than an old one.
 * @backend: their source.
 * @old: an object that was not freed; NULL, and @new, too: ask about the source.
 * @new: another object; NULL: ask about @old alone.
 *
 * Context: Any.  The answer may be stale.
 * Return: true only where few other objects lie near the old one; without objects, where much of
 * the source's memory has few objects.
 */
bool plat_backend_denser(const struct plat_backend *backend, const void *old, const void *new);

/**
 * plat_guard_check() - Test whether the bytes around an object, within its pages, are unchanged.
 * @backend: its source.
 * @obj: the object, not freed.
 * @where: if not, set to the offset from @obj of the nearest byte that was written:
 *	negative, or not less than the size of the source's objects.
 *
 * Context: Any.
 * Return: true if they are, and for all objects of sources that are not guarded.
 */
bool plat_guard_check(const struct plat_backend *backend, const void *obj, long *where);

/**
 * plat_peek() - Copy a few bytes from where there may be no memory, unseen by tools.
 * @to: filled in, if all of them can be read.
 * @from: any address.
 * @bytes: how many.
 *
 * Context: Any.
 * Return: false also where the platform cannot tell.
 */
bool plat_peek(void *to, const void *from, size_t bytes);

/**
 * plat_trim() - Ask the platform's allocator to give memory back.
 * @asked: the program asked for that; else only memory that pools alone use goes.
 *
 * Context: Process context; may last long.
 */
void plat_trim(bool asked);

/**
 * plat_empty_arrays() - Have all CPUs move objects out of their hot arrays.
 * @pool: a pool; NULL: all pools, but only arrays that were not visited since the last ageing.
 * @ms: for how long the caller can wait, or POOL_FOREVER.
 *
 * Each CPU whose array has objects calls pool_empty_array() in an interrupt, and has done so on
 * return.  In user space that needs a signal which the program has lent, and threads that neither
 * block it nor are stopped.
 *
 * With @pool NULL each CPU calls pool_age_array() in interrupts while pool_age_prepare() is
 * true, at most POOL_AGE_MOST times; in user space only the caller's own thread does.
 *
 * Context: PLAT_WAIT; may sleep; neither lock nor mutex held.
 * Return: false: no CPU was asked.
 */
bool plat_empty_arrays(struct pool *pool, unsigned int ms);

/**
 * plat_pause() - Pause between two looks at what another CPU will change.
 * @sleep: let other threads run, even those of lower priority.
 *
 * Context: Any; with @sleep process context, where PLAT_WAIT.
 */
void plat_pause(bool sleep);

/**
 * plat_resched() - Let other threads that wait for this CPU run, and read the clock.
 *
 * Long walks call it between two steps.
 *
 * Context: PLAT_WAIT; may sleep.
 * Return: a clock of milliseconds, which is never 0; 0: the caller is being killed.
 */
unsigned int plat_resched(void);

/**
 * plat_wait() - Sleep until a word is no longer what it was.
 * @word: the word.
 * @seen: what it was; if it is already something else, this does not sleep.
 * @ms: the longest sleep in milliseconds, or POOL_FOREVER.
 *
 * May also return for no reason.  plat_wake() ends all sleeps on the word; whoever changes the word
 * calls it afterwards.
 *
 * Context: PLAT_WAIT; sleeps.
 * Return: as plat_resched(); 0 also in a thread of the kernel that is to stop.
 */
unsigned int plat_wait(unsigned int *word, unsigned int seen, unsigned int ms);

/*
 * Wake all that sleep on a word.  A thread that is about to sleep sees what was written to the word
 * before.  Context: Any.  The word may be gone.
 */
void plat_wake(unsigned int *word);

/**
 * plat_show() - Show a pool in the platform's listing of single pools.
 * @pool: registered.
 * @shown: false: no longer, and wait for its readers.
 *
 * Context: Process context; registry mutex not held.
 */
void plat_show(struct pool *pool, bool shown);

/*
 * Called by the platform, implemented in common/ (options.c, reclaim/reclaim.c):
 *
 * void pool_options_start(const struct pool_start *start)
 *	Before any other call.  Says which options are on by default because tools
 *	that watch this program, or kernel, need them; how many CPUs may run at once;
 *	how large a page is; and how many nodes memory has.
 * void pool_empty_array(struct pool *pool)
 * void pool_age_array(struct pool_cpu *cpu)
 *	Called on that CPU, in an interrupt or where the caller cannot migrate, for
 *	plat_empty_arrays().
 * void pool_cpu_init(struct pool_cpu *cpu)
 *	A struct pool_cpu was made, all zero but for its lock, which is free.  No other
 *	code sees it yet.
 * bool pool_cpu_gone(unsigned int i)
 *	CPU number @i makes no call until it comes back; process context.  True: walks may
 *	pass it over until then.
 */

#include "seam/pool_impl.h"
#include "seam/pool_request.h"
#include "limit/last.h"

/*
 * Annotate a function that is called with a lock held, and that returns with it held, or with it
 * released.  A world with tools that check this defines both macros in its plat_types.h.
 */
#ifndef POOL_MUST_HOLD
#define POOL_MUST_HOLD(...)
#define POOL_RELEASES(...)
#endif

#include "seam/pool_calls.h"
#include "debug/modes.h"
#include "plat_impl.h"
#include "seam/events.h"

/*
 * A world in which calls do the work of ageing step by step defines two macros in its plat_impl.h:
 * after how many visits of a CPU, a power of two, a call does a step; and the step, done with
 * nothing held.
 */
#ifndef POOL_TICK
#define POOL_TICK_VISITS	0ul
#define POOL_TICK(flags)	((void)(flags))
#endif

/*
 * Constructors and destructors of users must not sleep.  A world that can watch over a call
 * defines this in its plat_impl.h.
 */
#ifndef POOL_UNSLEEPING
#define POOL_UNSLEEPING(call)	(call)
#endif

static inline void pool_call_ctor(const struct pool *pool, void *obj)
{
	POOL_UNSLEEPING(pool->ctor(obj, pool->arg));
}

static inline void pool_call_dtor(const struct pool *pool, void *obj)
{
	POOL_UNSLEEPING(pool->dtor(obj, pool->arg));
}

/*
 * Return this CPU's struct pool_cpu, if @local is its part of the pool; in a hot section.  NULL: it
 * has none, or an interrupt handler made one after @local was read.
 */
static inline struct pool_cpu *pool_cpu_here(const struct pool *pool,
					     const struct pool_local *local)
{
	unsigned int cpu = plat_cpu_hint();

	if (!pool->cached || plat_local_of(pool, cpu) != local)
		return NULL;
	return plat_cpu_of(cpu);
}

static inline void pool_word_sub(unsigned long *w, unsigned long n)
{
	plat_word_add(w, 0 - n);
}

#include "shared/walk.h"
#include "shared/moving.h"
#include "core/cluster.h"
#include "core/hot.h"
#include "core/age.h"
#include "core/here.h"
#include "core/quick.h"
#include "api/border.h"

#endif /* POOL_PLAT_H */
