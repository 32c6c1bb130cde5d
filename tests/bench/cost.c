// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cost.c - the memory that a pool takes, its objects left out
 *
 * Layer:   a program.
 * Context: two threads, one after the other.
 *
 * Bytes per pool, of 1000.  First the bytes that malloc() has handed out, without the objects,
 * since these come from slabs.  Then the bytes that became resident: after the creation of the
 * pool, after a first thread has allocated and freed an object of it, and after a second thread
 * has.
 */
#include "pool.h"

#include <err.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOLS		1000
#define SIZE		64

static struct pool_head *pools[POOLS];

static long resident(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	char line[256];
	long kib = -1;

	if (!file)
		err(1, "/proc/self/smaps_rollup");
	while (kib < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, "Rss:", 4))
			kib = strtol(line + 4, NULL, 10);
	fclose(file);
	return kib * 1024;
}

static long handed_out(void)
{
	struct mallinfo2 info = mallinfo2();

	return (long)(info.uordblks + info.hblkhd);
}

static long handed_before, resident_before;

/* Print the growth since the last call; @objects of the resident bytes are objects. */
static void say(const char *what, long objects)
{
	long handed = handed_out() - handed_before;
	long touched = resident() - resident_before;

	printf("%-32s %10.1f %10.1f\n", what,
	       (double)handed / POOLS,
	       (double)touched / POOLS - (double)objects);
	handed_before = handed_out();
	resident_before = resident();
}

static void *touch(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < POOLS; i++)
		pool_free(pools[i], pool_alloc(pools[i]));
	return NULL;
}

/*
 * Touch all pools, and stay until all is printed, because the end of a thread releases its memory.
 */
static pthread_barrier_t touched, said;

static void *touch_and_stay(void *arg)
{
	touch(arg);
	pthread_barrier_wait(&touched);
	pthread_barrier_wait(&said);
	return NULL;
}

static void second_thread(void)
{
	pthread_t thread;

	pthread_barrier_init(&touched, NULL, 2);
	pthread_barrier_init(&said, NULL, 2);
	errno = pthread_create(&thread, NULL, touch_and_stay, NULL);
	if (errno)
		err(1, "second thread");
	pthread_barrier_wait(&touched);
	say("touched by a second thread", SIZE);
	pthread_barrier_wait(&said);
	pthread_join(thread, NULL);
}

int main(void)
{
	unsigned int i;
	char name[16];

	/* Use one pool first, so that memory needed only once is there. */
	pools[0] = create_pool("first", SIZE, 0);
	pool_free(pools[0], pool_alloc(pools[0]));
	printf("# bytes per pool, of %d\n%-32s %10s %10s\n", POOLS, "# when",
	       "malloc()", "resident");
	handed_before = handed_out();
	resident_before = resident();
	for (i = 0; i < POOLS; i++) {
		snprintf(name, sizeof(name), "cost%u", i);
		pools[i] = create_pool(name, SIZE, 0);
		if (!pools[i])
			errx(1, "no pool");
	}
	say("created", 0);
	touch(NULL);
	say("touched by a thread", SIZE);
	second_thread();
	return 0;
}
