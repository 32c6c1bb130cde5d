// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * class.c - the strides of objects in slabs
 *
 * Layer:   seam, cold half; below slab.c.
 * Context: plain threads.
 *
 * Strides are multiples of 16 bytes up to 1 KiB, and of a 32nd of their power of two above that, so
 * that pools of near sizes share slabs and an object needs at most 3 % and a line more than its
 * size.  Of 33 to 64 KiB a slab has one object.  The pages behind it are never touched, so they use
 * addresses but no memory.
 *
 * If strides are multiples of large powers of two, the first lines of all objects compete for few
 * sets of a cache.  So slabs begin at different lines, which are called colours, and strides that
 * are multiples of 512 bytes get one step or line more.
 */
#include "main.h"
#include "slab.h"

#include <unistd.h>

/* Up to this size strides are multiples of 16; above, each doubling has SLAB_FINE strides. */
#define SLAB_SMALL	1024u
#define SLAB_FINE	32u

/* Strides that are multiples of 512 are enlarged. */
#define SLAB_POWER	512

/* Slabs begin at lines within this many bytes, because the sets of a cache repeat after them. */
#define SETS_BYTES	4096u

/*
 * Locks of shelves, which protect shelves and their slabs.  Lock order: last but one, before the
 * arena mutex.  There are so few that a fork can hold all.  The shelves of a class have different
 * locks.
 */
#define LOCKS		32

static struct {
	pthread_mutex_t mutex;
} __attribute__((aligned(64))) locks[LOCKS] = {
	[0 ... LOCKS - 1] = { PTHREAD_MUTEX_INITIALIZER },
};

/* Classes, in the order of the first use of their strides, so that those in use share few pages. */
static struct slab_class classes[SLAB_CLASSES];
static unsigned int class_count;	/* locks[0] to write; read without it, too */

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
 * Return at how many lines slabs of small objects may begin, so that all slabs together use all
 * sets of a cache.  With a stride of 512 + 16 bytes one slab's objects use half of the sets, with
 * 1024 + 16 all sets but the last.
 */
static unsigned int small_colours(unsigned int stride)
{
	unsigned int power = stride & -stride;

	if (stride % SLAB_POWER == SLAB_STEP && stride > SLAB_POWER)
		return stride / SLAB_POWER % 2 ? SLAB_POWER / SLAB_ALIGN : 2;
	return power > SLAB_ALIGN ? power / SLAB_ALIGN : 1;
}

/*
 * Large objects leave whole pages of a slab unused, and the end of the last used page.  So a slab
 * begins at any of the unused pages, and at as many lines of that page as fit without another page.
 */
static void colour_large(struct slab_class *class)
{
	unsigned int page = 1u << class->page_shift;
	unsigned int room = SLAB_BYTES % class->stride;
	unsigned int lines = room % page;

	if (lines >= SETS_BYTES)
		lines = SETS_BYTES - SLAB_ALIGN;
	class->lines = lines / SLAB_ALIGN + 1;
	class->colours = class->lines * (room / page + 1);
	class->colour_step = SLAB_BYTES / class->stride;
}

static void colour(struct slab_class *class)
{
	if (class->stride > SLAB_SMALL + SLAB_STEP) {
		colour_large(class);
		return;
	}
	class->colours = small_colours(class->stride);
	class->lines = class->colours;
	class->colour_step = 1;
}

static pthread_mutex_t *lock_of(unsigned int class, unsigned int shelf)
{
	return &locks[(class + shelf * (LOCKS / SLAB_SHELVES)) % LOCKS].mutex;
}

/* Set up the next class.  locks[0] held.  The release pairs with pool_slab_class_at(). */
static void class_init(unsigned int stride)
{
	unsigned int i = class_count;
	struct slab_class *class = &classes[i];
	unsigned int k, grade;

	class->stride = stride;
	class->inverse = (unsigned int)((((uint64_t)1 << 32) + stride - 1) /
					stride);
	class->page_shift = (unsigned int)__builtin_ctzl((unsigned long)
							 sysconf(_SC_PAGESIZE));
	colour(class);
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
 * Return the stride for a size.  With a stride of 1024 bytes the first lines of a slab's objects
 * would be in 4 sets of a first-level cache, which have 32 lines, so that a batch of 64 objects
 * would miss.  One step more spreads them over all sets, and of large objects one line more.  Where
 * a slab has one or two objects, that would need a page more for each.
 */
static unsigned int stride_of(unsigned int size, unsigned int align)
{
	bool small = size <= SLAB_SMALL;
	unsigned int step = small ? SLAB_STEP : 1u << (31 - __builtin_clz(size - 1));
	unsigned int more = small ? SLAB_STEP : SLAB_ALIGN;
	unsigned int stride;

	if (!small)
		step /= SLAB_FINE;
	if (step < align)
		step = align;
	stride = (size + step - 1) / step * step;
	if (stride % SLAB_POWER || more < align || stride >= SLAB_BYTES / 2)
		return stride;
	return stride + more;
}

/*
 * Find or set up the class of objects of @size bytes; @align is a power of two.  NULL: size or
 * alignment is too large for slabs.
 */
struct slab_class *pool_slab_class(unsigned int size, unsigned int align)
{
	unsigned int stride, i = 0;

	if (size > POOL_SLAB_MAX || align > SLAB_ALIGN)
		return NULL;
	stride = stride_of(size, align);
	pthread_mutex_lock(&locks[0].mutex);
	while (i < class_count && classes[i].stride != stride)
		i++;
	if (i == class_count)
		class_init(stride);
	pthread_mutex_unlock(&locks[0].mutex);
	return &classes[i];
}

/* Return the @i-th class; NULL: there are fewer. */
const struct slab_class *pool_slab_class_at(unsigned int i)
{
	return i < plat_read_acquire(&class_count) ? &classes[i] : NULL;
}

/* Return how many shelves there are; pool_slab_shelf() accepts numbers below that. */
unsigned int pool_slab_shelves(void)
{
	return plat_read_acquire(&class_count) * SLAB_SHELVES;
}

struct slab_shelf *pool_slab_shelf(unsigned int n)
{
	return &classes[n / SLAB_SHELVES].shelf[n % SLAB_SHELVES];
}
