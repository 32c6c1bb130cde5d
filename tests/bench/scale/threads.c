// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * threads.c - what calls cost where many threads have ended, or live
 *
 * Layer:   a program of scale.sh.
 * Context: one thread calls; the others have used the pool, and have ended or wait.
 *
 *	threads refused ROUNDS DEAD LIVE	an allocation that the pool's limit refuses
 *	threads created ROUNDS DEAD LIVE	a pool is created, has an object, and is destroyed
 *	threads forked ROUNDS DEAD LIVE [POOLS]	a child that ends at once; threads have used POOLS
 *						pools, or one
 *
 * Prints the calls of a round; for forks, the page faults of parent and child in one of them.
 */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pool.h"

#define THREADS		4000
#define POOLS		200

static struct pool_head *pool, *more[POOLS];
static unsigned int n_more;
static pthread_barrier_t all_there, all_done;

static void *use(void *arg)
{
	void *obj = pool_alloc(pool);
	unsigned int i;

	for (i = 0; i < n_more; i++)
		pool_free(more[i], pool_alloc(more[i]));
	pthread_barrier_wait(&all_there);
	if (arg)
		pthread_barrier_wait(arg);
	pool_free(pool, obj);
	return NULL;
}

/* Returns when @n threads have used the pool at the same time, and, unless they @live, ended. */
static void start(unsigned int n, bool live)
{
	static pthread_t thread[THREADS];
	pthread_attr_t attr;
	unsigned int i;

	if (!n)
		return;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	pthread_barrier_init(&all_there, NULL, n + 1);
	pthread_barrier_init(&all_done, NULL, n + 1);
	for (i = 0; i < n; i++)
		if (pthread_create(&thread[i], &attr, use, live ? &all_done : NULL))
			errx(2, "no more than %u threads", i);
	pthread_barrier_wait(&all_there);
	for (i = 0; i < n && !live; i++)
		pthread_join(thread[i], NULL);
}

static void refuse(unsigned long rounds)
{
	struct pool_stats now;

	pool_gc(NULL);
	pool_stats_get(pool, &now, sizeof(now));
	pool_set_limit(pool, (unsigned int)now.allocated + 1);
	while (pool_alloc(pool))
		;
	while (rounds--)
		if (pool_alloc(pool))
			errx(2, "an allocation is not refused");
}

static void create(unsigned long rounds)
{
	while (rounds--) {
		struct pool_head *one = create_pool("one", 128, MEM_F_EXACT);

		pool_free(one, pool_alloc(one));
		pool_destroy(one);
	}
}

static long faults(void)
{
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return own.ru_minflt + children.ru_minflt;
}

static void fork_once(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static long forked(unsigned long rounds)
{
	unsigned long i;
	long before;

	fork_once();
	before = faults();
	for (i = 0; i < rounds; i++)
		fork_once();
	return (faults() - before) / (long)rounds;
}

static void make_more(unsigned long n)
{
	char name[12];

	for (; n_more + 1 < n && n_more < POOLS; n_more++) {
		snprintf(name, sizeof(name), "p%u", n_more);
		more[n_more] = create_pool(name, 64, MEM_F_EXACT);
	}
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc >= 5 ? strtoul(argv[2], NULL, 10) : 0;
	long calls = 1;

	if (!rounds)
		errx(2, "usage: threads refused|created|forked ROUNDS DEAD LIVE [POOLS]");
	pool = create_pool("threads", 64, MEM_F_EXACT);
	if (argc == 6)
		make_more(strtoul(argv[5], NULL, 10));
	start((unsigned int)strtoul(argv[3], NULL, 10), false);
	start((unsigned int)strtoul(argv[4], NULL, 10), true);
	if (!strcmp(argv[1], "refused"))
		refuse(rounds);
	else if (!strcmp(argv[1], "created"))
		create(rounds);
	else
		calls = forked(rounds);
	printf("%ld\n", calls);
	fflush(stdout);
	_exit(0);
}
