// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * trim.c - give back memory of slabs that have few objects in use
 *
 * Layer:   seam, cold half; beside slab.c.
 * Context: plain threads; no lock of ours held.
 *
 * A slab goes back as a whole when its last object does: slab.c.  This file acts
 * earlier: free pages go back, and objects that caches hold may be exchanged for
 * others in fuller slabs (common/core/pack.c asks which).
 *
 * The system may take its time to take pages back.  So no lock is held meanwhile, and
 * the slab is on no list:
 *
 *	a list --> trimmed --> a list again
 *	              |
 *	              +------> the arena, if its last object was freed meanwhile
 */
#include "main.h"
#include "slab.h"

#include <unistd.h>

/* A class with no more nearly empty slabs than this is left alone. */
#define SPARSE_FEW	8

static bool is_sparse(unsigned int grade)
{
	return grade >= SLAB_SPARSE && grade < SLAB_GRADES;
}

/* Are many slabs of a class nearly empty?  Read unlocked: only the cost depends on it. */
bool pool_slab_sparse(const struct slab_class *class)
{
	unsigned int sparse = 0, grade, k;

	for (k = 0; k < SLAB_SHELVES; k++)
		for (grade = SLAB_SPARSE; grade < SLAB_GRADES; grade++)
			sparse += plat_read(&class->shelf[k].count[grade]);
	return sparse > SPARSE_FEW;
}

static const struct slab_class *class_of(const struct slab *slab)
{
	const struct slab_shelf *shelf = slab ? plat_read(&slab->shelf) : NULL;

	return shelf ? shelf->class : NULL;
}

/*
 * Does @old keep a slab that is nearly empty, while @new, which may take its place, does not?
 * False, too, if they are not of one class and one node.  Grades are read unlocked.  Otherwise
 * slabs of objects that were not freed stay as they are, and in their class.
 */
bool pool_slab_denser(const void *old, const void *new)
{
	const struct slab *from = pool_arena_slab(old);
	const struct slab *to = pool_arena_slab(new);

	return from && to && is_sparse(plat_read(&from->grade)) &&
	       !is_sparse(plat_read(&to->grade)) &&
	       class_of(from) == class_of(to) &&
	       plat_read(&from->chunk->node) == plat_read(&to->chunk->node);
}

/* Are all objects with a byte in this part of a slab free?  Lock held. */
static bool is_unused(const struct slab *slab, unsigned int stride,
		      const unsigned char *from, const unsigned char *to)
{
	unsigned int n = 0, end;

	if (from > slab->first)
		n = (unsigned int)(from - slab->first) / stride;
	end = to > slab->first ?
	      (unsigned int)(to - 1 - slab->first) / stride + 1 : 0;
	if (end > slab->objs)
		end = slab->objs;
	while (n < end && slab_is_free(slab, slab_bit_of(slab, n)))
		n++;
	return n >= end;
}

/* Slabs that are being trimmed: the child of a fork mends them. */
static unsigned long trimming;

/*
 * Take the next slab of a grade off its list: so no object is taken from it, while its
 * free pages go back without the lock.  Frees go on, to its other pages.  NULL: none.
 */
static struct slab *trim_begin(struct slab_shelf *shelf, unsigned int grade)
{
	struct pool_list *room = &shelf->room[grade];
	struct slab *slab = NULL;

	pthread_mutex_lock(shelf->lock);
	if (!pool_list_empty(room)) {
		slab = pool_list_entry(room->next, struct slab, list);
		pool_slab_unlist(shelf, slab);
		plat_write(&slab->grade, SLAB_TRIMMED);
		plat_word_add(&trimming, 1);
	}
	pthread_mutex_unlock(shelf->lock);
	return slab;
}

/* Its last object may have been freed meanwhile. */
static void trim_end(struct slab_shelf *shelf, struct slab *slab)
{
	bool empty;

	pthread_mutex_lock(shelf->lock);
	empty = !slab->used;
	if (empty)
		pool_slab_leave(shelf, slab);
	else
		pool_slab_list(shelf, slab);
	pool_word_sub(&trimming, 1);
	pthread_mutex_unlock(shelf->lock);
	if (empty)
		pool_arena_put(slab);
}

/* Pages that no object in use is on, a bit each. */
static unsigned long unused_pages(struct slab_shelf *shelf,
				  const struct slab *slab, size_t page)
{
	const unsigned char *at = pool_arena_at(slab);
	unsigned long pages = 0;
	unsigned int i;

	pthread_mutex_lock(shelf->lock);
	for (i = 0; i < SLAB_BYTES / page; i++, at += page)
		if (is_unused(slab, shelf->class->stride, at, at + page))
			pages |= 1ul << i;
	pthread_mutex_unlock(shelf->lock);
	return pages;
}

/* The free pages of one slab go back; false: there is none of that grade. */
static bool trim_next(struct slab_shelf *shelf, unsigned int grade)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct slab *slab = page < SLAB_BYTES ? trim_begin(shelf, grade) : NULL;

	if (!slab)
		return false;
	pool_map_discard(pool_arena_at(slab), unused_pages(shelf, slab, page), page);
	trim_end(shelf, slab);
	return true;
}

/*
 * One slab more has a few objects left.  A program that frees in any order may leave all
 * slabs so.  As many may stay as the arena keeps empty ones.  Of the others two are
 * trimmed for each one that has come.
 */
void pool_slab_trim_few(struct slab_shelf *shelf)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (plat_read(&shelf->count[SLAB_FEW]) <= pool_arena_keep() ||
		    !trim_next(shelf, SLAB_FEW))
			return;
}

/* Those that are there now, once; others may come meanwhile. */
static void trim_grade(struct slab_shelf *shelf, unsigned int grade)
{
	unsigned int n = plat_read(&shelf->count[grade]);

	while (n-- && trim_next(shelf, grade))
		;
}

/*
 * Give back free pages of a shelf's slabs; the fullest have hardly any.  Emptiest first,
 * since they are lean then, and lean ones are not trimmed twice.
 */
void pool_slab_trim_pages(struct slab_shelf *shelf)
{
	unsigned int grade = SLAB_GRADES;

	while (--grade)
		trim_grade(shelf, grade);
}

/* What was being trimmed when its thread was lost to the child has room again. */
static void mend(struct slab *slab)
{
	if (slab->grade == SLAB_TRIMMED)
		pool_slab_list(slab->shelf, slab);
}

/* In the child of a fork, all locks held. */
void pool_slab_trim_fork_child(void)
{
	if (plat_read(&trimming))
		pool_arena_each(mend);
	plat_write(&trimming, 0);
}
