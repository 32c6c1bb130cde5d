/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_memory.h - bound the memory that pools keep unused, and release it
 *
 * Layer:   API.
 * Context: said per function.
 */
#ifndef LIBPOOL_POOL_MEMORY_H
#define LIBPOOL_POOL_MEMORY_H

#ifndef LIBPOOL_POOL_H
#error "include pool.h"
#endif

POOL_DECLS_BEGIN

struct pool_head;

/**
 * pool_flush() - Release all objects of a pool's shared pool.
 * @pool: the pool; NULL is a no-op.
 *
 * CPU-local caches stay.  Spare objects are released, too.
 *
 * Context: Process context or a plain thread; may sleep.
 */
void pool_flush(struct pool_head *pool);

/**
 * pool_gc() - Release the unused objects of all shared pools to the backend.
 * @unused: NULL by convention.
 *
 * Leaves each pool its spare objects, min_avail.  Then asks the platform's allocator to return
 * memory to the system, malloc() only if objects were released to it and it has little else in use.
 * CPU-local caches stay.
 *
 * Context: Process context or a plain thread; may sleep.
 */
void pool_gc(struct pool_head *unused);

/**
 * pool_reclaim() - Release what pool_gc() does, and all objects of CPUs' caches, too.
 * @pool: the pool; NULL: all of them, and then asks the platform's allocator, as
 *	pool_gc() does.
 *
 * Interrupts each CPU whose hot array has objects, so that it empties the array.  In user space
 * that needs a signal: see pool_reclaim_signal().  Without one arrays keep their objects, at most
 * three quarters of each thread's bound.  Arrays of the calling thread always keep theirs:
 * pool_thread_idle() empties these.  Locks are held for one cluster at a time.
 *
 * Context: Process context or a plain thread; may sleep.
 */
void pool_reclaim(struct pool_head *pool);

/**
 * pool_shrink() - Release some unused memory, the least needed first.
 * @pages: about how much, in pages; 0: nothing; more than there is: all.
 *
 * Releases empty clusters first, then what shared pools have beyond need, then the rest of shared
 * pools, then the clusters that CPUs have not used for longest.  Spare objects, min_avail of each
 * pool, stay, and so do hot arrays.  CPUs whose lock is held are skipped.  Then asks the platform's
 * allocator to return memory to the system.
 *
 * The kernel does the same when memory is short, and the library when the system refuses memory.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: pages' worth of memory that the backend got; it may keep some of it.
 */
unsigned long pool_shrink(unsigned long pages);

/**
 * pool_age() - Release half of what was not needed since the last call.
 *
 * Releases objects of shared pools and of CPUs' clusters, all at once; the kernel, and programs
 * without the option "no-age", do it in small steps by themselves.  Objects that were used since
 * the last call stay, and so do spare objects.  Hot arrays that were not used lose objects to
 * clusters: in the kernel those of all CPUs, in programs those of the calling thread.  The first
 * call only starts the records.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: whether a later call may release more.
 */
bool pool_age(void);

/**
 * pool_set_hot_size() - Set the byte bound of each CPU's caches.
 * @bytes: 0 (cache nothing) to 1 GiB.
 *
 * Objects above a lowered bound are evicted at the owners' next slow paths.  The bound does not
 * apply to shared pools, whose bound is max_cached, or 16 to 64 MiB, and a quarter of what is in
 * use.
 *
 * Not for modules: hot_size is a parameter of pool.ko, and can be set in debugfs.
 *
 * Context: Any but a signal handler.
 * Return: true; false and no change when @bytes is out of range.
 */
bool pool_set_hot_size(unsigned long bytes);

#ifndef __KERNEL__

/**
 * pool_reclaim_signal() - Lend the library a signal, to empty hot arrays of other threads.
 * @signo: a signal without a handler, as SIGRTMIN + 3 or SIGURG; 0: end the loan.
 *
 * Only a thread itself may enter its hot arrays.  With a signal, an allocation at its pool's limit,
 * and pool_reclaim(), have other threads empty theirs.  The handler runs for some microseconds, in
 * which other signals are blocked; system calls that it interrupts are restarted where the system
 * does so.  A thread that may be cancelled asynchronously must block the signal.
 *
 * A thread that blocks the signal keeps its objects.  A caller waits for such threads, about a
 * tenth of a second in all, and later callers do not wait for them again until they have handled
 * the signal, or another one is lent.  For a thread that could run but gets no processor, and for
 * one whose handler has begun, callers wait until the handler has ended.  Which threads could run
 * is read from /proc; without it all are waited for as threads that block the signal.
 *
 * Context: A plain thread.
 * Return: false: nothing has changed, and errno is EINVAL: there is no such signal, it cannot
 * be handled (SIGKILL, SIGSTOP, those of the C library), or it reports an error of the program
 * (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT); EBUSY: it has a handler, or
 * another one has been lent.
 */
bool pool_reclaim_signal(int signo);

/**
 * pool_thread_idle() - Empty all caches of this thread, of all pools.
 *
 * For threads that are about to wait for long.  Cached objects go to the shared pools; parked
 * objects and empty clusters are released, as at thread exit.  The thread keeps its area, and may
 * use pools at any time, with empty caches.
 *
 * Context: A plain thread; not in a signal handler.
 */
void pool_thread_idle(void);

/**
 * pool_age_start() - Start a thread that calls pool_age() regularly.
 * @seconds: between two calls, 1 to 2147483; an unused pool is at a 32nd after six calls.
 *
 * The thread blocks all signals.  A forked child has no such thread, and may start one.
 * If the program closes all of its files, as daemons do, the thread ends, with one line in the log
 * unless stderr is closed, too.
 *
 * Context:  A plain thread.  Return: true.  False, with errno and one line in the log:  EINVAL:
 * @seconds is out of range; EALREADY: the thread was started before, and continues unchanged; or
 * no thread can be made.
 */
bool pool_age_start(unsigned int seconds);

/**
 * pool_age_stop() - Stop that thread, and wait for it; no-op if there is none.
 *
 * Context: A plain thread.
 */
void pool_age_stop(void);

/**
 * pool_pressure_start() - Start a thread that releases memory when memory is short.
 * @file: a cgroup's memory.pressure; NULL: /proc/pressure/memory, of the whole system.
 *
 * Releases half of the unused memory of pools, as pool_shrink() does, when some threads waited for
 * memory for 100 ms within two seconds.  Signals, forks and files are as in pool_age_start().
 *
 * Context: A plain thread.
 * Return: true.  False, with errno and one line in the log: @file cannot be opened or
 * written, as in many containers; EINVAL: it is an ordinary file; EALREADY; or no thread can
 * be made.
 */
bool pool_pressure_start(const char *file);

/**
 * pool_pressure_stop() - Stop that thread, and wait for it; no-op if there is none.
 *
 * Context: A plain thread.
 */
void pool_pressure_stop(void);

#endif

POOL_DECLS_END

#endif /* LIBPOOL_POOL_MEMORY_H */
