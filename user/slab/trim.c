// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * trim.c - release memory of slabs that have few objects in use
 *
 * Layer:   seam, cold half; beside slab.c.
 * Context: plain threads; no lock of ours held.
 *
 * slab.c returns a slab to the arena when its last object is freed.  This file acts earlier: it
 * releases idle pages, and decides for common/reclaim/pack.c which cached objects to exchange for
 * others in fuller slabs.
 *
 * The system may need long to release pages.  So no lock is held meanwhile, and the slab is on no
 * list:
 *
 *	a list --> trimmed --> a list again
 *	              |
 *	              +------> the arena, if its last object was freed meanwhile
 */
#include "main.h"
#include "slab.h"

/* A class is packed only if it has more nearly empty slabs than this. */
#define SPARSE_FEW	8

/* True if many slabs of a class are nearly empty.  Unlocked: a wrong answer only costs time. */
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
 * True if a cache should exchange @old, in a nearly empty slab, for @new, in a fuller slab of the
 * same class and node, or for nothing if @new is NULL.  Grades are read unlocked: a stale one costs
 * one useless exchange.  The slabs cannot leave their class, since both objects are allocated.
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

/* The number of slabs being trimmed, which the child of a fork puts back on lists. */
static unsigned long trimming;

/*
 * Take the slab whose pages have been idle for longest off its lists, so that nobody allocates
 * from it while its idle @pages are released without the lock.  Frees to its other pages go on.
 * NULL: no slab has idle pages.
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

/* Put a slab back on its lists, or into the arena if its last object was freed meanwhile. */
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

/* Release the idle pages of one slab.  Returns their number; 0: no slab has any. */
static unsigned int trim_next(struct slab_shelf *shelf)
{
	unsigned long pages;
	struct slab *slab = trim_begin(shelf, &pages);
	unsigned int n;

	if (!slab)
		return 0;
	n = (unsigned int)__builtin_popcountl(pages);
	pool_page_discard(slab->chunk, pool_arena_at(slab), pages,
			  (size_t)1 << shelf->class->page_shift, n);
	trim_end(shelf, slab);
	return n;
}

/*
 * Return the shelf to trim: @shelf, or the next other shelf if more of that shelf's slabs have idle
 * pages.  So pages of a class that is not used any more are released while other classes are used.
 */
static struct slab_shelf *fuller(struct slab_shelf *shelf)
{
	static unsigned long hand;
	unsigned int n = (unsigned int)(plat_word_add(&hand, 1) % pool_slab_shelves());
	struct slab_shelf *other = pool_slab_shelf(n);

	return plat_read(&other->idle_count) > plat_read(&shelf->idle_count) ? other : shelf;
}

/*
 * Called after a free made @idled more pages idle.  While there are too many idle pages, release
 * twice as many as became idle: empty slabs first, because one system call releases many of their
 * pages, then the pages that have been idle for longest.
 */
void pool_slab_trim_idle(struct slab_shelf *shelf, unsigned int idled)
{
	unsigned int gone = 0, n = 1;

	while (n && gone < 2 * idled && pool_page_over() && !pool_arena_give()) {
		n = trim_next(fuller(shelf));
		gone += n;
	}
}

/* Release the idle pages of a shelf, but not those that become idle meanwhile. */
static void trim_pages(struct slab_shelf *shelf)
{
	unsigned int n = plat_read(&shelf->idle_count);

	while (n-- && trim_next(shelf))
		;
}

/* Return the slab that a shelf allocates from to the arena, if it is empty. */
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

/* How many shelves a step of ageing looks at. */
#define STEP_SHELVES	4

/*
 * Release half of the pages that were idle throughout the last pass of ageing, spread over the
 * steps of a pass: in each of the next few shelves the idle pages of one slab, and then the oldest
 * empty slabs.  Called after each step of a pass; @over: it was the last one.  Frees release idle
 * pages only beyond a quarter of the pages in use.
 */
void pool_slab_trim_step(bool over)
{
	static unsigned long hand, left;
	unsigned long had = pool_page_idle(), now, gone;
	unsigned int n = pool_slab_shelves(), i;

	if (over)
		plat_write(&left, (pool_page_unused() + 1) / 2);
	if (!plat_read(&left))
		return;
	for (i = 0; i < STEP_SHELVES && i < n; i++) {
		unsigned long k = plat_word_add(&hand, 1) % n;
		struct slab_shelf *shelf = pool_slab_shelf((unsigned int)k);

		trim_from(shelf);
		trim_next(shelf);
	}
	pool_arena_give();
	now = pool_page_idle();
	gone = had > now ? had - now : 0;
	had = plat_read(&left);
	plat_write(&left, had > gone ? had - gone : 0);
}

/* Release the memory of all empty slabs and pages. */
void pool_slab_trim(void)
{
	unsigned int n = pool_slab_shelves();

	while (n--) {
		trim_from(pool_slab_shelf(n));
		trim_pages(pool_slab_shelf(n));
	}
	pool_arena_trim();
}

/* List a slab that another thread was trimming when the process forked. */
static void mend(struct slab *slab)
{
	if (slab->grade == SLAB_TRIMMED)
		pool_slab_list(slab->shelf, slab);
}

/* List the slabs that were being trimmed, in the child of a fork; all locks are held. */
void pool_slab_trim_fork_child(void)
{
	if (plat_read(&trimming))
		pool_arena_each(mend);
	plat_write(&trimming, 0);
}
