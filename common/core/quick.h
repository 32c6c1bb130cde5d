/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * quick.h - fill and spill in the common case, where only a fixed number of pointers is copied
 *
 * Layer:   hot array -> [local clusters]
 * Context: any.  A call holds the array and the CPU lock, in a hot section.
 *
 * A quick fill empties a full cluster into the array.  A quick spill makes half of a full array a
 * new cluster.  Both require that bound, options and capacity are as at the last visit and that
 * nothing is parked.  Otherwise they change nothing, and fill.c or spill.c goes on with the array
 * and the lock.
 */
#ifndef POOL_CORE_QUICK_H
#define POOL_CORE_QUICK_H

/* How many objects of a full cluster go to the array; one more goes to the caller. */
#define POOL_QUICK_FILL		(POOL_CLUSTER_SIZE > 1 ? POOL_CLUSTER_SIZE - 1 : 1)

/* How many objects of a full array a quick spill moves: the coldest half. */
#define POOL_QUICK_HALF		(POOL_HOT_MAX - POOL_HOT_MAX / 2)
#define POOL_QUICK_SPILL	pool_smaller(POOL_QUICK_HALF, POOL_CLUSTER_SIZE)
#define POOL_QUICK_KEEP		(POOL_HOT_MAX - POOL_QUICK_SPILL)

/*
 * Hold the array of a part that was entered, and lock its CPU, which @cpu receives.  False: the
 * array is held or absent, or another call holds the lock; then the part was left.
 */
static inline __attribute__((__always_inline__))
bool pool_quick_begin(struct pool_local *here, struct pool_cpu **cpu)
{
	if (!POOL_LIKELY(pool_hot_hold(&here->hot)))
		return false;
	*cpu = here->cpu;
	if (POOL_LIKELY(plat_cpu_trylock(*cpu)))
		return true;
	pool_here_leave(here);
	return false;
}

/* True if neither the part nor the pool has parked objects, which a slow visit would free. */
static inline bool pool_quick_none_parked(const struct pool *pool, const struct pool_local *here)
{
	unsigned long mine = (unsigned long)plat_read(&here->parked.head);

	return !(mine | (unsigned long)plat_read(&pool->parked.head));
}

/*
 * True if a fill only has to move the newest cluster as a whole to the array.  @c: that cluster;
 * NULL: none.
 */
static inline bool pool_quick_fills(const struct pool_local *here,
				    const struct pool_cpu *cpu,
				    const struct pool_cluster *c)
{
	return c && c->n == POOL_CLUSTER_SIZE && !pool_cluster_sealed(c) &&
	       POOL_READ_PLAIN(here->hot.cap) >= POOL_QUICK_FILL &&
	       !POOL_READ_PLAIN(here->hot.n) && !here->surplus &&
	       pool_here_same_era(here) && !pool_visit_ticks(cpu->visits) &&
	       cpu->stashed < POOL_STASH_MAX;
}

/* Get one object after pool_quick_begin(), by a quick fill or by pool_get_locked(). */
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
	pool_cluster_taken(cpu, here, c, POOL_CLUSTER_SIZE, pool_bytes(pool, POOL_CLUSTER_SIZE), 0);
	pool_stash_push(cpu, c);
	obj = here->slot[POOL_CLUSTER_SIZE - 1];
	if (!obj)
		__builtin_unreachable();
	plat_cpu_unlock(cpu);
	pool_here_leave(here);
	return obj;
}

/*
 * True if a quick spill is possible: the array is full and nothing changed since its last visit.
 * Such an array accepts objects, unless a switch of options has just begun to close it.
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
	       cpu->stashed > POOL_STASH_FEW && pool_quick_none_parked(pool, here);
}

/* Put one object that is not sealed, after a quick spill if one is needed, or by pool_put_one(). */
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

/*
 * Lock a part without an array, as pools of large objects or with a small limit have.  Objects go
 * through its newest cluster, which the CPU lock protects, so the part need not be held.
 * @here: a part that was entered.
 * @allocs: the caller allocates, so a part without objects is not locked either.
 * @cpu: receives the part's CPU.
 * False: the part has an array, or another call holds its lock; then it was left.
 */
static inline __attribute__((__always_inline__))
bool pool_quick_begin_past(struct pool_local *here, bool allocs, struct pool_cpu **cpu)
{
	if ((here->era & POOL_ERA_PAST) && (!allocs || plat_read(&here->clustered))) {
		*cpu = here->cpu;
		if (POOL_LIKELY(plat_cpu_trylock(*cpu)))
			return true;
	}
	pool_hot_leave();
	return false;
}

static inline void pool_quick_end_past(struct pool_cpu *cpu)
	POOL_RELEASES(cpu->lock)
{
	plat_cpu_unlock(cpu);
	pool_hot_leave();
}

/* True if a locked part was adapted to the present pool_era, and has no array. */
static inline bool pool_quick_past(const struct pool_local *here)
{
	return pool_era_is(here->era - POOL_ERA_PAST);
}

/*
 * Take the freshest object, if it is not sealed, of a part without an array; NULL: nothing changed.
 * The options are read under the lock, so they are at least as new as those under which the object
 * was freed.
 */
static inline __attribute__((__always_inline__))
void *pool_quick_get_past(struct pool *pool)
{
	struct pool_local *here = pool_local_enter(pool);
	struct pool_cluster *c;
	struct pool_cpu *cpu;
	void *obj;

	if (!pool_quick_begin_past(here, true, &cpu))
		return NULL;
	c = pool_cluster_newest(here);
	if (!POOL_LIKELY(c && !pool_cluster_sealed(c) && cpu->stashed < POOL_STASH_MAX &&
			 pool_quick_past(here) && !pool_visit_ticks(cpu->visits) &&
			 !pool_looks_at_each(pool) &&
			 !plat_read(&pool->waiting))) {
		pool_quick_end_past(cpu);
		return NULL;
	}
	cpu->visits++;
	plat_write(&here->fills, here->fills + 1);
	pool_trace_fill(pool, 1, false);
	obj = pool_cluster_pop(c);
	if (pool_cluster_taken(cpu, here, c, 1, pool->head.size, c->n))
		pool_stash_push(cpu, c);
	if (!obj)
		__builtin_unreachable();
	pool_quick_end_past(cpu);
	return obj;
}

/*
 * Put an object that is not sealed into a cluster of a part without an array.  True: done, and the
 * caller must call pool_wake() next.  False: nothing changed.
 */
static inline __attribute__((__always_inline__))
bool pool_quick_put_past(struct pool *pool, void *obj)
{
	struct pool_local *here = pool_local_enter(pool);
	unsigned long size = pool->head.size;
	struct pool_cluster *c;
	struct pool_cpu *cpu;

	if (!pool_quick_begin_past(here, false, &cpu))
		return false;
	if (!POOL_LIKELY(pool_quick_past(here) &&
			 pool_cluster_fits(cpu, size) && cpu->stashed > POOL_STASH_FEW &&
			 pool_quick_none_parked(pool, here))) {
		pool_quick_end_past(cpu);
		return false;
	}
	cpu->visits++;
	plat_write(&here->spills, here->spills + 1);
	pool_trace_spill(pool, 1);
	c = pool_cluster_newest(here);
	if (c && c->n < here->max && !pool_cluster_sealed(c))
		pool_cluster_add(cpu, here, c, obj, size);
	else
		pool_cluster_begin(cpu, here, pool_stash_pop(cpu), &obj, 1, size);
	pool_quick_end_past(cpu);
	return true;
}

#endif /* POOL_CORE_QUICK_H */
