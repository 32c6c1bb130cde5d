// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * slab.c - small objects, in slabs of equal ones
 *
 * Layer:   seam, cold half; between plat.c and arena.c.
 * Context: plain threads; no lock of ours held.
 *
 * A class has all objects of a stride, whichever pool they are of: so a pool of a few
 * objects costs no page of its own.  Objects are taken from one slab until it is
 * full, lowest first, so that pages that were never needed are never touched; slabs
 * that have room again wait at the end, and may become empty meanwhile.  One that
 * does goes back to the arena, unless it is the only one with room.
 *
 * A class has shelves, of which all but the first are for who finds others at work.
 * A thread stays with the shelf that it found free; what it frees goes to where it
 * is from.  Before a shelf gets a new slab it takes one with room from another.
 *
 * Where strides are multiples of large powers of two, first lines of all objects
 * would be in few sets of a cache: so slabs begin at different lines, their colours,
 * and the largest of such strides are made odd ones.
 *
 * Lock order: shelves, as in locks[] -> arena mutex.  Who has one shelf only tries
 * to get another.
 */
#include "main.h"
#include "slab.h"

#define CLASSES		(POOL_SLAB_MAX / SLAB_STEP + 2)

/* Strides that are multiples of this get a step more. */
#define SLAB_POWER	512

/* Few enough to be held all at once; shelves of a class have different ones. */
#define LOCKS		32

static struct {
	pthread_mutex_t mutex;
} __attribute__((aligned(64))) locks[LOCKS] = {
	[0 ... LOCKS - 1] = { PTHREAD_MUTEX_INITIALIZER },
};

static struct slab_class classes[CLASSES];

void pool_slab_fork_hold(void)
{
	unsigned int i;

	for (i = 0; i < LOCKS; i++)
		pthread_mutex_lock(&locks[i].mutex);
	pool_arena_fork_hold();
}

void pool_slab_fork_release(void)
{
	unsigned int i = LOCKS;

	pool_arena_fork_release();
	while (i--)
		pthread_mutex_unlock(&locks[i].mutex);
}

/*
 * How many lines a slab may begin at: as many as objects leave out otherwise.  With a
 * step more than 512 bytes the objects of one slab are in half of the sets, with one
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

/* Once, with its first lock held.  The release pairs with the acquire of a trim. */
static void class_init(unsigned int i)
{
	struct slab_class *class = &classes[i];
	unsigned int stride = i * SLAB_STEP;
	unsigned int k;

	class->inverse = (unsigned int)((((uint64_t)1 << 32) + stride - 1) /
					stride);
	class->colours = colours_of(stride);
	for (k = 0; k < SLAB_SHELVES; k++) {
		struct slab_shelf *shelf = &class->shelf[k];

		shelf->lock = lock_of(i, k);
		shelf->class = class;
		pool_list_init(&shelf->room);
	}
	plat_write_release(&class->stride, stride);
}

/*
 * Of a class's stride, in steps.  With 1024 bytes first lines of a slab's objects
 * would be in 4 sets of a first level's cache, which has room for 32 of them, and a
 * batch of 64 would miss; 16 bytes more put them into all sets.  512 likewise.
 */
static unsigned int steps_of(unsigned int size, unsigned int align)
{
	unsigned int step = align > SLAB_STEP ? align : SLAB_STEP;
	unsigned int steps = (size + step - 1) / step * (step / SLAB_STEP);

	return steps + (step == SLAB_STEP && steps % (SLAB_POWER / SLAB_STEP) == 0);
}

/**
 * pool_slab_class() - Where objects come from.
 * @size: bytes of one.
 * @align: what they are aligned to, a power of two.
 *
 * Return: their class; NULL: they are too large, or too much aligned.
 */
struct slab_class *pool_slab_class(unsigned int size, unsigned int align)
{
	unsigned int i;

	if (size > POOL_SLAB_MAX || align > SLAB_ALIGN)
		return NULL;
	i = steps_of(size, align);
	if (i >= CLASSES)
		return NULL;
	pthread_mutex_lock(lock_of(i, 0));
	if (!classes[i].stride)
		class_init(i);
	pthread_mutex_unlock(lock_of(i, 0));
	return &classes[i];
}

/* All objects free, and no more of the bits touched than there are. */
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
	slab->hint = 0;
}

static struct slab *first_of(const struct slab_shelf *shelf)
{
	return pool_list_entry(shelf->room.next, struct slab, list);
}

static struct slab *last_of(const struct slab_shelf *shelf)
{
	return pool_list_entry(shelf->room.prev, struct slab, list);
}

/* Lock held.  Who frees to it asks twice where it is: pool_slab_free(). */
static void enter(struct slab_shelf *shelf, struct slab *slab)
{
	pool_list_add(&slab->list, &shelf->room);
	plat_write(&slab->shelf, shelf);
}

/* Lock held. */
static void leave(struct slab *slab)
{
	pool_list_del(&slab->list);
	plat_write(&slab->shelf, NULL);
}

/*
 * Move a slab here from another shelf, an empty one if there is; but not its only
 * one, which whoever is there needs next.  Lock held.
 */
static bool take_over(struct slab_shelf *shelf)
{
	struct slab_shelf *other = shelf->class->shelf;
	struct slab_shelf *end = other + SLAB_SHELVES;
	bool done = false;

	for (; !done && other < end; other++) {
		if (other == shelf || pthread_mutex_trylock(other->lock))
			continue;
		done = first_of(other) != last_of(other);
		if (done) {
			struct slab *slab = last_of(other);

			pool_list_del(&slab->list);
			enter(shelf, slab);
		}
		pthread_mutex_unlock(other->lock);
	}
	return done;
}

/* A slab that is not full, or NULL.  Lock held. */
static struct slab *with_room(struct slab_shelf *shelf)
{
	struct slab *slab;

	if (!pool_list_empty(&shelf->room) || take_over(shelf))
		return first_of(shelf);
	slab = pool_arena_get();
	if (slab) {
		slab_begin(shelf, slab);
		enter(shelf, slab);
	}
	return slab;
}

/* The lowest free object.  Lock held. */
static void *take(const struct slab_class *class, struct slab *slab)
{
	unsigned int word = slab->hint;
	unsigned long bits;

	while (!slab->free[word])
		word++;
	bits = slab->free[word];
	slab->free[word] = bits & (bits - 1);
	slab->hint = (unsigned short)word;
	if (++slab->used == slab->objs)
		pool_list_del(&slab->list);
	return slab->first + (word * SLAB_BITS +
			      (unsigned int)__builtin_ctzl(bits)) *
			     (size_t)class->stride;
}

/* This thread's shelf, or one that nobody is at: then that is its own.  Locked. */
static struct slab_shelf *lock_shelf(struct slab_class *class)
{
	struct plat_area *area = plat_this_area();
	unsigned int own = area ? area->shelf : 0;
	unsigned int i;

	for (i = 0; i < SLAB_SHELVES; i++) {
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

/**
 * pool_slab_alloc() - An object of a class.
 * @class: the class.
 *
 * Return: the object; NULL: the arena has no more.
 */
void *pool_slab_alloc(struct slab_class *class)
{
	struct slab_shelf *shelf = lock_shelf(class);
	struct slab *slab = with_room(shelf);
	void *obj = slab ? take(class, slab) : NULL;

	pthread_mutex_unlock(shelf->lock);
	return obj;
}

/* The empty slab of a shelf, or NULL.  Lock held. */
static struct slab *empty_of(const struct slab_shelf *shelf)
{
	if (pool_list_empty(&shelf->room) || last_of(shelf)->used)
		return NULL;
	return last_of(shelf);
}

/*
 * Which object of its slab this is, and whether it can be freed.  The inverse is
 * exact for all that is within a slab.  Lock held.
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
	if (slab->free[*n / SLAB_BITS] >> *n % SLAB_BITS & 1)
		return POOL_FAULT_DOUBLE_FREE;
	return POOL_FAULT_KINDS;
}

/* A full slab has room again; an empty one stays the last to be used. */
static void add_room(struct slab_shelf *shelf, struct slab *slab)
{
	struct slab *empty = empty_of(shelf);

	pool_list_add_last(&slab->list, empty ? &empty->list : &shelf->room);
}

static bool is_alone(const struct slab_shelf *shelf, const struct slab *slab)
{
	return first_of(shelf) == slab && last_of(shelf) == slab;
}

/* Is the slab the arena's then?  Lock held. */
static bool put(struct slab_shelf *shelf, struct slab *slab, unsigned int n)
{
	unsigned int word = n / SLAB_BITS;

	slab->free[word] |= 1ul << n % SLAB_BITS;
	if (word < slab->hint)
		slab->hint = (unsigned short)word;
	if (slab->used-- == slab->objs)
		add_room(shelf, slab);
	if (slab->used || is_alone(shelf, slab))
		return false;
	leave(slab);
	return true;
}

/*
 * The shelf that a slab is on, locked; NULL: it is on none.  It may be moved to
 * another as long as that is not locked.
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

/**
 * pool_slab_free() - The end of an object.
 * @obj: an address of the arena.
 *
 * Return: POOL_FAULT_KINDS: it is freed; else what is wrong with it, and nothing
 * has changed.
 */
enum pool_fault pool_slab_free(void *obj)
{
	struct slab *slab = pool_arena_slab(obj);
	struct slab_shelf *shelf = slab ? lock_shelf_of(slab) : NULL;
	enum pool_fault fault;
	bool empty = false;
	unsigned int n;

	if (!shelf)
		return POOL_FAULT_FOREIGN;
	fault = look(shelf->class, slab, obj, &n);
	if (fault == POOL_FAULT_KINDS)
		empty = put(shelf, slab, n);
	pthread_mutex_unlock(shelf->lock);
	if (empty)
		pool_arena_put(slab);
	return fault;
}

static void trim_shelf(struct slab_shelf *shelf)
{
	struct slab *empty;

	pthread_mutex_lock(shelf->lock);
	empty = empty_of(shelf);
	if (empty)
		leave(empty);
	pthread_mutex_unlock(shelf->lock);
	if (empty)
		pool_arena_put(empty);
}

/* Give back the memory of all that is empty. */
void pool_slab_trim(void)
{
	unsigned int i, k;

	for (i = 0; i < CLASSES; i++)
		if (plat_read_acquire(&classes[i].stride))
			for (k = 0; k < SLAB_SHELVES; k++)
				trim_shelf(&classes[i].shelf[k]);
	pool_arena_trim();
}
