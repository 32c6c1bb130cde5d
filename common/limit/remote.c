// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * remote.c - objects that are with another CPU, when there are no others
 *
 * Layer:   beside the four; the last look of alloc.c, and plat_empty_arrays().
 * Context: any; neither guard nor lock held.
 *
 * Any CPU may take a cluster of another one, whose lock it tries.  Only its owner may touch
 * an array.  So the owner is asked, and moves objects from there to a cluster.
 */
#include "seam/plat.h"

/*
 * A cluster of another CPU, or NULL, also where its lock is held, since the holder may
 * be a thread that does not run.  clustered is read unlocked, since it only says where
 * to look.
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
 * context; neither guard nor lock held.
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
 * Bring objects of this CPU's array where other CPUs find them.  The platform calls this where
 * another CPU has asked for it: plat_empty_arrays().  It does so in an interrupt or a signal
 * handler, or with interrupts off.
 * An array that is held stays as it is, since this has interrupted its holder.  Otherwise a
 * cluster gets as many objects as it takes.  A departure of none is counted, so that a walk sees
 * that the list has changed: validate.c.  Where there is no cluster, or the CPU's lock cannot be
 * had, one object is parked: the CPU that has asked needs no more.
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
}
