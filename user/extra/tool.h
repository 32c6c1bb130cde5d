/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tool.h - requests to AddressSanitizer, LeakSanitizer, ThreadSanitizer and valgrind
 *
 * Layer:   seam; user space only.
 * Context: any; all of this is lock-free, and signal handlers may call it.
 *
 * The sanitizers' functions are weak symbols, which are NULL in a program built without them.
 * Valgrind's requests are instructions that do nothing outside of valgrind.  A library that was
 * built without valgrind's headers, or for a machine that these do not support, has none.
 */
#ifndef POOL_TOOL_H
#define POOL_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#if __has_include("valgrind/memcheck.h")
#include <valgrind/memcheck.h>
#else
#define NVALGRIND
#endif

#ifdef NVALGRIND
static inline int tool_nothing(const void *p, ...)
{
	(void)p;
	return 0;
}

#undef VALGRIND_CREATE_MEMPOOL
#define VALGRIND_CREATE_MEMPOOL(...)	tool_nothing(__VA_ARGS__)
#undef VALGRIND_DESTROY_MEMPOOL
#define VALGRIND_DESTROY_MEMPOOL(...)	tool_nothing(__VA_ARGS__)
#undef VALGRIND_MEMPOOL_ALLOC
#define VALGRIND_MEMPOOL_ALLOC(...)	tool_nothing(__VA_ARGS__)
#undef VALGRIND_MEMPOOL_FREE
#define VALGRIND_MEMPOOL_FREE(...)	tool_nothing(__VA_ARGS__)
#undef VALGRIND_MAKE_MEM_NOACCESS
#define VALGRIND_MAKE_MEM_NOACCESS(...)	tool_nothing(__VA_ARGS__)
#undef VALGRIND_MAKE_MEM_DEFINED
#define VALGRIND_MAKE_MEM_DEFINED(...)	tool_nothing(__VA_ARGS__)
#endif

struct pool;

void __asan_poison_memory_region(const void *p, size_t size)
	__attribute__((weak));
void __asan_unpoison_memory_region(const void *p, size_t size)
	__attribute__((weak));
void __lsan_ignore_object(const void *p) __attribute__((weak));
void __lsan_register_root_region(const void *p, size_t size)
	__attribute__((weak));
void __tsan_init(void) __attribute__((weak));

/* tool.c: for plat_impl.h, of pools with POOL_D_TOOLS; and for thread.c */
void tool_annotate(const struct pool *pool, void *p, unsigned int size,
		   enum plat_annotation what);
void tool_root(const void *p, size_t size);

/* tool.c: for main.c */
unsigned int tool_options(void);

/* tool.c: for plat.c */
void tool_begin(unsigned long long id);
void tool_end(unsigned long long id);
bool tool_sees_blocks(void);

#endif /* POOL_TOOL_H */
