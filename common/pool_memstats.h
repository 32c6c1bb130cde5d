/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool_memstats.h - which code allocates and frees: calls counted by place
 *
 * Layer:   API.
 * Context: process context or a plain thread.
 *
 * Calls of a pool are counted while the option "memstats" is set for it, by the
 * address they come from.
 *
 * Programs in C that are built with -DDEBUG_MEM_STATS, one of the document's build
 * options, also have malloc(), calloc(), realloc(), strdup(), strndup() and free()
 * counted, by file and line, in code after the include of this header.  These names are
 * macros then.  Calls through pointers to these functions, or through members of structs
 * with these names, are not counted; a call of such a member, s->free(p), has to be
 * written (s->free)(p).  There are no such macros in C++ and in the kernel.
 */
#ifndef LIBPOOL_POOL_MEMSTATS_H
#define LIBPOOL_POOL_MEMSTATS_H

#ifndef LIBPOOL_POOL_H
#error "include pool.h"
#endif

POOL_DECLS_BEGIN

/**
 * pool_memstats_to_buf() - Write which code allocates and frees into a buffer.
 * @buf: always terminated if @size is not 0; may be NULL if it is.
 * @size: its bytes.
 * @words: separated by spaces; NULL or "": all places with calls.
 *
 *	all
 *		Places without calls, too: those that were reset, and, of programs
 *		built to count malloc(), those that were never reached.
 *	match <prefix>
 *		Only pools whose names begin with it, and malloc() and such in
 *		files whose names, without folders, do.  At most 47 bytes.
 *	reset
 *		Shows nothing and sets the counts to 0; with match, only of these.
 *
 * After two lines of heading, a line per place: what is called there; the pool, or
 * "-"; calls that allocate and that free; bytes of both; bytes allocated and not
 * freed; and the place.  The last line, BALANCE, sums up these.  See
 * Documentation/memstats.
 *
 * If a text does not fit, it has as many whole lines as fit, then a line
 * "truncated" and BALANCE of all.  Where not even that fits, the text is empty.
 *
 * Context: Process context or a plain thread; may sleep.
 * Return: the bytes of the whole text without the terminator: as with snprintf(), the
 * text is whole if that is less than @size.  0 and an empty text after a reset.  0 also,
 * with one line in the log that says why, when @words are wrong, which changes
 * nothing, or when memory is short.
 */
size_t pool_memstats_to_buf(char *buf, size_t size, const char *words);

#ifndef __KERNEL__

/* Aligned so that places lie one after the other, as in an array. */
#define POOL_MEM_ALIGN		64

/* One call in the source; only the macros below make it. */
struct pool_mem_place {
	const char *file;
	const char *what;
	int line;
	int unused;
	unsigned long allocs;
	unsigned long allocated;
	unsigned long frees;
	unsigned long freed;
} __attribute__((aligned(POOL_MEM_ALIGN)));

/* All places of a program or of a library. */
struct pool_mem_block {
	struct pool_mem_place *start;
	struct pool_mem_place *stop;
	struct pool_mem_block *next;
};

/* Register a block before main() or in dlopen(), and take it off in exit() or dlclose(). */
void pool_mem_register(struct pool_mem_block *block);
void pool_mem_unregister(struct pool_mem_block *block);

/* As the functions they are named after; only calls that succeed are counted. */
__attribute__((__malloc__, __alloc_size__(2)))
void *pool_mem_malloc(struct pool_mem_place *place, size_t size);
__attribute__((__malloc__, __alloc_size__(2, 3)))
void *pool_mem_calloc(struct pool_mem_place *place, size_t n, size_t size);
__attribute__((__alloc_size__(3)))
void *pool_mem_realloc(struct pool_mem_place *place, void *p, size_t size);
__attribute__((__malloc__))
char *pool_mem_strdup(struct pool_mem_place *place, const char *text);
__attribute__((__malloc__))
char *pool_mem_strndup(struct pool_mem_place *place, const char *text, size_t size);
void pool_mem_free(struct pool_mem_place *place, void *p);

#endif

POOL_DECLS_END

/* Define malloc() and such as macros. */
#if defined(DEBUG_MEM_STATS) && !defined(__KERNEL__) && !defined(__cplusplus)
#include "pool_malloc.h"
#endif

#endif /* LIBPOOL_POOL_MEMSTATS_H */
