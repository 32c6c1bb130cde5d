// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * hot.c - set up, enlarge, shrink and close hot arrays
 *
 * Layer:   [hot array] -> local clusters
 * Context: any; between enter and leave nothing sleeps, logs or allocates.
 *
 * An array gets no slots before its owner's first visit.  Slots are claimed from the pool, charged
 * to the CPU, and then used; shrinking is the reverse.  Each CPU adapts its arrays at its next
 * visit after the bound, or the options, limit or size of a pool, changed: the era counts such
 * changes.
 */
#include "seam/plat.h"

/* One array is charged with at most 1 / HOT_ONE of the byte bound. */
#define HOT_ONE		4

/* The era: a count of changes of the byte bound, and of the options, limit or size of any pool. */
unsigned long pool_era;

/*
 * Make all CPUs recompute how large arrays may be, after the bound, or the options, limit or size
 * of a pool, was changed.  The fence pairs with the acquire in pool_era_is(), so that a visit that
 * sees the new era sees the change.
 */
void pool_era_ends(void)
{
	plat_fence();
	plat_word_add(&pool_era, POOL_ERA_PAST + 1);
}

/*
 * Return how many slots all arrays of a pool may have together: few if it has a limit, because
 * other CPUs do not reach objects in arrays.
 */
static unsigned int slots_of_all(const struct pool *pool)
{
	unsigned int limit = plat_read(&pool->limit);

	return limit ? POOL_LIMIT_SLOTS(limit) : UINT_MAX;
}

/* Return how many of a pool's slots one array may have; 0 if a CPU would have less than one. */
unsigned int pool_hot_share(const struct pool *pool)
{
	unsigned int cpus = plat_cpu_below(UINT_MAX) + 1;

	return slots_of_all(pool) / (cpus > pool_start.cpus ? cpus : pool_start.cpus);
}

/*
 * Claim up to @n slots for an array.  Returns how many.  Slots that the array does not use, or
 * loses later, must be subtracted from the pool's "slots" again.  CPU lock held, so that a call
 * which sets a limit meanwhile finds the array afterwards: pool_close_arrays().
 */
unsigned int pool_hot_claim(struct pool *pool, unsigned int n)
{
	unsigned int most = slots_of_all(pool);
	unsigned long have;

	if (most == UINT_MAX) {
		plat_word_add(&pool->slots, n);
		return n;
	}
	have = plat_read(&pool->slots);
	do {
		if (have >= most)
			return 0;
		n = pool_smaller(n, most - (unsigned int)have);
	} while (!plat_cmpxchg(&pool->slots, &have, have + n));
	return n;
}

/*
 * Compute how large an array and a cluster may be.  The lock of the CPU of @local is held.
 *
 * The division lasts as long as the rest of a slow path, so its result is kept for this era.  A
 * declared pool that is renewed may change its size afterwards, and then ends the era.
 */
void pool_local_fit(struct pool_local *local)
{
	unsigned long bound = plat_read(&pool_bound);
	unsigned long most = bound / HOT_ONE /
			     plat_read(&local->pool->head.size);

	if (pool_arrays_closed(local->pool))
		most = 0;
	if (most > POOL_HOT_MAX)
		most = POOL_HOT_MAX;
	if (most > pool_hot_share(local->pool))
		most = pool_hot_share(local->pool);
	local->most = most < POOL_HOT_LEAST ? 0 : (unsigned int)most;
	local->max = pool_cluster_max(local->pool);
}

/*
 * Record the era that a part is adapted to, and whether it has no array in this era, so that its
 * objects go through clusters only.  CPU lock held.
 */
void pool_local_enter_era(struct pool_local *local, unsigned long era)
{
	if (!local->most && !local->hot.slots && !pool_looks_at_each(local->pool))
		era |= POOL_ERA_PAST;
	local->era = era;
}

/* Set up this CPU's part, "open" last, because handlers test that field.  CPU lock held. */
static void local_init(struct pool_local *local, struct pool *pool,
		       struct pool_cpu *cpu)
{
	unsigned long era;

	pool_list_init(&local->by_pool);
	pool_list_init(&local->by_age);
	pool_list_add_last(&local->by_cpu, &cpu->parts);
	plat_write(&cpu->set_up, cpu->set_up + 1);
	plat_write(&local->cpu, cpu);
	plat_write(&local->pool, pool);
	era = plat_read_acquire(&pool_era);
	pool_local_fit(local);
	pool_barrier();
	pool_local_enter_era(local, era);
	plat_write(&local->hot.open, POOL_OPEN);
}

/* Set a part up, unless an interrupt handler just did so.  False: lock held, or no pool_cpu. */
static bool set_up(struct pool *pool, struct pool_local *local)
{
	struct pool_cpu *cpu = pool_cpu_here(pool, local);

	if (!cpu || !plat_cpu_trylock(cpu))
		return false;
	if (!local->pool)
		local_init(local, pool, cpu);
	plat_cpu_unlock(cpu);
	return true;
}

/*
 * Complete pool_here_enter() for a part that is not open.  @local is this CPU's part, or zeros that
 * must not be written.  Adds POOL_F_NESTED to @flags where the owner was interrupted.
 *
 * An interrupt handler may set the part up at any moment.  So "open" is read again once the part is
 * seen to exist.  True: the part exists and is open.  False: the hot section was left.
 */
bool pool_here_begins(struct pool *pool, struct pool_local *local,
		      unsigned int *flags)
{
	bool is_there = plat_read(&local->pool);

	if (is_there ? plat_read(&local->hot.open) == POOL_OPEN :
		       set_up(pool, local))
		return true;
	if (is_there) {
		plat_word_add(&local->nested, 1);
		*flags |= POOL_F_NESTED;
	}
	pool_hot_leave();
	return false;
}

/*
 * Let an array accept @slots objects, or none if the options keep it closed.  CPU lock held.  A
 * switch first stores the new options, then locks the CPU and stores 0.  So this call sees the new
 * options, or the switch stores its 0 later.  Calls pool_wake(), because frees that hit from now on
 * do not.
 */
void pool_hot_set_cap(struct pool_local *local, unsigned int slots)
{
	struct pool *pool = local->pool;

	if (pool_arrays_closed(pool))
		slots = 0;
	plat_write(&local->hot.cap, slots);
	if (slots && plat_read(&pool->limit))
		pool_wake(pool);
}

/*
 * Lower an array's capacity to what options and limit allow now, since a later switch may have
 * reopened the pool.  Parts that are not used are only read, since they have no memory in user
 * space.  CPU lock held, as for pool_hot_set_cap().
 */
static void close_array(const struct pool *pool, struct pool_local *local)
{
	unsigned int most = pool_arrays_closed(pool) ? 0 : pool_hot_share(pool);

	if (plat_read(&local->hot.cap) > most)
		plat_write(&local->hot.cap, most);
}

/*
 * Close the arrays of a pool, or lower their capacity, after its new options or limit were stored.
 * Waits for CPU locks, whose holders may be descheduled, so the registry mutex must not be held.
 */
void pool_close_arrays(struct pool *pool)
{
	struct pool_local *local;
	unsigned int i;

	pool_each_part(pool, i, local) {
		struct pool_cpu *cpu = plat_cpu_of(i);

		plat_cpu_lock(cpu);
		close_array(pool, local);
		plat_cpu_unlock(cpu);
	}
}

/* Enlarge an array to @slots, which are claimed: charge them, then use them.  CPU lock held. */
void pool_hot_enlarge(struct pool_cpu *cpu, struct pool_local *local,
		      unsigned int slots)
{
	unsigned long bytes = (unsigned long)(slots - local->hot.slots) *
			      local->pool->head.size;

	pool_charge(cpu, bytes);
	plat_write(&cpu->hot_bytes, cpu->hot_bytes + bytes);
	if (!local->hot.slots) {
		pool_list_add(&local->by_age, &cpu->by_age);
		local->grown = 0;
		local->surplus = 0;
	}
	plat_write(&local->hot.slots, slots);
	pool_hot_set_cap(local, slots);
}

/*
 * Shrink an array to @slots; at 0 remove it from its CPU's by_age list.  CPU lock held.  The caller
 * holds the array, or it has no owner; n <= @slots.
 */
void pool_hot_shrink(struct pool_cpu *cpu, struct pool_local *local,
		     unsigned int slots)
{
	unsigned int fewer = local->hot.slots - slots;
	unsigned long bytes = pool_bytes(local->pool, fewer);

	pool_hot_set_cap(local, slots);
	plat_write(&local->hot.slots, slots);
	plat_write(&cpu->hot_bytes, cpu->hot_bytes - bytes);
	pool_uncharge(cpu, bytes);
	pool_word_sub(&local->pool->slots, fewer);
	if (!slots)
		pool_list_del(&local->by_age);
}

/*
 * Take the freshest POOL_CLUSTER_SIZE objects, and all free slots, from an array without an owner.
 * CPU lock held.  Takes no more at once, because a kernel stack is too small for them.
 *
 * The objects stay charged, and counted as moving, until the caller has put them elsewhere and has
 * called pool_cluster_settled().  Returns their number; fewer than POOL_CLUSTER_SIZE: the array has
 * no slots any more.
 */
unsigned int pool_hot_detach(struct pool_cpu *cpu, struct pool_local *local,
			     void **objs)
{
	unsigned int have = plat_read(&local->hot.n);
	unsigned int n = pool_smaller(have, POOL_CLUSTER_SIZE);
	unsigned int left = have - n;
	unsigned long bytes = (unsigned long)n * local->pool->head.size;

	pool_copy(objs, local->slot + left, n);
	pool_depart(&local->moving, n);
	pool_hot_shrink(cpu, local, have);
	pool_hot_less(local, left);
	plat_write(&local->hot.cap, 0);
	plat_write(&local->hot.slots, left);
	pool_word_sub(&local->pool->slots, n);
	plat_write(&cpu->hot_bytes, cpu->hot_bytes - bytes);
	if (!left)
		pool_list_del(&local->by_age);
	return n;
}
