// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * object.c - what is written into objects in use, and a bitmap of their addresses
 *
 * Layer:   torture.
 * Context: any, NMIs included.
 *
 * While an object is in use, it holds its pool, its user, a sequence number, a checksum of
 * these and of its address, and words that follow from the checksum.  A bit says that
 * there is an object in use at an address.  Free objects have no such word: pools may
 * write to these, and new ones come from the slab with any contents.
 */
#include <linux/bitmap.h>
#include <linux/compiler.h>
#include <linux/io.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "torture.h"

/* Distance between two objects, at least. */
#define APART	16

struct mark {
	u8 pool;
	u8 kind;
	u16 cpu;
	u32 seq;
	u64 sum;
};

#define MIX		0x9e3779b97f4a7c15ull
#define BUILT		0x62756c747475626cull

static unsigned long *in_use;
static unsigned long places;

/* All of the kernel's own memory; objects that vmalloc() made are there, too. */
bool torture_objects_begin(void)
{
	places = __pa(high_memory - 1) / APART + 1;
	in_use = vzalloc(BITS_TO_LONGS(places) * sizeof(long));
	return in_use;
}

void torture_objects_end(void)
{
	vfree(in_use);
}

/* xorshift64* */
u32 torture_random(struct torture_unit *unit)
{
	u64 x = unit->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	unit->random = x;
	return (x * 0x2545f4914f6cdd1dull) >> 20;
}

/* Returns the place of an object in in_use, which its first byte decides. */
static unsigned long place_of(const void *obj)
{
	phys_addr_t at;

	if (is_vmalloc_addr(obj))
		at = page_to_phys(vmalloc_to_page(obj)) + offset_in_page(obj);
	else
		at = __pa(obj);
	return at / APART < places ? at / APART : 0;
}

static u64 sum_of(const struct mark *mark)
{
	u64 who = (u64)mark->pool << 56 | (u64)mark->kind << 48 |
		  (u64)mark->cpu << 32 | mark->seq;

	return (who ^ (unsigned long)mark) * MIX;
}

/* pool_free_rcu() writes behind all bytes that readers and units look at. */
static unsigned int rcu_size(const struct torture_pool *pool)
{
	return pool->rcu ? sizeof(struct pool_rcu) : 0;
}

struct pool_rcu *torture_rcu_of(const struct torture_pool *pool, void *obj)
{
	return obj + pool->size - rcu_size(pool);
}

/* Returns how many words of an object units may write; a constructor's word follows these. */
static unsigned int words_of(const struct torture_pool *pool)
{
	return (pool->size - rcu_size(pool)) / sizeof(u64) - pool->built;
}

/* Returns the next word to compare: of a large object only some are, among them the last one. */
static unsigned int next_word(unsigned int i, unsigned int words)
{
	unsigned int more = words / 16 + 1;

	return i + 1 < words && i + more >= words ? words - 1 : i + more;
}

static void look_at_built(const struct torture_pool *pool, const void *obj)
{
	const u64 *word = obj;
	u64 is = word[words_of(pool)];

	if (is != (BUILT ^ (unsigned long)obj))
		torture_wrong(TORTURE_BUILT, pool, "constructed word", is,
			      BUILT ^ (unsigned long)obj);
}

/* Check and fill an object that comes out of a pool. */
void torture_own(struct torture_unit *unit, const struct torture_pool *pool,
		 void *obj)
{
	unsigned int words = words_of(pool), i;
	struct mark *mark = obj;
	u64 *word = obj;

	if (test_and_set_bit(place_of(obj), in_use))
		torture_wrong(TORTURE_TWICE, pool, torture_kind_name(unit->kind),
			      *(unsigned long *)obj, unit->cpu);
	if (pool->built)
		look_at_built(pool, obj);
	mark->pool = pool->id;
	mark->kind = unit->kind;
	mark->cpu = unit->cpu;
	mark->seq = ++unit->seq;
	mark->sum = sum_of(mark);
	for (i = 2; i < words; i = next_word(i, words))
		word[i] = mark->sum + i;
	torture_count(&unit->got);
}

/*
 * Returns what a reader of RCU must see again, later in its section, in an object that others may
 * free meanwhile.  An object that RCU frees does not change.  With MEM_F_TYPESAFE another owner
 * may have it, so only the pool's number, in the first byte, is the same.
 */
u64 torture_see(const struct torture_pool *pool, const void *obj)
{
	const struct mark *mark = obj;

	if (pool->rcu)
		return READ_ONCE(mark->sum);
	return data_race(READ_ONCE(mark->pool));
}

/* Check an object that is about to return to its pool. */
void torture_disown(const struct torture_pool *pool, void *obj)
{
	unsigned int words = words_of(pool), i;
	struct mark *mark = obj;
	u64 *word = obj;

	if (mark->pool != pool->id)
		torture_wrong(TORTURE_CONTENTS, pool, "pool", mark->pool,
			      pool->id);
	if (mark->sum != sum_of(mark))
		torture_wrong(TORTURE_CONTENTS, pool, "sum", mark->sum,
			      sum_of(mark));
	for (i = 2; i < words; i = next_word(i, words))
		if (word[i] != mark->sum + i)
			torture_wrong(TORTURE_CONTENTS, pool, "word", word[i],
				      mark->sum + i);
	if (pool->built)
		look_at_built(pool, obj);
	if (!pool->rcu)
		mark->sum = 0;
	if (!test_and_clear_bit(place_of(obj), in_use))
		torture_wrong(TORTURE_TWICE, pool, "freed", mark->seq, mark->cpu);
}

/* The constructor and the destructor of pools that are built; @arg: the torture_pool. */
void torture_construct(void *obj, void *arg)
{
	struct torture_pool *pool = arg;
	u64 *word = obj;

	word[words_of(pool)] = BUILT ^ (unsigned long)obj;
	atomic_long_inc(&pool->built_now);
}

void torture_destruct(void *obj, void *arg)
{
	struct torture_pool *pool = arg;
	u64 *word = obj;

	look_at_built(pool, obj);
	word[words_of(pool)] = 0;
	atomic_long_dec(&pool->built_now);
}
