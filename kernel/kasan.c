// SPDX-License-Identifier: GPL-2.0-only
/*
 * kasan.c - poison free objects of pools with the option "tools" in KASAN's shadow
 *
 * Layer:   seam; generic KASAN only.
 * Context: any, NMI too.
 *
 * KASAN's shadow has a byte for each 8 bytes of memory, which says how many of these may be
 * accessed, or why none may.  This file writes it, because kasan_mempool_poison_object() is for
 * built-in code only, and saves the stack of the free in the object, where it would overwrite the
 * constructor's work.  The file is compiled without KASAN's checks.
 */
#include "seam/plat.h"

#include <linux/kasan.h>
#include <linux/kfence.h>
#include <linux/mm.h>
#include <linux/string.h>

#define GRANULE		BIT(KASAN_SHADOW_SCALE_SHIFT)

/* Shadow bytes, as in mm/kasan/kasan.h, for reports of use-after-free and out-of-bounds. */
#define FREED		0xfb
#define BEHIND		0xfc

/* Allow accesses to @size bytes, and to those before @p in its granule of 8 bytes. */
static void show(void *p, unsigned int size)
{
	u8 *shadow = kasan_mem_to_shadow(p);

	size += (unsigned long)p % GRANULE;
	memset(shadow, 0, size / GRANULE);
	if (size % GRANULE)
		shadow[size / GRANULE] = size % GRANULE;
}

static void hide(void *p, unsigned int size, u8 why)
{
	memset(kasan_mem_to_shadow(p), why, DIV_ROUND_UP(size, GRANULE));
}

static void used(const struct pool *pool, void *obj, unsigned int total)
{
	hide(obj, total, BEHIND);
	show(obj, pool->head.size);
}

/*
 * Poison or unpoison an object for KASAN, by its state @what.  Skips guarded objects, which are
 * unmapped when they are free, and objects on pages of KFENCE, which KASAN does not watch.
 */
void pool_kasan_annotate(const struct pool *pool, void *p, unsigned int size,
			 enum plat_annotation what)
{
	if (!kasan_enabled() || is_vmalloc_addr(p) || is_kfence_address(p) ||
	    what == PLAT_KEPT)
		return;
	if (what == PLAT_USED)
		used(pool, p, size);
	else if (what == PLAT_HIDDEN)
		hide(p, size, FREED);
	else
		show(p, size);
}
