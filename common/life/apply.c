// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * apply.c - apply a change of options to existing pools, or name those it misses
 *
 * Layer:   above options.c and switch.c.
 * Context: process context; may sleep.
 *
 *   what changes                  reaches
 *   values                        all pools, at once, with the flags they set
 *   words, buckets, cluster       pools to come, and declared ones not used yet
 *   words of pool_set_debug()     all pools, at once, but for merging
 *
 * A line names the pools that do not get all of the change.
 */
#include "seam/plat.h"
#include "options/options.h"

/* A message names this many pools, and counts the others. */
#define NAMED	4

/* The flags and keys of a change that came too late for some pools, and these pools' names. */
struct late {
	unsigned int flags;
	unsigned int keys;
	unsigned int pools;
	size_t len;
	char names[NAMED * (POOL_SHOWN_LEN + 2) + 8];
};

/* Return the flags of a change that cannot be switched in a pool that exists. */
static unsigned int late_flags(struct pool *pool,
			       const struct pool_change *change)
{
	unsigned int splits = (change->set & POOL_D_NO_MERGE) |
			     (change->clear & POOL_D_MERGE_MODULES);
	unsigned int bits = plat_read(&pool->debug) & POOL_D_FLAGS;
	unsigned int want = pool_bits_of((bits & ~change->clear) | change->set);

	if (splits) {
		plat_mutex_lock(PLAT_REGISTRY);
		splits &= pool_merged_apart(pool);
		plat_mutex_unlock(PLAT_REGISTRY);
	}
	/* MEM_F_TYPESAFE never changes after creation, so no lock is needed to read it. */
	return (((change->set & want & ~bits) | (change->clear & bits & ~want)) &
		~(POOL_D_COMMON | pool_never(plat_read(&pool->flags)) |
		  pool_always(plat_read(&pool->flags)))) | splits;
}

/* Return the keys of a change whose new value does not reach a pool that exists. */
unsigned int pool_change_late_keys(const struct pool *pool,
				   const struct pool_change *change)
{
	unsigned int keys = 0;

	if (pool->buckets != pool_buckets_of(&change->options))
		keys |= 1u << POOL_KEY_BUCKETS;
	if (pool->cluster != change->options.cluster)
		keys |= 1u << POOL_KEY_CLUSTER;
	return keys & change->touched;
}

static void look(struct late *late, struct pool *pool,
		 const struct pool_change *change)
{
	unsigned int flags = late_flags(pool, change);
	unsigned int keys = pool_change_late_keys(pool, change);
	bool vacated;

	plat_mutex_lock(PLAT_REGISTRY);
	vacated = pool_is_vacated(pool);
	plat_mutex_unlock(PLAT_REGISTRY);
	if ((!flags && !keys) || vacated)
		return;
	late->flags |= flags;
	late->keys |= keys;
	late->pools++;
	if (late->pools > NAMED + 1)
		return;
	late->len += snprintf(late->names + late->len,
			      sizeof(late->names) - late->len, "%s%s",
			      late->pools > 1 ? ", " : "",
			      late->pools > NAMED ? "..." : pool->shown);
}

/* Append a word to a list in a buffer, as far as it fits. */
static size_t put_word(char *text, size_t size, size_t len, const char *word)
{
	if (len < size)
		len += snprintf(text + len, size - len, "%s%s",
				len ? "," : "", word);
	return len;
}

static void describe(const struct late *late, const struct pool_change *change,
		     char *text, size_t size)
{
	const struct pool_word *word;
	unsigned int i;
	size_t len = 0;

	snprintf(text, size, "%s", "");
	for (word = pool_option_table; word->word; word++)
		if (late->flags & word->flag)
			len = put_word(text, size, len,
				       change->set & word->flag ?
				       word->word : word->opposite);
	for (i = 0; i < POOL_KEYS; i++)
		if (late->keys & 1u << i)
			len = put_word(text, size, len, pool_keys[i].key);
	if (late->pools && len < size)
		snprintf(text + len, size - len,
			 ": too late for %u pool%s: %s", late->pools,
			 late->pools > 1 ? "s" : "", late->names);
}

/* Store only what the change touches, since others may have set the rest meanwhile. */
void pool_change_store(const struct pool_change *change)
{
	unsigned int i;

	plat_mutex_lock(PLAT_REGISTRY);
	if (!change->one)
		plat_write(&pool_options.debug,
			   (pool_options.debug & ~change->clear) | change->set);
	plat_write(&pool_debugging, pool_options.debug);
	for (i = 0; i < POOL_KEYS; i++)
		if (change->touched & 1u << i)
			pool_key_copy(&pool_keys[i], &pool_options,
				      &change->options);
	pool_bound_fit();
	pool_era_ends();
	plat_mutex_unlock(PLAT_REGISTRY);
}

/*
 * Store a change of the options of all pools, and apply it to them.  @late: set to a text that
 * says what came too late, and for which pools; empty: all pools get all of it.
 *
 * A creation reads the options and lists its pool under one hold of the creation lock.  So
 * creations that have read the old options have listed their pools before this walks over the
 * pools.
 */
void pool_change_apply(const struct pool_change *change, char *late,
		       size_t size)
{
	unsigned int clear = change->clear & change->live & ~POOL_D_COMMON;
	unsigned int set = change->set & change->live & ~POOL_D_COMMON;
	struct late found = { 0 };
	struct pool *pool = NULL;

	plat_mutex_lock(PLAT_CREATE);
	pool_change_store(change);
	pool_declared_renew(change);
	plat_mutex_unlock(PLAT_CREATE);
	/* No lock is held here, because objects may be released and faults reported. */
	if (change->touched & 1u << POOL_KEY_MAX_CACHED)
		pool_bound_share();
	while ((pool = pool_registry_next(pool))) {
		if (set | clear)
			pool_switch(pool, set, clear);
		look(&found, pool, change);
	}
	describe(&found, change, late, size);
}
