// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * grade.c - slabs that have room, by how full they are
 *
 * Layer:   seam, cold half; between slab.c and arena.c.
 * Context: plain threads, the lock of the shelf held.
 *
 * A slab is on the list of its grade from when it is full and an object is freed until
 * objects are taken from it, or it is empty.  A free compares a slab's number of used
 * objects with one other number, its edge: it is where the next grade begins.
 */
#include "slab.h"

/* A few objects: of a slab's pages, of 4 KiB, half or more have none of them. */
#define FEW		8
#define FEW_PART	16

/* Slabs with a few objects, on all shelves. */
unsigned long pool_slab_scant;

static unsigned int few(const struct slab *slab)
{
	unsigned int part = slab->objs / FEW_PART;

	return part < FEW ? part : FEW;
}

/* The highest number of used objects that is of the next grade. */
static unsigned short edge_of(const struct slab *slab, unsigned int grade)
{
	unsigned int free;

	if (grade == SLAB_SPARSE && few(slab))
		return (unsigned short)few(slab);
	if (grade == SLAB_LEAN && slab->used > 1)
		return slab->used / 2;
	if (grade >= SLAB_SPARSE)
		return SLAB_NO_EDGE;
	free = ((grade + 1) * (slab->objs + 1u) + SLAB_SPARSE) /
	       (SLAB_SPARSE + 1);
	return (unsigned short)(slab->objs - free);
}

static void count(struct slab_shelf *shelf, unsigned int grade, int n)
{
	plat_write(&shelf->count[grade], shelf->count[grade] + (unsigned int)n);
	if (grade >= SLAB_FEW)
		plat_word_add(&pool_slab_scant, (unsigned long)n);
}

/* Off its list, if it is on one; still of this shelf. */
void pool_slab_unlist(struct slab_shelf *shelf, struct slab *slab)
{
	pool_list_del(&slab->list);
	if (slab->grade < SLAB_GRADES)
		count(shelf, slab->grade, -1);
	plat_write(&slab->grade, SLAB_UNLISTED);
	slab->edge = SLAB_NO_EDGE;
}

static void list_as(struct slab_shelf *shelf, struct slab *slab,
		    unsigned int grade)
{
	pool_list_add_last(&slab->list, &shelf->room[grade]);
	count(shelf, grade, 1);
	plat_write(&slab->grade, (unsigned char)grade);
	slab->edge = edge_of(slab, grade);
}

/* Of a slab whose free pages went back, and that is on no list. */
void pool_slab_list(struct slab_shelf *shelf, struct slab *slab)
{
	unsigned int grade = 0;

	while (grade < SLAB_SPARSE && slab->used <= edge_of(slab, grade))
		grade++;
	list_as(shelf, slab, slab->used > few(slab) ? grade : SLAB_LEAN);
}

/*
 * A free has brought a slab to its edge: a full one has room again, another one is a
 * grade emptier.  A lean one has half of the objects that it had: it may be trimmed anew.
 */
__attribute__((__noinline__))
enum slab_grade pool_slab_regrade(struct slab_shelf *shelf, struct slab *slab)
{
	unsigned int grade = 0;

	if (slab->grade < SLAB_GRADES)
		grade = slab->grade + 1u;
	if (grade > SLAB_FEW)
		grade = SLAB_FEW;
	pool_slab_unlist(shelf, slab);
	list_as(shelf, slab, grade);
	return grade;
}

/* A free to a slab of no shelf is refused: pool_slab_free(). */
void pool_slab_leave(struct slab_shelf *shelf, struct slab *slab)
{
	pool_slab_unlist(shelf, slab);
	plat_write(&slab->shelf, NULL);
	shelf->slabs--;
}

/* A slab with room, one of the fullest or of the emptiest; NULL: none. */
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
