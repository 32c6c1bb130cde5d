// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * memstats.c - calls of malloc() and such, counted by place
 *
 * Layer:   seam, cold half: plat_places(); its kernel twin is in plat.c.
 * Context: plain threads; constructors and destructors of what is loaded.
 *
 * The places of a program or library are one block, and each of its files registers it.  The first
 * registration counts, and the first unregistration removes the block.  The dump mutex protects the
 * list.  The loader's lock may be held where it is locked, so its holder must not call the loader.
 *
 * Bytes are those of malloc_usable_size(), for allocations and for frees.  So a free
 * counts as many bytes as the allocation, whatever size was asked for.
 */
#include "seam/plat.h"
#include "debug/profile.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* Call the C library's functions below, also in a build with DEBUG_MEM_STATS. */
#undef malloc
#undef calloc
#undef realloc
#undef strdup
#undef strndup
#undef free

/* The list of blocks, protected by the dump mutex. */
static struct pool_mem_block *blocks;

/* Find the pointer to a block, or to the end of the list. */
static struct pool_mem_block **find_block(const struct pool_mem_place *start)
{
	struct pool_mem_block **at = &blocks;

	while (*at && (*at)->start != start)
		at = &(*at)->next;
	return at;
}

/*
 * Show the places of a program or library from now on.  @block has all of them, perhaps none, and
 * is perhaps registered already.
 */
void pool_mem_register(struct pool_mem_block *block)
{
	struct pool_mem_block **at;

	plat_write(&pool_mem_stats, true);
	plat_mutex_lock(PLAT_DUMP);
	at = find_block(block->start);
	if (block->start != block->stop && !*at)
		*at = block;
	plat_mutex_unlock(PLAT_DUMP);
}

/*
 * Remove the places of a program or library that goes away.  @block is as one of its files
 * registered it.
 */
void pool_mem_unregister(struct pool_mem_block *block)
{
	struct pool_mem_block **at;

	plat_mutex_lock(PLAT_DUMP);
	at = find_block(block->start);
	if (*at)
		*at = (*at)->next;
	plat_mutex_unlock(PLAT_DUMP);
}

static void read_place(struct pool_place *to, struct pool_mem_place *place)
{
	*to = (struct pool_place){
		.what = place->what,
		.pool = "-",
		.file = place->file,
		.line = place->line,
		.allocs = plat_read(&place->allocs),
		.allocated = plat_read(&place->allocated),
		.frees = plat_read(&place->frees),
		.freed = plat_read(&place->freed),
	};
}

/* Subtract the counts that were read, so that calls counted meanwhile are not lost. */
static void reset(struct pool_mem_place *place, const struct pool_place *was)
{
	pool_word_sub(&place->allocs, was->allocs);
	pool_word_sub(&place->allocated, was->allocated);
	pool_word_sub(&place->frees, was->frees);
	pool_word_sub(&place->freed, was->freed);
}

void plat_places(bool (*show)(const struct pool_place *place, void *arg),
		 void *arg)
{
	struct pool_mem_block *block;
	struct pool_mem_place *at;
	struct pool_place place;

	plat_mutex_lock(PLAT_DUMP);
	for (block = blocks; block; block = block->next) {
		for (at = block->start; at != block->stop; at++) {
			read_place(&place, at);
			if (show(&place, arg))
				reset(at, &place);
		}
	}
	plat_mutex_unlock(PLAT_DUMP);
}

static void *count_alloc(struct pool_mem_place *place, void *p)
{
	if (p) {
		plat_word_add(&place->allocs, 1);
		plat_word_add(&place->allocated, malloc_usable_size(p));
	}
	return p;
}

static void count_free(struct pool_mem_place *place, size_t bytes)
{
	plat_word_add(&place->frees, 1);
	plat_word_add(&place->freed, bytes);
}

void *pool_mem_malloc(struct pool_mem_place *place, size_t size)
{
	return count_alloc(place, malloc(size));
}

void *pool_mem_calloc(struct pool_mem_place *place, size_t n, size_t size)
{
	return count_alloc(place, calloc(n, size));
}

/* Count a realloc() as a free and an allocation, even if the address stays the same. */
void *pool_mem_realloc(struct pool_mem_place *place, void *p, size_t size)
{
	size_t bytes = malloc_usable_size(p);
	bool frees = p;

	p = realloc(p, size);
	if (frees && (p || !size))
		count_free(place, bytes);
	return count_alloc(place, p);
}

char *pool_mem_strdup(struct pool_mem_place *place, const char *text)
{
	return count_alloc(place, strdup(text));
}

char *pool_mem_strndup(struct pool_mem_place *place, const char *text,
		       size_t size)
{
	return count_alloc(place, strndup(text, size));
}

void pool_mem_free(struct pool_mem_place *place, void *p)
{
	if (p)
		count_free(place, malloc_usable_size(p));
	free(p);
}
