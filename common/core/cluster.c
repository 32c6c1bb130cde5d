// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cluster.c - clusters on a CPU's lists, charged to it
 *
 * Layer:   hot array -> [local clusters] -> shared pool
 * Context: the CPU lock held, unless said otherwise.
 *
 * Each cluster is on two lists of its CPU: by_pool has those of one pool, by_lru those of all
 * pools, the newest first.  The charge is raised before objects are counted, and lowered after they
 * are no longer counted.  So at every instant the bytes of all objects are at most the charge.
 */
#include "seam/plat.h"

/*
 * Put a detached cluster, not empty, on the lists, as the newest.  CPU lock held; the bytes of its
 * objects fit under the bound.
 */
void pool_cluster_insert(struct pool_cpu *cpu, struct pool_local *local,
			 struct pool_cluster *c)
{
	unsigned int n = c->n;

	c->n = 0;
	pool_cluster_count(cpu, local, c, n, pool_bytes(local->pool, n));
	pool_cluster_link(cpu, local, c);
}

/*
 * Take a cluster with its objects off the lists.  Its CPU's lock is held.  The objects stay
 * charged, and counted as moving, until the caller has put them elsewhere and has called
 * pool_cluster_settled().
 */
void pool_cluster_detach(struct pool_cluster *c)
{
	struct pool_local *local = c->local;

	pool_cluster_unlink(c);
	pool_depart(&local->moving, c->n);
	pool_clustered_less(local, c->n);
}

/*
 * The number of threads in pool_settle(), and of arrivals that woke them.  The two are global, not
 * per pool, because a pool may be gone once the last of its objects has arrived.
 */
unsigned long pool_settling;
static unsigned int arrivals;

/*
 * Lower a count of moving objects as pool_arrive() does, for objects that a call of another pool
 * moves.  Wakes threads in pool_settle(); the fence pairs with theirs.
 */
void pool_arrive_last(unsigned long *moving, unsigned int n)
{
	pool_arrive(moving, n);
	plat_fence();
	if (plat_read(&pool_settling))
		pool_bump(&arrivals);
}

/* Sleep until a count of moving objects is 0.  The pool is not called any more. */
void pool_settle(const unsigned long *moving)
{
	unsigned int seen;

	if (!plat_read_acquire(moving))
		return;
	plat_word_add(&pool_settling, 1);
	plat_fence();
	seen = plat_read_acquire(&arrivals);
	while (plat_read_acquire(moving)) {
		pool_sleep(&arrivals, seen);
		seen = plat_read_acquire(&arrivals);
	}
	pool_word_sub(&pool_settling, 1);
}

/*
 * Announce that the @n objects of a cluster that was detached from @local have reached another
 * place.  Any context; no lock is needed.
 *
 * The pool may be destroyed as soon as "moving" is lowered, so it is not touched afterwards.  The
 * release of "moving" pairs with the acquires of pool_settle() and of readers.  The release of
 * "refunded" keeps CPUs from seeing the refund before the arrival.
 */
void pool_cluster_settled(struct pool_local *local, unsigned int n)
{
	unsigned long bytes = pool_bytes(local->pool, n);
	struct pool_cpu *cpu = local->cpu;

	pool_arrive_last(&local->moving, n);
	plat_word_sub_release(&cpu->refunded, bytes);
}

/*
 * Announce the same with the lock of the cluster's CPU held, so that the charge is lowered at once,
 * without an atomic access and a refund.
 */
void pool_cluster_settled_locked(struct pool_local *local, unsigned int n)
{
	unsigned long bytes = pool_bytes(local->pool, n);
	struct pool_cpu *cpu = local->cpu;

	pool_arrive_last(&local->moving, n);
	pool_uncharge(cpu, bytes);
}

/*
 * Move up to @n clusters of a full stash, at most half of it, into the slots of an empty cluster,
 * so that all of them move as one.  CPU lock held.
 */
void pool_cluster_box(struct pool_cpu *cpu, struct pool_cluster *c, unsigned int n)
{
	if (n > POOL_BOXED_MAX)
		n = POOL_BOXED_MAX;
	cpu->stashed -= n;
	pool_copy(c->obj, cpu->stash + cpu->stashed, n);
	c->boxed = n;
}

/* Stash the clusters in the slots of an empty one, as far as there is room. */
static __attribute__((__noinline__))
void unbox(struct pool_cpu *cpu, struct pool_cluster *c)
{
	unsigned int room = POOL_STASH_MAX - cpu->stashed;
	unsigned int n = c->boxed < room ? c->boxed : room;

	c->boxed -= n;
	pool_copy(cpu->stash + cpu->stashed, c->obj + c->boxed, n);
	cpu->stashed += n;
}

/* Stash as much of a chain as there is room for; returns the rest. */
struct pool_cluster *pool_cluster_stash_all(struct pool_cpu *cpu,
					    struct pool_cluster *chain)
{
	while (chain) {
		struct pool_cluster *next = chain->next;

		if (chain->boxed)
			unbox(cpu, chain);
		if (chain->boxed || !pool_cluster_stash(cpu, chain))
			break;
		chain = next;
	}
	return chain;
}

/* Unlock the CPU and lock it again, for pool_cpu_break(). */
void pool_cpu_relock(struct pool_cpu *cpu)
	POOL_MUST_HOLD(cpu->lock)
{
	plat_cpu_unlock(cpu);
	plat_cpu_lock(cpu);
}
