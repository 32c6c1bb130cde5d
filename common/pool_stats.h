/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_stats.h - the numbers of pools, in a struct and as text
 *
 * Layer:   API.
 * Context: process context or a plain thread.
 */
#ifndef LIBPOOL_POOL_STATS_H
#define LIBPOOL_POOL_STATS_H

#ifndef LIBPOOL_POOL_H
#error "include pool.h"
#endif

POOL_DECLS_BEGIN

struct pool_head;

/* Kinds of faults that checks find; see Documentation/debugging. */
enum pool_fault {
	POOL_FAULT_WRITTEN,		/* an object was written while it was free */
	POOL_FAULT_OVERFLOW,		/* bytes after an object's end were written */
	POOL_FAULT_UNDERFLOW,		/* bytes before an object were written */
	POOL_FAULT_DOUBLE_FREE,
	POOL_FAULT_FOREIGN,		/* freed, but no object of any pool */
	POOL_FAULT_INTERIOR,		/* freed, but points into an object */
	POOL_FAULT_WRONG_POOL,		/* freed, but another pool's object */
	POOL_FAULT_DESTROYED,		/* a call with a pool that was destroyed */
	POOL_FAULT_ELSEWHERE,		/* an object was freed by kfree() or free() */
	POOL_FAULT_KINDS,
};

/* Room for kinds to come. */
#define POOL_FAULT_MAX		12

/**
 * struct pool_stats - one pool's numbers, all 64 bits wide
 * @size: bytes of this struct that the library has filled in.
 * @allocated: objects that came from the backend: used + cached + shared.
 * @used: objects neither cached nor shared: in use, parked, reserved, quarantined or
 *	abandoned.
 * @cached: objects in hot arrays and local clusters, and those moving from
 *	one of them.
 * @shared: objects in the shared pool.
 * @parked: counted in @used: freed, but kept until a later call can release them.
 * @reserved: counted in @used: in reserves, see pool_reserve().
 * @quarantined: counted in @used: found corrupted, never allocated again.
 * @abandoned: counted in @used: lost by the child of a fork(), at most this many (see
 *	Documentation/contexts), or freed by kfree() or free().  Destroying a pool does not wait
 *	for them.
 * @moving: moving to the shared pool or the backend: counted in @cached if they leave a
 *	CPU, else in @used.
 * @limit: most objects that @allocated may reach; 0: no limit.
 * @min_avail: spare objects that the shared pool keeps, except at a pool_flush().
 * @need: how many of @allocated were needed lately, see Documentation/amounts.
 * @fills: hot arrays filled from a cluster.
 * @spills: hot arrays spilled into a cluster.
 * @evictions: clusters that left a CPU: for its byte bound, by age, or by pool_shrink().
 * @gets: times that the shared pool gave objects.
 * @get_objs: objects that it gave.
 * @puts: times that the shared pool received objects.
 * @put_objs: objects that it received.
 * @nested: calls that interrupted another one of this pool on their CPU.
 * @store_gets: objects that the backend gave.
 * @store_puts: objects that it received back.
 * @failed: allocations that returned NULL because the backend had nothing, or because the call
 *	may not ask it.
 * @refused: allocations that returned NULL because of @limit.
 * @injected: allocations that returned NULL because a failure was injected.
 * @allocs: allocations that were counted while the pool had the option memstats.
 * @id: serial number of the pool, never used again.
 * @object_size: bytes of an object.
 * @alignment: bytes that objects are aligned to.
 * @registrations: calls of create_pool() that this pool serves.
 * @name: its name, cut to POOL_NAME_LEN bytes.
 * @faults: how often each kind of enum pool_fault was found.
 *
 * Pools count in machine words: on 32-bit machines counts of events wrap at 2^32.  Members may be
 * added at the end; see pool_stats_get().  The sums are exact when the pool is quiet.
 */
struct pool_stats {
	unsigned long long size;
	unsigned long long allocated;
	unsigned long long used;
	unsigned long long cached;
	unsigned long long shared;
	unsigned long long parked;
	unsigned long long reserved;
	unsigned long long quarantined;
	unsigned long long abandoned;
	unsigned long long moving;
	unsigned long long limit;
	unsigned long long min_avail;
	unsigned long long need;
	unsigned long long fills;
	unsigned long long spills;
	unsigned long long evictions;
	unsigned long long gets;
	unsigned long long get_objs;
	unsigned long long puts;
	unsigned long long put_objs;
	unsigned long long nested;
	unsigned long long store_gets;
	unsigned long long store_puts;
	unsigned long long failed;
	unsigned long long refused;
	unsigned long long injected;
	unsigned long long allocs;
	unsigned long long id;
	unsigned int object_size;
	unsigned int alignment;
	unsigned int registrations;
	char name[16];
	unsigned long long faults[POOL_FAULT_MAX];
};

/**
 * pool_stats_get() - Read a pool's numbers.
 * @pool: the pool.
 * @stats: filled in, as far as @size goes.
 * @size: sizeof(struct pool_stats) of the caller's header.  Members that a newer
 *	header has and this library does not are set to 0.
 *
 * Reading does not delay other calls.  Objects that move from one layer to the next meanwhile may
 * be missed, or counted twice.  Counts of events never fall from one reading to the next, even if
 * a thread ends or a CPU goes offline.
 *
 * Context: Any.
 */
void pool_stats_get(struct pool_head *pool, struct pool_stats *stats, size_t size);

/**
 * pool_for_each() - Call a function for every pool, oldest first.
 * @fn: the function; it must not create or destroy pools.  It may throw an exception, be
 *	cancelled or end its thread, which unpins the pool, or fork, and then the walk continues in
 *	the child, too.  With musl it may neither be cancelled nor end its thread.  It must not
 *	leave by longjmp(), because the pool would stay pinned, and pool_destroy() never return.
 * @arg: for it.
 *
 * Context: Process context or a plain thread; may sleep, and so may @fn.
 */
void pool_for_each(void (*fn)(struct pool_head *pool, void *arg), void *arg);

/**
 * pool_total_failures() - Count the failed allocations of all pools.
 *
 * Context: Process context or a plain thread.
 * Return: the sum of failures of the backend, refusals by a limit and injected
 * failures: an indicator, at most INT_MAX.
 */
int pool_total_failures(void);

/**
 * pool_total_allocated() - Count the bytes of all objects that came from backends.
 *
 * Context: Process context or a plain thread.
 * Return: the number, an indicator.
 */
unsigned long long pool_total_allocated(void);

/**
 * pool_total_used() - Count the bytes in use or in CPU-local caches, of all pools.
 *
 * Context: Process context or a plain thread.
 * Return: the number, an indicator.  As documented, objects in caches count as used
 * here, and only here.
 */
unsigned long long pool_total_used(void);

/**
 * dump_pools_to_buf() - Write the state of pools into a buffer.
 * @buf: always terminated if @size is not 0; may be NULL if it is.
 * @size: its bytes.
 * @options: words, separated by spaces; NULL or "": a table of all pools in
 *	order of creation.  If words contradict each other the last one wins.
 *
 *	table, raw, json, prometheus
 *		The format: a table for people (the default), which may change;
 *		a table for programs, of all columns and with a version; JSON,
 *		with the columns of raw as keys; the text that Prometheus reads.
 *	byname, bysize, byusage
 *		The order: of names; largest objects first; most bytes
 *		allocated first, without pools that have none.
 *	match <prefix>
 *		Only pools whose names, as stored or as raw shows them,
 *		begin with it.
 *	<count>
 *		At most this many pools, 1 to INT_MAX.
 *	detailed
 *		With each creation that a pool serves; no effect on prometheus.
 *
 * All numbers of a pool are of one moment.  Totals are of all pools that match (with
 * byusage: and have objects), even where fewer are shown.  If a text does not fit, it has
 * as many whole lines (JSON: whole pools) as fit, then a line "truncated" (JSON:
 * "truncated":true; Prometheus: a comment) and the totals.  JSON is always valid.  Where
 * not even that fits, the text is empty.
 *
 * Allocates nothing, and does not delay the pools' users.  Dumps wait for one another.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: the bytes of the whole text without the terminator, at most INT_MAX: as with
 * snprintf(), the text is whole if that is less than @size.  -1, one line in the
 * log that names the wrong word and lists the right ones, and an empty text, when
 * @options are wrong.
 */
int dump_pools_to_buf(char *buf, size_t size, const char *options);

/**
 * dump_pools_to_trash() - Write the table for people to the text of pool_trash().
 *
 * A table of more than 16 KiB is truncated, as by dump_pools_to_buf().
 *
 * Context: Process context or a plain thread; may sleep.
 */
void dump_pools_to_trash(void);

/**
 * pool_trash() - Return the text that dump_pools_to_trash() wrote last.
 *
 * Context: Any; the caller must make sure that dump_pools_to_trash() is not called while it reads
 * the text.
 * Return: the text; empty before the first call.
 */
const char *pool_trash(void);

/**
 * dump_pools() - Write the table for people to stderr (kernel: the log).
 *
 * The table has any length.  If memory is short, it is cut to the size of the trash, whose text is
 * overwritten.  No other call waits while the table is written.  In a program the thread may be
 * cancelled meanwhile: see also pool_set_log().
 *
 * Context: Process context or a plain thread; may sleep.
 */
void dump_pools(void);

#ifndef __KERNEL__

/**
 * pool_sigquit_start() - Make SIGQUIT dump the pools and collect.
 *
 * Starts a thread that calls dump_pools() and pool_gc() at each SIGQUIT, as
 * documented; the handler itself only wakes it.  The thread blocks
 * all signals.  A forked child has SIGQUIT as it was before, and may call this to
 * have a thread of its own.
 *
 * Context: A plain thread.
 * Return: true, also if SIGQUIT did so already.  False, and one line in the log,
 * if SIGQUIT has a handler or no thread can be started.
 */
bool pool_sigquit_start(void);

/**
 * pool_sigquit_stop() - Restore the action that SIGQUIT had before.
 *
 * Waits for a dump under way.  No-op if nothing was started.  A
 * handler that the program has set meanwhile stays.
 *
 * Context: A plain thread.
 */
void pool_sigquit_stop(void);

/**
 * pool_ctl_start() - Offer the pools on a UNIX socket, for the tool poolctl.
 * @path: the socket's; "%p" in it becomes the process's id.  A socket without a server,
 *	which a program has left there, is replaced.
 *
 * LIBPOOL_OPTIONS=ctl=PATH calls this before main().  Starts a thread that answers one
 * client at a time, for two seconds at most.  The socket's mode is 0600, and only root and the
 * program's effective user get answers.  The thread blocks all signals.  A forked child
 * has no such thread, and may start one at another path.
 *
 * Context: A plain thread.
 * Return: true.  False, with errno and one line in the log: EADDRINUSE: something is at
 * @path; ENAMETOOLONG; EALREADY: it was started before, and goes on as it was; and others.
 */
bool pool_ctl_start(const char *path);

/**
 * pool_ctl_stop() - Close and remove that socket, and wait for its thread.
 *
 * No-op if there is none.
 *
 * Context: A plain thread.
 */
void pool_ctl_stop(void);

#endif

POOL_DECLS_END

#endif /* LIBPOOL_POOL_STATS_H */
