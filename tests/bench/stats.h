/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * stats.h - what many measurements come to
 *
 * Layer:   below bench.c.
 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

struct stats {
	double median;
	double min;
	double max;
	double deviation;		/* median distance from the median */
};

/* Most values. */
#define STATS_MAX	1000

/* Of @n values, at least one. */
struct stats stats_of(const double *value, unsigned int n);

#endif /* BENCH_STATS_H */
