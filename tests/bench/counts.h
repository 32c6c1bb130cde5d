/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * counts.h - how often all pools have taken slow paths
 *
 * Layer:   below visits.c and longest_call.c.
 * Context: as pool_for_each().
 */
#ifndef BENCH_COUNTS_H
#define BENCH_COUNTS_H

#include "pool.h"

struct counts {
	unsigned long long fills, spills, gets, puts;
	unsigned long long evictions, nested, store_gets, store_puts;
};

static void add_pool(struct pool_head *pool, void *arg)
{
	struct counts *sum = arg;
	struct pool_stats s;

	pool_stats_get(pool, &s, sizeof(s));
	sum->fills += s.fills;
	sum->spills += s.spills;
	sum->gets += s.gets;
	sum->puts += s.puts;
	sum->evictions += s.evictions;
	sum->nested += s.nested;
	sum->store_gets += s.store_gets;
	sum->store_puts += s.store_puts;
}

/* Sum up the counts of all pools. */
static struct counts counts(void)
{
	struct counts sum = { 0 };

	pool_for_each(add_pool, &sum);
	return sum;
}

#endif /* BENCH_COUNTS_H */
