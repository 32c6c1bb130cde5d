// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * merge.c - one pool for several creations
 *
 * Layer:   above the four, between create.c and registry.c.
 * Context: process context; may sleep; the creation lock is held.
 *
 * Which pool a creation with MEM_F_SHARED may share:
 *
 *   of equal size             any, also with MEM_F_EXACT
 *   a little smaller          any, where neither side is MEM_F_EXACT: less than
 *                             1 %, or less than 16 bytes, below the pool's size
 *   a little larger           likewise, while nothing is allocated and no array is
 *                             open: the pool grows; as near as that to the mean of
 *                             its users' sizes
 *   tag, uaf, tools           one of equal size only: there ends are checked
 *   no-merge                  one of the same name only
 *   other alignment, mode     none: neither side may be weakened
 *   limit, min_avail          none: they are one user's
 *   constructor, destructor   none
 *   other kernel module       none, unless merge-modules is set
 *
 * Growth changes the size of objects that do not exist.  So that none comes to
 * exist meanwhile, "allocated" is held at 0, by its top bit, for the few stores
 * that it takes.  An array that is open has room charged in the old size, and so
 * has a cluster that was evicted, until a moment after its last object went to
 * the backend: then the pool does not grow.
 */
#include "plat.h"

/* Sizes are near that differ by less than this, or this part. */
#define NEAR_BYTES	16
#define NEAR_PART	100

static unsigned long long apart(unsigned long long a, unsigned long long b)
{
	return a > b ? a - b : b - a;
}

/* Are @n sizes of @size near to @n sizes whose sum is @sizes? */
static bool is_near(unsigned long long sizes, unsigned long long size,
		    unsigned int n)
{
	unsigned long long diff = apart(sizes, size * n);

	return diff < (unsigned long long)NEAR_BYTES * n ||
	       diff * NEAR_PART < sizes;
}

/*
 * A pool that grew by 1 % four times would be 4 % larger than its first user asked
 * for, so what makes it grow must be near to the mean.  Registry mutex held.
 */
static bool may_grow(const struct pool *pool, unsigned int size)
{
	return !plat_word_read(&pool->allocated) &&
	       is_near(pool->sizes, size, pool->users);
}

/* Names as they are kept. */
bool pool_same_name(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Registry mutex held. */
static bool owned_alike(struct pool *pool, const struct pool_want *want)
{
	struct pool_list *node;

	if (want->options.debug & POOL_D_MERGE_MODULES)
		return true;
	pool_list_for_each(node, &pool->regs)
		if (pool_list_entry(node, struct pool_reg, list)->owner !=
		    want->reg->owner)
			return false;
	return true;
}

static bool is_alone(unsigned int limit, unsigned int min_avail,
		     const void *ctor, const void *dtor)
{
	return limit || min_avail || ctor || dtor;
}

/* May they be one, whatever their sizes?  Registry mutex held. */
static bool compatible(struct pool *pool, const struct pool_want *want)
{
	if (!pool->users || !(pool->flags & MEM_F_SHARED) ||
	    is_alone(pool->limit, pool->min_avail, (const void *)pool->ctor,
		     (const void *)pool->dtor))
		return false;
	if (pool->align != want->attr.align ||
	    (pool->debug & POOL_D_FLAGS) !=
	    (want->options.debug & ~POOL_D_CREATION))
		return false;
	if ((want->options.debug & POOL_D_NO_MERGE) &&
	    !pool_same_name(pool->name, want->name))
		return false;
	return owned_alike(pool, want);
}

/* Registry mutex held. */
static bool sizes_fit(const struct pool *pool, const struct pool_want *want)
{
	if (pool->head.size == want->attr.size)
		return true;
	if ((pool->flags | want->attr.flags) & MEM_F_EXACT ||
	    pool->debug & POOL_D_EXACT)
		return false;
	if (pool->head.size > want->attr.size)
		return is_near(pool->head.size, want->attr.size, 1);
	return may_grow(pool, want->attr.size);
}

/* May a creation share a pool as it is?  Registry mutex held. */
bool pool_is_match(struct pool *pool, const struct pool_want *want)
{
	return !is_alone(want->attr.limit, want->attr.min_avail, NULL, NULL) &&
	       compatible(pool, want) &&
	       pool->head.size >= want->attr.size && sizes_fit(pool, want);
}

/*
 * In what do creations that are one pool differ that would part them?  As the flags
 * that would.  Registry mutex held.
 */
unsigned int pool_merged_apart(struct pool *pool)
{
	struct pool_list *node;
	unsigned int flags = 0;

	pool_list_for_each(node, &pool->regs) {
		struct pool_reg *reg, *first;

		reg = pool_list_entry(node, struct pool_reg, list);
		first = pool_list_entry(pool->regs.prev, struct pool_reg, list);
		if (!pool_same_name(reg->name, first->name))
			flags |= POOL_D_NO_MERGE;
		if (reg->owner != first->owner)
			flags |= POOL_D_MERGE_MODULES;
	}
	return flags;
}

/* Is @a the better one for @size?  Equal first, then larger, then nearer. */
static bool better(const struct pool *a, const struct pool *b,
		   unsigned int size)
{
	bool a_holds = a->head.size >= size;
	bool b_holds = b->head.size >= size;

	if (a_holds != b_holds)
		return a_holds;
	return apart(a->head.size, size) < apart(b->head.size, size);
}

/* The best pool for a creation, pinned; NULL: none. */
static struct pool *find(const struct pool_want *want)
{
	struct pool *best = NULL;
	struct pool *pool = NULL;

	while ((pool = pool_registry_next(pool))) {
		bool fits;

		plat_registry_lock();
		fits = compatible(pool, want) && sizes_fit(pool, want) &&
		       (!best || better(pool, best, want->attr.size));
		if (fits) {
			if (best)
				pool_registry_unpin(best);
			pool->pins++;
			best = pool;
		}
		plat_registry_unlock();
	}
	return best;
}

/*
 * Is an array open anywhere, or is something that went to the backend charged
 * still?  Nothing is allocated, so neither begins meanwhile.  The acquire pairs
 * with the release of pool_cluster_settled(), which has read the size before.
 */
static bool is_charged(struct pool *pool)
{
	unsigned int cpus = pool->cached ? plat_nr_cpus() : 0;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		struct pool_local *local = plat_local_of(pool, i);

		if (local && (plat_read(&local->hot.room) ||
			      plat_word_read_acquire(&local->moving)))
			return true;
	}
	return false;
}

/*
 * Grow a pool that has no object.  Registry mutex held.  @store: in, a source of
 * objects of the new size; out, the one to be destroyed.  The acquire pairs with
 * the release of count_back(), the release with the acquire of
 * pool_store_reserve().
 */
static bool grow(struct pool *pool, unsigned int size, plat_store_t *store)
{
	plat_irq_t irq = plat_busy_enter();
	unsigned long none = 0;
	bool done = false;

	if (plat_word_cmpxchg_acquire(&pool->allocated, &none, POOL_GROWING)) {
		done = !is_charged(pool);
		if (done) {
			plat_store_t old = pool->store;

			pool->store = *store;
			*store = old;
			plat_write(&pool->head.size, size);
		}
		plat_word_sub_release(&pool->allocated, POOL_GROWING);
	}
	plat_busy_leave(irq);
	return done;
}

/* Add a registration; the first one, or registry mutex held. */
void pool_reg_add(struct pool *pool, struct pool_reg *reg)
{
	pool_list_add(&reg->list, &pool->regs);
	pool->flags |= reg->flags;
	pool->sizes += reg->rounded;
	plat_write(&pool->users, pool->users + 1);
}

/* Take a registration out.  Registry mutex held. */
void pool_reg_unlink(struct pool *pool, struct pool_reg *reg)
{
	pool_list_del(&reg->list);
	pool->sizes -= reg->rounded;
	plat_write(&pool->users, pool->users - 1);
}

/*
 * Join a pool that find() has pinned, if it is still as it was.  Nobody else may
 * be at a pool that grows: walks use its source of objects.  Walks that call a user's
 * function are not waited for, since that may wait for the creation lock.
 */
static bool join(struct pool *pool, struct pool_want *want,
		 plat_store_t *store)
{
	bool fits = true;
	bool done = false;

	while (fits && !done) {
		plat_registry_lock();
		fits = compatible(pool, want) && sizes_fit(pool, want);
		done = fits && pool->head.size >= want->attr.size;
		if (fits && !done && pool->pins == 1) {
			done = grow(pool, want->attr.size, store);
			fits = done;
		}
		if (done)
			pool_reg_add(pool, want->reg);
		else if (pool_registry_visited(pool, NULL))
			fits = false;
		else if (fits)
			plat_registry_wait();
		plat_registry_unlock();
	}
	pool_registry_put(pool);
	return done;
}

/**
 * pool_merge() - Find a pool that a creation can share.
 * @want: what is wanted; its registration is added.
 *
 * Return: the pool; NULL: it needs one of its own.
 */
struct pool *pool_merge(struct pool_want *want)
{
	struct pool *pool = NULL;
	plat_store_t store;
	bool grows, joined;
	const char *why;

	if ((want->attr.flags & MEM_F_SHARED) &&
	    !is_alone(want->attr.limit, want->attr.min_avail,
		      (const void *)want->attr.ctor,
		      (const void *)want->attr.dtor))
		pool = find(want);
	if (!pool)
		return NULL;
	grows = pool->head.size < want->attr.size;
	if (grows &&
	    !pool_store_open(&store, pool, want->attr.size, &why)) {
		pool_registry_put(pool);
		return NULL;
	}
	joined = join(pool, want, &store);
	if (grows)
		plat_store_destroy(&store, 0);
	return joined ? pool : NULL;
}
