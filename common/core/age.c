// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * age.c - one age for arrays and clusters: the least recently used is reduced or evicted
 *
 * Layer:   hot array -> local clusters, sideways over all pools of a CPU
 * Context: this CPU entered, its lock held, unless said otherwise.
 *
 * A CPU's time is the number of its visits: slow paths that locked the CPU.  The age of an array is
 * its owner's last visit, the age of a cluster the visit that made it the newest of its pool.  A
 * visit that finds no room under the bound repeats two steps, at most POOL_EVICT_MOST times, until
 * there is room, or evicted clusters will make room.  If an array is older than all clusters, it is
 * reduced: it loses its free slots, and its objects stay.  If all slots have objects, it closes.
 * If that does not make enough room, the oldest cluster is evicted.
 *
 * Free slots must not displace objects of many pools at once.  So an array opens with one slot,
 * doubles while that fits, and opens again with as many slots as it had objects when it closed.
 *
 * An array whose calls all hit has no visits, so it looks old though it is in use.  When it closes,
 * its objects become the newest cluster of their pool, so that its owner finds them at the next
 * call, which reopens the array.  An array of more objects than one cluster accepts keeps slots for
 * the rest, and becomes the newest array.
 *
 * Ageing, idle.c, reduces arrays that were not visited since the last one, though there is room.
 *
 * Evicted clusters go to the shared pool at once.  If they are not needed, or all buckets are BUSY,
 * the visit leaves them to pool_carry().
 */
#include "seam/plat.h"

/* An array opens with one slot, or with as many as it had objects when it closed last. */
#define AGE_FIRST	1

/* True if time @a was before @b.  Time may wrap. */
static bool before(unsigned long a, unsigned long b)
{
	return (long)(a - b) < 0;
}

/*
 * Find a cluster for @n objects of an array, or for some of them.  NULL: there is none,
 * since the last empty one is kept for a spill.
 */
static struct pool_cluster *cluster_for(struct pool_cpu *cpu,
					struct pool_local *local,
					unsigned int n, unsigned int max)
{
	struct pool_cluster *c = pool_cluster_newest(local);

	if (c && c->n + n <= max && !pool_cluster_sealed(c))
		return c;
	return cpu->stashed < 2 ? NULL : pool_cluster_unstash(cpu);
}

/* Put @n objects, which count as moving, into a cluster that has room for them, or is empty. */
static inline void put_into(struct pool_cpu *cpu, struct pool_local *local,
			    struct pool_cluster *c, void **objs, unsigned int n)
{
	if (c->n)
		pool_cluster_top_up(cpu, local, c, objs, n);
	else
		pool_cluster_begin(cpu, local, c, objs, n,
				   pool_bytes(local->pool, n));
}

/*
 * Shrink a held array to @slots slots, and move its @n coldest objects, which no longer fit, to @c.
 * The array shrinks before the cluster is charged, so that the sum never rises; in between the
 * objects count as moving.  Other calls may get the lock before the rest of the array is moved
 * down, so pool_drain() waits until nothing moves.
 */
static inline void shrink_into(struct pool_cpu *cpu, struct pool_local *local,
			       unsigned int slots, struct pool_cluster *c,
			       unsigned int n)
{
	unsigned int left = plat_read(&local->hot.n) - n;

	if (n) {
		pool_depart(&local->moving, n);
		pool_hot_less(local, left);
	}
	pool_hot_shrink(cpu, local, slots);
	if (n) {
		put_into(cpu, local, c, local->slot, n);
		pool_cpu_break(cpu);
		pool_hot_slide(local, n, left);
		pool_arrive_last(&local->moving, n);
	}
}

/*
 * Shrink an array that the caller holds to @slots slots, but only as far as the objects that no
 * longer fit go into one cluster.
 */
static void shrink(struct pool_cpu *cpu, struct pool_local *local,
		   unsigned int slots)
{
	unsigned int max = local->max;
	unsigned int n = plat_read(&local->hot.n);
	unsigned int excess = n > slots ? n - slots : 0;
	struct pool_cluster *c = NULL;

	if (excess) {
		c = cluster_for(cpu, local, excess, max);
		if (!c)
			return;
		excess = pool_smaller(excess, max - c->n);
	}
	if (slots < n - excess)
		slots = n - excess;
	shrink_into(cpu, local, slots, c, excess);
}

/*
 * Move objects of an array to a cluster, where other CPUs find them.  @here is entered and
 * locked, and has objects.
 *
 * Moves the freshest ones, as many as the cluster accepts, so that the rest of the array can stay
 * where it is.  The array loses their slots, because the cluster is charged for its objects.
 * False: there is no empty cluster.
 */
bool pool_age_clear(struct pool_local *here)
{
	struct pool_cluster *c = pool_cluster_newest(here);
	unsigned int n = plat_read(&here->hot.n);
	unsigned int slots = plat_read(&here->hot.slots);
	unsigned int left;

	if (!c || !pool_cluster_accepts(c, here->max, here->slot[0]))
		c = pool_cluster_unstash(here->cpu);
	if (!c)
		return false;
	left = n > here->max - c->n ? n - (here->max - c->n) : 0;
	n -= left;
	slots -= n;
	pool_depart(&here->moving, n);
	pool_hot_less(here, left);
	pool_hot_shrink(here->cpu, here, slots);
	put_into(here->cpu, here, c, here->slot + left, n);
	pool_arrive(&here->moving, n);
	return true;
}

/*
 * Take the free slots of a held array or, if all have objects, close it.  An array with more
 * objects than a cluster accepts closes in several steps, so its number of objects before the first
 * step is recorded.
 */
static void take_slots(struct pool_cpu *cpu, struct pool_local *local)
{
	unsigned int n = plat_read(&local->hot.n);

	if (local->reopen < n)
		local->reopen = n;
	shrink(cpu, local, n < plat_read(&local->hot.slots) ? n : 0);
}

/*
 * Hold another pool's array of this CPU as its owner would, take its free slots, or close it, and
 * wake a waiter of that pool, because no free does.  Then release the lock for a moment.  The array
 * becomes the newest, because its owner may be using it, so the next call reduces another array
 * before it closes this one.
 */
static inline void reduce_array(struct pool_cpu *cpu, struct pool_local *local)
{
	if (plat_read(&local->hot.open) == POOL_OPEN) {
		pool_hot_set_held(&local->hot);
		take_slots(cpu, local);
		pool_hot_set_open(&local->hot);
	}
	if (plat_read(&local->pool->limit))
		pool_wake(local->pool);
	pool_age_renew(cpu, local);
	pool_cpu_break(cpu);
}

/* Return the oldest array of a CPU; NULL: there is none, or it is @own, which is held. */
static struct pool_local *oldest_array(struct pool_cpu *cpu,
				       const struct pool_local *own)
{
	struct pool_list *last = cpu->by_age.prev;
	struct pool_local *local;

	if (last == &cpu->by_age)
		return NULL;
	local = pool_list_entry(last, struct pool_local, by_age);
	return local == own ? NULL : local;
}

/*
 * Call pool_keep_cluster() for a detached cluster without the CPU's lock, because the call may read
 * the counts of all buckets.  Its objects count as moving.
 */
static bool keep_unlocked(struct pool_cpu *cpu, struct pool_cluster *c)
	POOL_MUST_HOLD(cpu->lock)
{
	bool kept;

	plat_cpu_unlock(cpu);
	kept = pool_keep_cluster(c->local->pool, c);
	plat_cpu_lock(cpu);
	return kept;
}

/* Evict a cluster to the shared pool; if the pool does not keep it, leave it to pool_carry(). */
static void pool_evict_last_items(struct pool_cpu *cpu, struct pool_cluster *c,
				  struct pool_carried *out)
{
	struct pool_local *local = c->local;
	unsigned int n = c->n;

	plat_write(&local->evictions, local->evictions + 1);
	pool_trace_evict(local->pool, n);
	pool_cluster_detach(c);
	if (plat_may(PLAT_RELOCK, 0) ? keep_unlocked(cpu, c) :
				       pool_keep_cluster(local->pool, c)) {
		pool_cluster_settled_locked(local, n);
	} else {
		c->next = out->down;
		out->down = c;
		out->bytes += pool_bytes(local->pool, n);
		out->some = true;
	}
}

/* Reduce the oldest array if it is older than all clusters; false: there is no such array. */
bool pool_age_reduce(struct pool_local *here)
{
	struct pool_local *local = oldest_array(here->cpu, here);
	struct pool_cluster *c = pool_cluster_coldest(here->cpu);

	if (!local || (c && !before(local->stamp, c->stamp)))
		return false;
	reduce_array(here->cpu, local);
	return true;
}

/* Return a CPU's oldest array if it was not visited since the last ageing.  CPU lock held. */
static struct pool_local *unvisited_array(struct pool_cpu *cpu)
{
	struct pool_local *local = oldest_array(cpu, NULL);

	return local && !before(cpu->aged, local->stamp) ? local : NULL;
}

/* Put up to @n new clusters into the stash of any CPU. */
static void supply(struct pool_cpu *cpu, unsigned int n)
{
	struct pool_cluster *chain = pool_cluster_make(n);

	if (plat_cpu_trylock(cpu)) {
		chain = pool_cluster_stash_all(cpu, chain);
		plat_cpu_unlock(cpu);
	}
	pool_cluster_free_all(chain);
}

/*
 * Prepare a CPU for pool_age_array(), which may need empty clusters: put some into its stash if the
 * stash has few and there is memory.  False: the CPU has no array to reduce.  PLAT_ALLOC; outside
 * of hot sections, no lock held.
 */
bool pool_age_prepare(struct pool_cpu *cpu)
{
	unsigned int stashed;
	bool any;

	if (!plat_cpu_trylock(cpu))
		return false;
	any = unvisited_array(cpu);
	stashed = cpu->stashed;
	plat_cpu_unlock(cpu);
	if (any && stashed < POOL_STASH_FEW)
		supply(cpu, POOL_EVICT_MOST);
	return any;
}

/*
 * Reduce the oldest array of this CPU, if it was not visited since the last ageing.  This is a
 * visit, so an array that was reduced is newer than that ageing, and is not reduced again before
 * the next one.  One array only, because interrupts may be off.
 */
void pool_age_array(struct pool_cpu *cpu)
{
	struct pool_local *local;

	if (!plat_cpu_trylock(cpu))
		return;
	cpu->visits++;
	local = unvisited_array(cpu);
	if (local)
		reduce_array(cpu, local);
	plat_cpu_unlock(cpu);
}

/* Evict the oldest cluster; false: there is none. */
static bool evict_oldest(struct pool_local *here, struct pool_carried *out)
{
	struct pool_cluster *c = pool_cluster_coldest(here->cpu);

	if (c)
		pool_evict_last_items(here->cpu, c, out);
	return c;
}

/* Reduce the oldest array, or evict the oldest cluster, for @bytes; false: there is neither. */
static bool reduce_or_evict(struct pool_local *here, unsigned long bytes,
			    struct pool_carried *out)
{
	bool reduced = pool_age_reduce(here);

	if (reduced && pool_cluster_fits(here->cpu, bytes))
		return true;
	return evict_oldest(here, out) || reduced;
}

/* Subtract the bytes that other code has refunded.  CPU lock held. */
static void take_refunds(struct pool_cpu *cpu)
{
	if (plat_read(&cpu->refunded))
		pool_charge(cpu, plat_xchg_acquire(&cpu->refunded, 0ul));
}

/*
 * True if clusters that this visit evicted will make room for @bytes.  They stay charged until the
 * visit is over, so this visit still has no room, but must not evict more for it.
 */
static bool makes_room_later(const struct pool_cpu *cpu, unsigned long bytes,
			     const struct pool_carried *out)
{
	return out->bytes &&
	       plat_read(&cpu->charged) - out->bytes + bytes <= plat_read(&pool_bound);
}

/* Make room for pool_age_room(), whose test found too little. */
bool pool_age_make_room(struct pool_local *here, unsigned long bytes,
			struct pool_carried *out)
{
	struct pool_cpu *cpu = here->cpu;

	if (bytes > plat_read(&pool_bound))
		return false;
	pool_stash_look(here, out);
	pool_cpu_break(cpu);
	for (;;) {
		take_refunds(cpu);
		if (pool_cluster_fits(cpu, bytes))
			return true;
		if (makes_room_later(cpu, bytes, out) ||
		    out->rounds++ >= POOL_EVICT_MOST || !reduce_or_evict(here, bytes, out))
			return false;
	}
}

/*
 * Return how many of @slots more slots fit under the bound, after at most one array was reduced or
 * one cluster evicted.  A growing array takes no more from other arrays and clusters, because its
 * free slots would otherwise displace objects.
 */
static unsigned int slots_that_fit(struct pool_local *here, unsigned int slots,
				   struct pool_carried *out)
{
	struct pool_cpu *cpu = here->cpu;
	unsigned long size = here->pool->head.size;
	unsigned long bound, charged;

	if (pool_cluster_fits(cpu, slots * size))
		return slots;
	if (!pool_age_reduce(here) && out->rounds++ < POOL_EVICT_MOST)
		evict_oldest(here, out);
	take_refunds(cpu);
	charged = plat_read(&cpu->charged);
	/* Read once and last, because another thread may lower or raise it at any moment. */
	bound = plat_read(&pool_bound);
	return charged < bound ?
	       pool_smaller(slots, (unsigned int)((bound - charged) / size)) : 0;
}

/*
 * Double an array for pool_age_grow(), as far as the slots fit the bound, or open it with as many
 * slots as it had objects.  For an array that opens, reduces other arrays and evicts clusters until
 * it fits, unless the visit may evict no more.
 */
void pool_age_enlarge(struct pool_local *here, struct pool_carried *out)
{
	unsigned int slots = plat_read(&here->hot.slots);
	unsigned int first = here->reopen ? here->reopen : AGE_FIRST;
	unsigned int more = slots < first ? first - slots : slots;
	unsigned int claimed;

	if (pool_arrays_closed(here->pool))
		return;
	pool_stash_look(here, out);
	claimed = pool_hot_claim(here->pool, pool_smaller(more, here->most - slots));
	more = claimed;
	if (more && (slots || out->rounds >= POOL_EVICT_MOST))
		more = slots_that_fit(here, more, out);
	if (more && pool_age_room(here, pool_bytes(here->pool, more), out)) {
		pool_hot_enlarge(here->cpu, here, slots + more);
		here->reopen = 0;
		claimed -= more;
	}
	if (claimed)
		pool_word_sub(&here->pool->slots, claimed);
	pool_cpu_break(here->cpu);
}

/* Evict a cluster that a pool still has after a switch to no-cache; false: there is none. */
static bool evicts_uncached(struct pool_local *here, struct pool_carried *out)
{
	struct pool_cluster *c = NULL;

	if (plat_read(&here->pool->debug) & POOL_D_NO_CACHE)
		c = pool_cluster_oldest(here);
	if (c)
		pool_evict_last_items(here->cpu, c, out);
	return c;
}

/*
 * Do one step to adapt this CPU's part to a new era: reopen its array after a switch, or shrink
 * it, or evict a cluster.  @here is entered and locked.  @out: receives evicted clusters, for
 * pool_carry().  The part enters the new era once nothing is left to do.
 */
void pool_age_refit(struct pool_local *here, struct pool_carried *out)
{
	unsigned long era = plat_read_acquire(&pool_era);

	pool_stash_look(here, out);
	pool_local_fit(here);
	if (plat_read(&here->hot.cap) < plat_read(&here->hot.slots))
		pool_hot_set_cap(here, plat_read(&here->hot.slots));
	if (plat_read(&here->hot.slots) > here->most) {
		pool_cpu_break(here->cpu);
		shrink(here->cpu, here, here->most);
		pool_cpu_break(here->cpu);
	}
	if (!evicts_uncached(here, out) && pool_age_room(here, 0, out) &&
	    plat_read(&here->hot.slots) <= here->most)
		pool_local_enter_era(here, era);
	pool_cpu_break(here->cpu);
}
