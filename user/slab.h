/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * slab.h - what slabs are made of; private to user/ and its tests
 *
 * Layer:   below plat.c; user/ only.
 *
 * The arena is one range of addresses, in slabs of equal size; all objects of a slab
 * are equal.  What is known of slabs is kept apart from them, so that no stray
 * write to an object reaches it:
 *
 *	base                                               base + bytes
 *	 |<------------ carved ------------>|
 *	 |<----------------- ready ------------------>|
 *	 +--------+--------+-------+--------+---------+-- - - --+
 *	 | slab 0 | slab 1 |  ...  |        | not yet | reserved |
 *	 +--------+--------+-------+--------+---------+-- - - --+
 *	     |        |
 *	 +---+----+---+----+--
 *	 | slab[0]| slab[1]| ...	shelf, free objects as bits, list
 *	 +--------+--------+--
 */
#ifndef POOL_SLAB_H
#define POOL_SLAB_H

#include "plat.h"

#include <pthread.h>
#include <stdint.h>

#define SLAB_SHIFT	16
#define SLAB_BYTES	65536u		/* by SLAB_SHIFT */

/* Strides are multiples of this; slabs align objects to SLAB_ALIGN at most. */
#define SLAB_STEP	16
#define SLAB_ALIGN	64

#define SLAB_BITS	((unsigned int)(8 * sizeof(unsigned long)))
#define SLAB_WORDS	(SLAB_BYTES / SLAB_STEP / SLAB_BITS)

/* Parts of a class, each with a lock, for threads that are there at once. */
#define SLAB_SHELVES	4

/*
 * A slab.  Its shelf's lock guards it while it is on one; else it is the arena's, or
 * of who is taking it there or away.
 */
struct slab {
	struct pool_list list;		/* of its shelf, with room; of the arena */
	struct slab_shelf *shelf;	/* read by anybody; NULL: it is empty */
	unsigned char *first;		/* object; where its colour has it */
	unsigned short objs;
	unsigned short used;
	unsigned short hint;		/* no free object in words before */
	unsigned long free[SLAB_WORDS];	/* a bit for each that is free */
} __attribute__((aligned(64)));

struct slab_shelf {
	pthread_mutex_t *lock;		/* shelves of other classes may have it */
	struct slab_class *class;
	struct pool_list room;		/* lock: slabs not full; an empty one last */
	unsigned int colour;		/* lock: of the next slab */
} __attribute__((aligned(64)));

/* All slabs of one stride.  Does not change once it is made. */
struct slab_class {
	unsigned int stride;		/* 0: not made yet */
	unsigned int inverse;		/* 2^32 / stride, rounded up */
	unsigned int colours;
	struct slab_shelf shelf[SLAB_SHELVES];
};

/* slab.c */
struct slab_class *pool_slab_class(unsigned int size, unsigned int align);
void *pool_slab_alloc(struct slab_class *class);
enum pool_fault pool_slab_free(void *obj);
void pool_slab_trim(void);

/* How much of the arena there is, in slabs. */
struct arena_size {
	size_t reserved;	/* addresses; 0: none yet, or none to be had */
	size_t ready;		/* with access */
	size_t used;		/* on a shelf, or about to be */
	size_t kept;		/* empty, with memory */
};

/* arena.c */
struct slab *pool_arena_get(void);
void pool_arena_put(struct slab *slab);
struct slab *pool_arena_slab(const void *p);
unsigned char *pool_arena_at(const struct slab *slab);
void pool_arena_trim(void);
void pool_arena_size(struct arena_size *size);
void pool_arena_fork_hold(void);
void pool_arena_fork_release(void);

/* arena.c: the range, which is set once. */
extern uintptr_t pool_arena_base;
extern size_t pool_arena_bytes;

/*
 * Is this in the arena?  The acquire pairs with the release in reserve(): who sees
 * that there is one sees where it is.
 */
static inline bool pool_arena_has(const void *p)
{
	size_t bytes = plat_read_acquire(&pool_arena_bytes);

	return (uintptr_t)p - plat_read(&pool_arena_base) < bytes;
}

#endif /* POOL_SLAB_H */
