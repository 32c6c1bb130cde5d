// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cluster.c - clusters: on a CPU's lists, charged to it, and their memory
 *
 * Layer:   hot array -> [local clusters] -> shared pool
 * Context: as said; most with the CPU lock held.
 *
 * The charge is raised before objects are counted, and lowered after they are
 * no longer counted, so that at every instant what is there <= what is charged.
 */
#include "plat.h"

/* One cluster is at most this part of the byte bound. */
#define CLUSTER_PART	8

/* Most objects a cluster of @pool may hold now; at least 1. */
unsigned int pool_cluster_max(const struct pool *pool)
{
	unsigned long part = plat_read(&pool_options.hot_size) / CLUSTER_PART;
	unsigned int size = pool->head.size;

	if (size <= part && (unsigned long)pool->cluster * size <= part)
		return pool->cluster;
	return part < size ? 1 : (unsigned int)(part / size);
}

/**
 * pool_cluster_insert() - Put a detached cluster on the lists, as the newest.
 * @cpu: the CPU, lock held; the cluster fits.
 * @local: its pool's part there.
 * @c: the cluster, not empty.
 */
void pool_cluster_insert(struct pool_cpu *cpu, struct pool_local *local,
			 struct pool_cluster *c)
{
	unsigned int n = c->n;

	pool_cluster_reset(c, local);
	pool_cluster_add(cpu, c, c->obj, n);
}

/**
 * pool_cluster_detach() - Take a cluster off the lists, whole.
 * @c: the cluster; its CPU's lock is held.
 *
 * Its objects stay charged, and are on their way, until the caller has brought them
 * elsewhere and says so by pool_cluster_settled().
 */
void pool_cluster_detach(struct pool_cluster *c)
{
	struct pool_local *local = c->local;

	pool_list_del(&c->by_pool);
	pool_list_del(&c->by_lru);
	pool_depart(&local->moving, c->n);
	pool_clustered_less(local, c->n);
}

/**
 * pool_cluster_settled() - The objects of a detached cluster are elsewhere.
 * @local: where it was.
 * @n: how many objects it had.
 *
 * The pool may be gone as soon as moving is lowered: nothing of it is touched
 * after that.  The first release pairs with the acquires in pool_drain() and
 * pool_in_use(); the second keeps the charge from being seen lower earlier.
 *
 * Context: any; no lock needed.
 */
void pool_cluster_settled(struct pool_local *local, unsigned int n)
{
	unsigned long bytes = (unsigned long)n * local->pool->head.size;
	struct pool_cpu *cpu = local->cpu;

	pool_arrive(&local->moving, n);
	plat_word_sub_release(&cpu->charged, bytes);
}

/* Keep as many of a chain as there is room for; returns the rest. */
struct pool_cluster *pool_cluster_stash_all(struct pool_cpu *cpu,
					    struct pool_cluster *chain)
{
	while (chain) {
		struct pool_cluster *next = chain->next;

		if (!pool_cluster_stash(cpu, chain))
			break;
		chain = next;
	}
	return chain;
}

/* Push an emptied cluster where anybody can, in any context. */
static void spare_push(struct pool *pool, struct pool_cluster *c)
{
	struct pool_cluster *head = plat_read(&pool->spare);

	plat_word_add(&pool->spares, 1);
	do {
		c->next = head;
	} while (!plat_cmpxchg_release(&pool->spare, &head, c));
}

/* Make one chain of two, walking both at once: one of them is short. */
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
 * What is left is the list again, together with what was pushed meanwhile.  Release:
 * as spare_push().
 */
static void spare_leave(struct pool *pool, struct pool_cluster *rest)
{
	struct pool_cluster *none = NULL;

	while (!plat_cmpxchg_release(&pool->spare, &none, rest)) {
		struct pool_cluster *more = plat_xchg_acquire(&pool->spare,
							      NULL);

		if (more)
			rest = join(rest, more);
		none = NULL;
	}
}

/*
 * Take all spare clusters, because taking one would have to look into a cluster
 * that another taker may already have given away.  Handlers, who cannot free them,
 * may have left any number; what no stash has room for is put back.  The acquire
 * pairs with the release of spare_push() and carries the links.
 */
static struct pool_cluster *spare_take(struct pool *pool)
{
	struct pool_cluster *chain = NULL;
	struct pool_cluster *last, *rest;
	unsigned int n = 1;

	if (plat_read(&pool->spare))
		chain = plat_xchg_acquire(&pool->spare, NULL);
	if (!chain)
		return NULL;
	for (last = chain; last->next && n < POOL_STASH_MAX; n++)
		last = last->next;
	rest = last->next;
	last->next = NULL;
	if (rest)
		spare_leave(pool, rest);
	plat_word_sub(&pool->spares, n);
	return chain;
}

/**
 * pool_cluster_get() - Emptied clusters, from anywhere.
 * @pool: the pool; its spare ones are taken first.
 * @n: how many new ones, if there are no spare ones.
 * @flags: decide whether the allocator may be asked.
 *
 * Context: any; neither guard nor lock held.
 * Return: a chain by ->next, of spare clusters, about POOL_STASH_MAX at most, or of
 * new ones; or NULL.
 */
struct pool_cluster *pool_cluster_get(struct pool *pool, unsigned int n,
				      unsigned int flags)
{
	struct pool_cluster *chain = spare_take(pool);

	if (chain || !plat_may_alloc(flags))
		return chain;
	while (n--) {
		struct pool_cluster *c = plat_cluster_alloc();

		if (!c)
			break;
		c->next = chain;
		chain = c;
	}
	return chain;
}

/**
 * pool_cluster_put() - Give up an emptied cluster.  Never fails.
 * @pool: a pool that will not go away meanwhile.
 * @c: the cluster.
 * @flags: decide whether the allocator may be called.
 *
 * Some are kept: where one CPU allocates what another frees, the clusters that
 * the one empties are those that the other needs.
 *
 * Context: any; neither guard nor lock held.
 */
void pool_cluster_put(struct pool *pool, struct pool_cluster *c,
		      unsigned int flags)
{
	if (plat_word_read(&pool->spares) < POOL_SPARES_MAX ||
	    !plat_may_alloc(flags))
		spare_push(pool, c);
	else
		plat_cluster_free(c);
}

/* The same for each of a chain, which may be NULL. */
void pool_cluster_put_all(struct pool *pool, struct pool_cluster *chain,
			  unsigned int flags)
{
	while (chain) {
		struct pool_cluster *c = chain;

		chain = c->next;
		pool_cluster_put(pool, c, flags);
	}
}

static void free_chain(struct pool_cluster *chain)
{
	while (chain) {
		struct pool_cluster *c = chain;

		chain = c->next;
		plat_cluster_free(c);
	}
}

/* Free all spare clusters of a pool.  Process context. */
void pool_cluster_trim(struct pool *pool)
{
	struct pool_cluster *chain;

	while ((chain = spare_take(pool)))
		free_chain(chain);
}
