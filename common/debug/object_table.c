// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * object_table.c - what is known of each object of a checked pool
 *
 * Layer:   beside the four.
 * Context: any, also interrupts and signal handlers; no lock, no waiting.
 *
 * A hash table by address, out of band: a pointer is judged before anything
 * behind it is read, and nothing that a user writes reaches the table.  It
 * consists of parts, each twice as large as the one before; an entry may be in any
 * of a few slots of any part.  Parts are never moved, and go with the pool, so
 * that nobody waits for anybody.
 *
 *   state   bits 0-1: used, free or quarantined
 *           bits 2-3: the last pattern, see pattern.c
 *           bits 4-15: who allocated, see profile.c
 *           bits 16-31: the generation
 *
 * Where the options let hits go by unseen, the table falls behind.  So each begin
 * of checks is a new generation, of which nothing is known; entries of an earlier
 * one, and objects that are not in the table, are adopted at first sight.  While
 * less objects are known than allocated, a pointer that is not known may be one of
 * these; when all are known it is none.  "known" has the generation in its upper
 * half, so that who began his call before the switch does not count into it.  An
 * object is counted in "allocated" before it is known and after it was, so that
 * one that is not known yet is never taken for none.  A pool that was checked from
 * its creation on needs no count: what is not in its table is none.
 *
 * Entries change by compare and exchange: of two who free an object at once, one
 * finds it free.  But where it is not in the table yet, two may both adopt it: a
 * double free at the very same moment, of an object of before a switch, is missed.
 *
 * The addresses of objects in use are inverted: tools that search memory for leaks
 * are not to find these objects here, but those that are free.
 */
#include "plat.h"

#define PART_FIRST	256u		/* slots of the first part */
#define PROBES		16u

#define ST_USED		1ul
#define ST_FREE		2ul
#define ST_BAD		3ul
#define ST_MASK		3ul
#define ST_PHASE_SHIFT	2
#define ST_BIN_SHIFT	4
#define ST_BIN_MASK	0xffful

#define KNOWN_SHIFT	(sizeof(long) * 8 - 12)
#define KNOWN_COUNT	((1ul << KNOWN_SHIFT) - 1)

/* An entry that somebody is just filling in. */
#define ENTRY_TAKEN	1ul

struct pool_entry {
	unsigned long obj;		/* or ~obj; 0: nothing is here */
	unsigned long state;
};

static unsigned int slots_of(unsigned int part)
{
	return PART_FIRST << part;
}

static unsigned long gen_of(unsigned int word)
{
	return word / POOL_D_GEN;
}

static unsigned long state_gen(unsigned long state)
{
	return state / POOL_D_GEN;
}

/* The generation as "known" has it. */
static unsigned long known_gen(unsigned int word)
{
	return gen_of(word) << KNOWN_SHIFT;
}

/* Count @more objects known, or one less; unless the generation is another. */
static void count_known(struct pool *pool, unsigned long state, bool more)
{
	unsigned long gen = state_gen(state) << KNOWN_SHIFT;
	unsigned long old = plat_read(&pool->object_table.known);
	unsigned long now;

	do {
		if ((old & ~KNOWN_COUNT) != gen)
			return;
		now = more ? old + 1 : old - 1;
	} while (!plat_cmpxchg_release(&pool->object_table.known, &old, now));
}

/* Objects that came from the backend, and went there. */
static unsigned long backend_calls(struct pool *pool)
{
	return plat_read(&pool->store_gets) +
	       plat_read(&pool->store_puts);
}

/*
 * Is every object of the pool in the table?  Where it was not always so, two
 * numbers are compared that others change; they belong together when nothing
 * came or went in between.  The fences order the reads: an object is known no
 * more, then its way to the backend is counted, then it is allocated no more.  The
 * first one pairs with that of pool_object_table_lapse(), too: who has read an option
 * word of after checks had ended finds that they had.
 */
static bool all_known(struct pool *pool, unsigned int word)
{
	unsigned long calls = backend_calls(pool);
	unsigned long known, have;

	plat_fence();
	if (plat_read(&pool->object_table.whole))
		return true;
	known = plat_read(&pool->object_table.known);
	plat_fence();
	have = pool_allocated(pool);
	plat_fence();
	return (known & ~KNOWN_COUNT) == known_gen(word) &&
	       (known & KNOWN_COUNT) >= have && backend_calls(pool) == calls;
}

/* The upper bits are the good ones; all are needed where a word has 32. */
static unsigned long hash(const void *obj)
{
	unsigned long x = (unsigned long)obj >> 3;

	x *= (unsigned long)0x9e3779b97f4a7c15ull;
	return x ^ x >> (sizeof(long) * 4);
}

/* What an entry of an object has for it. */
static unsigned long key_of(unsigned long obj, unsigned long state)
{
	return (state & ST_MASK) == ST_USED ? ~obj : obj;
}

/* And the other way; addresses are aligned. */
static unsigned long obj_of(const struct pool_entry *e)
{
	unsigned long key = plat_read_acquire(&e->obj);

	return key & 2 ? ~key : key;
}

/* By whoever has just changed the state, and so has the object. */
static void rekey(struct pool_entry *e, unsigned long state)
{
	plat_write_release(&e->obj, key_of(obj_of(e), state));
}

static struct pool_entry *part_of(struct pool *pool, unsigned int i)
{
	return plat_read_acquire(&pool->object_table.part[i]);
}

/* The entry of address @key in a part; with 0 one that is empty, for @obj. */
static struct pool_entry *probe(struct pool *pool, unsigned int i,
				const void *obj, unsigned long key)
{
	struct pool_entry *part = part_of(pool, i);
	unsigned long at = hash(obj);
	unsigned int j;

	for (j = 0; part && j < PROBES; j++) {
		struct pool_entry *e =
			&part[(at + j) & (slots_of(i) - 1)];

		if (obj_of(e) == key)
			return e;
	}
	return NULL;
}

/* The entry of an object; NULL: there is none.  The largest part first. */
static struct pool_entry *find_entry(struct pool *pool, const void *obj)
{
	struct pool_entry *e = NULL;
	unsigned int i;

	for (i = POOL_STATE_PARTS; i && !e; i--)
		e = probe(pool, i - 1, obj, (unsigned long)obj);
	return e;
}

/* Fill in an empty entry in one of the parts there are; false: no room. */
static bool insert(struct pool *pool, void *obj, unsigned long state)
{
	unsigned int i = POOL_STATE_PARTS;

	while (i) {
		struct pool_entry *e = probe(pool, i - 1, obj, 0);
		unsigned long none = 0;

		if (!e) {
			i--;
			continue;
		}
		if (!plat_cmpxchg_release(&e->obj, &none, ENTRY_TAKEN))
			continue;
		plat_write(&e->state, state);
		plat_write_release(&e->obj, key_of((unsigned long)obj, state));
		count_known(pool, state, true);
		return true;
	}
	return false;
}

/* Add a part; false: there are enough, or no memory. */
static bool add_part(struct pool *pool, unsigned int flags)
{
	bool waits = plat_may(PLAT_WAIT, flags);
	struct pool_entry *part, *none = NULL;
	unsigned int i = 0;
	size_t size;

	while (i < POOL_STATE_PARTS && part_of(pool, i))
		i++;
	if (i == POOL_STATE_PARTS || !plat_may(PLAT_ALLOC, flags))
		return false;
	size = slots_of(i) * sizeof(struct pool_entry);
	part = plat_mem_alloc(size, waits ? PLAT_MEM_NO_IO : PLAT_MEM_AT_HAND);
	if (!part)
		return false;
	if (!waits)
		memset(part, 0, size);
	if (!plat_cmpxchg_release(&pool->object_table.part[i], &none, part))
		plat_mem_free(part);
	return true;
}

/* Let an entry be @state; true if it was of another generation. */
static void set_state(struct pool *pool, struct pool_entry *e,
		      unsigned long state)
{
	unsigned long old = plat_read(&e->state);

	do {
		if ((old & ST_MASK) == ST_BAD)
			return;
	} while (!plat_cmpxchg_release(&e->state, &old, state));
	rekey(e, state);
	if (state_gen(old) != state_gen(state))
		count_known(pool, state, true);
}

static unsigned long state_word(unsigned int word, unsigned long state)
{
	return gen_of(word) * POOL_D_GEN | state;
}

/* The pattern after the last one. */
static unsigned long next_phase(unsigned long state)
{
	unsigned long phase = (state >> ST_PHASE_SHIFT) & 3;

	return (phase % 3 + 1) << ST_PHASE_SHIFT;
}

/* Who allocated, as far as that is known: not of what was free when last seen. */
static unsigned long bin_note(unsigned long state)
{
	return (state & ST_MASK) == ST_USED ?
	       state & (ST_BIN_MASK << ST_BIN_SHIFT) : 0;
}

/* Change an entry from used to free; @note: what it was. */
static enum pool_seen free_entry(struct pool *pool, unsigned int word,
				 struct pool_entry *e, unsigned long *note)
{
	unsigned long old = plat_read(&e->state);
	unsigned long now;

	do {
		if ((old & ST_MASK) == ST_BAD)
			return POOL_SEEN_BAD;
		if (state_gen(old) == gen_of(word) &&
		    (old & ST_MASK) == ST_FREE)
			return POOL_SEEN_FREE;
		now = state_word(word, ST_FREE | next_phase(old) |
				 bin_note(old));
	} while (!plat_cmpxchg_release(&e->state, &old, now));
	rekey(e, now);
	if (state_gen(old) != gen_of(word))
		count_known(pool, now, true);
	*note = now;
	return POOL_SEEN_USED;
}

/**
 * pool_state_free() - Somebody frees an object, or what he takes for one.
 * @pool: the pool he names.
 * @word: the option word of his call.
 * @obj: the pointer; nothing behind it is read.
 * @note: for pool_state_phase() and pool_state_bin(); where the object is seen
 *	for the first time a pattern, and no bin.
 *
 * Never needs memory: what does not fit the table stays unknown.
 *
 * Return: what it was until now.
 */
enum pool_seen pool_state_free(struct pool *pool, unsigned int word, void *obj,
			       unsigned long *note)
{
	struct pool_entry *e;

	if ((unsigned long)obj & (pool->align - 1))
		return POOL_SEEN_NEVER;
	e = find_entry(pool, obj);
	if (e)
		return free_entry(pool, word, e, note);
	if (all_known(pool, word))
		return POOL_SEEN_NEVER;
	*note = state_word(word, ST_FREE | next_phase(0));
	insert(pool, obj, *note);
	return POOL_SEEN_USED;
}

/**
 * pool_state_alloc() - An object is handed out.
 * @pool: its pool.
 * @word: the option word of the call.
 * @obj: the object.
 * @flags: of the call; decide whether the table may grow.
 * @bin: the call's bin of profile.c, or 0.
 */
void pool_state_alloc(struct pool *pool, unsigned int word, void *obj,
		      unsigned int flags, unsigned int bin)
{
	unsigned long state = state_word(word, ST_USED |
			(bin & ST_BIN_MASK) << ST_BIN_SHIFT);
	struct pool_entry *e = find_entry(pool, obj);

	if (e) {
		unsigned long old = plat_read(&e->state);

		set_state(pool, e, state | (old & (3ul << ST_PHASE_SHIFT)));
		return;
	}
	while (!insert(pool, obj, state)) {
		if (!add_part(pool, flags)) {
			plat_write(&pool->object_table.whole, false);
			return;
		}
	}
}

/* The pattern and the bin of a note. */
unsigned int pool_state_phase(unsigned long note)
{
	return (note >> ST_PHASE_SHIFT) & 3;
}

unsigned int pool_state_bin(unsigned long note)
{
	return (note >> ST_BIN_SHIFT) & ST_BIN_MASK;
}

/* An object goes to the backend.  The fence: see all_known(). */
void pool_state_drop(struct pool *pool, void *obj)
{
	struct pool_entry *e = find_entry(pool, obj);

	if (!e)
		return;
	count_known(pool, plat_read(&e->state), false);
	plat_fence();
	plat_write_release(&e->obj, 0ul);
}

/* An object is never to be handed out, nor taken back, again. */
void pool_state_quarantine(struct pool *pool, void *obj)
{
	struct pool_entry *e = find_entry(pool, obj);
	unsigned long gen = plat_read(&pool->debug) / POOL_D_GEN * POOL_D_GEN;

	if (e)
		set_state(pool, e, gen | ST_BAD);
	else
		insert(pool, obj, gen | ST_BAD);
}

static bool is_around(unsigned long obj, unsigned int size, unsigned long p)
{
	return obj > ENTRY_TAKEN && p >= obj && p - obj < size;
}

/**
 * pool_state_around() - The object that a pointer points into.
 * @pool: the pool.
 * @p: the pointer.
 *
 * Reads the whole table: for reports.
 *
 * Return: a known object, perhaps @p itself; NULL: none.
 */
void *pool_state_around(struct pool *pool, const void *p)
{
	unsigned int size = plat_read(&pool->head.size);
	unsigned int i, j;

	for (i = 0; i < POOL_STATE_PARTS; i++) {
		struct pool_entry *part = part_of(pool, i);

		for (j = 0; part && j < slots_of(i); j++) {
			unsigned long obj = obj_of(&part[j]);

			if (is_around(obj, size, (unsigned long)p))
				return (void *)obj;
		}
	}
	return NULL;
}

/* Let all entries be of generation 0, which never is. */
static void forget(struct pool *pool)
{
	unsigned int i, j;

	for (i = 0; i < POOL_STATE_PARTS; i++) {
		struct pool_entry *part = part_of(pool, i);

		for (j = 0; part && j < slots_of(i); j++) {
			unsigned long old = plat_read(&part[j].state);

			while (!plat_cmpxchg_release(&part[j].state, &old,
						     old & (POOL_D_GEN - 1)))
				;
		}
	}
}

/**
 * pool_object_table_begin() - A generation begins: nothing is known.
 * @pool: the pool; creation, or registry mutex held.
 * @word: its new option word, not stored yet.
 *
 * Before they all come again, the marks of the first ones are wiped.
 */
void pool_object_table_begin(struct pool *pool, unsigned int word)
{
	if (gen_of(word) == 1)
		forget(pool);
	plat_write(&pool->object_table.known, known_gen(word));
}

/* Checks end: from now on objects come and go unseen.  Registry mutex held. */
void pool_object_table_lapse(struct pool *pool)
{
	plat_write(&pool->object_table.whole, false);
	plat_fence();
}

/**
 * pool_object_table_grow() - Make room for the objects that there are.
 * @pool: the pool.
 *
 * So that frees, which allocate nothing, find room to note them.
 *
 * Context: process context; no lock held.
 */
void pool_object_table_grow(struct pool *pool)
{
	unsigned long want = pool_allocated(pool) * 2;
	unsigned long have = 0;
	unsigned int i;

	for (i = 0; i < POOL_STATE_PARTS && have <= want; i++) {
		if (!part_of(pool, i) && !add_part(pool, 0))
			return;
		have += slots_of(i);
	}
}

/* Free the table.  Nobody calls the pool any more. */
void pool_object_table_end(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < POOL_STATE_PARTS; i++)
		plat_mem_free(pool->object_table.part[i]);
}
