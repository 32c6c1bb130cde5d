/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * quick.h - most fills and spills: a known number of pointers is copied, and nothing else
 *
 * Layer:   hot array -> [local clusters]
 * Context: any.  Guard, array and CPU lock are held in between.
 *
 * A quick fill empties a whole cluster, and a quick spill makes half of a whole array a
 * cluster.  All else is as the visit before left it, and there is nothing else to do.  Where
 * that is not so, nothing is changed, and fill.c or spill.c goes on with what is held.
 */
#ifndef POOL_CORE_QUICK_H
#define POOL_CORE_QUICK_H

/* A whole cluster has one object for the caller, and these for the array. */
#define POOL_QUICK_FILL		(POOL_CLUSTER_SIZE > 1 ? POOL_CLUSTER_SIZE - 1 : 1)

/* A whole array spills its coldest half, if a cluster may have so many, and keeps the others. */
#define POOL_QUICK_HALF		(POOL_HOT_MAX - POOL_HOT_MAX / 2)
#define POOL_QUICK_SPILL	pool_smaller(POOL_QUICK_HALF, POOL_CLUSTER_SIZE)
#define POOL_QUICK_KEEP		(POOL_HOT_MAX - POOL_QUICK_SPILL)

/*
 * Hold and lock a part that was entered.  @cpu: receives its CPU.  False: something is in the way,
 * and the part was left.
 */
static inline __attribute__((__always_inline__))
bool pool_quick_begin(struct pool_local *here, struct pool_cpu **cpu)
{
	if (!POOL_LIKELY(POOL_READ_PLAIN(here->hot.open) == POOL_OPEN)) {
		pool_hot_leave();
		return false;
	}
	pool_here_hold(here);
	*cpu = here->cpu;
	if (POOL_LIKELY(plat_cpu_trylock(*cpu)))
		return true;
	pool_here_leave(here);
	return false;
}

/* May the newest cluster, or NULL, fill the array as a whole, with nothing else to do? */
static inline bool pool_quick_fills(const struct pool_local *here,
				    const struct pool_cpu *cpu,
				    const struct pool_cluster *c)
{
	return c && c->n == POOL_CLUSTER_SIZE && !pool_cluster_sealed(c) &&
	       POOL_READ_PLAIN(here->hot.cap) >= POOL_QUICK_FILL &&
	       !POOL_READ_PLAIN(here->hot.n) && !here->surplus &&
	       pool_here_same_era(here) &&
	       cpu->stashed < POOL_STASH_MAX;
}

/* Get one object after pool_quick_begin(): by a quick fill, or as pool_get_locked() does. */
static inline __attribute__((__always_inline__))
void *pool_quick_get(struct pool *pool, struct pool_local *here,
		     struct pool_cpu *cpu, unsigned int flags)
	POOL_RELEASES(cpu->lock)
{
	struct pool_cluster *c = pool_cluster_newest(here);
	void *obj;

	if (!POOL_LIKELY(pool_quick_fills(here, cpu, c)))
		return pool_get_locked(here, flags);
	pool_visit_count(cpu, here);
	pool_copy(here->slot, c->obj, POOL_CLUSTER_SIZE);
	plat_write(&here->hot.n, POOL_CLUSTER_SIZE - 1);
	plat_write(&here->fills, here->fills + 1);
	pool_trace_fill(pool, POOL_CLUSTER_SIZE, false);
	pool_cluster_taken(cpu, here, c, POOL_CLUSTER_SIZE, 0);
	pool_stash_push(cpu, c);
	obj = here->slot[POOL_CLUSTER_SIZE - 1];
	if (!obj)
		__builtin_unreachable();
	plat_cpu_unlock(cpu);
	pool_here_leave(here);
	return obj;
}

/*
 * May part of the array become a new cluster, with nothing else to do?  An array that is whole,
 * in the era of its last visit, is open, or a switch of options has just begun to close it.
 */
static inline bool pool_quick_spills(const struct pool *pool,
				     const struct pool_local *here,
				     const struct pool_cpu *cpu,
				     unsigned long bytes)
{
	const struct pool_cluster *c = pool_cluster_newest(here);

	return POOL_READ_PLAIN(here->hot.n) == POOL_HOT_MAX &&
	       pool_cluster_fits(cpu, bytes) &&
	       here->max >= POOL_QUICK_SPILL && (!c || c->n >= here->max) &&
	       pool_here_same_era(here) &&
	       cpu->stashed > POOL_STASH_LOW &&
	       !plat_read(&here->parked.head) &&
	       !plat_read(&pool->parked.head);
}

/* Put one object that is not sealed: after a quick spill, or as pool_put_one() does. */
static inline __attribute__((__always_inline__))
void pool_quick_put(struct pool *pool, void *obj, unsigned int flags)
{
	struct pool_local *here = pool_local_enter(pool);
	struct pool_cpu *cpu;
	unsigned long bytes;

	if (!POOL_LIKELY(pool_quick_begin(here, &cpu))) {
		pool_put_one(pool, obj, flags);
		return;
	}
	bytes = pool_bytes(pool, POOL_QUICK_SPILL);
	if (!POOL_LIKELY(pool_quick_spills(pool, here, cpu, bytes))) {
		pool_put_locked(here, obj, flags);
		return;
	}
	pool_visit_count(cpu, here);
	pool_cluster_begin(cpu, here, pool_stash_pop(cpu), here->slot,
			   POOL_QUICK_SPILL, bytes);
	plat_write(&here->hot.n, POOL_QUICK_KEEP);
	plat_write(&here->spills, here->spills + 1);
	pool_trace_spill(here->pool, POOL_QUICK_SPILL);
	plat_cpu_unlock(cpu);
	pool_hot_slide(here, POOL_QUICK_SPILL, POOL_QUICK_KEEP);
	pool_hot_push(here, obj);
	pool_here_leave(here);
}

#endif /* POOL_CORE_QUICK_H */
