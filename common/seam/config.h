/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * config.h - build options: the document's defines and what they set
 *
 * Layer:   none; the one place that reads build defines.
 * Context: compile time.
 *
 *   define (document, section 6)     synonym                 effect
 *   DEBUG_NO_POOLS                   POOL_NO_CACHE           mode no-cache
 *   DEBUG_MEMORY_POOLS               POOL_TAG                tag
 *   DEBUG_FAIL_ALLOC                 POOL_FAIL               fail, of 0 percent
 *   DEBUG_DONT_SHARE_POOLS           POOL_NO_MERGE           only equal names merge
 *   DEBUG_UAF                        POOL_UAF                uaf, no-cache
 *   DEBUG_POOL_INTEGRITY             POOL_INTEGRITY          cold-first, integrity
 *   DEBUG_POOL_TRACING               POOL_CALLER             caller
 *   DEBUG_MEM_STATS                                          for programs; memstats
 *                                                            in mode no-cache
 *   CONFIG_HAP_GLOBAL_POOLS          POOL_GLOBAL             mode global
 *   CONFIG_HAP_NO_GLOBAL_POOLS       POOL_NO_GLOBAL          mode no-global
 *   CONFIG_HAP_POOL_CACHE_SIZE=n     POOL_CACHE_SIZE=n       bound in bytes
 *   CONFIG_HAP_POOL_CLUSTER_SIZE=n   POOL_CLUSTER_SIZE=n     objects, 1-64
 *
 *                                    POOL_SIZE_ROUND=n       sizes: multiples of n
 *                                    POOL_SLAB_MAX=n         user space: see below
 *
 * Test builds also set POOL_BUCKETS, POOL_HOT_MAX, POOL_HOT_LEAST, POOL_LIMIT_SLOTS(),
 * POOL_LOOK_EVERY and POOL_FAIL_EVERY, and POOL_TWO_STORES: pool_hot.h.
 */
#ifndef POOL_CONFIG_H
#define POOL_CONFIG_H

#if defined(DEBUG_NO_POOLS) && !defined(POOL_NO_CACHE)
#define POOL_NO_CACHE
#endif
#if defined(DEBUG_MEMORY_POOLS) && !defined(POOL_TAG)
#define POOL_TAG
#endif
#if defined(DEBUG_FAIL_ALLOC) && !defined(POOL_FAIL)
#define POOL_FAIL
#endif
#if defined(DEBUG_DONT_SHARE_POOLS) && !defined(POOL_NO_MERGE)
#define POOL_NO_MERGE
#endif
#if defined(DEBUG_UAF) && !defined(POOL_UAF)
#define POOL_UAF
#endif
#if defined(DEBUG_POOL_INTEGRITY) && !defined(POOL_INTEGRITY)
#define POOL_INTEGRITY
#endif
#if defined(DEBUG_POOL_TRACING) && !defined(POOL_CALLER)
#define POOL_CALLER
#endif
#if defined(CONFIG_HAP_GLOBAL_POOLS) && !defined(POOL_GLOBAL)
#define POOL_GLOBAL
#endif
#if defined(CONFIG_HAP_NO_GLOBAL_POOLS) && !defined(POOL_NO_GLOBAL)
#define POOL_NO_GLOBAL
#endif

#if defined(POOL_GLOBAL) && defined(POOL_NO_GLOBAL)
#error "CONFIG_HAP_GLOBAL_POOLS and CONFIG_HAP_NO_GLOBAL_POOLS contradict"
#endif
#if defined(POOL_GLOBAL) && defined(POOL_NO_CACHE)
#error "CONFIG_HAP_GLOBAL_POOLS and DEBUG_NO_POOLS contradict"
#endif
#if defined(POOL_GLOBAL) && defined(POOL_UAF)
#error "CONFIG_HAP_GLOBAL_POOLS and DEBUG_UAF contradict"
#endif

#if defined(CONFIG_HAP_POOL_CACHE_SIZE) && defined(POOL_CACHE_SIZE) && \
	CONFIG_HAP_POOL_CACHE_SIZE + 0 != POOL_CACHE_SIZE + 0
#error "CONFIG_HAP_POOL_CACHE_SIZE and POOL_CACHE_SIZE contradict"
#endif
#if defined(CONFIG_HAP_POOL_CLUSTER_SIZE) && defined(POOL_CLUSTER_SIZE) && \
	CONFIG_HAP_POOL_CLUSTER_SIZE + 0 != POOL_CLUSTER_SIZE + 0
#error "CONFIG_HAP_POOL_CLUSTER_SIZE and POOL_CLUSTER_SIZE contradict"
#endif

/* Bytes that a CPU may cache: the document's default, a core's L2 cache. */
#if !defined(POOL_CACHE_SIZE) && defined(CONFIG_HAP_POOL_CACHE_SIZE)
#define POOL_CACHE_SIZE		CONFIG_HAP_POOL_CACHE_SIZE
#elif !defined(POOL_CACHE_SIZE)
#define POOL_CACHE_SIZE		524288
#endif

/* Objects in a full cluster: see Documentation/decisions for why not 8. */
#if !defined(POOL_CLUSTER_SIZE) && defined(CONFIG_HAP_POOL_CLUSTER_SIZE)
#define POOL_CLUSTER_SIZE	CONFIG_HAP_POOL_CLUSTER_SIZE
#elif !defined(POOL_CLUSTER_SIZE)
#define POOL_CLUSTER_SIZE	64
#endif

/*
 * Bytes that all shared pools may have together, beside a fraction of what their users have:
 * need.c.  For objects larger than POOL_SHARED_LARGE the bound grows with their size, up to four
 * times of it, because getting one back costs page faults or a call of malloc().
 */
#define POOL_SHARED_MOST	(16ul << 20)
#define POOL_SHARED_LARGE	2048

/* A pool updates the sum over all shared pools when its own bytes have changed by this much. */
#define POOL_NOTE_STEP		65536ul

/* The most bytes that pool_set_hot_size() accepts. */
#define POOL_CACHE_SIZE_MAX	1073741824ul

#if POOL_CLUSTER_SIZE < 1 || POOL_CLUSTER_SIZE > 64
#error "POOL_CLUSTER_SIZE: 1 to 64"
#endif
#if POOL_CACHE_SIZE < 0 || POOL_CACHE_SIZE > (1 << 30)
#error "POOL_CACHE_SIZE: 0 to 1 GiB"
#endif

/*
 * Sizes are rounded up to a multiple of this: two pointers.  The document has four, to
 * make room for links in free objects.  Here free objects have no links.
 */
#ifndef POOL_SIZE_ROUND
#define POOL_SIZE_ROUND		(2 * (unsigned int)sizeof(void *))
#endif

/* User space: the largest object that comes from slabs, not malloc(); 0: all use malloc(). */
#ifndef POOL_SLAB_MAX
#define POOL_SLAB_MAX		65536
#endif
#if POOL_SLAB_MAX < 0 || POOL_SLAB_MAX > 65536
#error "POOL_SLAB_MAX is 0 to 65536"
#endif

/* Buckets of a shared pool; 0: one per CPU.  "filled" has a bit for each. */
#ifndef POOL_BUCKETS
#define POOL_BUCKETS		0
#endif
#define POOL_BUCKETS_MAX	((unsigned int)sizeof(long) * 8)

/* Most slots of a hot array; hostile builds have few. */
#ifndef POOL_HOT_MAX
#define POOL_HOT_MAX		POOL_HOT_SLOTS
#elif POOL_HOT_MAX > POOL_HOT_SLOTS
#error "POOL_HOT_MAX: at most POOL_HOT_SLOTS"
#endif

/* A pool has no array if fewer slots than this fit a hot array's share of the bound. */
#ifndef POOL_HOT_LEAST
#define POOL_HOT_LEAST		1
#endif

/* Slots of all arrays of a pool with a limit: below a 16th, since other CPUs cannot reach them. */
#ifndef POOL_LIMIT_SLOTS
#define POOL_LIMIT_SLOTS(limit)	(((limit) - 1) / 16)
#endif

/* Milliseconds after which the oldest waiter looks again: alloc.c; in the enumerator never. */
#ifndef POOL_LOOK_EVERY
#define POOL_LOOK_EVERY		100
#endif

/* Hostile builds: every n-th backend call fails; 0: none. */
#ifndef POOL_FAIL_EVERY
#define POOL_FAIL_EVERY		0
#endif

/* Bytes of addresses that freed guarded objects block before they are used again. */
#ifndef POOL_UAF_KEEP
#define POOL_UAF_KEEP		(64ul << 20)
#endif

/* The option bits that new pools have by default. */
#if defined(POOL_NO_CACHE)
#define POOL_DEFAULT_NO_CACHE		POOL_D_NO_CACHE
#else
#define POOL_DEFAULT_NO_CACHE		0u
#endif
#if defined(POOL_NO_GLOBAL)
#define POOL_DEFAULT_NO_GLOBAL		POOL_D_NO_GLOBAL
#else
#define POOL_DEFAULT_NO_GLOBAL		0u
#endif
#if defined(POOL_NO_MERGE)
#define POOL_DEFAULT_NO_MERGE		POOL_D_NO_MERGE
#else
#define POOL_DEFAULT_NO_MERGE		0u
#endif
#if defined(POOL_TAG)
#define POOL_DEFAULT_TAG		POOL_D_TAG
#else
#define POOL_DEFAULT_TAG		0u
#endif
#if defined(POOL_FAIL)
#define POOL_DEFAULT_FAIL		POOL_D_FAIL
#else
#define POOL_DEFAULT_FAIL		0u
#endif
#if defined(POOL_UAF)
#define POOL_DEFAULT_UAF		(POOL_D_UAF | POOL_D_NO_CACHE)
#else
#define POOL_DEFAULT_UAF		0u
#endif
#if defined(POOL_INTEGRITY)
#define POOL_DEFAULT_INTEGRITY		(POOL_D_COLD_FIRST | POOL_D_INTEGRITY)
#else
#define POOL_DEFAULT_INTEGRITY		0u
#endif
#if defined(POOL_CALLER)
#define POOL_DEFAULT_CALLER		POOL_D_CALLER
#else
#define POOL_DEFAULT_CALLER		0u
#endif

#define POOL_DEBUG_DEFAULT	(POOL_DEFAULT_NO_CACHE | POOL_DEFAULT_NO_GLOBAL | \
				 POOL_DEFAULT_NO_MERGE | POOL_DEFAULT_TAG | \
				 POOL_DEFAULT_FAIL | POOL_DEFAULT_UAF | \
				 POOL_DEFAULT_INTEGRITY | POOL_DEFAULT_CALLER)

/* True if pools count calls also in mode no-cache. */
#if defined(DEBUG_MEM_STATS)
#define POOL_MEM_STATS		true
#else
#define POOL_MEM_STATS		false
#endif

/* Objects are aligned to this at least. */
#define POOL_ALIGN_MIN		(2 * (unsigned int)sizeof(void *))

#endif /* POOL_CONFIG_H */
