// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stats.c - what many measurements come to
 *
 * Layer:   below bench.c.
 * Context: plain threads.
 *
 * Medians, because a round that was disturbed can only be too slow.
 */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(double *value, unsigned int n)
{
	qsort(value, n, sizeof(*value), compare);
	return (value[(n - 1) / 2] + value[n / 2]) / 2;
}

struct stats stats_of(const double *value, unsigned int n)
{
	double work[STATS_MAX];
	struct stats s;
	unsigned int i;

	for (i = 0; i < n; i++)
		work[i] = value[i];
	s.median = median_of(work, n);
	s.min = work[0];
	s.max = work[n - 1];
	for (i = 0; i < n; i++)
		work[i] = fabs(work[i] - s.median);
	s.deviation = median_of(work, n);
	return s;
}
