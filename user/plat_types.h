/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plat_types.h - the seam's types, user space
 *
 * Layer:   seam; twin of kernel/plat_types.h.
 * Context: none, types only.
 */
#ifndef POOL_PLAT_TYPES_H
#define POOL_PLAT_TYPES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Yields until who is descheduled with a lock held has run: some milliseconds. */
#define PLAT_LAST_TRIES	4096

/* 2 GiB, as documented: sizes are counted in unsigned int, rounded up. */
#define PLAT_SIZE_MAX	(1u << 31)

/* A checked program dies of a fault, as documented. */
#define PLAT_POLICY	POOL_POLICY_ABORT

/* A word that many CPUs change. */
typedef unsigned long plat_word_t;

/* The CPU lock: 0: free, or the holder's thread id, and a mark while it is waited for. */
typedef unsigned int plat_lock_t;

/* Nothing needs to be kept while a bucket is BUSY: signals stay enabled. */
typedef struct plat_irq {
	char unused;
} plat_irq_t;

/*
 * Slabs are the source of objects, or malloc(), or mmap(); they need to know what
 * they are like.
 */
struct slab_class;

typedef struct plat_backend {
	unsigned int size;
	unsigned int align;	/* 0: as malloc() does it */
	unsigned int told;	/* its serial number to tools; 0: not told */
	struct slab_class *slabs;	/* from slab.c, as long as it has some */
	bool guarded;		/* from guard.c */
} plat_backend_t;

/* Single pools are not listed anywhere. */
typedef struct plat_view {
	char unused;
} plat_view_t;

#endif /* POOL_PLAT_TYPES_H */
