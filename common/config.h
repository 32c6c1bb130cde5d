/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * config.h - build options: the document's defines and what they set
 *
 * Layer:   none; the one place that reads build defines.
 * Context: compile time.
 *
 *   define (document, section 6)     synonym                 effect
 *   DEBUG_NO_POOLS                   POOL_NO_CACHE           mode no-cache
 *   DEBUG_DONT_SHARE_POOLS           POOL_NO_MERGE           only equal names merge
 *   CONFIG_HAP_GLOBAL_POOLS          POOL_GLOBAL             mode global
 *   CONFIG_HAP_NO_GLOBAL_POOLS       POOL_NO_GLOBAL          mode no-global
 *   CONFIG_HAP_POOL_CACHE_SIZE=n     POOL_CACHE_SIZE=n       bound in bytes
 *   CONFIG_HAP_POOL_CLUSTER_SIZE=n   POOL_CLUSTER_SIZE=n     objects, 1-64
 *
 *                                    POOL_SIZE_ROUND=n       sizes: multiples of n
 *
 * Test builds also set POOL_BUCKETS, POOL_HOT_MAX and POOL_FAIL_EVERY.
 */
#ifndef POOL_CONFIG_H
#define POOL_CONFIG_H

#if defined(DEBUG_NO_POOLS) && !defined(POOL_NO_CACHE)
#define POOL_NO_CACHE
#endif
#if defined(DEBUG_DONT_SHARE_POOLS) && !defined(POOL_NO_MERGE)
#define POOL_NO_MERGE
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

#if defined(CONFIG_HAP_POOL_CACHE_SIZE) && defined(POOL_CACHE_SIZE) && \
	CONFIG_HAP_POOL_CACHE_SIZE + 0 != POOL_CACHE_SIZE + 0
#error "CONFIG_HAP_POOL_CACHE_SIZE and POOL_CACHE_SIZE contradict"
#endif
#if defined(CONFIG_HAP_POOL_CLUSTER_SIZE) && defined(POOL_CLUSTER_SIZE) && \
	CONFIG_HAP_POOL_CLUSTER_SIZE + 0 != POOL_CLUSTER_SIZE + 0
#error "CONFIG_HAP_POOL_CLUSTER_SIZE and POOL_CLUSTER_SIZE contradict"
#endif

#if defined(DEBUG_MEMORY_POOLS) || defined(DEBUG_FAIL_ALLOC) || \
	defined(DEBUG_UAF) || defined(DEBUG_POOL_INTEGRITY) || \
	defined(DEBUG_POOL_TRACING) || defined(DEBUG_MEM_STATS)
#error "this version has no DEBUG_* but NO_POOLS and DONT_SHARE_POOLS"
#endif

/* Bytes a CPU may cache: the document's default, a core's L2 cache. */
#if !defined(POOL_CACHE_SIZE) && defined(CONFIG_HAP_POOL_CACHE_SIZE)
#define POOL_CACHE_SIZE		CONFIG_HAP_POOL_CACHE_SIZE
#elif !defined(POOL_CACHE_SIZE)
#define POOL_CACHE_SIZE		524288
#endif

/* Objects a cluster holds: see Documentation/design for why not 8. */
#if !defined(POOL_CLUSTER_SIZE) && defined(CONFIG_HAP_POOL_CLUSTER_SIZE)
#define POOL_CLUSTER_SIZE	CONFIG_HAP_POOL_CLUSTER_SIZE
#elif !defined(POOL_CLUSTER_SIZE)
#define POOL_CLUSTER_SIZE	32
#endif

/* Bytes that pool_set_hot_size() accepts at most. */
#define POOL_CACHE_SIZE_MAX	1073741824ul

#if POOL_CLUSTER_SIZE < 1 || POOL_CLUSTER_SIZE > 64
#error "POOL_CLUSTER_SIZE: 1 to 64"
#endif
#if POOL_CACHE_SIZE < 0 || POOL_CACHE_SIZE > (1 << 30)
#error "POOL_CACHE_SIZE: 0 to 1 GiB"
#endif

/*
 * What sizes are rounded up to: two pointers.  The document's four made room
 * for links in free objects, which there are none of here.
 */
#ifndef POOL_SIZE_ROUND
#define POOL_SIZE_ROUND		(2 * (unsigned int)sizeof(void *))
#endif

/* Buckets of a shared pool; 0: as many as there are CPUs; a bit of a word each. */
#ifndef POOL_BUCKETS
#define POOL_BUCKETS		0
#endif
#define POOL_BUCKETS_MAX	((unsigned int)sizeof(long) * 8)

/* Largest hot array; hostile builds make it tiny. */
#ifndef POOL_HOT_MAX
#define POOL_HOT_MAX		POOL_HOT_SLOTS
#endif

/* Every k-th backend call fails in hostile builds; 0: none. */
#ifndef POOL_FAIL_EVERY
#define POOL_FAIL_EVERY		0
#endif

/* The option word of pools, unless they are told otherwise. */
#if defined(POOL_NO_CACHE)
#define POOL_DEFAULT_NO_CACHE	POOL_D_NO_CACHE
#else
#define POOL_DEFAULT_NO_CACHE	0u
#endif
#if defined(POOL_NO_GLOBAL)
#define POOL_DEFAULT_NO_GLOBAL	POOL_D_NO_GLOBAL
#else
#define POOL_DEFAULT_NO_GLOBAL	0u
#endif
#if defined(POOL_NO_MERGE)
#define POOL_DEFAULT_NO_MERGE	POOL_D_NO_MERGE
#else
#define POOL_DEFAULT_NO_MERGE	0u
#endif

#define POOL_DEBUG_DEFAULT	(POOL_DEFAULT_NO_CACHE | POOL_DEFAULT_NO_GLOBAL | \
				 POOL_DEFAULT_NO_MERGE)

/* What objects are aligned to at least. */
#define POOL_ALIGN_MIN		(2 * (unsigned int)sizeof(void *))

#endif /* POOL_CONFIG_H */
