// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * object_table.c - the state of each object of a checked pool
 *
 * Layer:   beside the four.
 * Context: any, also interrupts and signal handlers; no lock, no waiting.
 *
 * A hash table by address, out of band: a pointer is judged before anything
 * behind it is read, and nothing that a user writes reaches the table.  It
 * consists of parts, each twice as large as the one before.  An entry may be in any
 * of a few slots of any part.  Parts are never moved, and are freed with the pool, so
 * no call waits for another.
 *
 *   state   bits 0-1: used, free or quarantined
 *           bits 2-3: the last pattern, see pattern.c
 *           bits 4-15: the bin of the allocation, see profile.c
 *           from POOL_D_GEN on: the generation, as in the pool's option word
 *
 * While the options let hits bypass the checks, the table becomes stale.  So each begin
 * of checks starts a new generation, of which nothing is known.  Entries of an earlier
 * generation, and objects that are not in the table, are adopted at first sight.  While
 * fewer objects are known than allocated, an unknown pointer may be one of the missing
 * ones; once all are known it is no object.  The top of "known" has the generation,
 * so that a call which began before the switch does not count into it.  An object is
 * counted in "allocated" before it is known and until after it is known.  So a missing
 * entry is never mistaken for a foreign pointer.  A pool that was checked from its
 * creation on needs no count: what is not in its table is no object.
 *
 * Entries change by compare and exchange: if two calls free an object at once, one of
 * them finds it free.  But if it is not in the table yet, both may adopt it.  So a double
 * free at the very same moment, of an object from before a switch, is missed.
 *
 * The addresses of objects in use are inverted.  So tools that search memory for leaks
 * do not find these objects here, but they do find the free ones.
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

#define KNOWN_COUNT	(~0ul / POOL_D_GENS)
#define KNOWN_GEN	(KNOWN_COUNT + 1)

static_assert((ST_BIN_MASK << ST_BIN_SHIFT) < POOL_D_GEN &&
	      (unsigned long long)POOL_D_GEN * POOL_D_GENS <= 1ull << 32,
	      "a state has no room for a bin, or a word for a generation");
static_assert(PART_FIRST << POOL_STATE_PARTS <= KNOWN_COUNT,
	      "a full table could not be counted");

/* The key of an entry that is being filled in. */
#define ENTRY_TAKEN	1ul

struct pool_entry {
	unsigned long obj;		/* or ~obj; 0: the slot is empty */
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
	return gen_of(word) * KNOWN_GEN;
}

/* Count one object more, or one less, as known, if the generation is still the same. */
static void count_known(struct pool *pool, unsigned long state, bool more)
{
	unsigned long gen = state_gen(state) * KNOWN_GEN;
	unsigned long old = plat_read(&pool->object_table.known);
	unsigned long now;

	do {
		if ((old & ~KNOWN_COUNT) != gen)
			return;
		now = more ? old + 1 : old - 1;
	} while (!plat_cmpxchg(&pool->object_table.known, &old, now));
}

/* Objects that came from the backend, plus those that went there. */
static unsigned long backend_calls(struct pool *pool)
{
	return plat_read(&pool->store_gets) +
	       plat_read(&pool->store_puts);
}

/*
 * Is every object of the pool in the table?  If it was not always so, two
 * numbers are compared that other calls change.  They belong together when nothing
 * came or went in between.  The fences order the reads.  A drop makes an object unknown
 * first, then counts its way to the backend, then lowers "allocated".  The first fence also
 * pairs with that of pool_object_table_lapse(): a call that has read an option word from
 * after the end of checks also sees that they ended.
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

/* The upper bits are well mixed; all are needed where a word has 32 bits. */
static unsigned long hash(const void *obj)
{
	const unsigned long long golden = 0x9e3779b97f4a7c15;
	unsigned long x = (unsigned long)obj >> 3;

	x *= (unsigned long)golden;
	return x ^ x >> (sizeof(long) * 4);
}

/* The key that an entry has for an object. */
static unsigned long key_of(unsigned long obj, unsigned long state)
{
	return (state & ST_MASK) == ST_USED ? ~obj : obj;
}

/* The object of an entry: the reverse of key_of().  Addresses are aligned. */
static unsigned long obj_of(const struct pool_entry *e)
{
	unsigned long key = plat_read_acquire(&e->obj);

	return key & 2 ? ~key : key;
}

/* Set the key for a state; the caller has just changed the state, and so has the object. */
static void rekey(struct pool_entry *e, unsigned long state)
{
	plat_write_release(&e->obj, key_of(obj_of(e), state));
}

static struct pool_entry *part_of(struct pool *pool, unsigned int i)
{
	return plat_read_acquire(&pool->object_table.part[i]);
}

/* The entry of address @key in a part; with 0 an empty one for @obj. */
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

/* The entry of an object; NULL: there is none.  Begins with the largest part. */
static struct pool_entry *find_entry(struct pool *pool, const void *obj)
{
	struct pool_entry *e = NULL;
	unsigned int i;

	for (i = POOL_STATE_PARTS; i && !e; i--)
		e = probe(pool, i - 1, obj, (unsigned long)obj);
	return e;
}

/* Fill in an empty entry in one of the existing parts; false: no room. */
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
		if (!plat_cmpxchg(&e->obj, &none, ENTRY_TAKEN))
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
	if (!plat_cmpxchg(&pool->object_table.part[i], &none, part))
		plat_mem_free(part);
	return true;
}

/* Set the state of an entry, unless it is quarantined. */
static void set_state(struct pool *pool, struct pool_entry *e,
		      unsigned long state)
{
	unsigned long old = plat_read(&e->state);

	do {
		if ((old & ST_MASK) == ST_BAD)
			return;
	} while (!plat_cmpxchg(&e->state, &old, state));
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

/* The bin of the allocation, if it is known: not if the object was free when last seen. */
static unsigned long bin_note(unsigned long state)
{
	return (state & ST_MASK) == ST_USED ?
	       state & (ST_BIN_MASK << ST_BIN_SHIFT) : 0;
}

/* Change an entry from used to free; @note: set to its new state. */
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
	} while (!plat_cmpxchg(&e->state, &old, now));
	rekey(e, now);
	if (state_gen(old) != gen_of(word))
		count_known(pool, now, true);
	*note = now;
	return POOL_SEEN_USED;
}

/*
 * Note the free of a pointer, and judge it: returns the state until now.  @word is the option
 * word of the call.  Nothing behind @obj is read.  @note is for pool_state_phase() and
 * pool_state_bin(); an object that is seen for the first time has a pattern, and no bin.
 *
 * This never needs memory: an object that does not fit into the table stays unknown.
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

/*
 * Note that an object is handed out.  @word is the option word of the call, and @bin its bin of
 * profile.c, or 0.  @flags decide whether the table may grow.
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

/* Drop an object that goes to the backend.  For the fence see all_known(). */
void pool_state_drop(struct pool *pool, void *obj)
{
	struct pool_entry *e = find_entry(pool, obj);

	if (!e)
		return;
	count_known(pool, plat_read(&e->state), false);
	plat_fence();
	plat_write_release(&e->obj, 0ul);
}

/* Mark an object so that it is never handed out, nor taken back, again. */
void pool_state_quarantine(struct pool *pool, void *obj)
{
	struct pool_entry *e = find_entry(pool, obj);
	unsigned long gen = plat_read(&pool->debug) / POOL_D_GEN * POOL_D_GEN;

	if (e)
		set_state(pool, e, gen | ST_BAD);
	else
		insert(pool, obj, gen | ST_BAD);
}

/*
 * The object in a part that @p points into; NULL: none.  Looks at each place where an object
 * around @p could begin, or, if these are more than the slots, at each slot.
 */
static void *around(struct pool *pool, unsigned int i, unsigned long p)
{
	unsigned int size = plat_read(&pool->head.size), align = pool->align;
	struct pool_entry *part = part_of(pool, i);
	bool few = size / align < slots_of(i) / PROBES;
	unsigned int n = few ? size / align + 1 : slots_of(i);
	unsigned int j;

	for (j = 0; part && j < n; j++) {
		unsigned long obj = few ? (p & ~(align - 1ul)) - j * (unsigned long)align :
					  obj_of(&part[j]);

		if (obj > ENTRY_TAKEN && p - obj < size &&
		    (!few || probe(pool, i, (void *)obj, obj)))
			return (void *)obj;
	}
	return NULL;
}

/* Find the known object that a pointer points into, perhaps @p itself; NULL: none. */
void *pool_state_around(struct pool *pool, const void *p)
{
	void *obj = NULL;
	unsigned int i;

	for (i = 0; i < POOL_STATE_PARTS && !obj; i++)
		obj = around(pool, i, (unsigned long)p);
	return obj;
}

/* Set all entries to generation 0, which is never in use. */
static void forget(struct pool *pool)
{
	unsigned int i, j;

	for (i = 0; i < POOL_STATE_PARTS; i++) {
		struct pool_entry *part = part_of(pool, i);

		for (j = 0; part && j < slots_of(i); j++) {
			unsigned long old = plat_read(&part[j].state);

			while (!plat_cmpxchg(&part[j].state, &old,
					     old & (POOL_D_GEN - 1)))
				;
		}
	}
}

/*
 * Begin a generation, of which nothing is known but that objects in quarantine do not come back.
 * Whoever puts one there counts it last, so none is counted twice.  @word is the pool's new option
 * word, not stored yet.  Generations wrap around.  Before the first one comes again, all marks are
 * wiped.  The pool is being created, or the registry mutex is held.
 */
void pool_object_table_begin(struct pool *pool, unsigned int word)
{
	if (gen_of(word) == 1)
		forget(pool);
	plat_write(&pool->object_table.known,
		   known_gen(word) + plat_read(&pool->quarantined));
}

/* End checks: from now on objects come and go unseen.  Registry mutex held. */
void pool_object_table_lapse(struct pool *pool)
{
	plat_write(&pool->object_table.whole, false);
	plat_fence();
}

/*
 * Make room for all objects of the pool.  Frees allocate nothing, so they need room to note their
 * objects.  Process context; no lock held.
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

/* Free the table.  The pool is no longer called. */
void pool_object_table_end(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < POOL_STATE_PARTS; i++)
		plat_mem_free(pool->object_table.part[i]);
}
