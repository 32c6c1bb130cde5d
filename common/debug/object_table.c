// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * object_table.c - the state of each object of a checked pool
 *
 * Layer:   beside the four.
 * Context: any, also interrupts and signal handlers; no lock, no waiting.
 *
 * A hash table by address, apart from objects, so that a pointer is judged before anything behind
 * it is read, and no write of a user reaches the table.  object_slots.h says where entries are.
 *
 *   state   bits 0-1: given by the backend though in use, used, free or quarantined
 *           bits 2-3: the last pattern, see pattern.c
 *           bits 4-15: the bin of the allocation, see profile.c
 *           from POOL_D_GEN on: the generation, as in the pool's option bits
 *
 * While the options let hits bypass the checks, the table becomes stale.  So each switch to checks
 * begins a new generation, with no known objects.  Entries of an earlier generation, and objects
 * without an entry, are adopted when a call first gets or frees the object.  While fewer objects
 * are known than allocated, a pointer without an entry may be an object; once all are known, it is
 * none.  To make that comparison safe, "allocated" is raised before an object becomes known, and
 * lowered after it was dropped; and the top bits of "known" are the generation, so that a call
 * which began before the switch is not counted in it.  A pool that was checked from its creation on
 * needs no count.
 *
 * Entries change by compare and exchange, so if two calls free an object at once, one of them finds
 * it free.  But if the object has no entry yet, both may adopt it.  So a double free is missed if
 * both frees come at the same moment and the object is from before a switch.
 *
 * The addresses of objects in use are stored inverted, so that leak checkers find the free objects
 * here, but not those in use.
 */
#include "seam/plat.h"
#include "object_slots.h"

#define ST_GIVEN	0ul
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
static_assert(PIECE_SLOTS << POOL_STATE_SEGMENTS <= KNOWN_COUNT,
	      "a full table could not be counted");

unsigned long pool_object_table_bytes;

/* Return the generation of a state or of option bits. */
static unsigned long gen_of(unsigned long bits)
{
	return bits / POOL_D_GEN;
}

/* Return the generation of option bits as it is in "known". */
static unsigned long known_gen(unsigned int bits)
{
	return gen_of(bits) * KNOWN_GEN;
}

/* Count an object as known, or as unknown, if the generation is still that of @state. */
static void count_known(struct pool *pool, unsigned long state, bool more)
{
	unsigned long gen = gen_of(state) * KNOWN_GEN;
	unsigned long old = plat_read(&pool->object_table.known);
	unsigned long now;

	do {
		if ((old & ~KNOWN_COUNT) != gen)
			return;
		now = more ? old + 1 : old - 1;
	} while (!plat_cmpxchg(&pool->object_table.known, &old, now));
}

/* Return a number that changes with each object that comes from the backend or goes there. */
static unsigned long backend_calls(struct pool *pool)
{
	return plat_read(&pool->store_gets) +
	       plat_read(&pool->store_puts);
}

/*
 * True if every object of the pool has an entry: always, if "whole" is set, else if as many objects
 * are known as are allocated.  Other calls change both counts, so they are compared only if no
 * object came from or went to the backend between the first read and the last; the fences keep the
 * reads in order.  A drop makes an object unknown, then counts it as released, then lowers
 * "allocated".  The first fence also pairs with pool_object_table_lapse(): a call that has read
 * option bits without checks sees "whole" cleared.
 */
static bool all_known(struct pool *pool, unsigned int bits)
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
	return (known & ~KNOWN_COUNT) == known_gen(bits) &&
	       (known & KNOWN_COUNT) >= have && backend_calls(pool) == calls;
}

/* Return the key of an object's entry: its address, inverted while the object is in use. */
static unsigned long key_of(unsigned long obj, unsigned long state)
{
	return (state & ST_MASK) == ST_USED ? ~obj : obj;
}

/* Return the object of an entry, the reverse of key_of(): bit 1 of an address is 0. */
static unsigned long obj_of(const struct pool_entry *e)
{
	unsigned long key = plat_read_acquire(&e->obj);

	return key & 2 ? ~key : key;
}

/* Set the key after a change of state.  The caller owns the object, because it made the change. */
static void rekey(struct pool_entry *e, unsigned long state)
{
	plat_write_release(&e->obj, key_of(obj_of(e), state));
}

/* Find the entry of an object; NULL: there is none.  @in: set to its piece. */
static struct pool_entry *find_in(struct pool *pool, const void *obj,
				  struct pool_piece **in)
{
	unsigned int i = plat_read(&pool->object_table.segments);
	unsigned long h = pool_hash(obj), m;

	while (i--) {
		*in = pool_piece_of(pool, i, h);
		if (!*in)
			continue;
		m = pool_tags_match(plat_read(&(*in)->tags[h % PIECE_WINDOWS]), pool_hash_tag(h));
		for (; m; m &= m - 1) {
			struct pool_entry *e = &(*in)->slot[pool_slot_of(h, m)];

			if (obj_of(e) == (unsigned long)obj)
				return e;
		}
	}
	return NULL;
}

static struct pool_entry *find_entry(struct pool *pool, const void *obj)
{
	struct pool_piece *in;

	return find_in(pool, obj, &in);
}

/* Add an entry in one of the object's windows; false: all are full. */
static bool insert(struct pool *pool, void *obj, unsigned long state)
{
	unsigned int i = plat_read(&pool->object_table.segments);
	unsigned long h = pool_hash(obj), w = h % PIECE_WINDOWS;

	while (i) {
		struct pool_piece *p = pool_piece_of(pool, i - 1, h);
		unsigned long tags = p ? plat_read(&p->tags[w]) : ~0ul;
		unsigned long empty = pool_tags_match(tags, 0);
		struct pool_entry *e;

		if (!empty) {
			i--;
			continue;
		}
		if (!plat_cmpxchg(&p->tags[w], &tags,
				  tags | (empty & -empty) / 0x80 * pool_hash_tag(h)))
			continue;
		e = &p->slot[pool_slot_of(h, empty)];
		plat_write(&e->state, state);
		plat_write_release(&e->obj, key_of((unsigned long)obj, state));
		count_known(pool, state, true);
		return true;
	}
	return false;
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
	if (gen_of(old) != gen_of(state))
		count_known(pool, state, true);
}

static unsigned long state_of(unsigned int bits, unsigned long state)
{
	return gen_of(bits) * POOL_D_GEN | state;
}

/* Return the number of the next pattern, after the one in a state. */
static unsigned long next_phase(unsigned long state)
{
	unsigned long phase = (state >> ST_PHASE_SHIFT) & 3;

	return (phase % 3 + 1) << ST_PHASE_SHIFT;
}

/* Return the bin of the allocation; none if the object was free when last seen. */
static unsigned long bin_note(unsigned long state)
{
	return (state & ST_MASK) == ST_USED ?
	       state & (ST_BIN_MASK << ST_BIN_SHIFT) : 0;
}

/* Change an entry from used to free; @note: set to its new state. */
static enum pool_seen free_entry(struct pool *pool, unsigned int bits,
				 struct pool_entry *e, unsigned long *note)
{
	unsigned long old = plat_read(&e->state);
	unsigned long now;

	do {
		if ((old & ST_MASK) == ST_BAD)
			return POOL_SEEN_BAD;
		if (gen_of(old) == gen_of(bits) &&
		    (old & ST_MASK) == ST_FREE)
			return POOL_SEEN_FREE;
		now = state_of(bits, ST_FREE | next_phase(old) |
			       bin_note(old));
	} while (!plat_cmpxchg(&e->state, &old, now));
	rekey(e, now);
	if (gen_of(old) != gen_of(bits))
		count_known(pool, now, true);
	*note = now;
	return POOL_SEEN_USED;
}

/*
 * Record the free of a pointer; returns the state that it had.  @bits: the option bits of the call.
 * Does not read the memory at @obj, because the pointer may be wrong.  @note is set to the object's
 * new state, for pool_state_phase() and pool_state_bin(); if the table did not have the object, its
 * bin is 0.
 *
 * Needs no memory: an object for which the table has no room stays unknown.
 */
enum pool_seen pool_state_free(struct pool *pool, unsigned int bits, void *obj,
			       unsigned long *note)
{
	struct pool_entry *e;

	if ((unsigned long)obj & (pool->align - 1))
		return POOL_SEEN_NEVER;
	e = find_entry(pool, obj);
	if (e)
		return free_entry(pool, bits, e, note);
	if (all_known(pool, bits))
		return POOL_SEEN_NEVER;
	*note = state_of(bits, ST_FREE | next_phase(0));
	insert(pool, obj, *note);
	return POOL_SEEN_USED;
}

/*
 * Record that the backend gives an object.  Only for objects of the backend: the entry of an object
 * from a cache may rightly say "in use", because a hit, which records nothing, may have freed it
 * before a switch to checks closed the arrays.
 */
void pool_state_given(struct pool *pool, void *obj)
{
	struct pool_entry *e = find_entry(pool, obj);
	unsigned long old = e ? plat_read(&e->state) : ST_FREE;

	if ((old & ST_MASK) == ST_USED)
		set_state(pool, e, (old & ~ST_MASK) | ST_GIVEN);
}

/*
 * Record that an object is allocated.  @bits: the option bits of the call.  @bin: of profile.c, or
 * 0.  @flags: decide whether the table may grow.  True: the backend gave the object although it was
 * in use, so its user freed it past the pool.
 */
bool pool_state_alloc(struct pool *pool, unsigned int bits, void *obj,
		      unsigned int flags, unsigned int bin)
{
	unsigned long state = state_of(bits, ST_USED |
				       (bin & ST_BIN_MASK) << ST_BIN_SHIFT);
	struct pool_entry *e = find_entry(pool, obj);

	if (e) {
		unsigned long old = plat_read(&e->state);

		set_state(pool, e, state | (old & (3ul << ST_PHASE_SHIFT)));
		return gen_of(old) == gen_of(bits) && (old & ST_MASK) == ST_GIVEN;
	}
	while (!insert(pool, obj, state)) {
		if (!pool_add_piece(pool, obj, flags)) {
			plat_write(&pool->object_table.whole, false);
			break;
		}
	}
	return false;
}

/* Return the number of the pattern, or the bin, in a note of pool_state_free(). */
unsigned int pool_state_phase(unsigned long note)
{
	return (note >> ST_PHASE_SHIFT) & 3;
}

unsigned int pool_state_bin(unsigned long note)
{
	return (note >> ST_BIN_SHIFT) & ST_BIN_MASK;
}

/* Remove the entry of an object that goes to the backend.  For the fence see all_known(). */
void pool_state_drop(struct pool *pool, void *obj)
{
	struct pool_piece *p;
	struct pool_entry *e = find_in(pool, obj, &p);
	unsigned long n, tags;

	if (!e)
		return;
	n = (unsigned long)(e - p->slot);
	tags = plat_read(&p->tags[n / WINDOW_SLOTS]);
	count_known(pool, plat_read(&e->state), false);
	plat_fence();
	plat_write_release(&e->obj, 0ul);
	while (!plat_cmpxchg(&p->tags[n / WINDOW_SLOTS], &tags,
			     tags & ~(0xfful << n % WINDOW_SLOTS * 8)))
		;
}

/* Quarantine an object, so that it is never handed out nor freed again. */
void pool_state_quarantine(struct pool *pool, void *obj)
{
	struct pool_entry *e = find_entry(pool, obj);
	unsigned long gen = plat_read(&pool->debug) / POOL_D_GEN * POOL_D_GEN;

	if (e)
		set_state(pool, e, gen | ST_BAD);
	else
		insert(pool, obj, gen | ST_BAD);
}

/* Return the number of the last piece plus 1. */
static unsigned long pieces_end(struct pool *pool)
{
	return 1ul << plat_read(&pool->object_table.segments);
}

/* Find the object around an address in all slots; NULL: none. */
static void *around_in_slots(struct pool *pool, unsigned long p)
{
	unsigned long n, obj;
	unsigned int j;

	for (n = 1; n < pieces_end(pool); n++) {
		struct pool_piece *piece = pool_piece_at(pool, n);

		for (j = 0; piece && j < PIECE_SLOTS; j++) {
			obj = obj_of(&piece->slot[j]);
			if (obj && p - obj < plat_read(&pool->head.size))
				return (void *)obj;
		}
	}
	return NULL;
}

/*
 * Find the known object that a pointer points into, perhaps @q itself; NULL: none.  Looks up each
 * address at which an object around @q could begin.  For large objects these are many, but then
 * the table has few slots, so it searches all slots instead.
 */
void *pool_state_around(struct pool *pool, const void *q)
{
	unsigned long p = (unsigned long)q, align = pool->align;
	unsigned long obj, size = plat_read(&pool->head.size);

	if (size / align >= pieces_end(pool) * (PIECE_SLOTS / 16))
		return around_in_slots(pool, p);
	for (obj = p & ~(align - 1); p - obj < size; obj -= align) {
		if (find_entry(pool, (void *)obj))
			return (void *)obj;
	}
	return NULL;
}

bool pool_state_knows(struct pool *pool, const void *obj)
{
	return find_entry(pool, obj);
}

/* Set all entries to generation 0, which is never a pool's. */
static void forget(struct pool *pool)
{
	unsigned long n, old;
	unsigned int j;

	for (n = 1; n < pieces_end(pool); n++) {
		struct pool_piece *piece = pool_piece_at(pool, n);

		for (j = 0; piece && j < PIECE_SLOTS; j++) {
			old = plat_read(&piece->slot[j].state);
			while (!plat_cmpxchg(&piece->slot[j].state, &old,
					     old & (POOL_D_GEN - 1)))
				;
		}
	}
}

/*
 * Begin a generation.  Objects in quarantine count as known; a quarantining call counts its object
 * last, so none is counted twice.  @bits: the pool's new option bits, not stored yet.  Generations
 * wrap around, and before generation 1 comes again all entries are reset.  The pool is being
 * created, or the registry mutex is held.
 */
void pool_object_table_begin(struct pool *pool, unsigned int bits)
{
	if (gen_of(bits) == 1)
		forget(pool);
	plat_write(&pool->object_table.known,
		   known_gen(bits) + plat_read(&pool->quarantined));
}

/* End checks: from now on calls do not update the table.  Registry mutex held. */
void pool_object_table_lapse(struct pool *pool)
{
	plat_write(&pool->object_table.whole, false);
	plat_fence();
}

/*
 * Provide slots for all objects of the pool, because frees, which note their objects, must not
 * allocate memory.  Process context; no lock held.
 */
void pool_object_table_grow(struct pool *pool)
{
	unsigned long want = pool_allocated(pool) * 2;
	unsigned long have = 0, k;
	unsigned int i;

	for (i = 0; i < POOL_STATE_SEGMENTS; i++) {
		for (k = 0; k < 1ul << i && have <= want; k++) {
			if (!pool_provide_piece(pool, i, k * PIECE_WINDOWS, 0))
				return;
			have += PIECE_SLOTS;
		}
	}
}

/* Free memory of pool_have_memory(), or NULL. */
static void give(void *p, size_t size)
{
	if (p)
		pool_word_sub(&pool_object_table_bytes, size);
	plat_mem_free(p);
}

/* Free the table.  The pool is no longer called. */
void pool_object_table_end(struct pool *pool)
{
	unsigned int i;
	unsigned long k;

	for (i = 0; i < pool->object_table.segments; i++) {
		void **segment = pool->object_table.segment[i];

		for (k = 0; segment && k < 1ul << i; k++)
			give(segment[k], sizeof(struct pool_piece));
		give(segment, sizeof(void *) << i);
	}
}
