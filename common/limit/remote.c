// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * remote.c - get objects that other CPUs have cached, when no other object is free
 *
 * Layer:   beside the four; the last look of alloc.c, and plat_empty_arrays().
 * Context: any; outside of hot sections, no lock held.
 *
 * Any CPU may take a cluster of another one, whose lock it tries.  Only its owner may enter an
 * array, so the owner is asked, and moves objects from the array to a cluster.
 */
#include "seam/plat.h"

/*
 * Take a cluster of another CPU.  NULL: it has none, or its lock is held, perhaps by a thread that
 * does not run.  clustered is read unlocked, because a stale value only costs a try.
 */
static struct pool_cluster *detach_remote(struct pool_cpu *cpu,
					  struct pool_local *local)
{
	struct pool_cluster *c;

	if (!plat_read(&local->clustered) || !plat_cpu_trylock(cpu))
		return NULL;
	c = pool_cluster_detach_newest(local);
	plat_cpu_unlock(cpu);
	return c;
}

/*
 * Take an object out of another CPU's clusters, the last resort of an allocation, and move the rest
 * of its cluster to the layers below.  Skips a CPU whose lock is held.  NULL: none was found.  Any
 * context; outside of hot sections, no lock held.
 */
void *pool_take_remote(struct pool *pool, unsigned int flags)
{
	struct pool_cluster *c = NULL;
	struct pool_local *local;
	unsigned int i, n;
	void *obj;

	pool_each_part(pool, i, local) {
		c = detach_remote(plat_cpu_of(i), local);
		if (c)
			break;
	}
	if (!c)
		return NULL;
	local = c->local;
	n = c->n;
	obj = pool_cluster_pop(c);
	pool_put_cluster_below(pool, c, flags);
	pool_cluster_settled(local, n);
	return obj;
}

/* Park the freshest object of a held array that has some. */
static void park_hot(struct pool *pool, struct pool_local *here)
{
	unsigned int left = plat_read(&here->hot.n) - 1;

	pool_depart(&here->moving, 1);
	pool_hot_less(here, left);
	pool_park(pool, here->slot[left]);
	pool_arrive(&here->moving, 1);
}

/*
 * Move objects of this CPU's array to a cluster, where other CPUs find them.  The platform calls
 * this for plat_empty_arrays() of another CPU, in an interrupt or a signal handler, or with
 * interrupts off.  A held array stays as it is, because this call has interrupted its holder.
 *
 * Adds 1 to the departures although all objects stay on this CPU, so that a walk of validate.c sees
 * that the list has changed.  If there is no empty cluster, or another call holds the CPU's lock,
 * one object is parked, which is enough for the CPU that has asked.  Wakes last, because a call may
 * have noted that nothing is free: reach.c.
 */
void pool_empty_array(struct pool *pool)
{
	unsigned int flags = 0;
	struct pool_local *here = pool_here_enter(pool, &flags);
	bool moved = false;

	if (!here)
		return;
	if (plat_read(&here->hot.n) && pool_here_lock(here)) {
		pool_clustered_less(here, 0);
		moved = pool_age_clear(here);
		pool_here_unlock(here);
	}
	if (!moved && plat_read(&here->hot.n))
		park_hot(pool, here);
	pool_here_leave(here);
	pool_wake(pool);
}
