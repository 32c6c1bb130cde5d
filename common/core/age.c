// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * age.c - one age for arrays and clusters: the least recently used gives way
 *
 * Layer:   hot array -> local clusters, sideways over all pools of a CPU
 * Context: this CPU entered, its lock held.
 *
 * A CPU's time is the number of its visits: slow paths that took the lock.  The age of
 * an array is its owner's last visit.  The age of a cluster is the visit that made it the
 * newest of its pool.  A visit that finds no room under the bound repeats two steps, at
 * most POOL_EVICT_MOST times, until there is room or what it carries out will make it.  If an
 * array is older than all clusters, it closes.  If that does not make enough room, the oldest
 * cluster is evicted.  Where all arrays together have too much the oldest one closes, once a
 * visit.
 *
 * An array whose calls all hit makes no visits, so it looks old though it is in use.  When it
 * closes, its objects become the newest cluster of their pool.  So its owner finds them at the
 * next call, which opens the array again.  An array of more objects than that cluster takes
 * keeps slots for the others, and is the newest, too.
 *
 * Evicted clusters go straight to the shared pool.  Clusters that are not needed, or find all
 * buckets BUSY, go down once the visit is over.
 */
#include "plat.h"

/* An array starts with this many slots, and one that has fewer grows to so many. */
#define AGE_FIRST	8

/* Was @a before @b?  Time may wrap. */
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
 * Lower the room of a held array to @room and move its @n coldest objects, which
 * no longer fit, to @c.  The room is lowered before the cluster is charged, so the
 * sum never rises.  In between the objects count as moving.  Others may have the lock
 * before the rest of the array follows.  Who destroys its pool waits until nothing moves, in
 * pool_drain().
 */
static inline void shrink_into(struct pool_cpu *cpu, struct pool_local *local,
			       unsigned int room, struct pool_cluster *c,
			       unsigned int n)
{
	unsigned int left = plat_read(&local->hot.n) - n;

	if (n) {
		pool_depart(&local->moving, n);
		pool_hot_less(local, left);
	}
	pool_hot_shrink(cpu, local, room);
	if (n) {
		put_into(cpu, local, c, local->slot, n);
		pool_cpu_break(cpu);
		memmove(local->slot, local->slot + n,
			left * sizeof(local->slot[0]));
		pool_arrive(&local->moving, n);
	}
}

/*
 * Lower the room of an array that the caller holds to @room, but only as far as one cluster can
 * take the surplus.
 */
static void shrink(struct pool_cpu *cpu, struct pool_local *local,
		   unsigned int room)
{
	unsigned int max = local->max;
	unsigned int n = plat_read(&local->hot.n);
	unsigned int excess = n > room ? n - room : 0;
	struct pool_cluster *c = NULL;

	if (excess) {
		c = cluster_for(cpu, local, excess, max);
		if (!c)
			return;
		excess = pool_smaller(excess, max - c->n);
	}
	if (room < n - excess)
		room = n - excess;
	shrink_into(cpu, local, room, c, excess);
}

/*
 * Move objects of an array to a cluster, where other CPUs find them.  @here is entered and
 * locked, and has objects.
 *
 * The freshest ones move, as many as the cluster takes, so no others have to follow.  Their
 * slots go with them, since the cluster is charged for its objects.  False: there is no empty
 * cluster.
 */
bool pool_age_clear(struct pool_local *here)
{
	struct pool_cluster *c = pool_cluster_newest(here);
	unsigned int n = plat_read(&here->hot.n);
	unsigned int room = plat_read(&here->hot.room);
	unsigned int left;

	if (!c || !pool_cluster_takes(c, here->max, here->slot[0]))
		c = pool_cluster_unstash(here->cpu);
	if (!c)
		return false;
	left = n > here->max - c->n ? n - (here->max - c->n) : 0;
	n -= left;
	room -= n;
	pool_depart(&here->moving, n);
	pool_hot_less(here, left);
	pool_hot_shrink(here->cpu, here, room < POOL_HOT_LEAST ? left : room);
	put_into(here->cpu, here, c, here->slot + left, n);
	pool_arrive(&here->moving, n);
	return true;
}

/*
 * Enter like its owner, close the array, leave.  Then the lock is let go for a moment.  What no
 * cluster can take stays, and the array is the newest then.
 */
static void close_array(struct pool_cpu *cpu, struct pool_local *local)
{
	if (plat_read(&local->hot.open) == POOL_OPEN) {
		plat_write(&local->hot.open, POOL_HELD);
		pool_barrier();
		pool_hot_tell_held();
		shrink(cpu, local, 0);
		pool_hot_tell_open();
		pool_barrier();
		plat_write(&local->hot.open, POOL_OPEN);
	}
	pool_age_renew(cpu, local);
	pool_cpu_break(cpu);
}

/* The oldest array here; NULL: there is none, or it is @own, which is held. */
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
 * Keep a detached cluster, whose objects count as moving.  Others may have the lock meanwhile,
 * since the counts of all buckets may be read.
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

/* Evict a cluster to the shared pool; if that refuses it, it is carried out. */
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

/* Close the oldest array of another pool, in a section of its own. */
static void close_oldest(struct pool_local *here)
{
	struct pool_local *local;

	pool_cpu_break(here->cpu);
	local = oldest_array(here->cpu, here);
	if (local)
		close_array(here->cpu, local);
}

/* Make the oldest give way, once, for @bytes; false: there is nothing. */
static bool give_way(struct pool_local *here, unsigned long bytes,
		     struct pool_carried *out)
{
	struct pool_local *local = oldest_array(here->cpu, here);
	struct pool_cluster *c = pool_cluster_coldest(here->cpu);

	if (local && (!c || before(local->stamp, c->stamp))) {
		close_array(here->cpu, local);
		if (pool_cluster_fits(here->cpu, bytes))
			return true;
		c = pool_cluster_coldest(here->cpu);
	}
	if (c)
		pool_evict_last_items(here->cpu, c, out);
	return c || local;
}

/* Take off what others have refunded.  CPU lock held. */
static void take_refunds(struct pool_cpu *cpu)
{
	if (plat_read(&cpu->refunded))
		pool_charge(cpu, plat_xchg_acquire(&cpu->refunded, 0ul));
}

/*
 * Does what is carried out make room for @bytes?  It stays charged until the visit is over.  So
 * this visit does without, and nothing else has to give way.
 */
static bool makes_room_later(const struct pool_cpu *cpu, unsigned long bytes,
			     const struct pool_carried *out)
{
	return out->bytes &&
	       plat_read(&cpu->charged) - out->bytes + bytes <= plat_read(&pool_bound);
}

/* The rest of pool_age_room(), where there is no room. */
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
		    out->rounds++ >= POOL_EVICT_MOST || !give_way(here, bytes, out))
			return false;
	}
}

/* Would @bytes more take all arrays of a CPU over their share?  CPU lock held. */
static bool all_over(const struct pool_cpu *cpu, unsigned long bytes)
{
	return cpu->hot_bytes + bytes > pool_hot_share();
}

/*
 * The rest of pool_age_grow(): double an array, or give it its first slots, if they can be
 * charged.  Arrays of handlers may grow while room is made.  Then all have more than their
 * share, until a visit closes one.
 */
void pool_age_enlarge(struct pool_local *here, struct pool_carried *out)
{
	unsigned int room = plat_read(&here->hot.room);
	unsigned int want = room < AGE_FIRST ? AGE_FIRST : room * 2;
	unsigned long bytes;

	if (pool_is_closed(here->pool))
		return;
	pool_stash_look(here, out);
	if (want > here->most)
		want = here->most;
	bytes = (unsigned long)(want - room) * here->pool->head.size;
	if (all_over(here->cpu, bytes)) {
		close_oldest(here);
		if (all_over(here->cpu, bytes))
			return;
	}
	if (pool_age_room(here, bytes, out))
		pool_hot_enlarge(here->cpu, here, want);
	pool_cpu_break(here->cpu);
}

/* Evict a cluster of a pool that may have none any more; false: it has none, or may. */
static bool gives_up(struct pool_local *here, struct pool_carried *out)
{
	struct pool_cluster *c = NULL;

	if (plat_read(&here->pool->debug) & POOL_D_NO_CACHE)
		c = pool_cluster_oldest(here);
	if (c)
		pool_evict_last_items(here->cpu, c, out);
	return c;
}

/*
 * Bring this CPU nearer to what the new era allows.  @here is entered and locked.  @out receives
 * evicted clusters, for the caller to bring down.
 *
 * Each visit does one step, so that none takes long.  The part enters the new era once nothing
 * is left to do.  An array that an earlier switch closed opens again.
 */
void pool_age_obey(struct pool_local *here, struct pool_carried *out)
{
	unsigned long era = plat_read_acquire(&pool_era);

	pool_stash_look(here, out);
	pool_local_fit(here);
	if (plat_read(&here->hot.cap) < plat_read(&here->hot.room))
		pool_hot_set_cap(here, plat_read(&here->hot.room));
	if (plat_read(&here->hot.room) > here->most) {
		pool_cpu_break(here->cpu);
		shrink(here->cpu, here, here->most);
		pool_cpu_break(here->cpu);
	}
	if (all_over(here->cpu, 0))
		close_oldest(here);
	if (!gives_up(here, out) && pool_age_room(here, 0, out) &&
	    !all_over(here->cpu, 0) &&
	    plat_read(&here->hot.room) <= here->most)
		here->era = era;
	pool_cpu_break(here->cpu);
}
