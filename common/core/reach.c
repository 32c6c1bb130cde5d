// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reach.c - is there a free object that a caller could have?
 *
 * Layer:   beside the four; reads all of them, writes nothing.
 * Context: any; nothing is locked.
 *
 * Within reach are the objects in clusters, in the shared pool, parked, and at the
 * backend while the limit allows.  Those in other CPUs' arrays are not.  A caller that
 * looks at one place after the other misses an object that moves from a place it has not
 * yet seen to one it has seen.  No order of looks helps.  So places count departures,
 * which never fall:
 *
 *	read      departures, what is moving, and whether a place has some
 *	look      at all places if so, and at the backend
 *	compare   is there something in a place, or has anything departed?
 *
 * If nothing was moving at first, nothing was found, no place has any, and nothing has
 * departed, then there was no free object at the moment of the first reading.
 * A moving object arrives before it ceases to be announced, so it is in a place before
 * the first reading ends.
 *
 * A departure is counted before the object is missing in its place.  The holder of the
 * lock or bucket counts it; for a parked list the code that takes the list does, in a
 * word of the pool.  Only the reader sums departures up.  The first reading reads them
 * before what is announced, the second one after what is there, place by place.
 */
#include "plat.h"

/* Is something moving, parked or in clusters on one CPU? */
static bool some_on(struct pool_local *local)
{
	return plat_read_acquire(&local->moving) |
	       plat_read_acquire(&local->parked.count) |
	       plat_read(&local->clustered);
}

/**
 * pool_reach_read() - Read what pool_reach_missed() will compare.
 * @pool: the pool.
 * @reading: filled in, before the caller looks.
 *
 * Moving objects are announced before their departure is counted, so they are read after
 * the departures.  CPUs are read after the buckets, since a new CPU may take from a bucket
 * at once.
 * The reading also notes whether a place, or an array, has objects.  The proof does not
 * need that; it saves a look where there are none.
 */
void pool_reach_read(struct pool *pool, struct pool_reading *reading)
{
	unsigned long sum = plat_read_acquire(&pool->store_gets);
	unsigned int cpus, i;
	bool some, arrays = false;

	sum += plat_read_acquire(&pool->gone_departures);
	for (i = 0; i < pool->buckets; i++)
		sum += plat_read_acquire(&pool->bucket[i].gets);
	reading->allocated = plat_read_acquire(&pool->allocated);
	some = plat_read_acquire(&pool->parked.count) | plat_read(&pool->filled);
	cpus = pool->cached ? plat_nr_cpus() : 0;
	for (i = 0; i < cpus; i++) {
		struct pool_local *local = plat_local_of(pool, i);

		if (!local)
			continue;
		sum += plat_read_acquire(&local->departures);
		some = some || some_on(local);
		arrays |= plat_read(&local->hot.n);
	}
	reading->arrays = arrays;
	reading->some = plat_read_acquire(&pool->moving) || some;
	reading->departures = sum;
}

/*
 * Sum up the departures until now; @some: set where a place has objects.  Moving objects
 * are read first: they may come out of an array, which counts no departures, and they
 * arrive before they cease to move.  Departures of parked lists, and of CPUs that are
 * gone, are read last: if a CPU goes meanwhile, its departures are counted twice, never
 * missed.
 */
static unsigned long departures(struct pool *pool, bool *some)
{
	unsigned int cpus = pool->cached ? plat_nr_cpus() : 0;
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		struct pool_local *local = plat_local_of(pool, i);

		if (!local)
			continue;
		*some |= plat_read_acquire(&local->moving);
		*some |= plat_read_acquire(&local->clustered) |
			 plat_read_acquire(&local->parked.count);
		sum += plat_read_acquire(&local->departures);
	}
	*some |= plat_read_acquire(&pool->parked.count);
	for (i = 0; i < pool->buckets; i++) {
		*some |= plat_read_acquire(&pool->bucket[i].objs);
		sum += plat_read_acquire(&pool->bucket[i].gets);
	}
	sum += plat_read_acquire(&pool->gone_departures);
	return sum + plat_read_acquire(&pool->store_gets);
}

/**
 * pool_reach_missed() - May there have been an object that was not found?
 * @pool: the pool.
 * @before: read before the caller looked at all places and found nothing.
 *
 * Return: true: another look is worth while; false: there was none.
 */
bool pool_reach_missed(struct pool *pool, const struct pool_reading *before)
{
	bool some = false;

	return before->some ||
	       departures(pool, &some) != before->departures || some ||
	       plat_read(&pool->allocated) != before->allocated;
}

/* Have this CPU's caches, or the shared pool, an object?  A reading of a moment. */
static bool is_near(const struct pool *pool)
{
	const struct pool_local *local = pool_local_enter(pool);
	bool some = plat_read(&local->hot.n) | plat_read(&local->clustered);

	pool_hot_leave();
	return some || plat_read(&pool->filled);
}

/* Has any CPU's array an object?  A reading of a moment, which ends at the first that has. */
static bool arrays_have(struct pool *pool)
{
	unsigned int cpus = pool->cached ? plat_nr_cpus() : 0;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		struct pool_local *local = plat_local_of(pool, i);

		if (local && plat_read(&local->hot.n))
			return true;
	}
	return false;
}

/**
 * pool_used_up() - Is no object within reach, nor in an array, nor to come from the backend?
 * @pool: the pool.
 * @limit: of the pool, not 0.
 *
 * Proves by two readings, without a look, that it was so at the moment of the first one.
 * This CPU's array is read in between, since it counts no departures.  False where a look is
 * likely to find something, and while renew.c holds the pool.  Arrays are looked at first.  One
 * that has an object saves both readings.
 */
bool pool_used_up(struct pool *pool, unsigned int limit)
{
	unsigned long have = plat_read(&pool->allocated);
	struct pool_reading before;

	if (have < limit || (have & POOL_RENEWING) || is_near(pool) ||
	    arrays_have(pool))
		return false;
	pool_reach_read(pool, &before);
	return !before.arrays && before.allocated == have && !is_near(pool) &&
	       !pool_reach_missed(pool, &before);
}
