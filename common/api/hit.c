// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * hit.c - the hit path for callers that do not inline it
 *
 * Layer:   API -> hot array, and alloc.c where there is no hit
 * Context: any, as documented in pool.h.
 */
#include "seam/plat.h"

/*
 * Align a function to a cache line of code.  A hit of pool_alloc() or pool_free() in a program fits
 * into one line.  Unaligned, it may cross a line, which costs up to 25 %, and whether it does
 * depends on any code before it.  Other machines, kernels and calls have longer hits, to which this
 * does no harm.
 */
#define BEGINS_LINE	__attribute__((aligned(64)))

BEGINS_LINE
void *__pool_alloc(struct pool_head *head, unsigned int flags)
{
	return pool_alloc_inline(head, flags);
}

BEGINS_LINE
void *pool_alloc(struct pool_head *head)
{
	return pool_alloc_inline(head, 0);
}

BEGINS_LINE
void *pool_zalloc(struct pool_head *head)
{
	return pool_alloc_inline(head, POOL_F_MUST_ZERO);
}

BEGINS_LINE
void __pool_free(struct pool_head *head, void *obj, unsigned int flags)
{
	pool_free_inline(head, obj, flags);
}

BEGINS_LINE
void pool_free(struct pool_head *head, void *obj)
{
	pool_free_inline(head, obj, 0);
}
