/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plat_types.h - the seam's types, for the schedule enumerator
 *
 * Layer:   seam; the third beside kernel/plat_types.h and user/plat_types.h.
 * Context: none, types only.
 */
#ifndef POOL_PLAT_TYPES_H
#define POOL_PLAT_TYPES_H

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * How often a call retries to get the last free object.  Each yield lets the other CPUs run until
 * they end, wait, or are preempted, so this must exceed the number of preemptions.
 */
#define PLAT_LAST_TRIES	12

#define PLAT_SIZE_MAX	4096u

/* All flags that are not the kernel's alone. */
#define PLAT_MEM_FLAGS	(MEM_F_SHARED | MEM_F_EXACT | MEM_F_UAF)

#define PLAT_POLICY	POOL_POLICY_ABORT

/* 0, or 1 more than the number of the fibre that holds it. */
struct plat_lock {
	unsigned int holder;
};

/* Nothing is masked, as in user space: handlers may interrupt anything. */
struct plat_irq {
	char unused;
};

struct plat_backend {
	unsigned int size;
	unsigned int live;	/* objects that were not given back */
};

struct plat_view {
	char unused;
};

#endif /* POOL_PLAT_TYPES_H */
