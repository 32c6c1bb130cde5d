// SPDX-License-Identifier: GPL-2.0-only
/*
 * tools.c - what the kernel's tools are told of objects of pools with the option "tools"
 *
 * Layer:   seam.
 * Context: as plat_tell(): any; neither guard nor lock held.
 *
 *   tool       an object goes to a user       it is freed to a cache
 *   KASAN      may be touched, to its end     may not be touched
 *   kmemleak   belongs to this call's stack   -
 *
 * kmemleak saves a stack, for which it may take memory and locks.  So it is told only where the
 * slab may be called, too.  Else it has the stack of an earlier owner.
 */
#include "plat.h"

#include <linux/kmemleak.h>

void pool_tools_tell(const struct pool *pool, void *p, unsigned int size,
		     unsigned int flags, enum plat_told what)
{
	if (IS_ENABLED(CONFIG_KASAN_GENERIC))
		pool_kasan_tell(pool, p, size, what);
	if (what == PLAT_USED && plat_may(PLAT_ALLOC, flags))
		kmemleak_update_trace(p);
}
