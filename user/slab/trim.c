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

/* A class with no more nearly empty slabs than this is left alone. */
#define SPARSE_FEW	8

/* Are many slabs of a class nearly empty?  Read unlocked: only the cost depends on it. */
bool pool_slab_sparse(const struct slab_class *class)
{
	unsigned int sparse = 0, k;

	for (k = 0; k < SLAB_SHELVES; k++)
		sparse += plat_read(&class->shelf[k].count[SLAB_SPARSE]);
	return sparse > SPARSE_FEW;
}

static const struct slab_class *class_of(const struct slab *slab)
{
	const struct slab_shelf *shelf = slab ? plat_read(&slab->shelf) : NULL;

	return shelf ? shelf->class : NULL;
}

/*
 * Does @old keep a slab that is nearly empty, while @new, which may take its place, does not?
 * False, too, if they are not of one class and one node.  @new may be NULL.  Grades are read
 * unlocked.  Otherwise slabs of objects that were not freed stay as they are, and in their class.
 */
bool pool_slab_denser(const void *old, const void *new)
{
	const struct slab *from = pool_arena_slab(old);
	const struct slab *to = new ? pool_arena_slab(new) : NULL;

	if (!from || plat_read(&from->grade) != SLAB_SPARSE)
		return false;
	if (!new)
		return true;
	return to && plat_read(&to->grade) != SLAB_SPARSE && class_of(from) == class_of(to) &&
	       plat_read(&from->chunk->node) == plat_read(&to->chunk->node);
}

/* Slabs that are being trimmed: the child of a fork mends them. */
static unsigned long trimming;

/*
 * Take the slab whose pages are idle for longest off its lists: so no object is taken from it,
 * while its idle @pages go back without the lock.  Frees go on, to its other pages.  NULL: none.
 */
static struct slab *trim_begin(struct slab_shelf *shelf, unsigned long *pages)
{
	struct slab *slab = NULL;

	pthread_mutex_lock(shelf->lock);
	if (!pool_list_empty(&shelf->idle)) {
		slab = pool_list_entry(shelf->idle.next, struct slab, idle_list);
		pool_slab_unlist(shelf, slab);
		plat_write(&slab->grade, SLAB_TRIMMED);
		*pages = slab->idle;
		slab->idle = 0;
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

/* Give back the idle pages of one slab; returns how many, 0: there is none. */
static unsigned int trim_next(struct slab_shelf *shelf)
{
	unsigned long pages;
	struct slab *slab = trim_begin(shelf, &pages);
	unsigned int n;

	if (!slab)
		return 0;
	n = (unsigned int)__builtin_popcountl(pages);
	pool_page_discard(pool_arena_at(slab), pages, (size_t)1 << shelf->class->page_shift, n);
	trim_end(shelf, slab);
	return n;
}

/*
 * Of this shelf, and one of the others, each in turn: the one that has more slabs with idle pages.
 * So what a class does not use any more goes when another one is used.
 */
static struct slab_shelf *fuller(struct slab_shelf *shelf)
{
	static unsigned long hand;
	unsigned int n = (unsigned int)(plat_word_add(&hand, 1) % pool_slab_shelves());
	struct slab_shelf *other = pool_slab_shelf(n);

	return plat_read(&other->idle_count) > plat_read(&shelf->idle_count) ? other : shelf;
}

/*
 * A free has made @idled more pages idle.  If these are too many now, twice as many go back: empty
 * slabs first, since many pages go by one call, then those that are idle for longest.
 */
void pool_slab_trim_idle(struct slab_shelf *shelf, unsigned int idled)
{
	unsigned int gone = 0, n = 1;

	while (n && gone < 2 * idled && pool_page_over() && !pool_arena_give()) {
		n = trim_next(fuller(shelf));
		gone += n;
	}
}

/* Give back the idle pages of a shelf's slabs that are there now; others may come meanwhile. */
static void trim_pages(struct slab_shelf *shelf)
{
	unsigned int n = plat_read(&shelf->idle_count);

	while (n-- && trim_next(shelf))
		;
}

/* Give back the slab that objects are taken from, if it is empty. */
static void trim_from(struct slab_shelf *shelf)
{
	struct slab *slab;

	pthread_mutex_lock(shelf->lock);
	slab = shelf->from;
	if (slab && !slab->used) {
		pool_slab_leave(shelf, slab);
		shelf->from = NULL;
	} else {
		slab = NULL;
	}
	pthread_mutex_unlock(shelf->lock);
	if (slab)
		pool_arena_put(slab);
}

/* Give back the memory of all empty slabs and pages. */
void pool_slab_trim(void)
{
	unsigned int n = pool_slab_shelves();

	while (n--) {
		trim_from(pool_slab_shelf(n));
		trim_pages(pool_slab_shelf(n));
	}
	pool_arena_trim();
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
