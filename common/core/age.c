// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * age.c - one age for arrays and clusters: what was not used for longest gives way
 *
 * Layer:   hot array -> local clusters, sideways over all pools of a CPU
 * Context: this CPU entered, its lock held.
 *
 * A CPU's time is the number of its visits: slow paths that took the lock.  An array
 * has the age of its owner's last visit, a cluster that of the visit that made it its
 * pool's newest.  Where a visit needs room beyond the bound the oldest goes, at most
 * POOL_EVICT_MOST times: the oldest cluster is evicted; an array that is older than
 * that is halved first.  Where all arrays together have too much the oldest is halved,
 * once a visit.
 *
 * An array whose calls all hit makes no visits, so it looks old though it is not.
 * That is why it is halved, not closed, and why it is the newest afterwards, with
 * the cluster that takes what it lost: its owner finds it there, and it loses the
 * next half only after all others have had their turn.  Below two slots it closes.
 *
 * What is evicted goes straight to the shared pool, whose buckets are taken inside
 * the CPU's lock.  What they refuse, and what nobody needs, is carried out.
 */
#include "plat.h"

/* An array starts with this many slots. */
#define AGE_FIRST	4

/* Arrays shrink to this many slots at least, or are closed. */
#define AGE_LEAST	2

/* Was @a before @b?  Time may wrap. */
static bool before(unsigned long a, unsigned long b)
{
	return (long)(a - b) < 0;
}

/*
 * The cluster that is to take @n objects of an array, or some of them.  NULL: there is
 * none, since the last empty one is kept for a spill.
 */
static struct pool_cluster *cluster_for(struct pool_cpu *cpu,
					struct pool_local *local,
					unsigned int n, unsigned int max)
{
	struct pool_cluster *c = pool_cluster_newest(local);

	if (c && c->n + n <= max && !pool_cluster_sealed(c))
		return c;
	return cpu->stashed < 2 ? NULL : pool_cluster_open(cpu, local);
}

/*
 * Lower the room of a held array to @room and move its @n coldest objects, which
 * no longer fit, to @c.  The room goes first, then the cluster is charged: the
 * sum never rises.  In between the objects are on their way.
 */
static void shrink_into(struct pool_cpu *cpu, struct pool_local *local,
			unsigned int room, struct pool_cluster *c,
			unsigned int n)
{
	void **objs = c ? c->obj + c->n : NULL;

	if (n) {
		pool_depart(&local->moving, n);
		memmove(objs, local->slot, n * sizeof(*objs));
		pool_hot_forget(local, n);
	}
	pool_hot_shrink(cpu, local, room);
	if (n) {
		pool_cluster_add(cpu, c, objs, n);
		pool_arrive(&local->moving, n);
	}
}

/*
 * Halve the room of an array that the caller holds, as far as one cluster takes
 * what no longer fits.
 */
static void shrink(struct pool_cpu *cpu, struct pool_local *local)
{
	unsigned int max = local->max;
	unsigned int n = plat_read(&local->hot.n);
	unsigned int room = plat_read(&local->hot.room) / 2;
	struct pool_cluster *c = NULL;
	unsigned int excess;

	if (room < AGE_LEAST)
		room = 0;
	excess = n > room ? n - room : 0;
	if (excess) {
		c = cluster_for(cpu, local, excess, max);
		if (!c)
			return;
		if (excess > max - c->n)
			excess = max - c->n;
	}
	if (room < n - excess)
		room = n - excess;
	shrink_into(cpu, local, room, c, excess);
}

/* Enter like its owner, halve, leave. */
static void halve(struct pool_cpu *cpu, struct pool_local *local)
{
	if (plat_read(&local->hot.open) == POOL_OPEN) {
		plat_write(&local->hot.open, POOL_HELD);
		pool_barrier();
		shrink(cpu, local);
		pool_barrier();
		plat_write(&local->hot.open, POOL_OPEN);
	}
	pool_age_renew(cpu, local);
}

/* The oldest array here; NULL: none but @own, which is held. */
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

/* Halve the oldest array of another pool. */
static void halve_oldest(struct pool_local *here)
{
	struct pool_local *local = oldest_array(here->cpu, here);

	if (local)
		halve(here->cpu, local);
}

/* Evict a cluster, to the shared pool; else it is carried out. */
static void pool_evict_last_items(struct pool_cluster *c,
				  struct pool_carried *out)
{
	struct pool_local *local = c->local;
	unsigned int n = c->n;

	plat_write(&local->evictions, local->evictions + 1);
	pool_cluster_detach(c);
	if (pool_keep_cluster(local->pool, c)) {
		pool_cluster_settled(local, n);
		return;
	}
	c->next = out->down;
	out->down = c;
}

/* The oldest gives way, once; false: there is nothing. */
static bool give_way(struct pool_local *here, struct pool_carried *out)
{
	struct pool_local *local = oldest_array(here->cpu, here);
	struct pool_cluster *c = pool_cluster_coldest(here->cpu);

	if (local && (!c || before(local->stamp, c->stamp))) {
		halve(here->cpu, local);
		c = pool_cluster_coldest(here->cpu);
	}
	if (c)
		pool_evict_last_items(c, out);
	return c || local;
}

/* What is left of pool_age_room() where there is no room. */
bool pool_age_make_room(struct pool_local *here, unsigned long bytes,
			struct pool_carried *out)
{
	if (bytes > plat_read(&pool_options.hot_size))
		return false;
	while (!pool_cluster_fits(here->cpu, bytes))
		if (out->rounds++ >= POOL_EVICT_MOST || !give_way(here, out))
			return false;
	return true;
}

/* Double an array, or give it its first slots, if that can be charged. */
static void enlarge(struct pool_local *here, struct pool_carried *out)
{
	unsigned int room = plat_read(&here->hot.room);
	unsigned int want = room ? room * 2 : AGE_FIRST;
	unsigned long bytes;

	if (want > here->most)
		want = here->most;
	bytes = (unsigned long)(want - room) * here->pool->head.size;
	if (pool_hot_all_over(here->cpu, bytes))
		halve_oldest(here);
	if (!pool_hot_all_over(here->cpu, bytes) &&
	    pool_age_room(here, bytes, out))
		pool_hot_enlarge(here->cpu, here, want);
}

/* What is left of pool_age_grow() where there is something to do. */
void pool_age_enlarge(struct pool_local *here, struct pool_carried *out)
{
	unsigned int room = plat_read(&here->hot.room);

	if (pool_is_closed(here->pool))
		return;
	if (plat_read(&here->hot.cap) < room)
		pool_hot_set_cap(here, room);
	else
		enlarge(here, out);
}

/**
 * pool_age_obey() - Bring this CPU nearer to what the new era allows.
 * @here: entered and locked.
 * @out: what is evicted and to be brought away.
 *
 * A step for each visit, so that none takes long.  The era has come to this part once
 * there is nothing left to do.
 */
void pool_age_obey(struct pool_local *here, struct pool_carried *out)
{
	unsigned long era = plat_read_acquire(&pool_era);

	pool_local_fit(here);
	if (plat_read(&here->hot.room) > here->most)
		shrink(here->cpu, here);
	if (pool_hot_all_over(here->cpu, 0))
		halve_oldest(here);
	if (pool_age_room(here, 0, out) && !pool_hot_all_over(here->cpu, 0) &&
	    plat_read(&here->hot.room) <= here->most)
		here->era = era;
}
