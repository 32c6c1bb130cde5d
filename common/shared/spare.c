// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * spare.c - limit the size of clusters, and store empty ones
 *
 * Layer:   beside the others; below them all, since each empties clusters.
 * Context: any; outside of hot sections, no lock held, except for pool_cluster_max().
 *
 * A CPU keeps empty clusters in its stash, under its lock.  Clusters that its stash has
 * no room for, and those emptied elsewhere, are the pool's spares: a lock-free list that
 * is taken as a whole.
 *
 * An empty cluster has slots for pointers.  If a stash is full, many of its clusters go into the
 * slots of one empty cluster, which becomes a spare.  So one exchange moves all of them, and none
 * of them is read; a read would wait for the cache line from the CPU that had the cluster last.
 */
#include "seam/plat.h"

/* One cluster has at most 1 / CLUSTER_DIVISOR of the byte bound. */
#define CLUSTER_DIVISOR	2

/* Return how many objects a cluster of @pool may have now; at least 1. */
unsigned int pool_cluster_max(const struct pool *pool)
{
	unsigned long most = plat_read(&pool_bound) / CLUSTER_DIVISOR /
			     plat_read(&pool->head.size);
	unsigned int cluster = plat_read(&pool->cluster);

	if (most >= cluster)
		return cluster;
	return most ? (unsigned int)most : 1;
}

/* Push an emptied cluster to the pool's spares, from any context. */
static void spare_push(struct pool *pool, struct pool_cluster *c)
{
	struct pool_cluster *head = plat_read(&pool->spare);

	plat_word_add(&pool->spares, pool_count_empty(c));
	do {
		c->next = head;
	} while (!plat_cmpxchg(&pool->spare, &head, c));
}

/* Join two chains; walks both at once, since one of them is short. */
static struct pool_cluster *join(struct pool_cluster *a, struct pool_cluster *b)
{
	struct pool_cluster *end_a = a;
	struct pool_cluster *end_b = b;

	while (end_a->next && end_b->next) {
		end_a = end_a->next;
		end_b = end_b->next;
	}
	if (!end_a->next) {
		end_a->next = b;
		return a;
	}
	end_b->next = a;
	return b;
}

/*
 * Put the rest back as the list, joined with what was pushed meanwhile.  The release is
 * that of spare_push().
 */
static void spare_leave(struct pool *pool, struct pool_cluster *rest)
{
	struct pool_cluster *none = NULL;

	while (!plat_cmpxchg(&pool->spare, &none, rest)) {
		struct pool_cluster *more = plat_xchg_acquire(&pool->spare,
							      NULL);

		if (more)
			rest = join(rest, more);
		none = NULL;
	}
}

/*
 * Take POOL_SPARES_MIN spare clusters, as a chain by ->next; clusters in the slots of other
 * clusters count.  Fewer if the pool has fewer, more if the last one has others in its slots.
 * NULL: there are none.
 *
 * The list is taken as a whole, with one exchange.  To take only the first cluster, this function
 * would have to read its link.  Another CPU may take that cluster and give it away before the link
 * is read.  The list may have any length, because interrupt handlers add clusters but cannot free
 * them.  The rest is put back.  The acquire pairs with the release of spare_push() and carries the
 * links.
 */
struct pool_cluster *pool_spares_take(struct pool *pool)
{
	struct pool_cluster *chain = NULL;
	struct pool_cluster *last, *rest;
	unsigned int taken;

	if (plat_read(&pool->spare))
		chain = plat_xchg_acquire(&pool->spare, NULL);
	if (!chain)
		return NULL;
	last = chain;
	taken = pool_count_empty(last);
	while (last->next && taken < POOL_SPARES_MIN) {
		last = last->next;
		taken += pool_count_empty(last);
	}
	rest = last->next;
	last->next = NULL;
	if (rest)
		spare_leave(pool, rest);
	pool_word_sub(&pool->spares, taken);
	return chain;
}

/* Make up to @n empty clusters, a chain.  NULL: there is no memory.  PLAT_ALLOC. */
struct pool_cluster *pool_cluster_make(unsigned int n)
{
	struct pool_cluster *chain = NULL;

	while (n--) {
		struct pool_cluster *c = plat_mem_alloc(sizeof(*c),
							PLAT_MEM_AT_HAND);

		if (!c)
			break;
		c->n = 0;
		c->boxed = 0;
		c->next = chain;
		chain = c;
	}
	return chain;
}

/*
 * Get empty clusters: spares, as pool_spares_take() does.  If there are none, make up to @n new
 * ones, where @flags allow to ask the allocator.  NULL: there are neither.  Any context; outside of
 * hot sections, no lock held.
 */
struct pool_cluster *pool_cluster_get(struct pool *pool, unsigned int n,
				      unsigned int flags)
{
	struct pool_cluster *chain = pool_spares_take(pool);

	return chain || !plat_may(PLAT_ALLOC, flags) ?
	       chain : pool_cluster_make(n);
}

/* Get one empty cluster with no others in its slots; NULL: there is none. */
struct pool_cluster *pool_cluster_get_one(struct pool *pool, unsigned int flags)
{
	struct pool_cluster *rest = pool_cluster_get(pool, 1, flags);
	struct pool_cluster *c = rest;

	if (!c)
		return NULL;
	if (c->boxed)
		c = c->obj[--c->boxed];
	else
		rest = c->next;
	pool_cluster_put_all(pool, rest, flags);
	return c;
}

/* Free an empty cluster, and the clusters in its slots; returns bytes. */
static unsigned long free_box(struct pool_cluster *c)
{
	unsigned long bytes = pool_count_empty(c) * sizeof(*c);

	while (c->boxed)
		plat_mem_free(c->obj[--c->boxed]);
	plat_mem_free(c);
	return bytes;
}

/*
 * Return how many more spares a pool keeps: as many as its objects would fill, because all may be
 * freed next.  Called for each new spare, so spares stay when the number of objects falls.  Read
 * unlocked, because a stale value only costs time.
 */
unsigned int pool_spares_lacking(const struct pool *pool)
{
	unsigned long spares = plat_read(&pool->spares);
	unsigned long most = pool_allocated(pool) / plat_read(&pool->cluster);

	if (most < POOL_SPARES_MIN)
		most = POOL_SPARES_MIN;
	if (most > POOL_SPARES_MAX)
		most = POOL_SPARES_MAX;
	return spares < most ? (unsigned int)(most - spares) : 0;
}

/*
 * Store an empty cluster, and those in its slots, as a spare, or free it if the pool has enough.
 * Never fails.  @pool must not end meanwhile.  @flags decide whether the allocator may be called.
 * Any context; outside of hot sections, no lock held.  Spares are needed where one CPU allocates
 * objects that another CPU frees, because the first CPU empties the clusters that the second one
 * needs.
 */
void pool_cluster_put(struct pool *pool, struct pool_cluster *c,
		      unsigned int flags)
{
	if (pool_spares_lacking(pool) || !plat_may(PLAT_ALLOC, flags))
		spare_push(pool, c);
	else
		free_box(c);
}

/* Call pool_cluster_put() for each cluster of a chain, which may be NULL. */
void pool_cluster_put_all(struct pool *pool, struct pool_cluster *chain,
			  unsigned int flags)
{
	while (chain) {
		struct pool_cluster *c = chain;

		chain = c->next;
		pool_cluster_put(pool, c, flags);
	}
}

/* Free a chain of empty clusters, which may be NULL.  Returns bytes.  PLAT_ALLOC. */
unsigned long pool_cluster_free_all(struct pool_cluster *chain)
{
	unsigned long bytes = 0;

	while (chain) {
		struct pool_cluster *c = chain;

		chain = c->next;
		bytes += free_box(c);
	}
	return bytes;
}

/* Free some spare clusters; returns bytes.  PLAT_ALLOC; outside of hot sections, no lock held. */
unsigned long pool_cluster_trim_some(struct pool *pool)
{
	return pool_cluster_free_all(pool_spares_take(pool));
}

/*
 * Free as many spare clusters as a pool has now, perhaps others that are pushed meanwhile.  Returns
 * bytes.  Reschedules in between, because the list may have any length.  Needs PLAT_ALLOC; outside
 * of hot sections, no lock held; not atomic.
 */
unsigned long pool_cluster_trim(struct pool *pool)
{
	unsigned long most = plat_read(&pool->spares) *
			     sizeof(struct pool_cluster);
	unsigned long bytes = 0, some;

	do {
		some = pool_cluster_trim_some(pool);
		bytes += some;
		if (some)
			plat_resched();
	} while (some && bytes < most);
	return bytes;
}
