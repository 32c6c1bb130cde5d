// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * slab.c - small objects, in slabs of equal ones
 *
 * Layer:   seam, cold half; between plat.c and arena.c.
 * Context: plain threads; no lock of ours held.
 *
 * A class has all objects of a stride, of any pools.  So a pool of a few objects needs no
 * page of its own.  Objects are taken from one slab until it is full, in the order of their
 * addresses, so that pages that are not needed are not touched, unless the class has many.
 * The first one of a fresh slab is a random one: turn.c.  Slabs that have room again are
 * listed by how full they are.  The next one to be used is one of the fullest, so that the
 * others may become empty.  An empty slab goes back to the arena, unless objects are being
 * taken from it.  A slab with a few objects left gives its free pages back: trim.c.
 *
 * A class has several shelves.  All but the first are used when others are contended.
 * A thread stays with the shelf that it found free.  An object is freed to the shelf that
 * has its slab.  Before a shelf gets a new slab it takes one with room from another.  Where
 * memory has nodes each of them has some of the shelves: a thread uses those of the node
 * that it is near, and they exchange no slabs with others while there is memory.
 *
 * Where strides are multiples of large powers of two, the first lines of all objects
 * would be in few sets of a cache.  So slabs begin at different lines, their colours,
 * and the largest of such strides are made odd ones.
 *
 * Lock order: shelves, in the order of locks[] -> arena mutex.  A holder of one shelf
 * only tries to lock another.
 */
#include "main.h"
#include "slab.h"

#include <unistd.h>

/* Strides that are multiples of this get a step more. */
#define SLAB_POWER	512

/*
 * A shelf with at least so many slabs gets memory for a whole new one at once.  Memory that is not
 * used is a quarter of what the shelf has then, at most.
 */
#define SEVERAL		4

/* Few enough to be held all at once.  The shelves of a class have different locks. */
#define LOCKS		32

static struct {
	pthread_mutex_t mutex;
} __attribute__((aligned(64))) locks[LOCKS] = {
	[0 ... LOCKS - 1] = { PTHREAD_MUTEX_INITIALIZER },
};

/* In the order in which strides are first asked for, so that few pages have those in use. */
static struct slab_class classes[SLAB_CLASSES];
static unsigned int class_count;	/* locks[0]; read by anybody */

void pool_slab_fork_hold(void)
{
	unsigned int i;

	for (i = 0; i < LOCKS; i++)
		pthread_mutex_lock(&locks[i].mutex);
	pool_arena_fork_hold();
}

void pool_slab_fork_release(bool child)
{
	unsigned int i = LOCKS;

	if (child)
		pool_slab_trim_fork_child();
	pool_arena_fork_release();
	while (i--)
		pthread_mutex_unlock(&locks[i].mutex);
}

/*
 * At how many lines a slab may begin: as many as objects would otherwise leave out.  With
 * a step more than 512 bytes the objects of one slab are in half of the sets, with one
 * more than 1024 in all but the last.
 */
static unsigned int colours_of(unsigned int stride)
{
	unsigned int power = stride & -stride;

	if (stride % SLAB_POWER == SLAB_STEP && stride > SLAB_POWER)
		return stride / SLAB_POWER % 2 ? SLAB_POWER / SLAB_ALIGN : 2;
	return power > SLAB_ALIGN ? power / SLAB_ALIGN : 1;
}

static pthread_mutex_t *lock_of(unsigned int class, unsigned int shelf)
{
	return &locks[(class + shelf * (LOCKS / SLAB_SHELVES)) % LOCKS].mutex;
}

/* Make the next class.  The first lock is held.  The release pairs with the acquire of a trim. */
static void class_init(unsigned int stride)
{
	unsigned int i = class_count;
	struct slab_class *class = &classes[i];
	unsigned int k, grade;

	class->stride = stride;
	class->inverse = (unsigned int)((((uint64_t)1 << 32) + stride - 1) /
					stride);
	class->colours = colours_of(stride);
	class->page_shift = (unsigned int)__builtin_ctzl((unsigned long)
							 sysconf(_SC_PAGESIZE));
	for (k = 0; k < SLAB_SHELVES; k++) {
		struct slab_shelf *shelf = &class->shelf[k];

		shelf->lock = lock_of(i, k);
		shelf->class = class;
		for (grade = 0; grade < SLAB_GRADES; grade++)
			pool_list_init(&shelf->room[grade]);
		pool_list_init(&shelf->idle);
	}
	plat_write_release(&class_count, i + 1);
}

/*
 * A class's stride, in steps.  With 1024 bytes the first lines of a slab's objects
 * would be in 4 sets of a first-level cache, which hold 32 of them, so a
 * batch of 64 would miss.  16 bytes more spread them over all sets.  The same holds for
 * 512.
 */
static unsigned int steps_of(unsigned int size, unsigned int align)
{
	unsigned int step = align > SLAB_STEP ? align : SLAB_STEP;
	unsigned int steps = (size + step - 1) / step * (step / SLAB_STEP);

	return steps + (step == SLAB_STEP && steps % (SLAB_POWER / SLAB_STEP) == 0);
}

/*
 * Find the class of objects of @size bytes; @align is a power of two.  NULL: they are too large,
 * or their alignment is.
 */
struct slab_class *pool_slab_class(unsigned int size, unsigned int align)
{
	unsigned int steps, i = 0;

	if (size > POOL_SLAB_MAX || align > SLAB_ALIGN)
		return NULL;
	steps = steps_of(size, align);
	if (steps >= SLAB_CLASSES)
		return NULL;
	pthread_mutex_lock(&locks[0].mutex);
	while (i < class_count && classes[i].stride != steps * SLAB_STEP)
		i++;
	if (i == class_count)
		class_init(steps * SLAB_STEP);
	pthread_mutex_unlock(&locks[0].mutex);
	return &classes[i];
}

/* The @i-th class; NULL: there are fewer. */
const struct slab_class *pool_slab_class_at(unsigned int i)
{
	return i < plat_read_acquire(&class_count) ? &classes[i] : NULL;
}

/* Set up a slab, all objects free.  Touches only as many of the bits as there are. */
static void slab_begin(struct slab_shelf *shelf, struct slab *slab)
{
	const struct slab_class *class = shelf->class;
	unsigned int start = shelf->colour * SLAB_ALIGN;
	unsigned int objs = (SLAB_BYTES - start) / class->stride;
	unsigned int i;

	shelf->colour = (shelf->colour + 1) % class->colours;
	for (i = 0; i < objs / SLAB_BITS; i++)
		slab->free[i] = ~0ul;
	if (objs % SLAB_BITS)
		slab->free[i] = ~(~0ul << objs % SLAB_BITS);
	slab->first = pool_arena_at(slab) + start;
	slab->objs = (unsigned short)objs;
	slab->used = 0;
	slab->turn = (unsigned short)pool_slab_turn(objs);
	slab->edge = SLAB_NO_EDGE;
	slab->grade = SLAB_UNLISTED;
	slab->hint = 0;
	for (i = 0; i < SLAB_PAGES; i++)
		slab->on[i] = 0;
}

/* Lock held.  A free reads the shelf again once it has its lock: pool_slab_free(). */
static void enter(struct slab_shelf *shelf, struct slab *slab)
{
	plat_write(&slab->shelf, shelf);
	shelf->slabs++;
}

/* A slab that a shelf can do without, one of the emptiest; or NULL.  Lock held. */
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
 * Take a slab away from each @step-th shelf that follows, but not its only one, which the
 * threads there need next.  Lock of @shelf held.
 */
static struct slab *take_over(struct slab_shelf *shelf, unsigned int step)
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

/* No slab of the shelf has room. */
static struct slab *take_new(struct slab_shelf *shelf)
{
	bool bare;
	struct slab *slab = pool_arena_get(number_of(shelf) & (pool_start.nodes - 1),
					   &bare);

	if (slab) {
		slab->cold = bare && shelf->slabs >= SEVERAL &&
			     pool_start.page < SLAB_BYTES;
		slab_begin(shelf, slab);
		enter(shelf, slab);
	}
	return slab;
}

/*
 * Get the next slab to take objects from, or NULL; of another node only where there is no
 * more memory.  Lock held.
 */
__attribute__((__noinline__))
static struct slab *next_from(struct slab_shelf *shelf)
{
	struct slab *slab = pool_slab_listed(shelf, true);

	if (slab)
		pool_slab_unlist(shelf, slab);
	else
		slab = take_over(shelf, pool_start.nodes);
	if (!slab)
		slab = take_new(shelf);
	if (!slab)
		slab = take_over(shelf, 1);
	shelf->from = slab;
	return slab;
}

/* All pages of a slab are about to get memory.  Lock held. */
static void warm(const struct slab_class *class, struct slab *slab)
{
	unsigned int n = SLAB_BYTES >> class->page_shift;

	slab->cold = false;
	slab->idle = (unsigned short)(0xffffu >> (SLAB_PAGES - n));
	pool_page_count(0, n);
}

/*
 * Take up to @n free objects, those of the lowest bits, of one word; returns how many.  Another
 * thread than the last one begins at a line of its own.  A free lists a full slab again.
 * Lock held.
 */
static unsigned int take(struct slab_shelf *shelf, struct slab *slab,
			 unsigned int n, void **objs, struct slab_pages *pages)
{
	size_t stride = shelf->class->stride;
	const struct plat_area *taker = plat_this_area();
	unsigned int word = slab->hint, i = 0;
	unsigned long bits, rest = 0;

	while (!slab->free[word])
		word++;
	bits = slab->free[word];
	if (taker != shelf->taker) {
		rest = pool_slab_shared_lines(slab, shelf->class->stride, word);
		bits &= ~rest;
		shelf->taker = taker;
	}
	do {
		unsigned int bit = (unsigned int)__builtin_ctzl(bits);

		bit = slab_place_of(slab, word * SLAB_BITS + bit);
		objs[i] = slab->first + bit * stride;
		slab_page_get(shelf->class, slab, objs[i++], pages);
		bits &= bits - 1;
	} while (bits && i < n);
	slab->free[word] = bits | rest;
	slab->hint = (unsigned short)word;
	slab->used = (unsigned short)(slab->used + i);
	if (slab->used == slab->objs) {
		slab->edge = (unsigned short)(slab->objs - 1);
		shelf->from = NULL;
	}
	return i;
}

/*
 * Lock this thread's shelf, or a free one, which the thread then keeps as its own; of the
 * node that is near now.
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
	struct slab *cold = NULL;	/* of several the last one: the others are used up */
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
		pool_map_populate(pool_arena_at(cold), SLAB_BYTES);
	return got;
}

/*
 * Find which bit of its slab stands for this object, and whether it can be freed.  The
 * inverse is exact for all offsets within a slab.  Lock held.
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
	/* A user of a hardened pool still has it, so another pool must not have freed it. */
	return pool_lent_has(slab, obj) ? POOL_FAULT_WRONG_POOL : POOL_FAULT_KINDS;
}

/* Returns whether the slab is empty, and then it is the arena's.  Lock held. */
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
 * Lock the shelf of a slab; NULL: it is on none.  The slab may be moved to
 * another shelf until its own is locked.
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

/* The slab of the next object of a list: most often that of the one before. */
static inline struct slab *slab_of_next(struct slab *slab, void **obj)
{
	return slab_same(obj[-1], obj[0]) ? slab : pool_arena_slab(obj[0]);
}

/*
 * Free @n objects, at least 1.  @slab is that of the first one, by pool_arena_slab().  Objects of
 * one shelf are freed under its lock, until a slab has become empty.
 *
 * Returns how many are freed, the first ones; 0: see @fault.  @fault is set to POOL_FAULT_KINDS,
 * or to what is wrong with the first one that is not freed.  That one is unchanged.
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

/* How many shelves there are, and the shelf of a number below that. */
unsigned int pool_slab_shelves(void)
{
	return plat_read_acquire(&class_count) * SLAB_SHELVES;
}

struct slab_shelf *pool_slab_shelf(unsigned int n)
{
	return &classes[n / SLAB_SHELVES].shelf[n % SLAB_SHELVES];
}
