// SPDX-License-Identifier: GPL-2.0-only
/*
 * tools.c - report objects of pools with the option "tools" to KASAN, KMSAN and kmemleak
 *
 * Layer:   seam.
 * Context: as plat_annotate(): any; outside of hot sections, no lock held.
 *
 *   tool       an object goes to a user       it is freed to a cache
 *   KASAN      may be touched, to its end     may not be touched
 *   KMSAN      has not been written           has not been written
 *   kmemleak   belongs to this call's stack   -
 *
 * KMSAN and kmemleak save a stack, for which they may need memory and locks.  So they get reports
 * only where the slab may be called, too.  Elsewhere KMSAN counts the bytes of an object that goes
 * to a user as written, and kmemleak has the stack of an earlier owner.
 *
 * lockdep knows held arrays from pool_hot.h.
 */
#include "seam/plat.h"

#include <linux/kasan.h>
#include <linux/kmemleak.h>
#include <linux/kmsan-checks.h>
#include <linux/lockdep.h>
#include <linux/mm.h>

#ifdef CONFIG_LOCKDEP

static struct lock_class_key array_key;
struct lockdep_map pool_array_map =
	STATIC_LOCKDEP_MAP_INIT("pool_array", &array_key);

#endif

/*
 * pool_tools_options() - Return the options that the kernel's tools need, from the start on.
 *
 * As in programs under AddressSanitizer or valgrind, pools keep their caches, and the tool knows
 * which objects in them are free.  Only generic KASAN has a shadow that a module may write; where
 * memory has tags, each free must be one that KASAN sees.  kmemleak slows calls down, and kernels
 * have it for other users' leaks, so it gets reports only with the option "tools".
 *
 * Return: POOL_D_*.
 */
unsigned int pool_tools_options(void)
{
	if (kasan_enabled() && !IS_ENABLED(CONFIG_KASAN_GENERIC))
		return POOL_D_NO_CACHE;
	return kasan_enabled() || IS_ENABLED(CONFIG_KMSAN) ? POOL_D_TOOLS : 0;
}

/*
 * Poison an object for KMSAN, as unwritten.  Constructed objects stay as they are, as in the slab,
 * and guarded objects are unmapped when they are free.  Functions of pools that read the bytes of
 * objects are compiled without KMSAN's checks: see Kbuild.
 *
 * Where KMSAN may not save a stack, an object that goes to a user is unpoisoned, which needs no
 * stack and no lock.  Otherwise an NMI, whose memset() KMSAN does not see, could not unpoison an
 * object that was freed elsewhere.
 */
static void kmsan_annotate(const struct pool *pool, void *p, unsigned int size,
			   bool may_save, enum plat_annotation what)
{
	if (pool->head.constructed || is_vmalloc_addr(p))
		return;
	if (what == PLAT_USED && may_save)
		kmsan_poison_memory(p, pool->head.size, 0);
	else if (what == PLAT_USED)
		kmsan_unpoison_memory(p, pool->head.size);
	else if (what == PLAT_HIDDEN && may_save)
		kmsan_poison_memory(p, size, 0);
}

void pool_tools_annotate(const struct pool *pool, void *p, unsigned int size,
			 unsigned int flags, enum plat_annotation what)
{
	bool may_save = plat_may(PLAT_ALLOC, flags);

	if (IS_ENABLED(CONFIG_KASAN_GENERIC))
		pool_kasan_annotate(pool, p, size, what);
	if (IS_ENABLED(CONFIG_KMSAN))
		kmsan_annotate(pool, p, size, may_save, what);
	if (what == PLAT_USED && may_save)
		kmemleak_update_trace(p);
}
