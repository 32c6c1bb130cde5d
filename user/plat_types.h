/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plat_types.h - the seam's types, user space
 *
 * Layer:   seam; twin of kernel/plat_types.h.
 * Context: none, types only.
 */
#ifndef POOL_PLAT_TYPES_H
#define POOL_PLAT_TYPES_H

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* This many yields, some milliseconds, let a descheduled lock holder run. */
#define PLAT_LAST_TRIES	4096

/* 2 GiB, as documented, because sizes, rounded up, are counted in unsigned int. */
#define PLAT_SIZE_MAX	(1u << 31)

/* All flags but those that only the kernel has. */
#define PLAT_MEM_FLAGS	(MEM_F_SHARED | MEM_F_EXACT | MEM_F_UAF)

/* By default a fault ends a program, as documented. */
#define PLAT_POLICY	POOL_POLICY_ABORT

/*
 * The CPU lock, which protects a CPU's lists, charge and stash: 0 if it is free, else the holder's
 * thread id, with FUTEX_WAITERS if a thread waits.  Lock order: after an array that is held; before
 * a bucket.
 */
struct plat_lock {
	unsigned int holder;
};

/* While a bucket is BUSY signals stay enabled, but no thread is cancelled asynchronously. */
struct plat_irq {
	int cancel_type;
};

/* The source of a pool's objects: slabs, malloc() or mmap(), as these members say. */
struct slab_class;

struct plat_backend {
	unsigned int size;
	unsigned int align;	/* 0: malloc() aligns enough */
	unsigned long long tool_id;	/* identifies the source to tools; 0: none watches it */
	struct slab_class *slabs;	/* class of its objects: slab.c; NULL: malloc() has them */
	bool guarded;		/* objects are from guard.c */
	unsigned char lent;	/* its mark, if its slabs have marks; or 0: lent.c */
};

/* Where the parts of a pool are. */
struct plat_view {
	unsigned int part;	/* number of the pool's part in each area: area.c; 0: none */
};

#endif /* POOL_PLAT_TYPES_H */
