// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * carry.c - do the work that a visit leaves for after the lock
 *
 * Layer:   local clusters -> [shared pool, backend]
 * Context: any; outside of hot sections, no lock held.
 *
 * In a hot section, under the CPU lock, a visit only collects evicted clusters, the rest of a fill
 * and empty clusters, because moving them may call the backend or last long.  This file moves them
 * to the layers below, and fetches empty clusters if the visit found few in the stash, so that a
 * later spill needs no memory.
 */
#include "seam/plat.h"

/* A CPU gets this many new clusters at once, if there are no spares. */
#define STASH_FETCH	4

/* Refill the stash of this CPU with empty clusters. */
static void restock(struct pool *pool, unsigned int flags)
{
	struct pool_cluster *chain = pool_cluster_get(pool, STASH_FETCH, flags);
	unsigned int nested = 0;
	struct pool_local *here;

	if (!chain)
		return;
	here = pool_here_enter(pool, &nested);
	if (here) {
		if (pool_here_lock(here)) {
			chain = pool_cluster_stash_all(here->cpu, chain);
			pool_here_unlock(here);
		}
		pool_here_leave(here);
	}
	pool_cluster_put_all(pool, chain, flags);
}

/* Move an evicted cluster, of any pool, to the layers below. */
static void carry_down(const struct pool *pool, struct pool_cluster *c,
		       unsigned int flags)
{
	struct pool_local *local = c->local;
	unsigned int n = c->n;

	if (local->pool != pool)
		flags |= POOL_F_FOREIGN;
	pool_put_cluster_down(local->pool, c, flags);
	pool_cluster_settled(local, n);
}

/* Return the rest of a cluster, which is not charged, to the shared pool that it came from. */
static void carry_rest(struct pool *pool, struct pool_cluster *c,
		       unsigned int flags)
{
	struct pool_local *local = c->local;
	unsigned int n = c->n;

	if (!pool_put_to_shared_cache(pool, c))
		pool_put_cluster_down(pool, c, flags);
	pool_arrive(&local->moving, n);
}

/* Move what a visit of @pool collected to the layers below.  @out must not be used afterwards. */
void pool_carry(struct pool *pool, struct pool_carried *out, unsigned int flags)
{
	/*
	 * Return the rest of the cluster first, because any call may use its objects, and other
	 * steps may last long.
	 */
	if (out->rest)
		carry_rest(pool, out->rest, flags);
	while (out->down) {
		struct pool_cluster *c = out->down;

		out->down = c->next;
		carry_down(pool, c, flags);
	}
	pool_cluster_put_all(pool, out->empty, flags);
	if (out->restock)
		restock(pool, flags);
	if (out->parked)
		pool_unpark_here(pool, flags);
}
