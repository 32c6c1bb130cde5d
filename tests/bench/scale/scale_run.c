// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scale_run.c - threads that visit the shared pool all the time
 *
 * Layer:   part of scale.c.
 * Context: 1 to 8 of the team.
 *
 * A thread allocates BATCH objects and frees them, oldest first, over and over;
 * with a bound of SCALE_BOUND bytes half of a batch goes through the shared pool.
 * "few" is a batch that fits the caches.  Objects are never touched.
 *
 * The time of a run is that of the processors it had, not the clock's.  A run that
 * shared them with other programs is repeated, a few times, since threads that
 * do not run at the same time do not collide.
 */
#include "plat.h"
#include "scale.h"
#include "ring.h"

#include <err.h>
#include <stdio.h>
#include <sys/resource.h>

#define SIZE		64
#define BATCH		832u
#define FEW		256u
#define HANDED		200000u

#define WARM		4e6		/* ns */
#define MEASURED	6e6		/* for each thread */
#define SHARE		0.97		/* of the processors; with less a run is void */
#define TRIES		6

struct side {
	unsigned long ops, all;		/* while measured, and warming up too */
	double cpu;
	long switches;			/* times that others got the processor */
} __attribute__((aligned(POOL_ALIGN)));

struct run {
	struct pool_head *pool;
	unsigned int batch;
	double start, measured;
	struct side side[TEAM_MAX];
};

/* So far apart that a prefetcher does not reach the next one. */
static void *held[TEAM_MAX][4 * BATCH];
static struct ring ring;

static void batch(struct pool_head *pool, void **objs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		objs[i] = pool_alloc(pool);
	for (i = 0; i < n; i++)
		pool_free(pool, objs[i]);
}

static unsigned long batches(struct run *run, unsigned int i, double until)
{
	unsigned long ops = 0;

	do {
		batch(run->pool, held[i], run->batch);
		ops += run->batch;
	} while (scale_clock(CLOCK_MONOTONIC) < until);
	return ops;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

static void one_of_many(unsigned int i, void *arg)
{
	struct run *run = arg;
	struct side *side = &run->side[i];

	side->all = batches(run, i, run->start + WARM);
	side->cpu = scale_clock(CLOCK_THREAD_CPUTIME_ID);
	side->switches = switches();
	side->ops = batches(run, i, run->start + WARM + run->measured);
	side->cpu = scale_clock(CLOCK_THREAD_CPUTIME_ID) - side->cpu;
	side->switches = switches() - side->switches;
	side->all += side->ops;
}

static struct pool_head *pool_with(unsigned int buckets)
{
	char words[32];
	struct pool_head *pool;

	snprintf(words, sizeof(words), "buckets=%u", buckets);
	if (!pool_configure(words))
		errx(1, "%s", words);
	pool = create_pool("run", SIZE, 0);
	if (!pool)
		errx(1, "no pool");
	return pool;
}

/* Print how often the shared pool and the backend were asked, per operation. */
static void say_visits(const char *name, struct pool_head *pool,
		       unsigned int threads, unsigned int buckets, double ops)
{
	struct pool_stats now;
	char what[32];

	pool_stats_get(pool, &now, sizeof(now));
	snprintf(what, sizeof(what), "%s_gets", name);
	scale_say(what, threads, buckets, (double)now.gets / ops);
	snprintf(what, sizeof(what), "%s_puts", name);
	scale_say(what, threads, buckets, (double)now.puts / ops);
	snprintf(what, sizeof(what), "%s_backend", name);
	scale_say(what, threads, buckets, (double)now.store_gets / ops);
}

/* The results of a run, all threads together. */
struct sum {
	double ops, all, cpu, switches;
};

static struct sum run_once(struct run *run, unsigned int threads)
{
	struct sum sum = { .ops = 0 };
	unsigned int i;

	run->start = scale_clock(CLOCK_MONOTONIC);
	team_run(threads, one_of_many, run);
	for (i = 0; i < threads; i++) {
		sum.ops += (double)run->side[i].ops;
		sum.all += (double)run->side[i].all;
		sum.cpu += run->side[i].cpu;
		sum.switches += (double)run->side[i].switches;
	}
	return sum;
}

/* @processors: how many the threads share. */
static void measure(const char *name, unsigned int n, unsigned int threads,
		    unsigned int buckets, unsigned int processors)
{
	struct run run = { .pool = pool_with(buckets), .batch = n };
	unsigned int tries = TRIES;
	double all = 0, share;
	struct sum sum;

	if (processors > threads)
		processors = threads;
	run.measured = MEASURED * threads;
	do {
		sum = run_once(&run, threads);
		all += sum.all;
		share = sum.cpu / processors / run.measured;
	} while (share < SHARE && --tries);
	scale_say(name, threads, buckets, sum.cpu / processors / sum.ops);
	scale_say("share", threads, buckets, share);
	scale_say("slice", threads, buckets, sum.cpu / (sum.switches + 1));
	say_visits(name, run.pool, threads, buckets, all);
	pool_destroy(run.pool);
}

static void give_or_take(unsigned int i, void *arg)
{
	struct pool_head *pool = arg;
	unsigned int n;

	for (n = 0; n < HANDED; n++) {
		if (i)
			pool_free(pool, ring_take(&ring));
		else
			ring_put(&ring, pool_alloc(pool));
	}
}

/* One thread allocates, another one frees; HANDED is a number of whole bursts. */
static void hand(void)
{
	struct pool_head *pool = pool_with(2);

	ring = (struct ring){ .giver.pos = 0 };
	team_run(2, give_or_take, pool);
	say_visits("hand", pool, 2, 2, HANDED);
	pool_destroy(pool);
}

void scale_run(unsigned int processors)
{
	static const unsigned int threads[] = { 1, 2, 3, 4, 6, 8 };
	unsigned int buckets, i;

	measure("few", FEW, 1, 1, processors);
	for (i = 0; i < sizeof(threads) / sizeof(*threads); i++)
		for (buckets = 1; buckets <= 8; buckets *= 2)
			measure("batch", BATCH, threads[i], buckets, processors);
	hand();
}
