// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench.c - what an object costs: pools beside malloc(), in one process
 *
 * Layer:   a program; the workloads are in bench.h.
 *
 *	bench [--size BYTES] [--rounds N] [--ms N]
 *	bench --once CANDIDATE WORKLOAD N
 *
 * Each round runs one slice of each candidate, in shuffled order, so that what
 * disturbs the machine meets all of them alike.  Printed are ns per allocation
 * and free: median, smallest, largest and median deviation of all rounds, and
 * the ratio to malloc() of the same round, median and both ends.
 *
 * --once runs N operations of one candidate and prints nothing: for counting
 * instructions.
 */
#include "bench.h"
#include "helper.h"
#include "stats.h"

#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct candidate *const candidates[] = {
	&bench_malloc,			/* the one others are compared with */
	&bench_pool,
	&bench_pool_so,
	&bench_empty,
};

#define CANDIDATES	(sizeof(candidates) / sizeof(candidates[0]))

static const struct workload {
	const char *name;
	unsigned int batch;		/* 0: not a batch */
	int ring;
} workloads[] = {
	{ "hot", 0, 0 },
	{ "batch64", 64, 0 },
	{ "batch1000", BATCH_MAX, 0 },
	{ "ring", 0, 1 },
};

#define WORKLOADS	(sizeof(workloads) / sizeof(workloads[0]))

/* What the command line says. */
static size_t size = 64;
static unsigned int rounds = 15;
static unsigned int slice_ms = 15;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run(const struct candidate *c, const struct workload *w,
		unsigned long n)
{
	if (w->ring)
		helper_ring(c, n);
	else if (w->batch)
		c->batch(n, w->batch);
	else
		c->hot(n);
}

/* ns per operation. */
static double slice(const struct candidate *c, const struct workload *w,
		    unsigned long n)
{
	double start = now();

	run(c, w, n);
	return (now() - start) / (double)n;
}

/* How many operations fill a slice; this warms up, too. */
static unsigned long calibrated(const struct candidate *c,
				const struct workload *w)
{
	unsigned long n = 16 * BATCH_MAX;
	double ns = slice(c, w, n);

	while (ns * (double)n < 2e6) {
		n *= 2;
		ns = slice(c, w, n);
	}
	n = (unsigned long)(slice_ms * 1e6 / ns);
	return n / (64 * BATCH_MAX) * (64 * BATCH_MAX) + 64 * BATCH_MAX;
}

static void shuffle(unsigned int *order)
{
	unsigned int i;

	for (i = 0; i < CANDIDATES; i++)
		order[i] = i;
	for (i = CANDIDATES - 1; i; i--) {
		unsigned int k = (unsigned int)random() % (i + 1);
		unsigned int swapped = order[i];

		order[i] = order[k];
		order[k] = swapped;
	}
}

static double ns[CANDIDATES][STATS_MAX];

static void print(const struct workload *w)
{
	double ratio[STATS_MAX];
	unsigned int i, k;

	for (i = 0; i < CANDIDATES; i++) {
		struct stats time, to_malloc;

		for (k = 0; k < rounds; k++)
			ratio[k] = ns[i][k] / ns[0][k];
		time = stats_of(ns[i], rounds);
		to_malloc = stats_of(ratio, rounds);
		printf("%-10s %-8s %8.2f %8.2f %8.2f %7.2f   %5.2f  %5.2f..%.2f\n",
		       w->name, candidates[i]->name, time.median, time.min,
		       time.max, time.deviation, to_malloc.median,
		       to_malloc.min, to_malloc.max);
	}
}

static void measure(const struct workload *w)
{
	unsigned long n[CANDIDATES];
	unsigned int order[CANDIDATES];
	unsigned int i, k;

	for (i = 0; i < CANDIDATES; i++)
		n[i] = calibrated(candidates[i], w);
	for (k = 0; k < rounds; k++) {
		shuffle(order);
		for (i = 0; i < CANDIDATES; i++)
			ns[order[i]][k] = slice(candidates[order[i]], w,
						n[order[i]]);
	}
	print(w);
}

static void measure_all(void)
{
	unsigned int i;

	printf("# ns per allocation and free, %zu bytes, %u rounds of %u ms\n",
	       size, rounds, slice_ms);
	printf("%-10s %-8s %8s %8s %8s %7s   %s\n", "# workload", "of",
	       "median", "min", "max", "dev", "ratio to malloc");
	for (i = 0; i < CANDIDATES; i++)
		if (!candidates[i]->setup(size))
			errx(1, "%s: no setup", candidates[i]->name);
	helper_start();
	for (i = 0; i < WORKLOADS; i++)
		measure(&workloads[i]);
	helper_stop();
	for (i = 0; i < CANDIDATES; i++)
		candidates[i]->teardown();
}

static unsigned long number(const char *text, unsigned long max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || !n || n > max)
		errx(2, "%s: 1 to %lu", text, max);
	return n;
}

static void once(const char *candidate, const char *workload, const char *n)
{
	unsigned int i, k;

	for (i = 0; i < CANDIDATES; i++)
		if (!strcmp(candidates[i]->name, candidate))
			break;
	for (k = 0; k < WORKLOADS; k++)
		if (!strcmp(workloads[k].name, workload))
			break;
	if (i == CANDIDATES || k == WORKLOADS)
		errx(2, "no candidate %s or workload %s", candidate, workload);
	if (!candidates[i]->setup(size))
		errx(1, "%s: no setup", candidate);
	helper_start();
	run(candidates[i], &workloads[k], number(n, 1ul << 40));
	helper_stop();
	candidates[i]->teardown();
}

int main(int argc, char **argv)
{
	static const struct option words[] = {
		{ "size", required_argument, NULL, 's' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "ms", required_argument, NULL, 'm' },
		{ "once", no_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	int just_once = 0;
	int c;

	while ((c = getopt_long(argc, argv, "", words, NULL)) != -1) {
		if (c == 's')
			size = number(optarg, 1 << 20);
		else if (c == 'r')
			rounds = (unsigned int)number(optarg, STATS_MAX);
		else if (c == 'm')
			slice_ms = (unsigned int)number(optarg, 10000);
		else if (c == 'o')
			just_once = 1;
		else
			exit(2);
	}
	if (size < sizeof(long) || argc - optind != (just_once ? 3 : 0))
		errx(2, "usage: bench [--size BYTES] [--rounds N] [--ms N]\n"
			"       bench [--size BYTES] --once CANDIDATE WORKLOAD N");
	if (just_once)
		once(argv[optind], argv[optind + 1], argv[optind + 2]);
	else
		measure_all();
	return 0;
}
