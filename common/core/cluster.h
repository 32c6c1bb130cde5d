/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * cluster.h - change a CPU's lists of clusters, in each fill and each spill
 *
 * Layer:   hot array -> [local clusters]; the inline half of cluster.c.
 * Context: the CPU lock held, unless said otherwise.
 *
 * cluster.c says on which lists a cluster is, and when the charge of its CPU changes.
 */
#ifndef POOL_CORE_CLUSTER_H
#define POOL_CORE_CLUSTER_H

static inline struct pool_cluster *pool_of_by_pool(struct pool_list *node)
{
	return pool_list_entry(node, struct pool_cluster, by_pool);
}

/* Return the newest cluster of a part; NULL: none.  CPU lock held. */
static inline struct pool_cluster *pool_cluster_newest(const struct pool_local *local)
{
	struct pool_cluster *c = pool_of_by_pool(local->by_pool.next);

	if (pool_list_empty(&local->by_pool))
		return NULL;
	if (!c)
		__builtin_unreachable();
	return c;
}

/* Return the oldest cluster of a part; NULL: none.  CPU lock held. */
static inline struct pool_cluster *pool_cluster_oldest(const struct pool_local *local)
{
	if (pool_list_empty(&local->by_pool))
		return NULL;
	return pool_of_by_pool(local->by_pool.prev);
}

/* Return the oldest cluster of all pools of a CPU; NULL: none.  CPU lock held. */
static inline struct pool_cluster *pool_cluster_coldest(const struct pool_cpu *cpu)
{
	if (pool_list_empty(&cpu->by_lru))
		return NULL;
	return pool_list_entry(cpu->by_lru.prev, struct pool_cluster, by_lru);
}

/* Take a cluster off its lists. */
static inline void pool_cluster_unlink(struct pool_cluster *c)
{
	pool_list_unlink(&c->by_pool);
	pool_list_unlink(&c->by_lru);
}

/*
 * Return the bytes that a CPU is charged with, refunds subtracted.  Exact under the CPU lock.
 * Otherwise too low if others charge and refund between the two reads, and too high while the owner
 * subtracts refunds.
 */
static inline unsigned long pool_charged(const struct pool_cpu *cpu)
{
	unsigned long charged = plat_read(&cpu->charged);
	unsigned long left = charged + plat_read(&cpu->refunded);

	return left <= charged ? left : 0;
}

/* Charge a CPU with @bytes.  CPU lock held, so no atomic access is needed. */
static inline void pool_charge(struct pool_cpu *cpu, unsigned long bytes)
{
	plat_write(&cpu->charged, cpu->charged + bytes);
}

/* Undo pool_charge().  CPU lock held; others refund: pool_cluster_settled(). */
static inline void pool_uncharge(struct pool_cpu *cpu, unsigned long bytes)
{
	plat_write(&cpu->charged, cpu->charged - bytes);
}

/* Account @n objects that were copied to the fresh end of a cluster, of @bytes. */
static inline void pool_cluster_count(struct pool_cpu *cpu,
				      struct pool_local *local,
				      struct pool_cluster *c, unsigned int n,
				      unsigned long bytes)
{
	pool_charge(cpu, bytes);
	plat_write(&local->clustered, local->clustered + n);
	c->n += n;
	c->stamp = cpu->visits;
}

/* Return the bytes that @n objects of a pool are charged with. */
static inline unsigned long pool_bytes(const struct pool *pool, unsigned int n)
{
	return (unsigned long)n * pool->head.size;
}

/*
 * Add @n objects, coldest first, to a cluster on the lists that has room for them, and make it
 * the newest.  CPU lock held; the objects fit.
 */
static inline void pool_cluster_top_up(struct pool_cpu *cpu,
				       struct pool_local *local,
				       struct pool_cluster *c, void **objs,
				       unsigned int n)
{
	pool_copy(c->obj + c->n, objs, n);
	pool_cluster_count(cpu, local, c, n, pool_bytes(local->pool, n));
	pool_list_first(&c->by_pool, &local->by_pool);
	pool_list_first(&c->by_lru, &cpu->by_lru);
}

/* Add one object of @bytes to the newest cluster of its pool.  CPU lock held; the object fits. */
static inline void pool_cluster_add(struct pool_cpu *cpu, struct pool_local *local,
				    struct pool_cluster *c, void *obj, unsigned long bytes)
{
	c->obj[c->n] = obj;
	pool_cluster_count(cpu, local, c, 1, bytes);
	pool_list_first(&c->by_lru, &cpu->by_lru);
}

/* Put a cluster that is on no list on the lists of @local, as the newest. */
static inline void pool_cluster_link(struct pool_cpu *cpu,
				     struct pool_local *local,
				     struct pool_cluster *c)
{
	c->local = local;
	pool_list_add(&c->by_pool, &local->by_pool);
	pool_list_add(&c->by_lru, &cpu->by_lru);
}

/* Fill an empty cluster with objects that are charged with @bytes, and link it as the newest. */
static inline void pool_cluster_begin(struct pool_cpu *cpu,
				      struct pool_local *local,
				      struct pool_cluster *c, void **objs,
				      unsigned int n, unsigned long bytes)
{
	pool_copy(c->obj, objs, n);
	pool_cluster_count(cpu, local, c, n, bytes);
	pool_cluster_link(cpu, local, c);
}

/*
 * Subtract @n objects that leave the clusters of a CPU, whose lock is held.  The releases pair with
 * the acquires in reach.c, so that a reader that misses the objects sees their departure.
 */
static inline void pool_clustered_less(struct pool_local *local, unsigned int n)
{
	plat_write_release(&local->departures, local->departures + 1);
	plat_write_release(&local->clustered, local->clustered - n);
}

/*
 * Account @n objects, of @bytes, that were copied from the fresh end of a cluster on the lists, in
 * which @left stay.  True: the cluster is empty, and was unlinked.  CPU lock held.
 */
static inline bool pool_cluster_taken(struct pool_cpu *cpu,
				      struct pool_local *local,
				      struct pool_cluster *c, unsigned int n,
				      unsigned long bytes, unsigned int left)
{
	c->n = left;
	pool_clustered_less(local, n);
	pool_uncharge(cpu, bytes);
	if (!left)
		pool_cluster_unlink(c);
	return !left;
}

/* Detach the newest cluster of a part; NULL: the part has none, or was never set up. */
static inline struct pool_cluster *pool_cluster_detach_newest(struct pool_local *local)
{
	struct pool_cluster *c = NULL;

	if (local->pool)
		c = pool_cluster_newest(local);
	if (c)
		pool_cluster_detach(c);
	return c;
}

/* Keep an emptied cluster for the next spill; there is room for it.  CPU lock held. */
static inline void pool_stash_push(struct pool_cpu *cpu, struct pool_cluster *c)
{
	cpu->stash[cpu->stashed++] = c;
}

/* Keep an emptied cluster if the stash has room; false: it has none.  CPU lock held. */
static inline bool pool_cluster_stash(struct pool_cpu *cpu, struct pool_cluster *c)
{
	if (cpu->stashed >= POOL_STASH_MAX)
		return false;
	pool_stash_push(cpu, c);
	return true;
}

/* Take an emptied cluster from the stash, which has one.  CPU lock held. */
static inline struct pool_cluster *pool_stash_pop(struct pool_cpu *cpu)
{
	return cpu->stash[--cpu->stashed];
}

/* Take an emptied cluster from the stash; NULL: it has none.  CPU lock held. */
static inline struct pool_cluster *pool_cluster_unstash(struct pool_cpu *cpu)
{
	return cpu->stashed ? pool_stash_pop(cpu) : NULL;
}

/* A CPU fetches clusters if its stash has fewer than this. */
#define POOL_STASH_FEW	2

/*
 * Have pool_carry() fetch empty clusters after the visit if the stash has few.  Called when a spill
 * needed one, and when a later visit will: when an array grows, when arrays may have to shrink, and
 * in a fill that found no cluster.  A pool without caches needs none, unless it still has an array
 * from before a switch.
 */
static inline void pool_stash_look(const struct pool_local *here,
				   struct pool_carried *out)
{
	if (here->cpu->stashed < POOL_STASH_FEW &&
	    (plat_read(&here->hot.slots) ||
	     !(plat_read(&here->pool->debug) & POOL_D_NO_CACHE))) {
		out->restock = true;
		out->some = true;
	}
}

/*
 * Release the CPU's lock for a moment, between two steps of a visit, so that no section with
 * interrupts off has more than one step.  The array stays held.  The caller must reread all that
 * the lock protects.
 */
static inline void pool_cpu_break(struct pool_cpu *cpu)
{
	if (plat_may(PLAT_RELOCK, 0))
		pool_cpu_relock(cpu);
}

#endif /* POOL_CORE_CLUSTER_H */
