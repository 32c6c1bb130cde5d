/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_malloc.h - malloc() and such as macros that count each call by its place
 *
 * Layer:   API, of programs in C that are built with -DDEBUG_MEM_STATS; the end of
 *	    pool_memstats.h, which says what that means.
 * Context: plain threads.
 */
#ifndef LIBPOOL_POOL_MALLOC_H
#define LIBPOOL_POOL_MALLOC_H

#ifndef LIBPOOL_POOL_MEMSTATS_H
#error "include pool.h"
#endif

/* Included before the macros, which would break the declarations in them. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* The ends of a section, defined by the linker once per program or library that has places. */
extern struct pool_mem_place __start_pool_mem_stats[]
	__attribute__((weak, visibility("hidden")));
extern struct pool_mem_place __stop_pool_mem_stats[]
	__attribute__((weak, visibility("hidden")));

/* The block of this program or library; each file has a copy that describes the same places. */
static struct pool_mem_block pool_mem_block = {
	__start_pool_mem_stats, __stop_pool_mem_stats, 0
};

/* Register the block, before declared pools are made, since these must know of it. */
__attribute__((constructor(POOL_DECL_PRIORITY - 1)))
static void pool_mem_start(void)
{
	pool_mem_register(&pool_mem_block);
}

__attribute__((destructor(POOL_DECL_PRIORITY - 1)))
static void pool_mem_stop(void)
{
	pool_mem_unregister(&pool_mem_block);
}

#define POOL_MEM_PLACE(what)						\
	(__extension__ ({						\
		static struct pool_mem_place pool_mem_place_		\
			__attribute__((section("pool_mem_stats"), used, \
				       aligned(POOL_MEM_ALIGN))) =	\
			{ __FILE__, what, __LINE__, 0, 0, 0, 0, 0 }; \
		&pool_mem_place_;					\
	}))

#undef malloc
#undef calloc
#undef realloc
#undef strdup
#undef strndup
#undef free
#define malloc(size)	pool_mem_malloc(POOL_MEM_PLACE("malloc"), size)
#define calloc(n, size)	pool_mem_calloc(POOL_MEM_PLACE("calloc"), n, size)
#define realloc(p, size) pool_mem_realloc(POOL_MEM_PLACE("realloc"), p, size)
#define strdup(text)	pool_mem_strdup(POOL_MEM_PLACE("strdup"), text)
#define strndup(text, n) pool_mem_strndup(POOL_MEM_PLACE("strndup"), text, n)
#define free(p)		pool_mem_free(POOL_MEM_PLACE("free"), p)

#endif /* LIBPOOL_POOL_MALLOC_H */
