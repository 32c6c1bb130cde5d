// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tool.c - annotate objects for the sanitizers and valgrind
 *
 * Layer:   seam, cold half.
 * Context: any, signal handlers too.
 *
 * What may touch the bytes of an object, and of what lies behind it (layout.c):
 *
 *                                 object      behind it
 *   the backend's, new            library     library
 *   in use      PLAT_USED         user        none
 *   given back  PLAT_BACK         library     library
 *   in a layer  PLAT_HIDDEN       none        none
 *   taken out   PLAT_SHOWN        library     library
 *
 * To valgrind an object in use is a block of a memory pool.  In its search for leaks this
 * block counts instead of the block of malloc() around it.  The source has a serial
 * number in valgrind, so that objects which are in use when it ends stay known, and
 * count as leaks.
 *
 * Nothing is annotated for ThreadSanitizer.  It does not see the atomics of a library that was
 * built without it, and would report a race for each object that a cache passed from one thread to
 * another.  So pools have no caches by default where it runs, and each object is a block of
 * malloc(), which ThreadSanitizer knows.
 */
#include "seam/plat.h"
#include "tool.h"

/* True under Memcheck; for valgrind's other tools this request only costs time. */
static bool have_memcheck(void)
{
	char byte = 0;

	return VALGRIND_MAKE_MEM_DEFINED(&byte, sizeof(byte));
}

static bool have_asan(void)
{
	return __asan_poison_memory_region && __asan_unpoison_memory_region;
}

/*
 * True if AddressSanitizer, LeakSanitizer or Valgrind's memcheck watch blocks of malloc().  Then
 * each object must be such a block, because their search for leaks follows pointers in these
 * blocks, not in slabs.
 */
bool tool_sees_blocks(void)
{
	return have_asan() || __lsan_ignore_object || have_memcheck();
}

static void *anchor(unsigned long long id)
{
	return (void *)(unsigned long)id;
}

/* Return the options, POOL_D_*, that the tools which watch this program need. */
unsigned int tool_options(void)
{
	if (have_asan() || have_memcheck())
		return POOL_D_TOOLS;
	return __tsan_init ? POOL_D_NO_CACHE : 0;
}

/* Announce the objects of a source. */
void tool_begin(unsigned long long id)
{
	VALGRIND_CREATE_MEMPOOL(anchor(id), 0, 0);
}

/* Announce that a source has no objects any more. */
void tool_end(unsigned long long id)
{
	VALGRIND_DESTROY_MEMPOOL(anchor(id));
}

static void show(void *p, unsigned int size)
{
	if (have_asan())
		__asan_unpoison_memory_region(p, size);
	(void)VALGRIND_MAKE_MEM_DEFINED(p, size);
}

static void hide(void *p, unsigned int size)
{
	if (have_asan())
		__asan_poison_memory_region(p, size);
	(void)VALGRIND_MAKE_MEM_NOACCESS(p, size);
}

/* Announce an object in use; only constructed objects are announced as written. */
static void used(const struct pool *pool, void *obj, unsigned int total)
{
	unsigned int size = pool->head.size;

	if (total > size)
		hide((char *)obj + size, total - size);
	VALGRIND_MEMPOOL_ALLOC(anchor(pool->backend.tool_id), obj, size);
	if (pool->head.constructed)
		(void)VALGRIND_MAKE_MEM_DEFINED(obj, size);
}

static void back(const struct pool *pool, void *obj, unsigned int total)
{
	VALGRIND_MEMPOOL_FREE(anchor(pool->backend.tool_id), obj);
	show(obj, total);
}

static void keep(void *obj)
{
	if (__lsan_ignore_object)
		__lsan_ignore_object(obj);
}

void tool_annotate(const struct pool *pool, void *p, unsigned int size,
		   enum plat_annotation what)
{
	switch (what) {
	case PLAT_USED:
		used(pool, p, size);
		break;
	case PLAT_BACK:
		back(pool, p, size);
		break;
	case PLAT_SHOWN:
		show(p, size);
		break;
	case PLAT_HIDDEN:
		hide(p, size);
		break;
	case PLAT_KEPT:
		keep(p);
		break;
	}
}

/* Register an area, which is not from malloc(), so that leak checkers follow its pointers. */
void tool_root(const void *p, size_t size)
{
	if (__lsan_register_root_region)
		__lsan_register_root_region(p, size);
}
