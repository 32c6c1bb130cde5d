/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * slab.h - the structs of slabs; private to user/ and its tests
 *
 * Layer:   below plat.c; user/ only.
 *
 * All slabs have 64 KiB, and all objects of a slab have one size.  Addresses are reserved in
 * chunks of 32 slabs.  The descriptions of slabs are mapped elsewhere, so that a stray write to an
 * object does not reach them:
 *
 *	 a chunk's base                                 base + 2 MiB
 *	 |<---------- carved ---------->|
 *	 |<--------------- ready ---------------->|
 *	 +--------+--------+---+--------+---------+-------------+
 *	 | slab 0 | slab 1 |...|        | not yet |  no access  |
 *	 +--------+--------+---+--------+---------+-------------+
 *	     |        |
 *	 +---+----+---+----+--
 *	 | slab[0]| slab[1]| ...	shelf, free objects as bits, list
 *	 +--------+--------+--
 */
#ifndef POOL_SLAB_H
#define POOL_SLAB_H

#include "seam/plat.h"

#include <pthread.h>
#include <stdint.h>

#define SLAB_SHIFT	16
#define SLAB_BYTES	65536u		/* 1 << SLAB_SHIFT */

/* Strides are multiples of this; slabs align objects to SLAB_ALIGN at most. */
#define SLAB_STEP	16
#define SLAB_ALIGN	64

/* The most strides: 65 up to 1040 bytes, and 33 in each of six doublings up to 64 KiB: class.c. */
#define SLAB_CLASSES	(65 + 6 * 33)

#define SLAB_BITS	((unsigned int)(8 * sizeof(unsigned long)))
#define SLAB_WORDS	(SLAB_BYTES / SLAB_STEP / SLAB_BITS)

/* A chunk of addresses: a huge page of x86, arm64 and others. */
#define CHUNK_SHIFT	21
#define CHUNK_BYTES	((size_t)1 << CHUNK_SHIFT)
#define CHUNK_SLABS	((unsigned int)(CHUNK_BYTES / SLAB_BYTES))
#if CHUNK_SHIFT - SLAB_SHIFT > 5
#error "pool_map_discard() has a bit for each slab of a chunk, and one more"
#endif

/* Number of descriptions of chunks that are mapped at once. */
#define CHUNK_DESCRIBED	8

/* One byte for each place in a chunk where an object can begin: lent.c. */
#define LENT_BYTES	(CHUNK_BYTES / SLAB_STEP)

/*
 * The map of chunks has an entry for each 2 MiB of the lower 48 bits of addresses.  mmap() returns
 * higher addresses only on request.  Pointers with a tag in their top byte are malloc()'s.
 */
#if UINTPTR_MAX > 0xffffffffu
#define CHUNK_BITS	(48 - CHUNK_SHIFT)
#define LEAF_BITS	14
#else
#define CHUNK_BITS	(32 - CHUNK_SHIFT)
#define LEAF_BITS	CHUNK_BITS
#endif
#define CHUNK_LEAVES	((uintptr_t)1 << LEAF_BITS)
#define CHUNK_ROOTS	((uintptr_t)1 << (CHUNK_BITS - LEAF_BITS))

/*
 * The shelves of a class, each with a lock, so that several threads can allocate at once.  Shelf k
 * belongs to node k modulo the number of nodes.
 */
#define SLAB_SHELVES	4

/* The most nodes that the library distinguishes: node.c. */
#define SLAB_NODES	SLAB_SHELVES

/* The most pages of a slab, which it has where a page has 4 KiB. */
#define SLAB_PAGES	16

/* Grades of slabs with room, by how full they are in quarters, the fullest first. */
enum slab_grade {
	SLAB_SPARSE = 3,	/* less than a quarter */
	SLAB_GRADES,
	SLAB_UNLISTED = SLAB_GRADES,	/* full, or its shelf allocates from it */
	SLAB_TRIMMED,			/* its idle pages are being released */
};

/* The threads that have taken objects of a slab, and the objects they may take next: line.c. */
enum slab_lines {
	LINES_OF_ONE,		/* one thread since the slab was empty; any object */
	LINES_KEPT,		/* several; objects on lines of their own */
	LINES_SHARED,		/* several, and no line was free; any object */
};

/* The edge of a slab whose grade no free changes. */
#define SLAB_NO_EDGE	0xffff

/*
 * A slab.  The lock of its shelf protects it; without a shelf it belongs to the arena, or to the
 * thread that moves it from or to the arena.
 */
struct slab {
	struct pool_list list;		/* link among slabs of a shelf's grade, or of the arena */
	struct slab_shelf *shelf;	/* read without the lock, too; NULL: the slab is empty */
	struct slab_chunk *chunk;	/* set once */
	unsigned char *first;		/* the first object, whose line is the colour */
	unsigned short objs;
	unsigned short used;
	unsigned short edge;		/* the number used at which the grade changes */
	unsigned short hint;		/* no object to take in words before this: line.c */
	unsigned short first_place;	/* the place of the object of bit 0 */
	unsigned short at;		/* the bit behind the object that was taken last */
	unsigned char grade;		/* enum slab_grade; read without the lock, too */
	bool cold;			/* the first allocation populates all pages */
	unsigned char lines;		/* enum slab_lines */
	bool fresh;			/* it has been on no list since it was empty */
	unsigned short idle;		/* a bit for each page with memory and no object */
	const struct plat_area *taker;	/* the thread that took objects last, if it is known */
	struct pool_list idle_list;	/* link in shelf->idle, if listed and with idle pages */
	unsigned short on[SLAB_PAGES];	/* objects in use on each page */
	unsigned long free[SLAB_WORDS];	/* a bit for each free object */
} __attribute__((aligned(64)));

/* The state of a chunk's huge page: huge.c. */
enum slab_huge {
	HUGE_NONE,
	HUGE_ASKED,		/* the first touch populates the chunk, if the system can */
	HUGE_CAME,		/* all of the chunk has memory */
};

/* The description of a chunk.  Arena mutex, unless said otherwise. */
struct slab_chunk {
	struct pool_list list;		/* link among chunks, or among unused descriptions */
	unsigned char *base;
	unsigned int ready;		/* accessible slabs */
	unsigned int carved;		/* slabs that were ever used */
	unsigned int bare;		/* slabs that were used, and are empty and without memory */
	unsigned int node;		/* node of its memory; read without the mutex, too */
	enum slab_huge huge;		/* read and written without the mutex, too */
	unsigned char *lent;		/* marks, set once; read without the mutex: lent.c */
	struct slab slab[CHUNK_SLABS];
};

struct slab_shelf {
	pthread_mutex_t *lock;		/* shelves of other classes may share it */
	struct slab_class *class;
	struct slab *from;		/* lock: the slab to allocate from */
	struct pool_list room[SLAB_GRADES];	/* lock: other slabs with room */
	unsigned int count[SLAB_GRADES];	/* lock; read without, too: slabs in room[] */
	struct pool_list idle;		/* lock: slabs with idle pages, oldest first */
	unsigned int idle_count;	/* lock; read without, too: slabs in idle */
	unsigned int colour;		/* lock: colour of the next slab */
	unsigned int slabs;		/* lock: number of its slabs */
} __attribute__((aligned(64)));

/* All slabs of one stride.  The numbers are constant once the class is set up. */
struct slab_class {
	unsigned int stride;
	unsigned int inverse;		/* 2^32 / stride, rounded up */
	unsigned int colours;		/* number of places where slabs may begin */
	unsigned int lines;		/* cache lines of a page where slabs may begin */
	unsigned int colour_step;	/* added to the colour from one slab to the next */
	unsigned int page_shift;
	struct slab_shelf shelf[SLAB_SHELVES];
};

/* class.c */
struct slab_class *pool_slab_class(unsigned int size, unsigned int align);
const struct slab_class *pool_slab_class_at(unsigned int i);
unsigned int pool_slab_shelves(void);
struct slab_shelf *pool_slab_shelf(unsigned int n);

/* slab.c */
unsigned int pool_slab_alloc(struct slab_class *class, unsigned int n,
			     void **objs);
unsigned int pool_slab_free(struct slab *slab, unsigned int n, void **objs,
			    enum pool_fault *fault);

/* node.c: at the library's start; and for its cases */
unsigned int pool_nodes_start(void);
unsigned int pool_node_number(unsigned int node, unsigned int end);
extern unsigned char pool_node_of_cpu[];

/* first.c */
void pool_slab_first_start(void);
unsigned int pool_slab_first(unsigned int objs, unsigned int stride);

/* line.c: lock of the shelf held */
unsigned long pool_slab_choose(struct slab *slab, unsigned int stride,
			       const struct plat_area *taker, unsigned int *word);
void pool_slab_share(struct slab *slab);

/* grade.c: lock of the shelf held */
void pool_slab_unlist(struct slab_shelf *shelf, struct slab *slab);
void pool_slab_list(struct slab_shelf *shelf, struct slab *slab);
void pool_slab_regrade(struct slab_shelf *shelf, struct slab *slab);
void pool_slab_idles(struct slab_shelf *shelf, struct slab *slab);
void pool_slab_leave(struct slab_shelf *shelf, struct slab *slab);
struct slab *pool_slab_listed(const struct slab_shelf *shelf, bool fullest);

/* trim.c */
bool pool_slab_sparse(const struct slab_class *class);
bool pool_slab_denser(const void *old, const void *new);
void pool_slab_trim_idle(struct slab_shelf *shelf, unsigned int idled);
void pool_slab_trim(void);
void pool_slab_trim_step(bool over);
void pool_slab_trim_fork_child(void);

/* page.c */
void pool_page_count(long used, long idle);
bool pool_page_over(void);
unsigned long pool_page_unused(void);
void pool_page_discard(struct slab_chunk *chunk, unsigned char *at, unsigned long long blocks,
		       size_t bytes, unsigned int idle);
unsigned long pool_page_idle(void);

/* The size of the arena, in slabs. */
struct arena_size {
	size_t reserved;		/* slabs of all chunks */
	size_t ready;		/* accessible */
	size_t used;		/* slabs on a shelf, or about to be */
	size_t kept;		/* empty slabs that have memory */
};

/* arena.c */
struct slab *pool_arena_get(unsigned int node, bool huge, bool *bare);
void pool_arena_populate(struct slab *slab);
void pool_arena_put(struct slab *slab);
unsigned char *pool_arena_at(const struct slab *slab);
void pool_arena_trim(void);
bool pool_arena_give(void);
void pool_arena_each(void (*fn)(struct slab *slab));
void pool_arena_size(struct arena_size *size);
void pool_arena_fork_hold(void);
void pool_arena_fork_release(void);

/* huge.c */
bool pool_huge_ask(struct slab_chunk *chunk);
enum slab_huge pool_huge_look(struct slab_chunk *chunk);
void pool_huge_end(struct slab_chunk *chunk);

/* lent.c */
unsigned int pool_lent_ready(unsigned int n, void **objs);
bool pool_lent_in_use(const struct slab *slab, const void *obj);

/* chunk.c */
void *pool_map_apart(size_t bytes, const char *name);
void pool_unmap_apart(void *at, size_t bytes);
struct slab_chunk *pool_chunk_get(void);
bool pool_chunk_open(struct slab_chunk *chunk, unsigned int n);
void pool_chunk_hide(const struct slab_chunk *chunk);
void pool_chunk_unmap(const struct slab_chunk *chunk);
void pool_chunk_put(struct slab_chunk *chunk);
unsigned long pool_chunk_described(void);
extern struct slab_chunk **pool_chunk_root[CHUNK_ROOTS];

/*
 * Bit 0 of a slab stands for a random object, the next bits for those that follow, and the last
 * bits for those before it.  Return the place of the object of bit @n, and the reverse.
 */
static inline unsigned int slab_place_of(const struct slab *slab, unsigned int n)
{
	n += slab->first_place;
	return n < slab->objs ? n : n - slab->objs;
}

static inline unsigned int slab_bit_of(const struct slab *slab, unsigned int place)
{
	return place - slab->first_place + (place < slab->first_place ? slab->objs : 0);
}

/* True if the object of bit @n is free.  Lock of its shelf held. */
static inline bool slab_is_free(const struct slab *slab, unsigned int n)
{
	return slab->free[n / SLAB_BITS] >> n % SLAB_BITS & 1;
}

/*
 * Return the slab at an address; NULL: no slab is there.  The acquires pair with the releases of
 * chunk.c, so that leaves and descriptions are seen complete.
 */
static inline struct slab *pool_arena_slab(const void *p)
{
	uintptr_t n = (uintptr_t)p >> CHUNK_SHIFT;
	struct slab_chunk *chunk, **leaf;

	if (n >> CHUNK_BITS)
		return NULL;
	leaf = plat_read_acquire(&pool_chunk_root[n >> LEAF_BITS]);
	chunk = leaf ? plat_read_acquire(&leaf[n & (CHUNK_LEAVES - 1)]) : NULL;
	return chunk ? &chunk->slab[(uintptr_t)p >> SLAB_SHIFT &
				    (CHUNK_SLABS - 1)] : NULL;
}

/* True if two addresses are in one slab; slabs are aligned to their size. */
static inline bool slab_same(const void *a, const void *b)
{
	return !(((uintptr_t)a ^ (uintptr_t)b) >> SLAB_SHIFT);
}

/* Numbers of pages whose state a call changes. */
struct slab_pages {
	unsigned int woken;		/* pages that were idle, and have an object now */
	unsigned int fresh;		/* pages that had no memory, and have an object now */
	unsigned int idled;		/* pages whose last object was freed */
};

/* Count an allocated object on its pages.  Its slab is on no list.  Lock held. */
static inline void slab_page_get(const struct slab_class *class, struct slab *slab,
				 const void *obj, struct slab_pages *pages)
{
	unsigned int at = (uintptr_t)obj & (SLAB_BYTES - 1);
	unsigned int i = at >> class->page_shift;
	unsigned int last = (at + class->stride - 1) >> class->page_shift;

	do {
		if (slab->on[i]++)
			continue;
		pages->woken += slab->idle >> i & 1;
		pages->fresh += !(slab->idle >> i & 1);
		slab->idle &= (unsigned short)~(1u << i);
	} while (i++ < last);
}

/* Count a freed object on its pages.  True: one of them has no object any more.  Lock held. */
static inline bool slab_page_put(const struct slab_class *class, struct slab *slab,
				 const void *obj, struct slab_pages *pages)
{
	unsigned int at = (uintptr_t)obj & (SLAB_BYTES - 1);
	unsigned int i = at >> class->page_shift;
	unsigned int last = (at + class->stride - 1) >> class->page_shift;
	unsigned int idled = pages->idled;

	do {
		if (--slab->on[i])
			continue;
		slab->idle |= (unsigned short)(1u << i);
		pages->idled++;
	} while (i++ < last);
	return pages->idled != idled;
}

/* True if an object of a hardened pool is in use; other pools' objects have no marks. */
static inline bool pool_lent_has(const struct slab *slab, const void *obj)
{
	return plat_read(&slab->chunk->lent) && pool_lent_in_use(slab, obj);
}

#endif /* POOL_SLAB_H */
