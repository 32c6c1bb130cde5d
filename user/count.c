// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * count.c - measure the memory of the library by its use
 *
 * Layer:   seam, cold half: plat_memory(); above slab.c.
 * Context: plain threads, dump mutex held.
 *
 * mincore() reports which pages have memory, and slabs know which of these have objects.  So
 * allocations and frees count nothing for this.  Slabs are read one after another, while other
 * threads use them.
 */
#include "main.h"
#include "slab/slab.h"

#include <string.h>
#include <sys/mman.h>

/* The most pages that a chunk has. */
#define PAGES	(CHUNK_BYTES / 4096)

/* Bytes of the whole library, and of each class of slabs, protected by the dump mutex. */
static unsigned long long all[PLAT_MEMORY_KINDS];
static unsigned long long of_class[SLAB_CLASSES][PLAT_MEMORY_KEPT];

/* Find which of up to PAGES pages have memory: bit 0 of a byte each.  Returns how many. */
static unsigned int look(const void *at, size_t bytes, unsigned char *has)
{
	size_t pages = (bytes + pool_start.page - 1) / pool_start.page, i;
	unsigned int n = 0;

	if (mincore((void *)(uintptr_t)at, bytes, has))
		memset(has, 0, pages);
	for (i = 0; i < pages; i++)
		n += has[i] & 1;
	return n;
}

/* Return how many bytes of a mapping have memory. */
static unsigned long long resident(const void *at, size_t bytes)
{
	uintptr_t page = pool_start.page;
	const unsigned char *from = (void *)((uintptr_t)at & -page);
	const unsigned char *to = (const unsigned char *)at + bytes;
	unsigned long long sum = 0;
	unsigned char has[PAGES];

	while (from < to) {
		size_t step = PAGES * page;

		if (step > (size_t)(to - from))
			step = (size_t)(to - from);
		sum += look(from, step, has) * page;
		from += step;
	}
	return sum;
}

/* Return a bit for each page of a slab that has objects in use.  Lock of its shelf held. */
static unsigned long used_pages(const struct slab *slab, unsigned int stride)
{
	const unsigned char *start = pool_arena_at(slab);
	unsigned long pages = 0;
	unsigned int n;

	for (n = 0; n < slab->objs; n++) {
		size_t at = (size_t)(slab->first - start) + (size_t)n * stride;

		if (slab_is_free(slab, slab_bit_of(slab, n)))
			continue;
		for (; at < SLAB_BYTES; at += pool_start.page) {
			pages |= 1ul << at / pool_start.page;
			if ((size_t)(slab->first - start) + (size_t)(n + 1) * stride <=
			    (at / pool_start.page + 1) * pool_start.page)
				break;
		}
	}
	return pages;
}

/*
 * Return the class of a slab, and in @pages the slab's pages with objects; NULL: it has no class.
 * A slab that is moving to another shelf counts as empty.
 */
static const struct slab_class *class_of(const struct slab *slab, unsigned long *pages)
{
	struct slab_shelf *shelf = plat_read(&slab->shelf);
	const struct slab_class *class = NULL;

	if (!shelf)
		return NULL;
	pthread_mutex_lock(shelf->lock);
	if (plat_read(&slab->shelf) == shelf) {
		class = shelf->class;
		*pages = used_pages(slab, class->stride);
	}
	pthread_mutex_unlock(shelf->lock);
	return class;
}

static void count_slab(const struct slab *slab, const unsigned char *has)
{
	unsigned int i, n = SLAB_BYTES / (unsigned int)pool_start.page;
	unsigned long pages = 0;
	const struct slab_class *class = class_of(slab, &pages);
	unsigned long long *mine;

	if (!class) {
		for (i = 0; i < n; i++)
			all[PLAT_MEMORY_KEPT] += (has[i] & 1) * pool_start.page;
		return;
	}
	mine = of_class[class - pool_slab_class_at(0)];
	mine[PLAT_MEMORY_IN_USE] += SLAB_BYTES;
	for (i = 0; i < n; i++)
		mine[pages >> i & 1 ? PLAT_MEMORY_OBJECTS : PLAT_MEMORY_FREE] +=
			(has[i] & 1) * pool_start.page;
}

/* Count the slabs of a chunk, which has no memory if it is unmapped meanwhile. */
static void count_chunk(const struct slab_chunk *chunk, uintptr_t base)
{
	unsigned int step = SLAB_BYTES / (unsigned int)pool_start.page, i;
	const unsigned char *lent = plat_read(&chunk->lent);
	unsigned char has[PAGES];

	if (lent)
		all[PLAT_MEMORY_DESCRIPTORS] += resident(lent, LENT_BYTES);
	look((void *)base, CHUNK_BYTES, has);
	for (i = 0; i < CHUNK_SLABS; i++)
		count_slab(&chunk->slab[i], has + (size_t)i * step);
}

/* Count the chunks of a leaf, without reading pages that have no memory, which would get some. */
static void count_leaf(struct slab_chunk **leaf, uintptr_t root)
{
	uintptr_t in_page = pool_start.page / sizeof(*leaf), i;
	unsigned char has[PAGES];

	all[PLAT_MEMORY_DESCRIPTORS] +=
		look(leaf, CHUNK_LEAVES * sizeof(*leaf), has) * pool_start.page;
	for (i = 0; i < CHUNK_LEAVES; i++) {
		struct slab_chunk *chunk = has[i / in_page] & 1 ?
					   plat_read_acquire(&leaf[i]) : NULL;

		if (chunk)
			count_chunk(chunk, (root << LEAF_BITS | i) << CHUNK_SHIFT);
	}
}

/* Count the memory of an area; in the child of a fork without handlers it may not exist. */
static void count_area(const struct plat_area *area)
{
	unsigned char has;
	const void *far;
	size_t bytes;

	if (!area || !look(area, 1, &has))
		return;
	far = pool_area_far(area, &bytes);
	all[PLAT_MEMORY_AREAS] += resident(area, PLAT_AREA_BYTES);
	all[PLAT_MEMORY_AREAS] += resident(far, bytes);
}

static void count_classes(void)
{
	unsigned int i, k;

	for (i = 0; i < SLAB_CLASSES; i++)
		for (k = PLAT_MEMORY_IN_USE; k < PLAT_MEMORY_KEPT; k++)
			all[k] += of_class[i][k];
}

static void count_all(void)
{
	struct arena_size size;
	unsigned long used;
	unsigned int i;
	uintptr_t root;

	memset(all, 0, sizeof(all));
	memset(of_class, 0, sizeof(of_class));
	pool_arena_size(&size);
	all[PLAT_MEMORY_RESERVED] = (unsigned long long)size.reserved * SLAB_BYTES;
	all[PLAT_MEMORY_ACCESSIBLE] = (unsigned long long)size.ready * SLAB_BYTES;
	all[PLAT_MEMORY_LARGE] = pool_heap_in_use();
	all[PLAT_MEMORY_GUARDED] = pool_guard_in_use();
	all[PLAT_MEMORY_TABLES] = plat_read(&pool_object_table_bytes);
	used = pool_mem_bytes();
	all[PLAT_MEMORY_DESCRIPTORS] = pool_chunk_described();
	if (used > all[PLAT_MEMORY_TABLES])
		all[PLAT_MEMORY_DESCRIPTORS] += used - all[PLAT_MEMORY_TABLES];
	for (root = 0; root < CHUNK_ROOTS; root++) {
		struct slab_chunk **leaf = plat_read_acquire(&pool_chunk_root[root]);

		if (leaf)
			count_leaf(leaf, root);
	}
	for (i = 0; i < plat_read(&plat_area_count); i++)
		count_area(plat_read_acquire(&plat_areas[i]));
	count_classes();
}

unsigned int plat_memory(unsigned int i, unsigned long long *bytes)
{
	const struct slab_class *class = i ? pool_slab_class_at(i - 1) : NULL;

	if (i && !class)
		return 0;
	if (!i)
		count_all();
	memset(bytes, 0, sizeof(all));
	memcpy(bytes, i ? of_class[i - 1] : all, i ? sizeof(of_class[0]) : sizeof(all));
	return i ? class->stride : 1;
}
