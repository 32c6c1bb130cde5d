/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * contended.h - how often CPUs meet inside of pool.ko
 *
 * Layer:   tests; included before each file of the modules, for tests/vm/contention.sh.
 * Context: any.
 *
 * A call that looks at a bucket and finds it BUSY is counted, and an exchange that was lost to
 * another CPU.  The seam's macros are replaced in this build only.  bench_kernel_contend.c
 * reads the counts.
 */
#ifndef CONTENDED_H
#define CONTENDED_H

#include <linux/types.h>

extern atomic_t contended_busy;	/* how often a bucket was BUSY */
extern atomic_t contended_lost;	/* how often plat_cmpxchg() failed */

/* Only files of pool.ko define this. */
#ifdef POOL_NO_INLINE

/*
 * The prefix of pool.ko's lines in the log, because this header is included before a file defines
 * it.
 */
#define pr_fmt(fmt) "pool: " fmt

#include "seam/plat.h"

/* Defined in one file, exports.c, for all. */
#ifdef POOL_TESTS
#include <linux/export.h>
atomic_t contended_busy;
EXPORT_SYMBOL_GPL(contended_busy);
atomic_t contended_lost;
EXPORT_SYMBOL_GPL(contended_lost);
#endif

#define contended_head(p)	\
	__builtin_types_compatible_p(typeof(*(p)), struct pool_cluster *)

/* Count a read that finds a bucket's head BUSY; no other pointer can be BUSY. */
#define contended_seen(p, value)						\
({										\
	typeof(value) seen = (value);						\
	if (contended_head(p) && (unsigned long)seen == (unsigned long)POOL_BUSY) \
		atomic_inc(&contended_busy);				\
	seen;									\
})

#undef plat_read
#undef plat_xchg_acquire
#undef plat_cmpxchg
#define plat_read(p)		contended_seen(p, READ_ONCE(*(p)))
#define plat_xchg_acquire(p, v)	contended_seen(p, xchg_acquire(p, v))
#define plat_cmpxchg(p, old, v)						\
({									\
	bool stored = try_cmpxchg(p, old, v);				\
	if (!stored)							\
		atomic_inc(&contended_lost);			\
	stored;								\
})

#endif /* POOL_NO_INLINE */

#endif /* CONTENDED_H */
