// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * below.c - move objects from the caches to the layers below
 *
 * Layer:   local clusters -> [below] -> shared pool, backend, parking
 * Context: any, as documented in pool.h; nothing is held between two layers.
 *
 *   needed                   the shared pool; if it has no place, the backend
 *   not needed               the backend, and about as many of the shared pool; if the
 *                            backend may not be called, the shared pool
 *   needed, but scattered    as if not needed: they keep nearly empty slabs, and
 *                            the backend has others that lie close together
 *   neither may be used      parked
 *   not needed, and has a    parked, until a call of its own pool frees it, or a call that
 *   destructor, in the call  releases memory of all pools
 *   of another pool
 */
#include "seam/plat.h"

/* With a cluster that is not needed, at most this many of the shared pool are released, too. */
#define SHED_MOST	3

/* True if the shared pool keeps enough spare objects when it loses @n.  Read unlocked. */
static bool may_shed(struct pool *pool, unsigned int n)
{
	return pool_shared_count(pool) >=
	       (unsigned long)plat_read(&pool->min_avail) + n;
}

/*
 * Return an object of the shared pool to the backend, after one that was not needed, so that the
 * shared pool shrinks to its target.  Asks plat_backend_may() again, because the backend may accept
 * the first object here but not this one.
 */
static void shed_one(struct pool *pool, unsigned int flags)
{
	void *obj;

	if (!may_shed(pool, 1) || !plat_backend_may(&pool->backend, NULL, flags))
		return;
	pool_depart(&pool->moving, 1);
	obj = pool_shared_get_one(pool, flags);
	if (obj)
		pool_backend_put(pool, obj);
	pool_arrive(&pool->moving, 1);
}

/*
 * True if the objects of a cluster lie in slabs with few other objects.  Tests two of them, and
 * only if many slabs of the class have few objects.
 */
static bool is_scattered(const struct pool *pool, const struct pool_cluster *c)
{
	const struct plat_backend *backend = &pool->backend;

	return plat_backend_denser(backend, NULL, NULL) && !pool_seal_of(c->obj[0]) &&
	       plat_backend_denser(backend, c->obj[0], NULL) &&
	       plat_backend_denser(backend, c->obj[c->n / 2], NULL);
}

/* Shed a cluster of the shared pool; true: it was scattered, so that the next one may be, too. */
static bool shed_cluster(struct pool *pool, unsigned int flags)
{
	struct pool_cluster *c = NULL;
	bool scattered;
	unsigned int n;

	if (may_shed(pool, pool->cluster))
		c = pool_shared_get(pool, &pool->moving);
	if (!c)
		return false;
	n = c->n;
	scattered = is_scattered(pool, c);
	pool_backend_put_cluster(pool, c, 0);
	pool_cluster_put(pool, c, flags);
	pool_arrive(&pool->moving, n);
	return scattered;
}

/* Put an object into the shared pool or the backend, or park it if neither may be used. */
void pool_put_below(struct pool *pool, void *obj, unsigned int flags)
{
	bool may = !(flags & POOL_F_NESTED) &&
		   plat_backend_may(&pool->backend, obj, flags);

	if (pool_shares(pool) && may && !pool_need_keeps(pool, 1)) {
		pool_backend_put(pool, obj);
		shed_one(pool, flags);
		return;
	}
	if (pool_shared_put_one(pool, obj, flags))
		return;
	if (may)
		pool_backend_put(pool, obj);
	else
		pool_park(pool, obj);
}

/*
 * Put a cluster, not empty, into the shared pool, if it is needed, and its objects do not keep
 * nearly empty slabs.  False: the caller must pass the cluster to pool_put_cluster_down().
 *
 * Any context; also in a hot section, under the CPU lock.
 */
bool pool_keep_cluster(struct pool *pool, struct pool_cluster *c)
{
	return pool_shares(pool) && pool_need_keeps(pool, c->n) &&
	       (!is_scattered(pool, c) || pool_lacks_spare(pool)) &&
	       pool_put_to_shared_cache(pool, c);
}

/*
 * Release a cluster that pool_keep_cluster() refused to the backend; if that must not be called
 * here, put it into the shared pool; park objects that neither accepts.  The cluster is on no
 * list, and may be empty.  In a call of another pool, @flags has POOL_F_FOREIGN, too.  Objects
 * that wait for a call of their own pool, see pool_waits(), are parked at once.
 */
void pool_put_cluster_down(struct pool *pool, struct pool_cluster *c,
			   unsigned int flags)
{
	bool waits = pool_waits(pool, flags);
	bool may = !waits && plat_backend_may(&pool->backend, NULL, flags);
	unsigned int shed = may && c->n && pool_shares(pool) ? SHED_MOST : 0;

	if (!may && !waits && c->n && pool_put_to_shared_cache(pool, c))
		return;
	if (may)
		pool_backend_put_cluster(pool, c, 0);
	pool_park_cluster(pool, c);
	pool_cluster_put(pool, c, flags);
	while (shed && shed_cluster(pool, flags))
		shed--;
}

/* Move a cluster to the layers below the caches: keep it if it is needed, or else release it. */
void pool_put_cluster_below(struct pool *pool, struct pool_cluster *c,
			    unsigned int flags)
{
	if (!c->n || !pool_keep_cluster(pool, c))
		pool_put_cluster_down(pool, c, flags);
}
