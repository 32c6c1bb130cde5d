// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reach.c - prove that a caller can get no object
 *
 * Layer:   beside the four; reads all of them.
 * Context: any; nothing is locked.
 *
 * Within reach are the objects in clusters, in the shared pool, parked, and at the backend while
 * the limit allows; not those in other CPUs' arrays.  A caller that looks at one place after the
 * other misses an object that moves from a place that it has not yet looked at to a place that it
 * has, and no order of places avoids that.  So places count departures, which never fall.
 *
 * Steps of a call that moves objects, with the lock or bucket of the place held:
 *
 *	M1	raise "moving", unless the object goes to a user
 *	M2	raise the place's departures (release)
 *	M3	lower the place's count (release)
 *	M4	raise the count of the new place
 *	M5	lower "moving" (release)
 *
 * Steps of a call that proves that there is no object:
 *
 *	R1	read the departures of all places (acquire), then what is moving
 *	R2	look at all places, this CPU's array and the backend
 *	R3	read what is moving, then of each place its count (acquire), then its departures
 *
 * Claim: if R1 and R3 read "moving" as 0, R3 reads no count above 0, and departures are equal in R1
 * and R3, then at the end of R1 no object was within reach.  Suppose there was one:
 *
 *	in a place	R3 does not count it, so its M3 was before that.  R3 then sees its M2, too,
 *			so R1 must have seen M2 for the sums to be equal, and hence M1, because R1
 *			reads "moving" last.  M5 is after M3, and so after R1: R1 read "moving"
 *			above 0, a contradiction.
 *	moving		R1 read "moving" as 0, so its M1 was after that read, and M2 after R1 read
 *			the departures.  R3 reads the count of the old place before M3, above 0, or
 *			sees M2, and the sums differ: a contradiction.
 *
 * An array counts no departures, since only its owner may enter it; so R2 looks at this CPU's.
 * Departures of parked lists, and of CPUs that are gone, are in a word of the pool.
 */
#include "seam/plat.h"

/* True if objects of one CPU are moving, parked or in clusters. */
static bool some_on(struct pool_local *local)
{
	return plat_read_acquire(&local->moving) |
	       plat_read_acquire(&local->parked.count) |
	       plat_read(&local->clustered);
}

/*
 * Fill in @reading for pool_reach_missed(), before the caller looks.  Reads moving objects after
 * the departures, because objects are announced as moving before their departure is counted; and
 * CPUs after buckets, because a new CPU may take from a bucket at once.  Also notes whether a place
 * has objects: the proof does not need that, but it saves a look where there are none.
 */
void pool_reach_read(struct pool *pool, struct pool_reading *reading)
{
	unsigned long sum = plat_read_acquire(&pool->store_gets);
	struct pool_local *local;
	bool some;
	unsigned int i;

	sum += plat_read_acquire(&pool->gone_departures);
	for (i = 0; i < plat_read(&pool->buckets); i++)
		sum += plat_read_acquire(&pool->bucket[i].gets);
	reading->allocated = plat_read_acquire(&pool->allocated);
	some = plat_read_acquire(&pool->parked.count) | plat_read(&pool->filled);
	pool_each_part(pool, i, local) {
		sum += plat_read_acquire(&local->departures);
		some = some || some_on(local);
	}
	reading->some = plat_read_acquire(&pool->moving) || some;
	reading->departures = sum;
}

/*
 * Sum up the departures until now.  False: a place, or with @accepts an array, has objects.  Sets
 * @accepts to true if an array accepts objects, so that frees may hit.
 *
 * A place may get objects from an array, or from users, which count no departures.  So moving
 * objects are read before the places that they go to, and an array before its part's clusters.
 * Departures of parked lists, and of CPUs that are gone, are read last: if a CPU goes meanwhile,
 * its departures are counted twice, never missed.
 */
static inline __attribute__((__always_inline__))
bool departed(struct pool *pool, bool *accepts, unsigned long *departures)
{
	const struct pool_bucket *end = pool->bucket + plat_read(&pool->buckets);
	const struct pool_bucket *bucket = pool->bucket;
	struct pool_local *local;
	unsigned long sum = 0;
	unsigned int i;

	if (plat_read_acquire(&pool->moving))
		return false;
	pool_each_part(pool, i, local) {
		unsigned long some = accepts ? plat_read_acquire(&local->hot.n) : 0;

		if (accepts)
			*accepts |= plat_read(&local->hot.cap);
		some |= plat_read_acquire(&local->moving);
		some |= plat_read_acquire(&local->clustered);
		some |= plat_read_acquire(&local->parked.count);
		if (some)
			return false;
		sum += plat_read_acquire(&local->departures);
	}
	if (plat_read_acquire(&pool->parked.count))
		return false;
	for (; bucket < end; bucket++) {
		if (plat_read_acquire(&bucket->objs))
			return false;
		sum += plat_read_acquire(&bucket->gets);
	}
	sum += plat_read_acquire(&pool->gone_departures);
	*departures = sum + plat_read_acquire(&pool->store_gets);
	return true;
}

/*
 * True if the caller, who first read @before and then looked at all places, may have missed an
 * object.  False proves that there was none.
 */
bool pool_reach_missed(struct pool *pool, const struct pool_reading *before)
{
	unsigned long now;

	return before->some || !departed(pool, NULL, &now) ||
	       now != before->departures ||
	       plat_read(&pool->allocated) != before->allocated;
}

/* Racy hint: true if an object is cached on this CPU or in the shared pool. */
static bool is_near(const struct pool *pool)
{
	const struct pool_local *local = pool_local_enter(pool);
	bool some = plat_read(&local->hot.n) | plat_read(&local->clustered);

	pool_hot_leave();
	return some || plat_read(&pool->filled);
}

/* Call departed() with the arrays, not inlined, so that this copy of its loops exists once. */
static __attribute__((__noinline__))
bool is_empty(struct pool *pool, bool *accepts, unsigned long *departures)
{
	bool some = false, empty = departed(pool, &some, departures);

	*accepts |= some;
	return empty;
}

/*
 * Prove that the call can get no object; @have objects are allocated, as many as the limit allows.
 * True: at some moment of this call all places within reach, and this CPU's array, were empty.  The
 * first reading may be an earlier one, also of another caller, if nothing was moving then.  So the
 * pool keeps the departures of the last confirmed reading.  While there are no further departures,
 * the second reading is enough.
 */
static bool nothing_within_reach(struct pool *pool, unsigned long have, bool *accepts)
{
	unsigned long settled = plat_read_acquire(&pool->settled);
	struct pool_reading before;
	unsigned long now;

	if (!is_empty(pool, accepts, &now))
		return false;
	if (now != settled) {
		pool_reach_read(pool, &before);
		if (before.some || plat_read_acquire(&pool->allocated) != have ||
		    !is_empty(pool, accepts, &now) || now != before.departures)
			return false;
		plat_write_release(&pool->settled, now);
	}
	return plat_read(&pool->allocated) == have;
}

/*
 * Look for an object within reach, and note that there is none, so that the next call need not
 * look.  Calls that make an object free clear the note in pool_wake():
 *
 *	call that is refused                  call that makes an object free
 *	  1  used_up = @mine, if it is 0        1  the object is in a place
 *	  2  fence                              2  fence
 *	  3  look at all places                 3  used_up = 0, if it is not
 *	  4  used_up = POOL_USED_UP,
 *	     if it is still @mine
 *
 * If the look (3) misses the object, then the other call sees by the two fences @mine or its
 * successor, and clears that.  Hits free into arrays without any such call, so nothing is
 * noted while an array accepts objects, and pool_hot_set_cap() clears the note before one does.
 */
static __attribute__((__noinline__))
bool looks_used_up(struct pool *pool, unsigned long have)
{
	unsigned long none = 0, mine = (unsigned long)&none;	/* unique to this call */
	bool notes = plat_cmpxchg(&pool->used_up, &none, mine);
	bool is_up, accepts = false;

	plat_fence();
	is_up = nothing_within_reach(pool, have, &accepts);
	if (notes)
		plat_cmpxchg(&pool->used_up, &mine,
			     is_up && !accepts ? POOL_USED_UP : 0ul);
	return is_up;
}

/*
 * True if the limit is reached and the call can get no object.  @limit: the pool's, not 0.  False:
 * a look may find an object, or renew.c blocks the pool.
 */
bool pool_used_up(struct pool *pool, unsigned int limit)
{
	unsigned long have = plat_read_acquire(&pool->allocated);

	if (have < limit || (have & POOL_RENEWING))
		return false;
	return plat_read_acquire(&pool->used_up) == POOL_USED_UP ||
	       (!is_near(pool) && looks_used_up(pool, have));
}

/* Sleep until a word changes.  Only pauses if the caller is being killed, and so cannot sleep. */
void pool_sleep(unsigned int *word, unsigned int seen)
{
	if (!plat_wait(word, seen, POOL_FOREVER))
		plat_pause(true);
}

/* Change a word, and wake all that sleep on it. */
void pool_bump(unsigned int *word)
{
	unsigned int old = plat_read(word);

	while (!plat_cmpxchg(word, &old, old + 1))
		;
	plat_wake(word);
}

/*
 * Clear the note that nothing is free, and wake the oldest waiter, if there is one.  Called after
 * an object became free, or the limit was raised.  The fence pairs with those of
 * pool_queue_enter() and looks_used_up(): either the other call sees the free object, or this call
 * sees the waiter or the note.
 */
void pool_wake(struct pool *pool)
{
	plat_fence();
	if (POOL_LIKELY(!(plat_read(&pool->waiting) | plat_read(&pool->used_up))))
		return;
	plat_write(&pool->used_up, 0ul);
	if (plat_read(&pool->waiting))
		pool_bump(&pool->wakes);
}

/* Wake waiters after an object came to a reserve, since each of its waiters may take the object. */
void pool_wake_reserve(struct pool *pool)
{
	pool_wake(pool);
	if (plat_read(&pool->waiting))
		pool_bump(&pool->refills);
}
