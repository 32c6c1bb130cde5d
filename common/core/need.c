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
 * The average need follows a rise at once and a fall by halves.  It is made of the
 * highest need within each POOL_NEED_SPAN objects that are brought down: a program that
 * allocates 1000 and frees 1000, over and over, needs 1000 all the time.  Objects beyond
 * the average go to the backend.
 *
 *  objects
 *    |  ____allocated_____
 *    | /                  \ __                    kept: at most the highest need
 *    |/ need               \  \__                 of this span, or the average
 *    |                      \    \___
 *    |_______________________\_______\____ brought down
 *
 * Some needs come again and again, as with the batches of a compiler or of packets.
 * Such a program would get each batch from the backend.  So each fall after which the
 * need returns soon makes the next falls half as fast, until there is none for a while.
 *
 * All shared pools together have a bound, too: POOL_SHARED_MOST, or max_cached.  Above it a pool
 * keeps a quarter of its present need, so that all keep no more than the bound, a quarter of
 * what is in use, and POOL_NOTE_STEP bytes of each pool.
 *
 * Nothing here is locked.  Each sample writes each field whole.  When two samples
 * collide one of them is lost, and the next one makes up for it.
 */
#include "plat.h"

/* If the need returns within this number of spans, the fall was too fast. */
#define NEED_SOON	32

/* How often, at most, the fall is made half as fast. */
#define NEED_PATIENCE	8

/* Where all shared pools have too much, one keeps this part of what its users have. */
#define SHARED_PART	4

static unsigned long larger(unsigned long a, unsigned long b)
{
	return a > b ? a : b;
}

static unsigned long smaller(unsigned long a, unsigned long b)
{
	return a < b ? a : b;
}

/* The average falls towards @peak: half way, or by less, and by one at least. */
static unsigned long fall(unsigned long avg, unsigned long peak,
			  unsigned int patience)
{
	unsigned long by = (avg - peak) >> (1 + patience);

	return avg - (by ? by : 1);
}

/*
 * Learn from the past.  If the average is back near its top within NEED_SOON spans, the
 * objects were given back too early: make the next fall half as fast.  Otherwise forget
 * the top.
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

/* False: a pool's shared part is so small that it may have that, and is not in the sum of all. */
static bool has_much(const struct pool *pool, unsigned long shared)
{
	return shared * pool->head.size >= POOL_NOTE_STEP || plat_read(&pool->noted);
}

/*
 * @n objects, needed until now, are brought down; @shared are there already.  Where only
 * one put in several is sampled, it stands for those before it as well, as if they were
 * as large: the need was that much higher when the first of them began.  While the pool
 * has too much every put is sampled.
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
	unsigned long kept;

	if (left > n + before) {
		plat_write(&pool->need_left, left - n - before);
		plat_write(&pool->need_peak, peak);
	} else {
		end_span(pool, peak, need);
	}
	kept = larger(plat_read(&pool->need_avg), peak);
	if (has_much(pool, shared) && pool_shared_full(pool, shared))
		kept = smaller(kept, need + need / SHARED_PART);
	plat_write(&pool->need_kept, kept);
}

/*
 * Are @n objects that are brought down needed?  True: they go to the shared pool; false: to the
 * backend.
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
