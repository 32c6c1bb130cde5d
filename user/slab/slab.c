// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * slab.c - objects of up to 64 KiB, in slabs of equal ones
 *
 * Layer:   seam, cold half; between plat.c and arena.c.
 * Context: plain threads; no lock of ours held.
 *
 * A class has all objects of one stride, of all pools, so that a pool of a few objects needs no
 * page of its own.  A shelf allocates from one slab until that is full, in the order of addresses,
 * so that pages which are not needed are not touched.  In a fresh slab it begins at a random
 * object: first.c.  Several threads that allocate from one slab have cache lines of their own:
 * line.c.  Slabs that have room again are listed by how full they are.  The next slab to allocate
 * from is one of the fullest, so that the others may become empty.  An empty slab returns to the
 * arena, unless a shelf allocates from it.  The idle pages of a slab with few objects are released:
 * trim.c.
 *
 * A class has several shelves; all but the first are used only under contention.  A thread keeps
 * the shelf whose lock it found free.  An object is freed to the shelf that has its slab.  Before a
 * shelf gets a new slab, it takes one with room from another shelf.  On machines with several nodes
 * each node has some of the shelves.  A thread uses the shelves of its node; shelves of different
 * nodes exchange no slabs while there is memory.
 *
 * Lock order: shelves, in the order of locks[] of class.c -> arena mutex.  A holder of one shelf
 * only tries to lock another.
 */
#include "main.h"
#include "slab.h"

/*
 * A shelf with at least four slabs gets memory for all pages of a new slab at once.  So at most a
 * fifth of the memory of a shelf was never used.
 */
#define SEVERAL		4

/*
 * How much of a fresh slab may be left unused, because it shares lines with objects in use: a 16th,
 * and a quarter while the shelf has fewer than SEVERAL slabs, as when threads take single objects.
 */
#define REST_DIVISOR	16
#define REST_FIRST	4

/* Set up a slab, with all objects free. */
static void slab_begin(struct slab_shelf *shelf, struct slab *slab)
{
	const struct slab_class *class = shelf->class;
	unsigned int start = (shelf->colour / class->lines << class->page_shift) +
			     shelf->colour % class->lines * SLAB_ALIGN;
	unsigned int objs = (SLAB_BYTES - start) / class->stride;
	unsigned int i;

	shelf->colour = (shelf->colour + class->colour_step) % class->colours;
	for (i = 0; i < objs / SLAB_BITS; i++)
		slab->free[i] = ~0ul;
	if (objs % SLAB_BITS)
		slab->free[i] = ~(~0ul << objs % SLAB_BITS);
	slab->first = pool_arena_at(slab) + start;
	slab->objs = (unsigned short)objs;
	slab->used = 0;
	slab->first_place = (unsigned short)pool_slab_first(objs, class->stride);
	slab->edge = SLAB_NO_EDGE;
	slab->grade = SLAB_UNLISTED;
	slab->hint = 0;
	slab->fresh = true;
	for (i = 0; i < SLAB_PAGES; i++)
		slab->on[i] = 0;
}

/* Enter a slab into a shelf, whose lock is held; see lock_shelf_of() for frees meanwhile. */
static void enter(struct slab_shelf *shelf, struct slab *slab)
{
	plat_write(&slab->shelf, shelf);
	shelf->slabs++;
}

/* Return a slab that a shelf does not need, one of the emptiest; or NULL.  Lock held. */
static struct slab *to_spare(const struct slab_shelf *shelf)
{
	struct slab *slab = pool_slab_listed(shelf, false);

	return shelf->from || slab != pool_slab_listed(shelf, true) ? slab : NULL;
}

static unsigned int number_of(const struct slab_shelf *shelf)
{
	return (unsigned int)(shelf - shelf->class->shelf);
}

/*
 * Take a slab with room from another shelf; looks at each @step-th shelf.  Leaves a shelf its only
 * such slab, because that shelf's threads need the slab next.  Lock of @shelf held.
 */
static struct slab *take_other(struct slab_shelf *shelf, unsigned int step)
{
	struct slab *slab = NULL;
	unsigned int i;

	for (i = step; !slab && i < SLAB_SHELVES; i += step) {
		struct slab_shelf *other = shelf->class->shelf +
					   (number_of(shelf) + i) % SLAB_SHELVES;

		if (pthread_mutex_trylock(other->lock))
			continue;
		slab = to_spare(other);
		if (slab) {
			pool_slab_unlist(other, slab);
			other->slabs--;
			enter(shelf, slab);
		}
		pthread_mutex_unlock(other->lock);
	}
	return slab;
}

/*
 * Get a new slab from the arena for a shelf; NULL: memory is short.  A program may use only the
 * first pages of objects larger than a page, so these get no memory ahead.  Lock held.
 */
static struct slab *take_new(struct slab_shelf *shelf)
{
	bool bare, ahead = shelf->class->stride <= pool_start.page;
	struct slab *slab = pool_arena_get(number_of(shelf) & (pool_start.nodes - 1),
					   ahead, &bare);

	if (slab) {
		slab->cold = bare && pool_start.page < SLAB_BYTES &&
			     ((ahead && shelf->slabs >= SEVERAL) ||
			      plat_read(&slab->chunk->huge));
		slab_begin(shelf, slab);
		enter(shelf, slab);
	}
	return slab;
}

/*
 * Get the next slab to allocate from; NULL: memory is short.  Slabs of other nodes are taken only
 * where memory is short.  Lock held.
 */
__attribute__((__noinline__))
static struct slab *next_from(struct slab_shelf *shelf)
{
	struct slab *slab = pool_slab_listed(shelf, true);

	if (slab)
		pool_slab_unlist(shelf, slab);
	else
		slab = take_other(shelf, pool_start.nodes);
	if (!slab)
		slab = take_new(shelf);
	if (!slab)
		slab = take_other(shelf, 1);
	shelf->from = slab;
	return slab;
}

/* Count all pages of a slab, which are about to get memory, as idle.  Lock held. */
static void warm(const struct slab_class *class, struct slab *slab)
{
	unsigned int n = SLAB_BYTES >> class->page_shift;

	slab->cold = false;
	slab->idle = (unsigned short)(0xffffu >> (SLAB_PAGES - n));
	pool_page_count(0, n);
}

/*
 * Leave a slab, whose free objects are on lines of other threads, for another slab, until an object
 * of the first one is freed.  False: that would keep memory for long, or there is none, so threads
 * may share lines of this slab now.  Lock held.
 */
__attribute__((__noinline__))
static bool leave_rest(struct slab_shelf *shelf, struct slab *slab)
{
	unsigned int divisor = shelf->slabs < SEVERAL ? REST_FIRST : REST_DIVISOR;
	unsigned int rest = (unsigned int)slab->objs - slab->used;

	if (slab->fresh && rest <= slab->objs / divisor && next_from(shelf)) {
		slab->edge = (unsigned short)(slab->used - 1);
		return true;
	}
	shelf->from = slab;
	pool_slab_share(slab);
	return false;
}

/*
 * Take up to @n free objects, whose bits are in one word, the lowest first.  Returns how many; 0:
 * the shelf allocates from another slab from now on.  Lock held.
 */
static unsigned int take(struct slab_shelf *shelf, struct slab *slab,
			 unsigned int n, void **objs, struct slab_pages *pages)
{
	size_t stride = shelf->class->stride;
	const struct plat_area *taker = plat_this_area();
	unsigned int word, bit, i = 0;
	unsigned long bits, left;

	while (!(bits = pool_slab_choose(slab, shelf->class->stride, taker, &word)))
		if (leave_rest(shelf, slab))
			return 0;
	left = slab->free[word];
	do {
		bit = word * SLAB_BITS + (unsigned int)__builtin_ctzl(bits);
		objs[i] = slab->first + slab_place_of(slab, bit) * stride;
		slab_page_get(shelf->class, slab, objs[i++], pages);
		left &= ~(bits & -bits);
		bits &= bits - 1;
	} while (bits && i < n);
	slab->free[word] = left;
	slab->at = (unsigned short)(bit + 1);
	slab->used = (unsigned short)(slab->used + i);
	if (slab->used == slab->objs) {
		slab->edge = (unsigned short)(slab->objs - 1);
		shelf->from = NULL;
	}
	return i;
}

/*
 * Lock this thread's shelf of a class, or another whose lock is free, which the thread then keeps.
 * The shelf is one of the node on which the thread runs now.
 */
static struct slab_shelf *lock_shelf(struct slab_class *class)
{
	struct plat_area *area = plat_this_area();
	unsigned int own = area ? area->shelf : 0;
	unsigned int nodes = pool_start.nodes, i;

	if (nodes > 1)
		own = (own & -nodes) | pool_node_here();
	for (i = 0; i < SLAB_SHELVES; i += nodes) {
		unsigned int k = (own + i) % SLAB_SHELVES;

		if (pthread_mutex_trylock(class->shelf[k].lock))
			continue;
		if (i && area)
			area->shelf = k;
		return &class->shelf[k];
	}
	pthread_mutex_lock(class->shelf[own].lock);
	return &class->shelf[own];
}

/* Allocate @n objects of a class.  Returns how many; fewer than @n: the arena has no more. */
unsigned int pool_slab_alloc(struct slab_class *class, unsigned int n,
			     void **objs)
{
	struct slab_shelf *shelf = lock_shelf(class);
	struct slab *cold = NULL;	/* the last cold slab; earlier ones are full now */
	struct slab_pages pages = { 0 };
	unsigned int got = 0;

	while (got < n) {
		struct slab *slab = shelf->from ? shelf->from :
						  next_from(shelf);

		if (!slab)
			break;
		if (slab->cold) {
			warm(class, slab);
			cold = slab;
		}
		got += take(shelf, slab, n - got, objs + got, &pages);
	}
	pthread_mutex_unlock(shelf->lock);
	if (pages.woken + pages.fresh)
		pool_page_count((long)pages.woken + pages.fresh, -(long)pages.woken);
	if (cold)
		pool_arena_populate(cold);
	return got;
}

/*
 * Find the bit @n of an object in its slab, and what is wrong with the pointer, if anything is.
 * The multiplication by the inverse is exact for all offsets within a slab.  Lock held.
 */
static enum pool_fault look(const struct slab_class *class,
			    const struct slab *slab, const void *obj,
			    unsigned int *n)
{
	uintptr_t off = (uintptr_t)obj - (uintptr_t)slab->first;

	if (off >= SLAB_BYTES)
		return POOL_FAULT_FOREIGN;
	*n = (unsigned int)(((uint64_t)off * class->inverse) >> 32);
	if (*n >= slab->objs)
		return POOL_FAULT_FOREIGN;
	if (*n * class->stride != off)
		return POOL_FAULT_INTERIOR;
	*n = slab_bit_of(slab, *n);
	if (slab_is_free(slab, *n))
		return POOL_FAULT_DOUBLE_FREE;
	/* An object of a hardened pool that is in use was freed to a wrong pool. */
	return pool_lent_has(slab, obj) ? POOL_FAULT_WRONG_POOL : POOL_FAULT_KINDS;
}

/* Free an object.  True: its slab is empty, and the caller returns it to the arena.  Lock held. */
static bool put(struct slab_shelf *shelf, struct slab *slab, const void *obj,
		unsigned int n, struct slab_pages *pages)
{
	unsigned int word = n / SLAB_BITS;

	slab->free[word] |= 1ul << n % SLAB_BITS;
	if (word < slab->hint)
		slab->hint = (unsigned short)word;
	if (slab_page_put(shelf->class, slab, obj, pages) && slab->grade < SLAB_GRADES)
		pool_slab_idles(shelf, slab);
	if (--slab->used == slab->edge)
		pool_slab_regrade(shelf, slab);
	if (slab->used || slab == shelf->from || slab->grade == SLAB_TRIMMED)
		return false;
	pool_slab_leave(shelf, slab);
	return true;
}

/*
 * Lock the shelf of a slab; NULL: the slab is on none.  Another thread may move the slab to
 * another shelf until the lock is held, so the shelf is read again under the lock.
 */
static struct slab_shelf *lock_shelf_of(const struct slab *slab)
{
	struct slab_shelf *shelf = plat_read(&slab->shelf);

	while (shelf) {
		struct slab_shelf *now;

		pthread_mutex_lock(shelf->lock);
		now = plat_read(&slab->shelf);
		if (now == shelf)
			break;
		pthread_mutex_unlock(shelf->lock);
		shelf = now;
	}
	return shelf;
}

/* Return the slab of an object in a list; most often it is that of the object before. */
static inline struct slab *slab_of_next(struct slab *slab, void **obj)
{
	return slab_same(obj[-1], obj[0]) ? slab : pool_arena_slab(obj[0]);
}

/*
 * Free the first objects of a list of @n, at least 1: those of one shelf, under its lock, until a
 * slab is empty.  @slab: of the first object, by pool_arena_slab().
 *
 * Returns how many were freed.  @fault is set to POOL_FAULT_KINDS, or to what is wrong with the
 * next object, which is unchanged.
 */
unsigned int pool_slab_free(struct slab *slab, unsigned int n, void **objs,
			    enum pool_fault *fault)
{
	struct slab_shelf *shelf = lock_shelf_of(slab);
	struct slab *next = slab;
	struct slab_pages pages = { 0 };
	unsigned int done = 0;
	bool empty = false;

	*fault = POOL_FAULT_FOREIGN;
	if (!shelf)
		return 0;
	do {
		unsigned int at;

		slab = next;
		*fault = look(shelf->class, slab, objs[done], &at);
		if (*fault != POOL_FAULT_KINDS)
			break;
		empty = put(shelf, slab, objs[done], at, &pages);
		next = ++done < n ? slab_of_next(slab, objs + done) : NULL;
	} while (next && !empty && plat_read(&next->shelf) == shelf);
	pthread_mutex_unlock(shelf->lock);
	if (pages.idled)
		pool_page_count(-(long)pages.idled, pages.idled);
	if (empty)
		pool_arena_put(slab);
	if (pages.idled)
		pool_slab_trim_idle(shelf, pages.idled);
	return done;
}
