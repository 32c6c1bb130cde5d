// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fillspill.c - calls that fill and spill a hot array, for callgrind to count
 *
 * Layer:   a program; fillspill.sh runs it and does the sum.
 * Context: one thread, one pool, everything within the bound.
 *
 * Each dump of callgrind is named "take N VISITS" or "give N VISITS": N calls in a loop, of which
 * VISITS filled or spilled.  Without visits the count is linear in N, so two dumps give the cost of
 * hits, of the loop and of its call exactly.  The rest of a dump with visits is the cost of the
 * visits.
 *
 * Fails where a loop did anything but fill or spill, or where a visit does not move MOVED objects:
 * then the count would be of other work.
 */
#include "counts.h"

#include <err.h>
#include <stdio.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_DUMP_STATS_AT(name) ((void)(name))
#endif

#define MOVED		64	/* objects that a visit moves */
#define BATCH		1000
#define ROUNDS		32	/* batches that are counted */

typedef void (*job_fn)(void **objs, unsigned int n);

static struct pool_head *pool;
static void *held[BATCH];

static __attribute__((noinline)) void take(void **objs, unsigned int n)
{
	struct pool_head *p = pool;
	unsigned int i;

	for (i = 0; i < n; i++)
		objs[i] = pool_alloc(p);
}

static __attribute__((noinline)) void give(void **objs, unsigned int n)
{
	struct pool_head *p = pool;
	unsigned int i;

	for (i = 0; i < n; i++)
		pool_free(p, objs[i]);
}

/* Fills and spills of @n calls. */
static unsigned int visits(job_fn job, void **objs, unsigned int n)
{
	struct counts a = counts(), b;

	CALLGRIND_TOGGLE_COLLECT;
	job(objs, n);
	CALLGRIND_TOGGLE_COLLECT;
	b = counts();
	if (b.gets != a.gets || b.puts != a.puts || b.nested != a.nested ||
	    b.evictions != a.evictions || b.store_gets != a.store_gets ||
	    b.store_puts != a.store_puts)
		errx(1, "not only fills and spills");
	return (unsigned int)(b.fills - a.fills + b.spills - a.spills);
}

static void dump(const char *what, job_fn job, unsigned int n)
{
	char name[64];

	CALLGRIND_ZERO_STATS;
	snprintf(name, sizeof(name), "%s %u %u", what, n, visits(job, held, n));
	CALLGRIND_DUMP_STATS_AT(name);
}

/* Check what a visit moves: the number of single calls from the first visit to the last one. */
static void check_moved(const char *what, job_fn job)
{
	unsigned int first = 0, last = 0, all = 0, i;

	for (i = 0; i < BATCH; i++) {
		if (!visits(job, &held[i], 1))
			continue;
		if (!all++)
			first = i;
		last = i;
	}
	if (all < 2 || last - first != MOVED * (all - 1))
		errx(1, "%s: %u visits in %u calls, not one in %u", what, all,
		     last - first + 1, MOVED);
}

int main(void)
{
	unsigned int i, n;

	pool = create_pool("fillspill", 64, 0);
	for (i = 0; i < ROUNDS; i++) {
		take(held, BATCH);
		give(held, BATCH);
	}
	check_moved("take", take);
	check_moved("give", give);
	for (n = 8; n <= 16; n += 8) {
		dump("take", take, n);
		dump("give", give, n);
	}
	for (i = 0; i < ROUNDS; i++) {
		dump("take", take, BATCH);
		dump("give", give, BATCH);
	}
	pool_destroy(pool);
	return 0;
}
