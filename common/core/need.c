// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * need.c - how much of a pool is kept
 *
 * Layer:   between shared pool and backend; decides which of them is next.
 * Context: any; guard and CPU lock may be held, since what is evicted asks there.  At
 *	    most the counts of all buckets are read.
 *
 * What is needed of a pool at a moment is what is not in its shared part:
 *
 *	need = allocated - shared
 *
 * An average of it follows a rise at once and a fall by halves.  It is made of
 * the highest need within each POOL_NEED_SPAN objects that are brought down: who
 * allocates 1000 and frees 1000, over and over, needs 1000 all the time.  What is
 * allocated beyond that goes to the backend.
 *
 *  objects
 *    |  ____allocated_____
 *    | /                  \ __                    kept: at most the highest need
 *    |/ need               \  \__                 of this span, or the average
 *    |                      \    \___
 *    |_______________________\_______\____ brought down
 *
 * Whose need comes again and again, as the batches of a compiler or of packets do,
 * would get all of that from the backend each time.  So each fall that was in vain
 * makes the next ones slower, by halves, until there is none for a while.
 *
 * Nothing here is locked.  Each field is written whole by whoever samples; when
 * two do at once one sample is lost, which the next one makes good.
 */
#include "plat.h"

/* Spans within which what was given back must be wanted again to be missed. */
#define NEED_SOON	32

/* Most times that a fall is made to take twice as long. */
#define NEED_PATIENCE	8

static unsigned long larger(unsigned long a, unsigned long b)
{
	return a > b ? a : b;
}

/* The average falls towards @peak: half way, or by less, and by one at least. */
static unsigned long fall(unsigned long avg, unsigned long peak,
			  unsigned int patience)
{
	unsigned long by = (avg - peak) >> (1 + patience);

	return avg - (by ? by : 1);
}

/*
 * Learn from the past.  @avg is near the top again before NEED_SOON spans are over:
 * what was given back meanwhile was given back in vain, and the next fall is to take
 * twice as long.  It is not: the top is forgotten.
 */
static void learn(struct pool *pool, unsigned long avg)
{
	unsigned long top = plat_read(&pool->need_top);
	unsigned int low = plat_read(&pool->need_low);
	unsigned int patience = plat_read(&pool->need_patience);

	if (avg >= top - top / 32) {
		if (low && patience < NEED_PATIENCE)
			plat_write(&pool->need_patience, patience + 1);
		plat_write(&pool->need_low, 0u);
		plat_write(&pool->need_top, larger(avg, top));
	} else if (low + 1 < NEED_SOON) {
		plat_write(&pool->need_low, low + 1);
	} else {
		plat_write(&pool->need_patience, 0u);
		plat_write(&pool->need_low, 0u);
		plat_write(&pool->need_top, avg);
	}
}

/* End a span: the average rises to the highest need, or falls. */
static void end_span(struct pool *pool, unsigned long peak, unsigned long need)
{
	unsigned long avg = plat_read(&pool->need_avg);

	avg = peak >= avg ? peak :
			    fall(avg, peak, plat_read(&pool->need_patience));
	learn(pool, avg);
	plat_write(&pool->need_avg, avg);
	plat_write(&pool->need_peak, need);
	plat_write(&pool->need_left, (unsigned long)POOL_NEED_SPAN);
}

/*
 * @n objects, needed until now, are brought down; @shared are there already.  Where
 * one put in several is sampled it stands for those before it, too, as if they were
 * as large: need was as much higher when the first of them began.  Where too much is
 * there each put is.
 */
static void sample(struct pool *pool, unsigned long allocated,
		   unsigned long shared, unsigned int n)
{
	unsigned int before = allocated > plat_read(&pool->need_kept) ? 0 :
			      n * (pool_shared_every(pool) - 1);
	unsigned long need = (allocated > shared ? allocated - shared : 0) +
			     before;
	unsigned long peak = larger(plat_read(&pool->need_peak), need);
	unsigned long left = plat_read(&pool->need_left);

	if (left > n + before) {
		plat_write(&pool->need_left, left - n - before);
		plat_write(&pool->need_peak, peak);
	} else {
		end_span(pool, peak, need);
	}
	plat_write(&pool->need_kept, larger(plat_read(&pool->need_avg), peak));
}

/**
 * pool_need_keeps() - Is there need for objects that are brought down?
 * @pool: the pool.
 * @n: how many.
 *
 * Return: true: to the shared pool; false: to the backend.
 */
bool pool_need_keeps(struct pool *pool, unsigned int n)
{
	unsigned long allocated = pool_allocated(pool);
	unsigned long shared;

	if (allocated <= plat_read(&pool->need_kept) && !pool_shared_turn(pool))
		return true;
	shared = pool_shared_count(pool);
	sample(pool, allocated, shared, n);
	return allocated <= plat_read(&pool->need_kept) ||
	       shared + n <= plat_read(&pool->min_avail);
}
