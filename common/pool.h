/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool.h - fixed-size object pools: the public interface, in both worlds
 *
 * Layer:   API, above everything.
 * Context: each function says its own; the table is Documentation/contexts.
 *
 * Best for:  many objects of few sizes, allocated and freed all the time, from
 *            any CPU or thread, with a hard bound on what caches may keep.
 * Not for:   objects of arbitrary size (use the platform's allocator), or a
 *            handful of objects that are allocated once.
 *
 * Kernel modules include this file from common/, programs as <libpool/pool.h>.
 * It is the only header users need; it includes the others of the interface:
 * pool_hot.h, the hit path; pool_attr.h, more than a name and a size, and
 * declared pools; pool_bulk.h, many objects at once, and reserves; pool_memory.h, memory
 * that comes back; pool_stats.h, numbers and dumps; pool_memstats.h, which code allocates
 * and frees; pool_debug.h, options.  All are clean C11 and C++17.
 *
 *   concurrent calls on one pool      any CPU or thread   interrupt, signal
 *   pool_alloc(), pool_free()         yes                 with POOL_F_ATOMIC
 *   pool_flush(), pool_gc()           yes                 no
 *   pool_destroy()                    no (one caller)     no
 */
#ifndef LIBPOOL_POOL_H
#define LIBPOOL_POOL_H

/* Strict C89 has no inline functions. */
#if !defined(__KERNEL__) && !defined(__cplusplus) && defined(__STRICT_ANSI__) && \
	(!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "libpool needs C99, C11 or gnu89: compile with -std=c11 or -std=gnu89, for example"
#endif

/* The version of the library, of the module and of packages is kept here alone. */
#define POOL_VERSION		"0.9.0"

/* This header and the library, or the module, must agree on it; see pool_create_at(). */
#ifdef __KERNEL__
#define POOL_ABI		8
#else
#define POOL_ABI		6
#endif

/* Flags of create_pool(). */
#define MEM_F_SHARED		0x1u	/* may be merged with a similar pool */
#define MEM_F_EXACT		0x2u	/* never round the size up */
#define MEM_F_TYPESAFE		0x4u	/* kernel: see struct pool_attr */
#define MEM_F_USERCOPY		0x8u	/* kernel: see struct pool_attr */
#define MEM_F_UAF		0x10u	/* pages of their own for objects; unmapped by free */

/* Flags of __pool_alloc() and __pool_free(). */
#define POOL_F_NO_POISON	0x1u	/* alloc: do not fill with poison */
#define POOL_F_MUST_ZERO	0x2u	/* alloc: all bytes zero, as calloc() */
#define POOL_F_NO_FAIL		0x4u	/* alloc: no injected failure */
#define POOL_F_ATOMIC		0x8u	/* must not sleep; signal handlers */
#define POOL_F_WAIT		0x10u	/* alloc: wait until there is an object */
#define POOL_F_NOSLAB		0x28u	/* atomic, and the backend is not called */

/*
 * The owner of new pools: a module has its own pools, a program has one owner.  Code that is built
 * into the kernel has no struct module; its owner is a name, KBUILD_MODNAME, of which the linker
 * keeps one copy.  -DPOOL_OWNER_NAME= sets the name for several files with one owner, and for a
 * file of two modules, whose KBUILD_MODNAME has a colon.
 */
#ifdef __KERNEL__
#include <linux/export.h>
#include <linux/init.h>
#ifdef MODULE
#define POOL_OWNER		THIS_MODULE
#else
#ifndef POOL_OWNER_NAME
#define POOL_OWNER_NAME		__KBUILD_MODNAME
#endif
#define POOL_OWNER		__PASTE(pool_owner_, POOL_OWNER_NAME)
extern const char POOL_OWNER[];
const char POOL_OWNER[] __weak = KBUILD_MODNAME;
#endif
#else
#define POOL_OWNER		POOL_NULL
#endif

/* Other bits of flags are ignored. */
#define POOL_F_ALL		0x3fu

#define POOL_NAME_LEN		11	/* bytes of the longest pool name; the rest is cut off */

/* Static analyzers understand calls, but not the inline hit path. */
#if defined(__clang_analyzer__) && !defined(POOL_NO_INLINE)
#define POOL_NO_INLINE
#endif

/* Declarations have C linkage, and are visible in programs built with -fvisibility=hidden. */
#if defined(__KERNEL__)
#define POOL_DECLS_BEGIN
#define POOL_DECLS_END
#elif defined(__cplusplus)
#define POOL_DECLS_BEGIN	extern "C" { _Pragma("GCC visibility push(default)")
#define POOL_DECLS_END		_Pragma("GCC visibility pop") }
#else
#define POOL_DECLS_BEGIN	_Pragma("GCC visibility push(default)")
#define POOL_DECLS_END		_Pragma("GCC visibility pop")
#endif

/* A cast and a null pointer of each language, because C++ compilers may warn of those of C. */
#ifdef __cplusplus
#define POOL_CAST(type, x)	static_cast<type>(x)
#else
#define POOL_CAST(type, x)	((type)(x))
#endif
#if defined(__cplusplus) && __cplusplus >= 201103L
#define POOL_NULL		nullptr
#else
#define POOL_NULL		NULL
#endif

#include "pool_hot.h"
#include "pool_attr.h"
#include "pool_bulk.h"
#include "pool_memory.h"
#include "pool_debug.h"
#include "pool_stats.h"
#include "pool_memstats.h"

POOL_DECLS_BEGIN

/**
 * pool_create_at() - Create a pool; create_pool() calls it.
 * @name: as in struct pool_attr.
 * @size: as in struct pool_attr.
 * @flags: MEM_F_SHARED, MEM_F_EXACT, MEM_F_UAF; in the kernel MEM_F_TYPESAFE, and
 *	MEM_F_USERCOPY, with which no byte may be copied here.
 * @file: source file of the call.  Its end is kept.
 * @line: its line.
 * @owner: the calling module, as POOL_OWNER says; user space: NULL.
 * @abi: POOL_ABI of the caller's header.  If it is not the library's the call is
 *	refused, since the hit path is compiled into the caller.
 *
 * Without MEM_F_EXACT the size is rounded up to a multiple of two pointers.
 * With MEM_F_SHARED the pool may be one that exists already: of equal size, or, if
 * neither is MEM_F_EXACT, of a size that is larger by less than 1 % or less than 16
 * bytes.  It keeps its name and its size.  Each call is a registration that
 * pool_destroy() gives back.
 *
 * Implements create_pool() of section 5 of the document.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: the pool, to be destroyed by pool_destroy(); NULL, with one line in
 * the log that says why, when an argument is wrong or memory is short.
 */
struct pool_head *pool_create_at(const char *name, unsigned int size, unsigned int flags,
				 const char *file, int line, const void *owner, unsigned int abi);

/*
 * create_pool() - Create a pool of objects of one size.
 *
 * Calls pool_create_at() with this place in the source.  In C the macro records file and line.  The
 * function has the document's types, for uses without an argument list and programs without the
 * macro.  In C++ an overload for constant names records the place, so classes may have members of
 * that name.
 */
#ifdef __KERNEL__
static inline struct pool_head *create_pool(char *name, unsigned int size,
					    unsigned int flags)
{
	return pool_create_at(name, size, flags, __BASE_FILE__, 0, POOL_OWNER,
			      POOL_ABI);
}
#else
struct pool_head *create_pool(char *name, unsigned int size, unsigned int flags);
#endif

#ifdef __cplusplus
extern "C++" {
static inline pool_head *
create_pool(const char *name, unsigned int size, unsigned int flags, const char *file =
	    __builtin_FILE(), int line = __builtin_LINE())
{
	return pool_create_at(name, size, flags, file, line, POOL_OWNER, POOL_ABI);
}

}
#else
#define create_pool(name, size, flags) \
	pool_create_at(name, size, flags, __FILE__, __LINE__, POOL_OWNER, \
		       POOL_ABI)
#endif

/**
 * pool_destroy_of() - Release a registration; the last one ends the pool.
 * @pool: the pool; NULL is a no-op.
 * @owner: as given to pool_create_at(), whose registration it is; NULL: user space.
 *
 * A pool that serves several calls of create_pool() loses one of them, even if objects are in use.
 * Releasing the last one empties the caches of all CPUs or threads, and ends the pool.  The caller
 * must make sure that no other call on this pool runs now or later.  A pool with checks reports
 * later allocations, frees and destructions: POOL_FAULT_DESTROYED.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: NULL when the registration is released.  @pool, usable as before, if it is the last one
 * and objects are in use; in the kernel, and with the option caller or memstats, one line in the
 * log says how many.  @pool, with one line in the log, if all registrations are other owners'.
 */
void *pool_destroy_of(struct pool_head *pool, const void *owner);

/* pool_destroy() - Release a registration; in the kernel, one of the calling module. */
#ifdef __KERNEL__
static inline void *pool_destroy(struct pool_head *pool)
{
	return pool_destroy_of(pool, POOL_OWNER);
}
#else
void *pool_destroy(struct pool_head *pool);
#endif

/**
 * pool_destroy_owned() - Destroy all pools of an owner, for use on exit.
 * @owner: as given to pool_create_at(); NULL: user space.
 *
 * Pools with objects in use end, too; these objects stay as they are.  In the kernel, and with the
 * option caller or memstats, one line in the log names each such pool.
 *
 * Context: Process context or a plain thread; no other call on these pools may run.
 */
void pool_destroy_owned(const void *owner);

/* pool_destroy_all() - Destroy all pools; in the kernel, all of the calling module. */
#ifdef __KERNEL__
static inline void pool_destroy_all(void)
{
	pool_destroy_owned(POOL_OWNER);
}
#else
void pool_destroy_all(void);
#endif

/*
 * Attributes for static analyzers, in builds where all calls are functions.  They say that an
 * object must be freed once, by one of two functions.  The plain attribute "malloc" is not used,
 * because it would also say that a new object contains no pointers, but a constructor may store
 * some.  Code that frees twice on purpose, to test checks, defines POOL_FREED as nothing.
 */
#ifdef POOL_NO_INLINE

/* Most of these calls hit; a jump by the PLT would cost a tenth of their time. */
#define POOL_NO_PLT
#if !defined(__KERNEL__) && defined(__has_attribute)
#if __has_attribute(__noplt__)
#undef POOL_NO_PLT
#define POOL_NO_PLT	__attribute__((__noplt__))
#endif
#endif

#if defined(__clang_analyzer__) && !defined(POOL_FREED)
#define POOL_FREED	__attribute__((ownership_returns(malloc)))
#define POOL_FREES	__attribute__((ownership_takes(malloc, 2)))
#elif !defined(__KERNEL__) && defined(__GNUC__) && __GNUC__ >= 11 && \
	!defined(__clang__) && !defined(POOL_FREED)
#define POOL_FREED	__attribute__((__malloc__(pool_free, 2), \
				       __malloc__(__pool_free, 2)))
#endif
#ifndef POOL_FREED
#define POOL_FREED
#endif
#ifndef POOL_FREES
#define POOL_FREES
#endif

POOL_FREES
POOL_NO_PLT void __pool_free(struct pool_head *pool, void *obj, unsigned int flags);
POOL_FREES
POOL_NO_PLT void pool_free(struct pool_head *pool, void *obj);

#else
#undef POOL_FREED
#define POOL_FREED
#endif

/**
 * pool_alloc_nocache() - Allocate from the shared pool or the backend, from caches only at last.
 * @pool: the pool.
 *
 * Asks the shared pool first, then the backend.  For early allocation of spare
 * objects.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: an object for pool_free(), or NULL.
 */
POOL_FREED
void *pool_alloc_nocache(struct pool_head *pool);

/**
 * pool_alloc_slow() - Allocate an object the hot array did not have.
 * @pool: the pool.
 * @flags: POOL_F_*.
 *
 * Out-of-line half of __pool_alloc(); not for direct use.  Reports name the code that
 * this returns to, so the last call to it must be a jump.
 *
 * Context: as __pool_alloc().
 * Return: an object, or NULL.
 */
void *pool_alloc_slow(struct pool_head *pool, unsigned int flags);

/**
 * pool_free_slow() - Free an object the hot array did not accept.
 * @pool: the pool.
 * @obj: the object; not NULL.
 * @flags: as of __pool_free().
 *
 * Out-of-line half of __pool_free(); not for direct use.
 *
 * Context: as __pool_free().
 */
void pool_free_slow(struct pool_head *pool, void *obj, unsigned int flags);

/**
 * pool_refuse_zero() - Refuse POOL_F_MUST_ZERO for a pool of constructed objects.
 * @pool: the pool.
 * @flags: of the call.
 *
 * Not for direct use.
 *
 * Context: as __pool_alloc().
 * Return: NULL; counted as a failure.  The first time a line in the log says so.
 */
void *pool_refuse_zero(struct pool_head *pool, unsigned int flags);

/* Always inlined, because reports name the caller of the slow halves, which must be the user. */
#define POOL_INLINE	__attribute__((__always_inline__))

static inline POOL_INLINE
void *pool_alloc_inline(struct pool_head *pool, unsigned int flags)
{
	void *obj;

	pool_might_alloc(flags);
	if ((flags & POOL_F_MUST_ZERO) && pool->constructed)
		return pool_refuse_zero(pool, flags);
	obj = pool_hot_get(pool);
	if (!POOL_LIKELY(obj))
		return pool_alloc_slow(pool, flags);
	pool_hot_out(pool, obj, flags);
	return obj;
}

static inline POOL_INLINE
void pool_free_inline(struct pool_head *pool, void *obj, unsigned int flags)
{
	if (!POOL_LIKELY(obj))
		return;
	if (pool_wipes_in(pool) || !POOL_LIKELY(pool_hot_put(pool, obj)))
		pool_free_slow(pool, obj, flags);
}

#ifndef POOL_NO_INLINE

/**
 * __pool_alloc() - Allocate an object.
 * @pool: the pool.
 * @flags: any of POOL_F_*.
 *
 * Asks this CPU's caches first, then the shared pool, then the backend, as far as the pool's mode
 * has them.  Two flags keep the call from the backend, so that it gets only objects that the pool
 * has free:  POOL_F_NOSLAB, for callers that the backend itself may have called, such as a probe
 * in the slab; and in a program POOL_F_ATOMIC, because signal handlers must not call malloc().
 *
 * Context: With POOL_F_ATOMIC any: interrupts, NMI, signal handlers.  Without
 * it process context or a plain thread; may sleep.
 * Return: an object of pool->size bytes for pool_free(); undefined contents
 * unless POOL_F_MUST_ZERO.  NULL when there is none, or other calls wait for one.  With
 * POOL_F_WAIT, NULL only when the task is being killed, or the call may not wait, as with
 * POOL_F_ATOMIC: see pool_alloc_timeout().
 */
static inline POOL_INLINE
void *__pool_alloc(struct pool_head *pool, unsigned int flags)
{
	return pool_alloc_inline(pool, flags);
}

/**
 * pool_alloc() - Allocate an object: __pool_alloc(@pool, 0).
 * @pool: the pool.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: an object of undefined contents, or NULL.
 */
static inline POOL_INLINE void *pool_alloc(struct pool_head *pool)
{
	return pool_alloc_inline(pool, 0);
}

/**
 * pool_zalloc() - Allocate a zeroed object: POOL_F_MUST_ZERO.
 * @pool: the pool.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: an object whose bytes are all zero, or NULL.
 */
static inline POOL_INLINE void *pool_zalloc(struct pool_head *pool)
{
	return pool_alloc_inline(pool, POOL_F_MUST_ZERO);
}

/**
 * __pool_free() - Free an object.  Never fails and never needs memory.
 * @pool: the pool it came from.
 * @obj: the object; NULL is a no-op.
 * @flags: POOL_F_ATOMIC in a signal handler; POOL_F_NOSLAB where the backend must not be
 *	called; else 0.
 *
 * Context: Any (user space: in a signal handler only with POOL_F_ATOMIC).
 */
static inline POOL_INLINE
void __pool_free(struct pool_head *pool, void *obj, unsigned int flags)
{
	pool_free_inline(pool, obj, flags);
}

/**
 * pool_free() - Free an object: __pool_free(@pool, @obj, 0).
 * @pool: the pool it came from.
 * @obj: the object; NULL is a no-op.
 *
 * In programs errno stays as it is.
 *
 * Context: Any (user space: not in a signal handler).
 */
static inline POOL_INLINE void pool_free(struct pool_head *pool, void *obj)
{
	pool_free_inline(pool, obj, 0);
}

#else

POOL_FREED
POOL_NO_PLT void *__pool_alloc(struct pool_head *pool, unsigned int flags);
POOL_FREED
POOL_NO_PLT void *pool_alloc(struct pool_head *pool);
POOL_FREED
POOL_NO_PLT void *pool_zalloc(struct pool_head *pool);

#endif

/* pool_alloc_timeout(): wait without end. */
#define POOL_FOREVER		0xffffffffu

/**
 * pool_alloc_timeout() - Allocate an object, and wait for one that is freed.
 * @pool: the pool.
 * @flags: any of POOL_F_*; POOL_F_WAIT is implied.  POOL_F_ATOMIC: does not wait.
 * @ms: for how long, in milliseconds; 0: one try, which waits for no other thread;
 *	POOL_FOREVER: until there is one, as with POOL_F_WAIT in __pool_alloc().
 *
 * For pools with a limit, and for times when memory is short.  Callers are served in the order in
 * which they came, whatever their priorities, and woken by the call that frees an object.  Calls
 * that do not wait are refused meanwhile.  In a program, objects in hot arrays of idle threads are
 * found only after pool_reclaim_signal().  @ms bounds the whole call, except for the time of the
 * backend, and of a thread that has begun to empty its arrays.
 *
 * In the kernel a waiting task cannot be frozen, so a suspend fails until the wait ends.
 *
 * Context: Process context or a plain thread; sleeps.
 * Return: as __pool_alloc(); NULL: the time is over, or, in the kernel, the task is being
 * killed, or is a kthread that is to stop.  No failure is injected.
 */
POOL_FREED
void *pool_alloc_timeout(struct pool_head *pool, unsigned int flags, unsigned int ms);

/**
 * pool_configure() - Change load-time options.
 * @options: "word,key=value,...": see pool_debug_help_to_buf().  "help" prints all
 *	options to stderr, in the kernel to the log.  In a program the thread may be
 *	cancelled then.
 *
 * Words, buckets and cluster are for pools created from now on, and for declared pools that have
 * not been used yet.  All other values take effect at once for all pools.  One line in the log
 * names existing pools that a part of the change does not reach.
 *
 * Not for modules, because it changes all pools: pool.ko has parameters, and files in debugfs.
 *
 * Context: Process context or a plain thread.
 * Return: true; false, one line in the log that names the wrong word, and no
 * change at all, when something in @options is wrong.  NULL is wrong, too.
 */
bool pool_configure(const char *options);

POOL_DECLS_END

/* The pool's own files, which define these functions, have POOL_NO_INLINE. */
#if defined(__KERNEL__) && defined(CONFIG_MEM_ALLOC_PROFILING) && !defined(POOL_NO_INLINE)
#include "pool_tag.h"
#endif
#endif /* LIBPOOL_POOL_H */
