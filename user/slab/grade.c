// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * grade.c - slabs that have room, by how full they are
 *
 * Layer:   seam, cold half; between slab.c and arena.c.
 * Context: plain threads, the lock of the shelf held.
 *
 * A slab comes onto the list of its grade when an object of the full slab is freed.  It leaves the
 * lists when its shelf allocates from it, or when it is empty.  A free compares the number of used
 * objects with only one number, the slab's edge, at which the next grade begins.
 */
#include "slab.h"

/* Return the edge: the highest number of used objects at which a slab has the next grade. */
static unsigned short edge_of(const struct slab *slab, unsigned int grade)
{
	unsigned int free;

	if (grade == SLAB_SPARSE)
		return SLAB_NO_EDGE;
	free = ((grade + 1) * (slab->objs + 1u) + SLAB_SPARSE) /
	       (SLAB_SPARSE + 1);
	return (unsigned short)(slab->objs - free);
}

static void count(struct slab_shelf *shelf, unsigned int grade, int n)
{
	plat_write(&shelf->count[grade], shelf->count[grade] + (unsigned int)n);
}

/* Record that a listed slab has an idle page. */
void pool_slab_idles(struct slab_shelf *shelf, struct slab *slab)
{
	if (!pool_list_empty(&slab->idle_list))
		return;
	pool_list_add_last(&slab->idle_list, &shelf->idle);
	plat_write(&shelf->idle_count, shelf->idle_count + 1);
}

static void idles_no_more(struct slab_shelf *shelf, struct slab *slab)
{
	if (pool_list_empty(&slab->idle_list))
		return;
	pool_list_del(&slab->idle_list);
	plat_write(&shelf->idle_count, shelf->idle_count - 1);
}

/* Take a slab of the shelf off its lists, if it is on any. */
void pool_slab_unlist(struct slab_shelf *shelf, struct slab *slab)
{
	pool_list_del(&slab->list);
	if (slab->grade < SLAB_GRADES)
		count(shelf, slab->grade, -1);
	idles_no_more(shelf, slab);
	plat_write(&slab->grade, SLAB_UNLISTED);
	slab->edge = SLAB_NO_EDGE;
	slab->fresh = false;
	if (slab->lines == LINES_SHARED)
		slab->lines = LINES_KEPT;
}

static void list_as(struct slab_shelf *shelf, struct slab *slab,
		    unsigned int grade)
{
	pool_list_add_last(&slab->list, &shelf->room[grade]);
	count(shelf, grade, 1);
	plat_write(&slab->grade, (unsigned char)grade);
	slab->edge = edge_of(slab, grade);
	if (slab->idle)
		pool_slab_idles(shelf, slab);
}

/* List a slab that is on no list. */
void pool_slab_list(struct slab_shelf *shelf, struct slab *slab)
{
	unsigned int grade = 0;

	while (grade < SLAB_SPARSE && slab->used <= edge_of(slab, grade))
		grade++;
	list_as(shelf, slab, grade);
}

/* List a full slab, or move a slab to its next grade, when a free brings it to its edge. */
__attribute__((__noinline__))
void pool_slab_regrade(struct slab_shelf *shelf, struct slab *slab)
{
	pool_slab_unlist(shelf, slab);
	pool_slab_list(shelf, slab);
}

/* Remove a slab from its shelf; pool_slab_free() refuses frees to it from now on. */
void pool_slab_leave(struct slab_shelf *shelf, struct slab *slab)
{
	pool_slab_unlist(shelf, slab);
	plat_write(&slab->shelf, NULL);
	shelf->slabs--;
}

/* Return one of the fullest, or of the emptiest, slabs with room; NULL: there is none. */
struct slab *pool_slab_listed(const struct slab_shelf *shelf, bool fullest)
{
	unsigned int i;

	for (i = 0; i < SLAB_GRADES; i++) {
		const struct pool_list *room;

		room = &shelf->room[fullest ? i : SLAB_GRADES - 1 - i];
		if (!pool_list_empty(room))
			return pool_list_entry(fullest ? room->next : room->prev,
					       struct slab, list);
	}
	return NULL;
}
