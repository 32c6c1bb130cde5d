// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * idlepools.c - calls of programs with many pools that they do not use
 *
 * Layer:   a program; scale.sh runs it.
 * Context: threads that come and go, or wait.
 *
 *	idlepools exit ROUNDS POOLS	a thread uses one of POOLS pools, and ends
 *	idlepools idle ROUNDS POOLS	a thread uses one of POOLS pools, and idles
 *	idlepools sums ROUNDS POOLS	numbers of all POOLS pools, each of which one of 100 threads
 *					has used
 *	idlepools dump ROUNDS POOLS	a dump of them, likewise, with 500 threads
 *	idlepools age ROUNDS POOLS	a round of ageing: of 64 buckets in each pool, none has objects
 *	idlepools shrink ROUNDS POOLS	pool_shrink(), likewise
 *	idlepools made ROUNDS POOLS	a pool is created beside these, used and destroyed
 *	idlepools memory 0 POOLS	100 threads use all POOLS pools, and idle
 *
 * Prints how many of these operations a round has, then the page faults of a round; for "memory",
 * the growth of resident memory since the beginning, in KiB.
 */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "pool.h"

#define POOLS_MOST	16000u

static struct pool_head *pools[POOLS_MOST];
static unsigned int n_pools;
static unsigned int threads = 100;
static pthread_barrier_t together;

static void use(struct pool_head *pool)
{
	pool_free(pool, pool_alloc(pool));
}

static void *use_one(void *arg)
{
	use(arg);
	return NULL;
}

static void start(pthread_t *thread, void *(*fn)(void *arg), void *arg)
{
	if (pthread_create(thread, NULL, fn, arg))
		errx(2, "no thread");
}

static void exit_one(void)
{
	pthread_t thread;

	start(&thread, use_one, pools[0]);
	pthread_join(thread, NULL);
}

static void idle_one(void)
{
	use(pools[0]);
	pool_thread_idle();
}

static void sum_all(void)
{
	struct pool_stats now;
	unsigned int i;

	for (i = 0; i < n_pools; i++)
		pool_stats_get(pools[i], &now, sizeof(now));
}

/* Without a buffer the library only counts the bytes. */
static void dump_all(void)
{
	dump_pools_to_buf(NULL, 0, NULL);
}

static void make_one(void)
{
	struct pool_head *pool = create_pool("made", 128, MEM_F_EXACT);

	use(pool);
	pool_destroy(pool);
}

static void age_all(void)
{
	pool_age();
}

static void shrink_all(void)
{
	pool_shrink(1);
}

/* Use the first @arg pools; without @arg use one pool of each @threads. */
static void *use_and_wait(void *arg)
{
	static unsigned int number;
	unsigned int i = __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED);

	for (; i < n_pools; i += arg ? 1 : threads)
		use(pools[i]);
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together);
	if (arg)
		pool_thread_idle();
	pthread_barrier_wait(&together);
	return NULL;
}

static void start_all(void *arg)
{
	pthread_t thread;
	unsigned int i;

	pthread_barrier_init(&together, NULL, threads + 1);
	for (i = 0; i < threads; i++)
		start(&thread, use_and_wait, arg);
	pthread_barrier_wait(&together);
}

static long resident(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%*d %ld", &pages) != 1)
		errx(2, "no /proc");
	fclose(f);
	return pages * 4;
}

/* Threads wait at the end and are not joined. */
static void memory(void)
{
	long before = resident();

	start_all(pools);
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together);
	pool_gc(NULL);
	printf("1\n%ld\n", resident() - before);
}

static long faults(void)
{
	struct rusage now;

	getrusage(RUSAGE_SELF, &now);
	return now.ru_minflt;
}

static void repeat(void (*fn)(void), long rounds)
{
	long i, before = faults();

	for (i = 0; i < rounds; i++)
		fn();
	printf("1\n%ld\n", (faults() - before) / (rounds ? rounds : 1));
}

static void make_pools(void)
{
	char name[12];
	unsigned int i;

	pool_configure("buckets=64");
	for (i = 0; i < n_pools; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		pools[i] = create_pool(name, 64, MEM_F_EXACT);
		if (!pools[i])
			errx(2, "no pool");
	}
}

int main(int argc, char **argv)
{
	const char *what = argc == 4 ? argv[1] : "";
	long rounds = argc == 4 ? strtol(argv[2], NULL, 10) : 0;

	n_pools = argc == 4 ? (unsigned int)strtoul(argv[3], NULL, 10) : 0;
	if (!n_pools || n_pools > POOLS_MOST)
		errx(2, "usage: idlepools exit|idle|sums|dump|made|age|shrink|memory ROUNDS POOLS");
	make_pools();
	if (!strcmp(what, "exit")) {
		repeat(exit_one, rounds);
	} else if (!strcmp(what, "idle")) {
		repeat(idle_one, rounds);
	} else if (!strcmp(what, "sums")) {
		start_all(NULL);
		repeat(sum_all, rounds);
	} else if (!strcmp(what, "dump")) {
		threads = 500;
		start_all(NULL);
		repeat(dump_all, rounds);
	} else if (!strcmp(what, "made")) {
		repeat(make_one, rounds);
	} else if (!strcmp(what, "age")) {
		repeat(age_all, rounds);
	} else if (!strcmp(what, "shrink")) {
		repeat(shrink_all, rounds);
	} else if (!strcmp(what, "memory")) {
		memory();
	}
	return 0;
}
