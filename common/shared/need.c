// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * need.c - decide how many free objects the shared pool keeps
 *
 * Layer:   between shared pool and backend; decides which of them gets evicted objects.
 * Context: any; also in a hot section, under the CPU lock, since evictions call pool_need_keeps().
 * Reads at
 *	    most the counts of all buckets.
 *
 * The need of a pool at a moment is the number of its objects outside the shared pool:
 *
 *	need = allocated - shared
 *
 * The pool keeps its target, the objects that were needed lately, and releases the rest to the
 * backend.  The target rises with the need at once.  It falls, by half of the difference, at the
 * end of a span with a lower need throughout.  A span lasts POOL_NEED_SPAN evicted objects.  So a
 * program that allocates 1000 and frees 1000, over and over, needs 1000 all the time.
 *
 *  objects
 *    |  ____allocated_____
 *    | /                  \ __
 *    |/ need               \  \__                 target: the highest
 *    |                      \    \___             need of this span, or more
 *    |_______________________\_______\____ evicted objects
 *
 * A need that comes in batches, as a compiler's does, would fall between two batches, and each
 * batch would come from the backend.  So if the need returns soon after a fall, spans become twice
 * as long, until one is as long as a batch.
 *
 * All CPUs that evict read the target, so it is written only when the need leaves a band below it.
 * The remaining length of the span and its highest need change more often; they are in this CPU's
 * bucket, whose line the CPU writes anyway.
 *
 * All shared pools together have a bound, POOL_SHARED_MOST or max_cached.  Above it each pool keeps
 * a quarter of its present need.  So all together keep no more than the bound, a quarter of what is
 * in use, and POOL_NOTE_STEP bytes per pool.
 *
 * Nothing here is locked, and each field is written whole.  If two samples collide one is lost,
 * which the next sample corrects.
 */
#include "seam/plat.h"

/* If the need returns within this number of spans, the fall was too fast. */
#define NEED_SOON	32

/* How often spans are doubled at most; the longest is as long as NEED_SOON of the shortest. */
#define NEED_PATIENCE	5

/* Above the bound of all shared pools, a pool keeps 1 / SHARED_DIVISOR of its need. */
#define SHARED_DIVISOR	4

static unsigned long larger(unsigned long a, unsigned long b)
{
	return a > b ? a : b;
}

/*
 * Return this CPU's bucket, of any node; other CPUs use the same one only if there are more CPUs
 * than buckets.
 */
static struct pool_bucket *own_bucket(struct pool *pool)
{
	return &pool->bucket[plat_cpu_hint() & (plat_read(&pool->buckets) - 1)];
}

/* Raise the target to the need and a little more, so that a growing need seldom writes it. */
static void rise(struct pool *pool, unsigned long need)
{
	unsigned long top = plat_read(&pool->need_top);
	unsigned int patience = plat_read(&pool->need_patience);

	plat_write(&pool->need_target, need + need / 64);
	if (!plat_read(&pool->need_fallen) || need < top - top / 32)
		return;
	plat_write(&pool->need_fallen, 0u);
	if (patience < NEED_PATIENCE)
		plat_write(&pool->need_patience, patience + 1);
}

/* Return the length of the next span in objects: long until the target first falls, then short. */
static unsigned long span(const struct pool *pool)
{
	unsigned long n = POOL_NEED_SPAN;

	return plat_read(&pool->need_fallen) ? n : n << plat_read(&pool->need_patience);
}

/* True if a shared pool is large enough to count towards the bound of all shared pools. */
static bool has_much(const struct pool *pool, unsigned long shared)
{
	return shared * pool->head.size >= POOL_NOTE_STEP || plat_read(&pool->noted);
}

/*
 * End a span in which the need was at most @peak: lower the target, unless @peak is within a 32nd
 * and a cluster of @n objects below it.  If the need has not returned for long, make spans short
 * again.
 */
static void end_span(struct pool *pool, unsigned long peak, unsigned int n)
{
	unsigned long target = plat_read(&pool->need_target);
	unsigned int fallen = plat_read(&pool->need_fallen);
	bool falls = peak + n < target - target / 32;

	if (falls && !fallen)
		plat_write(&pool->need_top, target);
	if (falls)
		plat_write(&pool->need_target, target - (target - peak) / 2);
	if (!falls && !fallen)
		return;
	if (++fallen == NEED_SOON) {
		plat_write(&pool->need_patience, 0u);
		fallen = 0;
	}
	plat_write(&pool->need_fallen, fallen);
}

/* Take a sample when @n objects are evicted, while @shared are in the shared pool. */
static void sample(struct pool *pool, unsigned long allocated, unsigned long shared,
		   unsigned int n)
{
	unsigned long need = allocated > shared ? allocated - shared : 0;
	struct pool_bucket *here = own_bucket(pool);
	unsigned long peak = larger(plat_read(&here->need_peak), need);
	unsigned long remaining = plat_read(&here->need_remaining);

	if (need > plat_read(&pool->need_target))
		rise(pool, need);
	if (remaining > n) {
		remaining -= n;
	} else {
		if (remaining)
			end_span(pool, peak, n);
		remaining = span(pool);
		peak = need;
	}
	plat_write(&here->need_remaining, remaining);
	plat_write(&here->need_peak, peak);
	if (has_much(pool, shared) && pool_shared_full(pool, shared) &&
	    plat_read(&pool->need_target) > need + need / SHARED_DIVISOR)
		plat_write(&pool->need_target, need + need / SHARED_DIVISOR);
}

/*
 * True if @n evicted objects must go to the shared pool, because they are needed; otherwise they
 * must be released to the backend.
 */
bool pool_need_keeps(struct pool *pool, unsigned int n)
{
	unsigned long allocated = pool_allocated(pool);
	unsigned long shared = pool_shared_count(pool);

	sample(pool, allocated, shared, n);
	return allocated <= plat_read(&pool->need_target) ||
	       shared + n <= plat_read(&pool->min_avail);
}
