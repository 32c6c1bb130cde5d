// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * need.c - how much of a pool is kept
 *
 * Layer:   between shared pool and backend; decides which of them is next.
 * Context: any; guard and CPU lock may be held, since evictions ask there.  Reads at
 *	    most the counts of all buckets.
 *
 * The need of a pool at a moment is what is not in its shared part:
 *
 *	need = allocated - shared
 *
 * The number to be kept follows a rise of the need at once, and a fall by halves.  It falls at the
 * end of a span of POOL_NEED_SPAN objects that were brought down, if the need was lower all the
 * time: a program that allocates 1000 and frees 1000, over and over, needs 1000 all the time.
 * Objects beyond that number go to the backend.
 *
 *  objects
 *    |  ____allocated_____
 *    | /                  \ __
 *    |/ need               \  \__                 kept: the highest need
 *    |                      \    \___             of this span, or more
 *    |_______________________\_______\____ brought down
 *
 * Some needs come again and again, as with the batches of a compiler or of packets.
 * Such a program would get each batch from the backend.  So each fall after which the
 * need returns soon makes the spans before a fall twice as long, until one is as long as a batch.
 *
 * CPUs that bring clusters down all read what decides, so it is written only where the need
 * leaves a band below the number to be kept.  What changes more often, how long a span still is
 * and its highest need, is in this CPU's bucket, whose line the CPU writes anyway.
 *
 * All shared pools together have a bound, too: POOL_SHARED_MOST, or max_cached.  Above it a pool
 * keeps a quarter of its present need, so that all keep no more than the bound, a quarter of
 * what is in use, and POOL_NOTE_STEP bytes of each pool.
 *
 * Nothing here is locked.  Each sample writes each field whole.  When two samples
 * collide one of them is lost, and the next one makes up for it.
 */
#include "seam/plat.h"

/* If the need returns within this number of spans, the fall was too fast. */
#define NEED_SOON	32

/* How often, at most, spans are made twice as long: one is as long as NEED_SOON were then. */
#define NEED_PATIENCE	5

/* Where all shared pools have too much, one keeps this part of what its users have. */
#define SHARED_PART	4

static unsigned long larger(unsigned long a, unsigned long b)
{
	return a > b ? a : b;
}

/* This CPU's bucket, of whatever node: its clusters go there while there are enough buckets. */
static struct pool_bucket *own_bucket(struct pool *pool)
{
	return &pool->bucket[plat_cpu_hint() & (plat_read(&pool->buckets) - 1)];
}

/* Keep what is needed, and a little more, so that a need that grows is not written each time. */
static void rise(struct pool *pool, unsigned long need)
{
	unsigned long top = plat_read(&pool->need_top);
	unsigned int patience = plat_read(&pool->need_patience);

	plat_write(&pool->need_kept, need + need / 64);
	if (!plat_read(&pool->need_low) || need < top - top / 32)
		return;
	plat_write(&pool->need_low, 0u);
	if (patience < NEED_PATIENCE)
		plat_write(&pool->need_patience, patience + 1);
}

/* How many objects the next span has: the first one without need, before a fall, is a long one. */
static unsigned long span(const struct pool *pool)
{
	unsigned long n = POOL_NEED_SPAN;

	return plat_read(&pool->need_low) ? n : n << plat_read(&pool->need_patience);
}

/* False: a pool's shared part is so small that it may have that, and is not in the sum of all. */
static bool has_much(const struct pool *pool, unsigned long shared)
{
	return shared * pool->head.size >= POOL_NOTE_STEP || plat_read(&pool->noted);
}

/*
 * A span ended, in which the need was @peak at most: keep fewer, unless that is within the band
 * of a 32nd and a cluster of @n objects.  If the need does not return soon, spans are short again.
 */
static void end_span(struct pool *pool, unsigned long peak, unsigned int n)
{
	unsigned long kept = plat_read(&pool->need_kept);
	unsigned int low = plat_read(&pool->need_low);
	bool falls = peak + n < kept - kept / 32;

	if (falls && !low)
		plat_write(&pool->need_top, kept);
	if (falls)
		plat_write(&pool->need_kept, kept - (kept - peak) / 2);
	if (!falls && !low)
		return;
	if (++low == NEED_SOON) {
		plat_write(&pool->need_patience, 0u);
		low = 0;
	}
	plat_write(&pool->need_low, low);
}

/*
 * @n objects are brought down, and @before of puts that took no sample, all needed until now.
 * @shared are there already.
 */
static void sample(struct pool *pool, unsigned long allocated, unsigned long shared,
		   unsigned int n, unsigned int before)
{
	unsigned long need = (allocated > shared ? allocated - shared : 0) + before;
	struct pool_bucket *here = own_bucket(pool);
	unsigned long peak = larger(plat_read(&here->need_peak), need);
	unsigned long left = plat_read(&here->need_left);

	if (need > plat_read(&pool->need_kept))
		rise(pool, need);
	if (left > n + before) {
		left -= n + before;
	} else {
		if (left)
			end_span(pool, peak, n);
		left = span(pool);
		peak = need;
	}
	plat_write(&here->need_left, left);
	plat_write(&here->need_peak, peak);
	if (has_much(pool, shared) && pool_shared_full(pool, shared) &&
	    plat_read(&pool->need_kept) > need + need / SHARED_PART)
		plat_write(&pool->need_kept, need + need / SHARED_PART);
}

/*
 * True if @n objects that are brought down are needed, and go to the shared pool; else they go to
 * the backend.  Where only one put in several is sampled, it stands for those before it as well, as
 * if they were as large: the need was that much higher when the first of them began.  While the
 * pool has too much every put is sampled.
 */
bool pool_need_keeps(struct pool *pool, unsigned int n)
{
	unsigned long allocated = pool_allocated(pool);
	bool few = allocated <= plat_read(&pool->need_kept);
	unsigned int every = few ? pool_shared_every(pool) : 1;
	unsigned long shared;

	if (every > 1 && !pool_shared_turn(pool, every))
		return true;
	shared = pool_shared_count(pool);
	sample(pool, allocated, shared, n, n * (every - 1));
	return allocated <= plat_read(&pool->need_kept) ||
	       shared + n <= plat_read(&pool->min_avail);
}
