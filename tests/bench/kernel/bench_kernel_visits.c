// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_kernel_visits.c - how often a pool's slow path is taken, on many CPUs
 *
 * Layer:   part of pool_replay.ko; bench_kernel.c calls it.
 * Context: process context; may sleep.  A work item per CPU, on the kworker of that CPU.
 *
 * Counted, not timed: emulated CPUs take turns on real ones, so time says
 * nothing.  All of them share one pool.  Each workload runs once before it is
 * counted, so that filling the caches is not counted.
 *
 *   workload       an operation is an allocation and a free
 *   hot            one object at a time
 *   batch100, batch1000	as many are allocated, then freed, newest first
 *   random1000     a random one of 1000 objects of each CPU is replaced
 *   handed64       each CPU allocates 64 at a time, which the next one frees
 *   handed1000     the same with 1000
 */
#include "bench_kernel.h"
#include "../random.h"
#include "pool.h"

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#define OPS		100000
#define CPUS_MAX	64

/* Objects that one thread has allocated and the next one is to free. */
struct handed {
	void *objs[BENCH_LIVE];
	bool full;
};

struct worker {
	struct work_struct work;
	struct crew *crew;
	unsigned int cpu;
	struct handed from;	/* filled by the previous CPU */
	struct handed *to;
	void *own[BENCH_LIVE];
};

struct crew {
	struct pool_head *pool;
	const struct visit *visit;
	unsigned int cpus;
	atomic_t here;		/* workers that have begun */
	atomic_t failed;
	struct worker *workers;
};

struct visit {
	const char *name;
	unsigned int batch;
	bool (*run)(struct worker *w, unsigned int batch);
};

static bool take(struct pool_head *pool, void **objs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		objs[i] = pool_alloc(pool);
		if (!objs[i])
			break;
	}
	if (i == n)
		return true;
	while (i)
		pool_free(pool, objs[--i]);
	return false;
}

static void give(struct pool_head *pool, void **objs, unsigned int n)
{
	while (n)
		pool_free(pool, objs[--n]);
}

static bool run_batch(struct worker *w, unsigned int batch)
{
	unsigned int n;

	for (n = OPS / batch; n; n--) {
		if (!take(w->crew->pool, w->own, batch))
			return false;
		give(w->crew->pool, w->own, batch);
		if (!(n % 64))
			cond_resched();
	}
	return true;
}

/* Replace random objects; the first allocations, one in a hundred, are counted, too. */
static bool run_random(struct worker *w, unsigned int batch)
{
	unsigned int seed = w->cpu + 1;
	unsigned int n;

	if (!take(w->crew->pool, w->own, batch))
		return false;
	for (n = 0; n < OPS; n++) {
		void **one = &w->own[random_below(&seed, batch)];

		pool_free(w->crew->pool, *one);
		*one = pool_alloc(w->crew->pool);
		if (!*one)
			break;
		if (!(n % 4096))
			cond_resched();
	}
	give(w->crew->pool, w->own, batch);
	return n == OPS;
}

/* Free the objects of the previous CPU, if there are any. */
static bool accept(struct worker *w, unsigned int batch)
{
	/* pairs with offer(): the objects are there */
	if (!smp_load_acquire(&w->from.full))
		return false;
	give(w->crew->pool, w->from.objs, batch);
	/* pairs with offer(): they have been read */
	smp_store_release(&w->from.full, false);
	return true;
}

/* Allocate objects for the next CPU, if it can take more. */
static bool offer(struct worker *w, unsigned int batch)
{
	/* pairs with accept(): the last ones have been read */
	if (smp_load_acquire(&w->to->full) ||
	    !take(w->crew->pool, w->to->objs, batch))
		return false;
	/* pairs with accept(): the objects are there */
	smp_store_release(&w->to->full, true);
	return true;
}

static bool run_handed(struct worker *w, unsigned int batch)
{
	unsigned int accepted = 0;
	unsigned int offered = 0;

	while (accepted < OPS / batch || offered < OPS / batch) {
		bool moved = accept(w, batch);

		accepted += moved;
		if (offered < OPS / batch && offer(w, batch)) {
			offered++;
			moved = true;
		}
		if (!moved)
			usleep_range(50, 100);
	}
	return true;
}

static const struct visit visits[] = {
	{ "hot", 1, run_batch },
	{ "batch100", 100, run_batch },
	{ "batch1000", 1000, run_batch },
	{ "random1000", 1000, run_random },
	{ "handed64", 64, run_handed },
	{ "handed1000", 1000, run_handed },
};

/* Do the work of one CPU, once the workers of all CPUs have begun. */
static void work(struct work_struct *work)
{
	struct worker *w = container_of(work, struct worker, work);
	struct crew *crew = w->crew;

	atomic_inc(&crew->here);
	while (atomic_read(&crew->here) < crew->cpus)
		cond_resched();
	if (!crew->visit->run(w, crew->visit->batch))
		atomic_inc(&crew->failed);
}

static bool run_crew(struct crew *crew, const struct visit *visit)
{
	unsigned int i;

	crew->visit = visit;
	atomic_set(&crew->here, 0);
	for (i = 0; i < crew->cpus; i++)
		schedule_work_on(i, &crew->workers[i].work);
	for (i = 0; i < crew->cpus; i++)
		flush_work(&crew->workers[i].work);
	return !atomic_read(&crew->failed);
}

static bool begin_crew(struct crew *crew)
{
	unsigned int i;

	crew->workers = kvcalloc(crew->cpus, sizeof(*crew->workers), GFP_KERNEL);
	for (i = 0; crew->workers && i < crew->cpus; i++) {
		struct worker *w = &crew->workers[i];

		INIT_WORK(&w->work, work);
		w->crew = crew;
		w->cpu = i;
		w->to = &crew->workers[(i + 1) % crew->cpus].from;
	}
	return crew->workers;
}

/* Write a row: operations of all CPUs, and what the pool counted meanwhile. */
static size_t row(const struct visit *visit, unsigned int cpus,
		  const struct pool_stats *from, const struct pool_stats *to,
		  char *buf, size_t size)
{
	return scnprintf(buf, size,
			 "%s %u %llu %llu %llu %llu %llu %llu %llu %llu\n",
			 visit->name, OPS * cpus, to->fills - from->fills,
			 to->spills - from->spills, to->gets - from->gets,
			 to->puts - from->puts,
			 to->evictions - from->evictions,
			 to->nested - from->nested,
			 to->store_gets - from->store_gets,
			 to->store_puts - from->store_puts);
}

/* Run once to fill the caches, and once to count. */
static const char *count(struct crew *crew, unsigned int object,
			 const struct visit *visit, char *buf, size_t size,
			 size_t *len)
{
	struct pool_stats before, after;
	bool ok;

	crew->pool = create_pool("bench", object, 0);
	if (!crew->pool)
		return "no pool";
	ok = run_crew(crew, visit);
	pool_stats_get(crew->pool, &before, sizeof(before));
	ok = ok && run_crew(crew, visit);
	pool_stats_get(crew->pool, &after, sizeof(after));
	pool_destroy(crew->pool);
	if (!ok)
		return "an object was not to be had";
	*len += row(visit, crew->cpus, &before, &after, buf + *len,
		    size - *len);
	return NULL;
}

const char *bench_visits(unsigned int object, unsigned int cpus, char *buf,
			 size_t size)
{
	struct crew crew = { .cpus = cpus };
	const char *why = NULL;
	size_t len = 0;
	unsigned int i;

	if (cpus > CPUS_MAX || cpus > num_online_cpus())
		return "bench_cpus: there are not as many";
	if (!begin_crew(&crew))
		return "no memory";
	for (i = 0; i < ARRAY_SIZE(visits) && !why; i++)
		why = count(&crew, object, &visits[i], buf, size, &len);
	kvfree(crew.workers);
	return why;
}
