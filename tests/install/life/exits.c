// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * exits.c - a program in C, which loads no unwinder, has constructors that end their threads
 *
 * Layer:   a program, for life.sh.
 * Context: one thread after another.
 *
 * Prints what is in use, and what is allocated, when all threads have ended.
 */
#include <libpool/pool.h>

#include <pthread.h>
#include <stdio.h>

static void end_thread(void *obj, void *arg)
{
	(void)obj;
	(void)arg;
	pthread_exit(NULL);
}

static void *get(void *pool)
{
	return pool_alloc(pool);
}

int main(void)
{
	struct pool_attr attr = { .name = "exits", .size = 64, .ctor = end_thread };
	struct pool_head *pool = create_pool_ext(&attr);
	struct pool_stats stats;
	pthread_t thread;
	int i;

	for (i = 0; i < 10; i++)
		if (pthread_create(&thread, NULL, get, pool) || pthread_join(thread, NULL))
			return 1;
	pool_stats_get(pool, &stats, sizeof(stats));
	printf("in use %llu, allocated %llu\n", (unsigned long long)stats.used,
	       (unsigned long long)stats.allocated);
	pool_destroy(pool);
	return 0;
}
