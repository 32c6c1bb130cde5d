/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_hot.h - the hit path: allocate from, and free into, this CPU's hot array, inline
 *
 * Layer:   API -> [hot array]; compiled into users.
 * Context: any; an interrupt handler leaves an array that it interrupted alone.
 *
 * No call, no atomic instruction, no test of a feature, and no write to a line
 * that other CPUs write.
 */
#ifndef LIBPOOL_POOL_HOT_H
#define LIBPOOL_POOL_HOT_H

#ifndef LIBPOOL_POOL_H
#error "include pool.h"
#endif

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/instruction_pointer.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#endif

POOL_DECLS_BEGIN

/* Slots of a hot array, and its two states. */
#define POOL_HOT_SLOTS		128
#define POOL_HELD		0	/* the owner is inside; or there is no array */
#define POOL_OPEN		1	/* the owner may enter */

/*
 * The hot array of one pool on one CPU (user space: in one thread): a stack of free objects,
 * freshest on top.  POOL_HOT_SLOTS pointers follow the struct.  Only its owner reads or writes it,
 * except that any code may read the numbers; a switch of options writes cap; code on this CPU that
 * holds the CPU's lock closes an open array (age.c); and the end of a pool, or of a CPU, clears
 * the array when no call can run.
 *
 * n and "open" are the halves of one word, so that a hit ends with one store for both.  n is the
 * half at the word's own address, where the next hit has it soonest.
 */
struct pool_hot {
	__extension__ union {
		__extension__ struct {
			unsigned int n;		/* objects present; n <= slots */
			unsigned int open;	/* POOL_OPEN or POOL_HELD */
		};
		unsigned long both;		/* where a word has 64 bits */
	};
	unsigned int cap;	/* objects accepted: a free hits while n < cap */
	unsigned int slots;	/* slots charged to the CPU's byte bound */
};

/**
 * struct pool_head - what users and the inline hit path see of a pool
 * @hot: where each CPU finds its hot array; in programs an offset, which may be negative
 * @size: bytes a user may write to each object
 * @constructed: there is a constructor, a destructor or MEM_F_TYPESAFE: the contents of
 *	free objects stay as they are
 *
 * Made by create_pool(); never copied, never changed by users.
 */
struct pool_head {
#ifdef __KERNEL__
	struct pool_hot * __percpu *hot;
#else
	unsigned long hot;
#endif
	unsigned int size;
	bool constructed;
};

/*
 * What the hit path needs of its world.  The accesses are relaxed atomics
 * because others read the numbers.  The order of the steps matters only to
 * code that interrupts this CPU, so compiler barriers are enough.
 */
#ifdef __KERNEL__
#define POOL_READ(field)	READ_ONCE(field)
#define POOL_WRITE(field, v)	WRITE_ONCE(field, v)
#else
#define POOL_READ(field)	__atomic_load_n(&(field), __ATOMIC_RELAXED)
#define POOL_WRITE(field, v)	__atomic_store_n(&(field), v, __ATOMIC_RELAXED)
#endif

/*
 * A read of an array's field that is compared, and no more.  It is plain, so that the compiler may
 * compare in memory, which saves an instruction.  Another context may write the field at that
 * moment: an interrupt handler "open" and n, a switch of options cap.  Before or after are both
 * right, and no half of such a field is ever read alone.
 *
 * Tools that judge races have to see these reads.  gcc says in one way that ThreadSanitizer is
 * on, clang in another.
 */
#if defined(__SANITIZE_THREAD__)
#define POOL_ATOMIC_READS
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define POOL_ATOMIC_READS
#endif
#endif

#ifdef __KERNEL__
/* A write at the same moment may come before or after: both values are right. */
#define POOL_READ_PLAIN(field)	data_race(field)
#elif defined(POOL_ATOMIC_READS)
#define POOL_READ_PLAIN(field)	POOL_READ(field)
#else
#define POOL_READ_PLAIN(field)	(field)
#endif
#define POOL_LIKELY(x)		__builtin_expect(!!(x), 1)

static inline void pool_barrier(void)
{
	__asm__ __volatile__("" : : : "memory");
}

/*
 * Hot section: code between enter and leave stays on its CPU.  To hold its array is a further step.
 */
#ifdef __KERNEL__

static inline struct pool_hot *pool_hot_enter(const struct pool_head *pool)
{
	preempt_disable();
	return this_cpu_read(*pool->hot);
}

static inline void pool_hot_leave(void)
{
	preempt_enable();
}

/*
 * Let kernels with debugging report a call that may sleep and comes from where it must not, even if
 * it does not sleep this time.  In all other kernels this is no instruction, while might_alloc()
 * alone would be one where preemption is voluntary.
 */
static inline void pool_might_alloc(unsigned int flags)
{
	if ((IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP) || IS_ENABLED(CONFIG_LOCKDEP)) &&
	    !(flags & POOL_F_ATOMIC))
		might_alloc(GFP_KERNEL);
}

/* Do the same for calls that sleep without reclaim, so that tasks which free memory may call. */
static inline void pool_might_sleep(unsigned int flags)
{
	if (IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP) && !(flags & POOL_F_ATOMIC))
		might_sleep();
}

/*
 * To lockdep a held array is a lock that is only tried.  So it reports a task that ends or returns
 * to user space with an array held, and lists the array in its reports.  One lockdep map serves
 * all arrays, because holds nest: an interrupt handler, or code that closes another pool's array,
 * opens its array before the outer holder does.  Without lockdep this is no instruction.
 */
extern struct lockdep_map pool_array_map;

static inline void pool_hot_annotate_held(void)
{
	lock_acquire_exclusive(&pool_array_map, 0, 1, NULL, _THIS_IP_);
}

static inline void pool_hot_annotate_open(void)
{
	lock_release(&pool_array_map, _THIS_IP_);
}

/* True if an allocation must wipe its object, as the slab would a new one; static keys decide. */
static inline bool pool_wipes_out(const struct pool_head *pool,
				  unsigned int flags)
{
	return (flags & POOL_F_MUST_ZERO) ||
	       (want_init_on_alloc(0) && !pool->constructed);
}

/*
 * True if frees must wipe objects; then no free is a hit, so that a hit contains no call.  The slow
 * path wipes, where nothing is held and a checked pool has looked at the pointer.
 */
static inline bool pool_wipes_in(const struct pool_head *pool)
{
	return want_init_on_free() && !pool->constructed;
}

#else

/* This thread's area; a read-only, all-zero one until it has its own. */
extern __thread unsigned char *pool_thread_area
	__attribute__((tls_model("initial-exec")));

static inline struct pool_hot *pool_hot_enter(const struct pool_head *pool)
{
	void *hot = pool_thread_area + POOL_CAST(long, pool->hot);

	return POOL_CAST(struct pool_hot *, hot);
}

/* Empty, because a thread always stays on its own area. */
static inline void pool_hot_leave(void)
{
}

/* Empty, because no tool asks which arrays are held. */
static inline void pool_hot_annotate_held(void)
{
}

static inline void pool_hot_annotate_open(void)
{
}

/* Empty, because a thread may sleep anywhere. */
static inline void pool_might_alloc(unsigned int flags)
{
	(void)flags;
}

static inline void pool_might_sleep(unsigned int flags)
{
	(void)flags;
}

static inline bool pool_wipes_out(const struct pool_head *pool,
				  unsigned int flags)
{
	(void)pool;
	return flags & POOL_F_MUST_ZERO;
}

/* False: nothing in user space asks for freed objects to be wiped. */
static inline bool pool_wipes_in(const struct pool_head *pool)
{
	(void)pool;
	return false;
}

#endif

static inline void pool_hot_out(const struct pool_head *pool, void *obj,
				unsigned int flags)
{
	if (pool_wipes_out(pool, flags))
		__builtin_memset(obj, 0, pool->size);
}

static inline void **pool_hot_slots(struct pool_hot *hot)
{
	void *slots = hot + 1;

	return POOL_CAST(void **, slots);
}

/*
 * Write how many objects a held array has, then open it.  An interrupt handler that found it open
 * with the old n would write to a slot that is in use.  Nothing comes between the halves of one
 * store.  Test builds set POOL_TWO_STORES, so that both ways are tested on one machine.
 */
static inline void pool_hot_set(struct pool_hot *hot, size_t n)
{
#if !defined(POOL_TWO_STORES) && __SIZEOF_LONG__ == 8 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	POOL_WRITE(hot->both, n | POOL_CAST(unsigned long, POOL_OPEN) << 32);
#else
	POOL_WRITE(hot->n, POOL_CAST(unsigned int, n));
	pool_barrier();
	POOL_WRITE(hot->open, POOL_OPEN);
#endif
}

/* Hold an array of this CPU that is open, so that interrupt handlers leave it alone. */
static inline void pool_hot_set_held(struct pool_hot *hot)
{
	POOL_WRITE(hot->open, POOL_HELD);
	pool_barrier();
	pool_hot_annotate_held();
}

/* Undo pool_hot_set_held(). */
static inline void pool_hot_set_open(struct pool_hot *hot)
{
	pool_hot_annotate_open();
	pool_barrier();
	POOL_WRITE(hot->open, POOL_OPEN);
}

/*
 * Hold this CPU's array, which was entered.  False: it cannot be held, and was left.
 *
 * HELD is stored before n is read, and OPEN is not stored before n is written.  An interrupt
 * handler that runs in between finds HELD and leaves the array alone.  "open" is zero,
 * which is not OPEN either, as long as this CPU has no array of this pool.
 *
 * "open" and n are read plainly.  No other CPU writes them while this one has the array.  An
 * interrupt handler may have changed them before, so the first barrier makes the compiler
 * read them again.
 */
static inline bool pool_hot_hold(struct pool_hot *hot)
{
	pool_barrier();
	if (!POOL_LIKELY(POOL_READ_PLAIN(hot->open) == POOL_OPEN)) {
		pool_hot_leave();
		return false;
	}
	pool_hot_set_held(hot);
	return true;
}

/* Open a held array, and leave it. */
static inline void pool_hot_let_go(struct pool_hot *hot)
{
	pool_hot_set_open(hot);
	pool_hot_leave();
}

/*
 * Open the array and leave it after a hit: @n is how many objects there are now.  The hit changes a
 * slot before n counts it: in user space a signal handler may jump out of a hit for good, and then
 * the code that empties the array relies on n.
 */
static inline void pool_hot_end(struct pool_hot *hot, size_t n)
{
	pool_hot_annotate_open();
	pool_barrier();
	pool_hot_set(hot, n);
	pool_hot_leave();
}

/*
 * Take an object from this CPU's array, the hit path of allocations.  A hit and a miss each let go
 * for themselves, because shared code would have to test again which of the two it was.
 *
 * One subtraction says whether there is an object, and in which slot.  It is a size_t, so that the
 * index needs no extension.  A slot below n is never NULL.  The compiler learns that here, and
 * omits the caller's test for NULL.
 */
static inline void *pool_hot_get(const struct pool_head *pool)
{
	struct pool_hot *hot = pool_hot_enter(pool);
	void *obj;
	size_t n;

	if (!POOL_LIKELY(pool_hot_hold(hot)))
		return POOL_NULL;
	n = hot->n;
	if (!POOL_LIKELY(!__builtin_sub_overflow(n, 1u, &n))) {
		pool_hot_let_go(hot);
		return POOL_NULL;
	}
	/* Without this gcc keeps a copy of n, which costs an instruction. */
	__asm__("" : "+r"(n));
	obj = pool_hot_slots(hot)[n];
	if (!obj)
		__builtin_unreachable();
	pool_hot_end(hot, n);
	return obj;
}

/*
 * Put an object into this CPU's array, the hit path of frees; false: it is full, or not open.  The
 * new n is computed before the comparison, which saves an instruction.
 */
static inline bool pool_hot_put(const struct pool_head *pool, void *obj)
{
	struct pool_hot *hot = pool_hot_enter(pool);
	unsigned int n, more;

	if (!POOL_LIKELY(pool_hot_hold(hot)))
		return false;
	n = hot->n;
	more = n + 1;
	if (!POOL_LIKELY(POOL_READ_PLAIN(hot->cap) > n)) {
		pool_hot_let_go(hot);
		return false;
	}
	pool_hot_slots(hot)[n] = obj;
	pool_hot_end(hot, more);
	return true;
}

POOL_DECLS_END

#endif /* LIBPOOL_POOL_HOT_H */
