/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * object_slots.h - where the table of objects has an object's entry
 *
 * Layer:   beside the four; private to object_table.c.
 *
 * Segment i of the table has 2^i pieces.  The hash of an object selects a piece in each segment,
 * and a window of a few slots in each piece.  If all these windows are full, the first missing
 * piece is added, so the table grows by one piece at a time.  A word per window has a tag of each
 * entry, so one comparison skips a window without the object.  Searches begin with the last
 * segment, which has half the slots.  Entries never move, and pieces are freed with the pool, so no
 * call waits for another.
 */
#ifndef POOL_OBJECT_SLOTS_H
#define POOL_OBJECT_SLOTS_H

#include "seam/plat.h"

#define PIECE_WINDOWS	30u		/* about 4 KiB in a piece, 1 KiB if words have 32 bits */
#define WINDOW_SLOTS	((unsigned int)sizeof(long))
#define PIECE_SLOTS	(PIECE_WINDOWS * WINDOW_SLOTS)

struct pool_entry {
	unsigned long obj;		/* the object, or its complement; 0: none yet */
	unsigned long state;
};

struct pool_piece {
	unsigned long tags[PIECE_WINDOWS];	/* byte j of word w: tag of slot j of window w */
	struct pool_entry slot[PIECE_SLOTS];
};

/* Hash a pointer.  The upper bits of a product are mixed best; 32-bit words need all bits. */
static inline unsigned long pool_hash(const void *obj)
{
	const unsigned long long golden = 0x9e3779b97f4a7c15;
	unsigned long x = (unsigned long)obj >> 3;

	x *= (unsigned long)golden;
	return x ^ x >> (sizeof(long) * 4);
}

/* Return the piece of a hash in a segment; NULL: it was not added yet. */
static inline struct pool_piece *pool_piece_of(struct pool *pool, unsigned int i,
					       unsigned long h)
{
	void **segment = plat_read_acquire(&pool->object_table.segment[i]);

	return segment ? plat_read_acquire(&segment[h / PIECE_WINDOWS % (1ul << i)]) :
		      NULL;
}

/*
 * Return piece @n, from 1 on, in the order in which pieces are added; NULL: it was not added yet.
 */
static inline struct pool_piece *pool_piece_at(struct pool *pool, unsigned long n)
{
	unsigned int i = 8 * (unsigned int)sizeof(long) - 1 - (unsigned int)__builtin_clzl(n);

	return pool_piece_of(pool, i, n * PIECE_WINDOWS);
}

/* Return the tag of a hash, one byte; never 0, which is an empty slot's. */
static inline unsigned long pool_hash_tag(unsigned long h)
{
	unsigned long tag = h >> (8 * sizeof(long) - 8);

	return tag ? tag : 1;
}

/*
 * Return the highest bit of each byte of @tags that equals @tag.  Above such a byte another one may
 * be reported by mistake.
 */
static inline unsigned long pool_tags_match(unsigned long tags, unsigned long tag)
{
	const unsigned long ones = ~0ul / 0xff;
	unsigned long x = tags ^ ones * tag;

	return (x - ones) & ~x & ones << 7;
}

/* Return the first slot that matches in the window of a hash. */
static inline unsigned int pool_slot_of(unsigned long h, unsigned long matching)
{
	return (unsigned int)(h % PIECE_WINDOWS * WINDOW_SLOTS) +
	       (unsigned int)__builtin_ctzl(matching) / 8;
}

/* Make sure that *@at points to zeroed memory; false: memory is short. */
static inline bool pool_have_memory(void **at, size_t size, unsigned int flags)
{
	bool waits = plat_may(PLAT_WAIT, flags);
	void *p, *none = NULL;

	if (plat_read(at))
		return true;
	p = plat_mem_alloc(size, waits ? PLAT_MEM_NO_IO : PLAT_MEM_AT_HAND);
	if (!p)
		return false;
	if (!waits)
		memset(p, 0, size);
	if (plat_cmpxchg(at, &none, p))
		plat_word_add(&pool_object_table_bytes, size);
	else
		plat_mem_free(p);
	return true;
}

/*
 * Make sure that a segment has the piece of a hash; false: memory is short.  "segments" counts the
 * segment before it has an entry, so that no search misses it.
 */
static inline bool pool_provide_piece(struct pool *pool, unsigned int i, unsigned long h,
				      unsigned int flags)
{
	struct pool_object_table *t = &pool->object_table;
	unsigned int segments = plat_read(&t->segments);
	void **segment;

	if (!pool_have_memory(&t->segment[i], sizeof(void *) << i, flags))
		return false;
	while (segments <= i && !plat_cmpxchg(&t->segments, &segments, i + 1))
		;
	segment = plat_read_acquire(&t->segment[i]);
	return pool_have_memory(&segment[h / PIECE_WINDOWS % (1ul << i)],
				sizeof(struct pool_piece), flags);
}

/* Add the first piece that an object lacks; false: it lacks none, or no memory. */
static inline bool pool_add_piece(struct pool *pool, const void *obj, unsigned int flags)
{
	unsigned long h = pool_hash(obj);
	unsigned int i = 0;

	while (i < POOL_STATE_SEGMENTS && pool_piece_of(pool, i, h))
		i++;
	return i < POOL_STATE_SEGMENTS && plat_may(PLAT_ALLOC, flags) &&
	       pool_provide_piece(pool, i, h, flags);
}

#endif
