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
 */
#include "slab.h"

#include <sys/mman.h>
#include <unistd.h>

/* A class with no more nearly empty slabs than this is left alone. */
#define SPARSE_FEW	8

/* Are many slabs of a class nearly empty?  Read unlocked: only the cost depends on it. */
bool pool_slab_sparse(const struct slab_class *class)
{
	unsigned int sparse = 0, k;

	for (k = 0; k < SLAB_SHELVES; k++)
		sparse += plat_read(&class->shelf[k].sparse);
	return sparse > SPARSE_FEW;
}

static const struct slab_class *class_of(const struct slab *slab)
{
	const struct slab_shelf *shelf = slab ? plat_read(&slab->shelf) : NULL;

	return shelf ? shelf->class : NULL;
}

/**
 * pool_slab_denser() - Does an object keep a slab that is nearly empty?
 * @old: the object.
 * @new: the object that may take its place.
 *
 * Grades are read unlocked.  Otherwise slabs of objects that were not freed stay as they
 * are, and in their class.
 *
 * Return: true if @old does, @new does not, and both are of one class.
 */
bool pool_slab_denser(const void *old, const void *new)
{
	const struct slab *from = pool_arena_slab(old);
	const struct slab *to = pool_arena_slab(new);

	return from && to && plat_read(&from->grade) == SLAB_SPARSE &&
	       plat_read(&to->grade) != SLAB_SPARSE &&
	       class_of(from) == class_of(to);
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
	while (n < end && slab->free[n / SLAB_BITS] >> n % SLAB_BITS & 1)
		n++;
	return n >= end;
}

/*
 * Give back the pages of a slab on which no object in use lies; adjacent ones by one
 * call.  Lock held, since otherwise an object there could be taken and written.
 */
static void trim_pages(const struct slab *slab, unsigned int stride,
		       size_t page)
{
	unsigned char *from = pool_arena_at(slab), *end = from + SLAB_BYTES;
	unsigned char *to;

	for (to = from; from < end; from = to + page) {
		for (to = from; to < end; to += page)
			if (!is_unused(slab, stride, to, to + page))
				break;
		if (to > from)
			madvise(from, (size_t)(to - from), MADV_DONTNEED);
	}
}

/* Trim the next slab of a grade, and make it the last; NULL: there is none. */
static const struct slab *trim_next(struct slab_shelf *shelf,
				    unsigned int grade, size_t page)
{
	struct pool_list *room = &shelf->room[grade];
	const struct slab *slab = NULL;

	pthread_mutex_lock(shelf->lock);
	if (!pool_list_empty(room)) {
		struct pool_list *node = room->next;

		slab = pool_list_entry(node, struct slab, list);
		trim_pages(slab, shelf->class->stride, page);
		pool_list_del(node);
		pool_list_add_last(node, room);
	}
	pthread_mutex_unlock(shelf->lock);
	return slab;
}

/* Trim all slabs of a grade once.  Others may move slabs meanwhile, so there is a bound. */
static void trim_grade(struct slab_shelf *shelf, unsigned int grade,
		       size_t page)
{
	const struct slab *slab, *first = NULL;
	struct arena_size size;

	pool_arena_size(&size);
	while (size.used-- && (slab = trim_next(shelf, grade, page))) {
		if (slab == first)
			break;
		if (!first)
			first = slab;
	}
}

/* Give back free pages of a shelf's slabs, except the fullest, which have hardly any. */
void pool_slab_trim_pages(struct slab_shelf *shelf)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned int grade;

	for (grade = 1; page < SLAB_BYTES && grade < SLAB_GRADES; grade++)
		trim_grade(shelf, grade, page);
}
