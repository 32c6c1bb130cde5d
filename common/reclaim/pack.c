// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pack.c - exchange cached objects for objects that lie closer together
 *
 * Layer:   beside the four.
 * Context: process context; outside of hot sections, no lock held, a CPU lock for one cluster
 *	    at a time.
 *
 * Users free objects in any order, so the few objects that stay in caches are spread over many
 * slabs and keep these from becoming empty.  gc must not empty the caches, but may exchange a
 * cached object for another one of the same pool, because no caller knows which object is next.
 * Counts, charges and order stay the same, and slabs that become empty are released.
 *
 * The clusters of all CPUs are packed; arrays are not, because only their owners may enter them.
 */
#include "seam/plat.h"

/* True if pack may exchange the pool's free objects: none is constructed or checked. */
static bool may_pack(const struct pool *pool)
{
	return pool->cached && !pool->head.constructed &&
	       !pool_is_closed(pool) && !plat_read(&pool->object_table.segment[0]);
}

/*
 * Exchange up to @n objects for objects in fuller slabs; returns how many were exchanged.  CPU lock
 * held.
 */
static unsigned int pack_cluster(const struct pool *pool,
				 struct pool_cluster *c, void **fresh,
				 unsigned int n)
{
	unsigned int done = 0, i;

	for (i = 0; i < c->n && done < n; i++) {
		void *obj = c->obj[i];

		if (pool_seal_of(obj) ||
		    !plat_backend_denser(&pool->backend, obj, fresh[done]))
			continue;
		c->obj[i] = fresh[done];
		fresh[done++] = obj;
	}
	return done;
}

/*
 * Pack the oldest cluster and make it the newest of its pool, so that a round over all clusters
 * restores their order.  Adds 1 to the departures, as pool_empty_array() does.  @left: how
 * many objects of the part remain to be packed.
 */
static unsigned int pack_oldest(struct pool_cpu *cpu, struct pool_local *local,
				void **fresh, unsigned int n,
				unsigned long *left)
{
	struct pool_cluster *c = NULL;
	unsigned int done = 0;

	plat_cpu_lock(cpu);
	if (local->pool && may_pack(local->pool))
		c = pool_cluster_oldest(local);
	if (c) {
		pool_clustered_less(local, 0);
		pool_list_del(&c->by_pool);
		pool_list_add(&c->by_pool, &local->by_pool);
		*left -= c->n < *left ? c->n : *left;
		done = pack_cluster(local->pool, c, fresh, n);
	} else {
		*left = 0;
	}
	plat_cpu_unlock(cpu);
	return done;
}

static void pack_local(struct pool *pool, struct pool_cpu *cpu,
		       struct pool_local *local)
{
	unsigned long left = plat_read(&local->clustered);
	void *objs[POOL_CLUSTER_SIZE];
	unsigned int n = 0, done = 0;

	while (left) {
		while (n < POOL_CLUSTER_SIZE &&
		       (objs[n] = pool_backend_swap_in(pool)))
			n++;
		if (!n)
			return;
		done = pack_oldest(cpu, local, objs, n, &left);
		while (done) {
			pool_backend_swap_out(pool, objs[--done]);
			objs[done] = objs[--n];
		}
	}
	while (n)
		pool_backend_swap_out(pool, objs[--n]);
}

/* Exchange the cached objects of a pool for objects in fuller slabs. */
void pool_pack(struct pool *pool)
{
	struct pool_local *local;
	unsigned int i;

	if (!may_pack(pool) || !plat_backend_denser(&pool->backend, NULL, NULL))
		return;
	pool_each_part(pool, i, local)
		pack_local(pool, plat_cpu_of(i), local);
}
