// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * profile.c - count allocations and frees by the code that calls
 *
 * Layer:   beside the four.
 * Context: any, also NMIs and signal handlers; no lock, no waiting, no memory,
 *	    except for pool_profile_ready() and pool_profile_end().
 *
 * A table of a fixed number of bins.  A bin has a caller and a key: the pool's id, and whether the
 * caller allocates or frees.  Both are set once, the caller first, each by compare and exchange.  A
 * call that finds a bin of its caller without a key tries to set its own key, even if another call
 * reused the bin.  So no call waits, and a place that claims a new bin never has a second one.
 *
 * When a pool ends and has no objects left, its bins get the key DROPPED, and places of other pools
 * reuse them.  Two calls from one new place that do so at once may claim two bins, whose lines then
 * add up.  A reader meanwhile may show the old place with the new counts.
 *
 * A place that finds no bin in PROBES probes is counted in one of the first two bins, together with
 * all such places.
 */
#include "seam/plat.h"
#include "profile.h"

#define PROBES		16

/* The first two bins count for the places that found no bin. */
#define OTHER_ALLOCS	0
#define OTHER_FREES	1

/* What a key says besides the pool's id, which is never 0: the place allocates, or it frees. */
#define KEY_ALLOC	0u
#define KEY_FREE	1u

/* Counts of calls, each followed by the count of their bytes. */
enum {
	ALLOCS,
	FREES = 2,
	COUNTS = 4,
};

/*
 * Keys that no place has: of a bin whose pool is gone, and of a bin that is changing to a new
 * place.
 */
#define DROPPED		(~0ul)
#define CHANGING		(~0ul - 1)

/* In a bin of frees these counts are of the frees whose allocating place is known. */
#define KNOWN		ALLOCS

struct pool_bin {
	const void *caller;		/* NULL: the bin is free */
	unsigned long key;		/* 0: not set yet */
	bool named;			/* the name is written */
	char name[POOL_NAME_LEN + 1];
	unsigned long count[COUNTS];
} __attribute__((aligned(64)));

/* Set once, by the first pool_profile_ready(). */
static struct pool_bin *table;

/* Bytes of a place's name that are recorded. */
#define SITE_LEN	64

/*
 * True if a place is named when its first call is counted, in any context, because the kernel
 * discards the code of its initialization, whose names cannot be looked up later.
 */
static bool keeps_sites(void)
{
	return plat_may(PLAT_NAME, POOL_F_ATOMIC);
}

/* Return the recorded name of a bin's place, behind the table; NULL: none is recorded. */
static char *site_of(struct pool_bin *bins, const struct pool_bin *bin)
{
	char *sites = (char *)(bins + POOL_PROFILE_BINS);

	return keeps_sites() ? sites + (bin - bins) * SITE_LEN : NULL;
}

/*
 * Allocate the table, so that calls can be counted.  Process context; may sleep.  False: there is
 * no memory, and calls are not counted.
 */
bool pool_profile_ready(void)
{
	struct pool_bin *bins, *none = NULL;

	if (plat_read(&table))
		return true;
	bins = plat_mem_alloc(POOL_PROFILE_BINS *
			      (sizeof(*bins) + (keeps_sites() ? SITE_LEN : 0)),
			      PLAT_MEM_SLEEP);
	if (!bins)
		return false;
	bins[OTHER_ALLOCS].caller = bins;
	bins[OTHER_ALLOCS].key = KEY_ALLOC;
	bins[OTHER_FREES].caller = bins;
	bins[OTHER_FREES].key = KEY_FREE;
	bins[OTHER_ALLOCS].named = true;
	bins[OTHER_FREES].named = true;
	if (!plat_cmpxchg(&table, &none, bins))
		plat_mem_free(bins);
	return true;
}

/*
 * Free the table.  Process context; no call counts any more.  The library never calls this, since
 * other threads may use pools while it ends.
 */
void pool_profile_end(void)
{
	plat_mem_free(plat_read(&table));
	plat_write(&table, NULL);
}

/* True if the library, or a program that uses it, was built with DEBUG_MEM_STATS. */
bool pool_mem_stats = POOL_MEM_STATS;

/* Hash a place and a key by multiplication, which mixes the upper bits well. */
static unsigned int first_probe(const void *caller, unsigned long key)
{
	unsigned long long x = (unsigned long)caller;

	x = (x ^ (x >> 21)) + key * 0x9e3779b97f4a7c15ull;
	x *= 0xff51afd7ed558ccdull;
	return (unsigned int)(x >> 40) % POOL_PROFILE_BINS;
}

/* Write the names of a bin, then "named", before which no reader reads them. */
static void name_bin(struct pool_bin *bins, struct pool_bin *bin, const struct pool *pool)
{
	char *site = site_of(bins, bin);
	unsigned int i;

	for (i = 0; i < sizeof(bin->name); i++)
		plat_write(&bin->name[i], pool->name[i]);
	if (site)
		plat_symbol(site, SITE_LEN, bin->caller);
	plat_write_release(&bin->named, true);
}

/* Reuse a bin whose pool is gone.  False: its pool exists, or another call reuses the bin. */
static bool reuse_bin(struct pool_bin *bin, const void *caller, unsigned long key)
{
	unsigned long found = DROPPED;
	unsigned int i;

	if (plat_read(&bin->key) != DROPPED || !plat_cmpxchg(&bin->key, &found, CHANGING))
		return false;
	for (i = 0; i < COUNTS; i++)
		plat_write(&bin->count[i], 0);
	plat_write(&bin->caller, caller);
	plat_write_release(&bin->key, key);
	return true;
}

/* True if this is the bin of a place; claims the bin if it is free. */
static bool claim(struct pool_bin *bins, struct pool_bin *bin, const struct pool *pool,
		  const void *caller, unsigned long key)
{
	const void *owner = plat_read(&bin->caller);
	unsigned long found;

	if (reuse_bin(bin, caller, key)) {
		name_bin(bins, bin, pool);
		return true;
	}

	if (!owner && plat_cmpxchg(&bin->caller, &owner, caller))
		owner = caller;
	if (owner != caller)
		return false;
	found = plat_read(&bin->key);
	if (!found && plat_cmpxchg(&bin->key, &found, key)) {
		name_bin(bins, bin, pool);
		return true;
	}
	return found == key;
}

/* True if this is the bin of a place already. */
static bool is_of(const struct pool_bin *bin, const void *caller, unsigned long key)
{
	return plat_read_acquire(&bin->key) == key && plat_read(&bin->caller) == caller;
}

/* Return the bin that a place has; @bins, the first bin of the table, if it has none yet. */
static struct pool_bin *look_up(struct pool_bin *bins, unsigned int nr, const void *caller,
				unsigned long key)
{
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		struct pool_bin *bin = &bins[(nr + i) % POOL_PROFILE_BINS];

		if (is_of(bin, caller, key))
			return bin;
		if (!plat_read(&bin->caller))
			break;
	}
	return bins;
}

static unsigned int bin_of(struct pool_bin *bins, const struct pool *pool,
			   const void *caller, unsigned int kind)
{
	unsigned long key = (unsigned long)pool->id * 2 + kind;
	struct pool_bin *found;
	unsigned int nr, i;

	if (caller) {
		nr = first_probe(caller, key);
		found = look_up(bins, nr, caller, key);
		if (found != bins)
			return (unsigned int)(found - bins);
		for (i = 0; i < PROBES; i++) {
			if (claim(bins, &bins[nr], pool, caller, key))
				return nr;
			nr = (nr + 1) % POOL_PROFILE_BINS;
		}
	}
	return kind == KEY_ALLOC ? OTHER_ALLOCS : OTHER_FREES;
}

static void count(struct pool_bin *bin, unsigned int what, unsigned int bytes)
{
	plat_word_add(&bin->count[what], 1);
	plat_word_add(&bin->count[what + 1], bytes);
}

/*
 * Count an allocation of @bytes.  @caller is the address of the code that allocates.  Returns the
 * number of the caller's bin, less than POOL_PROFILE_BINS, for the free of the object; 0 if it
 * has none.
 */
unsigned int pool_profile_alloc(struct pool *pool, void *caller,
				unsigned int bytes)
{
	struct pool_bin *bins = plat_read_acquire(&table);
	unsigned int nr;

	if (!bins)
		return 0;
	plat_word_add(&pool->allocs, 1);
	nr = bin_of(bins, pool, caller, KEY_ALLOC);
	count(&bins[nr], ALLOCS, bytes);
	return nr;
}

/*
 * Count a free, also in the balance of the allocation's place.  @caller is the address of the
 * code that frees.  @bytes are as at the allocation.  @alloc_bin is the number that
 * pool_profile_alloc() returned then.  If it is 0, or no number of a bin, the place of the
 * allocation is not known.
 */
void pool_profile_free(struct pool *pool, void *caller, unsigned int bytes,
		       unsigned int alloc_bin)
{
	struct pool_bin *bins = plat_read_acquire(&table);
	unsigned int nr;

	if (!bins)
		return;
	nr = bin_of(bins, pool, caller, KEY_FREE);
	count(&bins[nr], FREES, bytes);
	if (alloc_bin <= OTHER_FREES || alloc_bin >= POOL_PROFILE_BINS)
		return;
	count(&bins[nr], KNOWN, bytes);
	count(&bins[alloc_bin], FREES, bytes);
}

/*
 * Drop the bins of a pool that ends, when no call of the pool counts any more and none of its
 * objects is in use.  Process context.
 */
void pool_profile_drop(const struct pool *pool)
{
	struct pool_bin *bins = plat_read_acquire(&table);
	unsigned long key = (unsigned long)pool->id * 2;
	unsigned int nr;

	for (nr = OTHER_FREES + 1; bins && nr < POOL_PROFILE_BINS; nr++) {
		if ((plat_read(&bins[nr].key) & ~1ul) != key)
			continue;
		plat_write(&bins[nr].named, false);
		plat_write_release(&bins[nr].key, DROPPED);
	}
}

static void read_name(char *to, struct pool_bin *bin)
{
	unsigned int i;

	for (i = 0; i < sizeof(bin->name); i++)
		to[i] = plat_read(&bin->name[i]);
	if (!*to)
		pool_copy_name(to, "-");
}

static void read_counts(struct pool_place *place, struct pool_bin *bin,
			bool frees)
{
	unsigned long calls = plat_read(&bin->count[ALLOCS]);
	unsigned long bytes = plat_read(&bin->count[ALLOCS + 1]);

	place->allocs = frees ? 0 : calls;
	place->allocated = frees ? 0 : bytes;
	place->known = frees ? calls : 0;
	place->known_bytes = frees ? bytes : 0;
	place->frees = plat_read(&bin->count[FREES]);
	place->freed = plat_read(&bin->count[FREES + 1]);
}

/* Read a bin, by its number from 0 on.  False: it is free. */
bool pool_profile_read(unsigned int nr, struct pool_place *place)
{
	struct pool_bin *bins = plat_read_acquire(&table);
	struct pool_bin *bin;
	bool frees;

	if (!bins || !plat_read_acquire(&bins[nr].named))
		return false;
	bin = &bins[nr];
	frees = plat_read(&bin->key) & KEY_FREE;
	place->what = frees ? "p_free" : "p_alloc";
	place->caller = nr > OTHER_FREES ? plat_read(&bin->caller) : NULL;
	place->site = place->caller ? site_of(bins, bin) : NULL;
	place->file = "other";
	place->line = 0;
	read_name(place->pool, bin);
	read_counts(place, bin, frees);
	return true;
}

/*
 * Set the counts of a bin to 0, each by an exchange, so that a call counted at the same time is
 * wholly before or after it.
 */
void pool_profile_reset(unsigned int nr)
{
	struct pool_bin *bin = plat_read_acquire(&table) + nr;
	unsigned int i;

	for (i = 0; i < COUNTS; i++)
		plat_xchg_acquire(&bin->count[i], 0ul);
}
