/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_memory.h - how much pools keep unused, and how it comes back
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
 * pool_flush() - Give all objects of a pool's shared part to the backend.
 * @pool: the pool; NULL is a no-op.
 *
 * CPU-local caches are not touched.  Spare objects go, too.
 *
 * Context: Process context or a plain thread; may sleep.
 */
void pool_flush(struct pool_head *pool);

/**
 * pool_gc() - Give the unused objects of all shared pools to the backend.
 * @unused: NULL by convention.
 *
 * Leaves the spare objects that each pool is to keep, its min_avail.  Then asks
 * the platform's allocator to return memory where it can; malloc() only if objects
 * went back to it and it has little else in use.  CPU-local caches are not touched.
 *
 * Context: Process context or a plain thread; may sleep.
 */
void pool_gc(struct pool_head *unused);

/**
 * pool_reclaim() - As pool_gc(), and empty all CPUs' caches, too.
 * @pool: the pool; NULL: all of them, and then asks the platform's allocator, as
 *	pool_gc() does.
 *
 * Interrupts each CPU whose hot array has objects, which empties it.  In user space that
 * takes a signal: see pool_reclaim_signal().  Without one the arrays stay, at most three
 * quarters of each thread's bound.  Those of the calling thread stay in any case:
 * pool_thread_idle() empties them.  Locks are held for one cluster at a time.
 *
 * Context: Process context or a plain thread; may sleep.
 */
void pool_reclaim(struct pool_head *pool);

/**
 * pool_shrink() - Give some unused memory back, the cheapest to miss first.
 * @pages: about how much, in pages; 0: nothing; more than there is: all.
 *
 * First go empty clusters, then what shared pools have beyond need, then the rest of shared
 * pools, then the clusters that CPUs have not used for longest.  Spare objects, min_avail
 * of each pool, stay, and so do hot arrays.  CPUs whose lock is held are passed over.  Then
 * asks the platform's allocator to return memory where it can.
 *
 * The kernel does the same when memory is short, and the library when the system has no
 * more.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: pages' worth of memory that the backend got; it may keep some of it.
 */
unsigned long pool_shrink(unsigned long pages);

/**
 * pool_age() - Give back half of what was not needed since the last call.
 *
 * At once; programs without the option "no-age", and the kernel, do it little by little.  Gives
 * back from shared pools and from CPUs' clusters.  What was used since the last call stays,
 * and so do spare objects and hot arrays.  The first call only begins the count.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: whether a later call may give more.
 */
bool pool_age(void);

/**
 * pool_set_hot_size() - Set the byte bound of each CPU's caches.
 * @bytes: 0 (cache nothing) to 1 GiB.
 *
 * Objects above a lowered bound leave at the owners' next slow paths.  The bound does not hold
 * for shared pools: these have max_cached, or 16 to 64 MiB, and a quarter of what is in use.
 *
 * Not for modules: hot_size is a parameter of pool.ko, and can be set in debugfs.
 *
 * Context: Any but a signal handler.
 * Return: true; false and no change when @bytes is out of range.
 */
bool pool_set_hot_size(unsigned long bytes);

#ifndef __KERNEL__

/**
 * pool_reclaim_signal() - Lend the library a signal, to reach what threads have cached.
 * @signo: a signal without a handler, as SIGRTMIN + 3 or SIGURG; 0: give it back.
 *
 * Only a thread itself may touch its hot arrays.  With a signal, an allocation that is at
 * its pool's limit, and pool_reclaim(), have other threads empty theirs.  The handler runs
 * for some microseconds, in which other signals are blocked; system calls that it interrupts
 * are restarted where the system does so.  A thread that blocks the signal keeps what it
 * has.  One that may be cancelled at any time must block it.  The caller waits about a
 * tenth of a second in all for such threads, and later callers do not wait for them again
 * before they have taken the signal, or another one is lent.  A thread that could run, but
 * gets no processor, is waited for until it has answered, and so is one that has begun to.
 * /proc tells which threads these are; without it they are waited for as those that block.
 *
 * Context: A plain thread.
 * Return: false: nothing has changed, and errno is EINVAL: there is no such signal, it cannot
 * be handled (SIGKILL, SIGSTOP, those of the C library), or it reports an error of the program
 * (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT); EBUSY: it has a handler, or
 * another one has been lent.
 */
bool pool_reclaim_signal(int signo);

/**
 * pool_thread_idle() - Give up all that this thread has cached, of all pools.
 *
 * For threads that are about to wait for long.  Their objects go to the shared
 * pools; parked objects and memory for clusters go to the backend, as at thread exit.
 * The thread keeps its place and may go on at any time, with empty caches.
 *
 * Context: A plain thread; not in a signal handler.
 */
void pool_thread_idle(void);

/**
 * pool_age_start() - From now on a thread calls pool_age() from time to time.
 * @seconds: between two calls, 1 to 2147483; an unused pool is at a 32nd after six calls.
 *
 * The thread blocks all signals.  A forked child has no such thread, and may start one.
 * A program that closes all of its files, as daemons do, ends it, with one line in the log
 * unless it closes stderr, too.
 *
 * Context: A plain thread.
 * Return: true.  False, with errno and one line in the log: EINVAL: @seconds is out of
 * range; EALREADY: the thread was started before, and goes on as it was; or no thread can
 * be made.
 */
bool pool_age_start(unsigned int seconds);

/**
 * pool_age_stop() - Stop that thread, and wait for it; no-op if there is none.
 *
 * Context: A plain thread.
 */
void pool_age_stop(void);

/**
 * pool_pressure_start() - From now on a thread gives memory back when it is short.
 * @file: a cgroup's memory.pressure; NULL: /proc/pressure/memory, of the whole system.
 *
 * Half of what pools have unused goes, as by pool_shrink(), when some threads waited for
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
