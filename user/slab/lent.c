// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * lent.c - marks of objects of hardened pools that are in use
 *
 * Layer:   seam, cold half; beside slab.c.
 * Context: any, signal handlers too; but for pool_lent_ready(), which only plain
 *	    threads call, no lock of ours held.
 *
 * Each 16 bytes of a chunk have a byte here: the mark of the pool, where an object in use begins,
 * else 0.  So one byte tells that a pointer may be freed: it is the beginning of an object, of this
 * pool, in use.
 *
 *	chunk   | obj 0     | obj 1     | obj 2     | ...		2 MiB
 *	lent    | 7 0 0 0   | 0 0 0 0   | 7 0 0 0   |			128 KiB
 *		  in use      free        in use, of the pool whose mark is 7
 *
 * 255 pools have a mark of their own; further pools share these marks.  The bytes are mapped apart
 * from objects when a hardened pool first gets an object of the chunk, and belong to the chunk's
 * description from then on.
 */
#include "main.h"
#include "slab.h"

/* Return the mark of an object.  Its chunk has marks. */
static unsigned char *mark_of(const struct slab *slab, const void *obj)
{
	return plat_read(&slab->chunk->lent) +
	       ((uintptr_t)obj & (CHUNK_BYTES - 1)) / SLAB_STEP;
}

/* Map marks for a chunk that has none.  Lockless: of two threads at once, one unmaps its own. */
static bool has_marks(struct slab_chunk *chunk)
{
	unsigned char *none = NULL, *lent;

	if (plat_read(&chunk->lent))
		return true;
	lent = pool_map_apart(LENT_BYTES, "libpool:lent");
	if (lent && !plat_cmpxchg(&chunk->lent, &none, lent))
		pool_unmap_apart(lent, LENT_BYTES);
	return lent;
}

/*
 * Make sure that the chunks of objects have marks.  Returns how many of the first objects have
 * marks; fewer than @n: memory is short.
 */
unsigned int pool_lent_ready(unsigned int n, void **objs)
{
	unsigned int i = 0;

	while (i < n && has_marks(pool_arena_slab(objs[i])->chunk))
		i++;
	return i;
}

/* Return what is wrong with a pointer whose @mark is not the pool's. */
static enum pool_fault fault_of(const struct slab *slab, const void *obj,
				unsigned char mark)
{
	const struct slab_shelf *shelf = plat_read(&slab->shelf);
	uintptr_t off = (uintptr_t)obj - (uintptr_t)slab->first;

	if (mark)
		return POOL_FAULT_WRONG_POOL;
	if (!shelf || off >= (uintptr_t)slab->objs * shelf->class->stride)
		return POOL_FAULT_FOREIGN;
	return off % shelf->class->stride ? POOL_FAULT_INTERIOR :
					    POOL_FAULT_DOUBLE_FREE;
}

static enum pool_fault unmark(const struct plat_backend *backend, void *obj)
{
	struct slab *slab = pool_arena_slab(obj);
	unsigned char mark = backend->lent;

	if (!slab || !plat_read(&slab->chunk->lent))
		return POOL_FAULT_FOREIGN;
	if ((uintptr_t)obj % SLAB_STEP)
		return fault_of(slab, obj, 0);
	if (plat_cmpxchg(mark_of(slab, obj), &mark, (unsigned char)0))
		return POOL_FAULT_KINDS;
	return fault_of(slab, obj, mark);
}

/* True if the object is in use.  Its chunk has marks. */
bool pool_lent_in_use(const struct slab *slab, const void *obj)
{
	return plat_read(mark_of(slab, obj));
}

enum pool_fault pool_lent_annotate(const struct plat_backend *backend, void *p,
				   enum plat_annotation what)
{
	if (what == PLAT_USED)
		plat_write(mark_of(pool_arena_slab(p), p), backend->lent);
	return what == PLAT_BACK ? unmark(backend, p) : POOL_FAULT_KINDS;
}
