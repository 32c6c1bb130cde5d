// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tool.c - what the sanitizers and valgrind are told of objects
 *
 * Layer:   seam, cold half.
 * Context: any, signal handlers too.
 *
 * Who may touch the bytes of an object, and of what lies behind it (layout.c):
 *
 *                                 object      behind it
 *   the backend's, new            library     library
 *   in use      tool_alloc()      user        nobody
 *   given back  tool_free()       library     library
 *   in a layer  tool_hide()       nobody      nobody
 *   taken out   tool_show()       library     library
 *
 * Valgrind knows an object in use as a block of a memory pool, which counts for
 * its search for leaks instead of the block of malloc() around it.  A pool is
 * known to it by its serial number, so that objects that were in use when their
 * pool ended can stay known, and leak.
 *
 * ThreadSanitizer is told nothing.  It does not see the atomics of a library that was
 * built without it, so an object that went through a cache from one thread to another
 * would be a race.  So pools have no caches by default then, and each object is a
 * block of malloc(), which it knows.
 */
#include "plat.h"
#include "tool.h"

/* Of valgrind's tools Memcheck alone answers this request; others count time. */
static bool have_memcheck(void)
{
	char byte = 0;

	return VALGRIND_MAKE_MEM_DEFINED(&byte, sizeof(byte));
}

static bool have_asan(void)
{
	return __asan_poison_memory_region && __asan_unpoison_memory_region;
}

/**
 * tool_sees_blocks() - Does a tool watch blocks of malloc()?
 *
 * Then objects should be some, with whatever options: also a search for leaks goes
 * through these, and not through slabs.
 *
 * Return: whether it does.
 */
bool tool_sees_blocks(void)
{
	return have_asan() || __lsan_ignore_object || have_memcheck();
}

static void *anchor(const struct pool *pool)
{
	return (void *)(unsigned long)pool->id;
}

unsigned int plat_tool_options(void)
{
	if (have_asan() || have_memcheck())
		return POOL_D_TOOLS;
	return __tsan_init ? POOL_D_NO_CACHE : 0;
}

void plat_tool_begin(const struct pool *pool)
{
	if (pool->debug & POOL_D_TOOLS)
		VALGRIND_CREATE_MEMPOOL(anchor(pool), 0, 0);
}

void plat_tool_end(const struct pool *pool, unsigned long lost)
{
	if ((pool->debug & POOL_D_TOOLS) && !lost)
		VALGRIND_DESTROY_MEMPOOL(anchor(pool));
}

void tool_show(void *p, unsigned int size)
{
	if (have_asan())
		__asan_unpoison_memory_region(p, size);
	(void)VALGRIND_MAKE_MEM_DEFINED(p, size);
}

void tool_hide(void *p, unsigned int size)
{
	if (have_asan())
		__asan_poison_memory_region(p, size);
	(void)VALGRIND_MAKE_MEM_NOACCESS(p, size);
}

/* Valgrind takes an object for written to when it was constructed only. */
void tool_alloc(const struct pool *pool, void *obj, unsigned int total)
{
	unsigned int size = pool->head.size;

	if (total > size)
		tool_hide((char *)obj + size, total - size);
	VALGRIND_MEMPOOL_ALLOC(anchor(pool), obj, size);
	if (pool->head.constructed)
		(void)VALGRIND_MAKE_MEM_DEFINED(obj, size);
}

void tool_free(const struct pool *pool, void *obj, unsigned int total)
{
	VALGRIND_MEMPOOL_FREE(anchor(pool), obj);
	tool_show(obj, total);
}

void tool_keep(void *obj)
{
	if (__lsan_ignore_object)
		__lsan_ignore_object(obj);
}

/* Areas are no malloc(): what they point to is not lost. */
void tool_root(const void *p, size_t size)
{
	if (__lsan_register_root_region)
		__lsan_register_root_region(p, size);
}
