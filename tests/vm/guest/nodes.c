// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * nodes.c - how many objects are remote, in a program on a machine of two nodes
 *
 *	nodes WAVE ROUNDS
 *
 * A producer, on the first CPU, gets objects that a consumer, on the last CPU, frees.  A third
 * thread, on the last CPU too, gets and frees objects of its own.  The system says which node has
 * the page of an object, and on which node a CPU is.  Prints a line for the producer and a line for
 * the user: how many objects it got, and how many of these are of another node than the thread's.
 * The first half of all rounds does not count.
 */
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIZE		256
#define PAGE		4096ul
#define MOST		4096

enum { PRODUCER, CONSUMER, USER, WORKERS };

static struct pool_head *pool;
static pthread_barrier_t turn;
static unsigned int wave, rounds;
static void *sent[MOST], *own[MOST];
static unsigned long remote[WORKERS];

static unsigned int node_here(void)
{
	unsigned int cpu, node;

	if (syscall(SYS_getcpu, &cpu, &node, NULL))
		abort();
	return node;
}

/* Returns how many of these objects are of another node than this thread. */
static unsigned int count_remote(void **objs)
{
	static __thread void *pages[MOST];
	static __thread int nodes[MOST];
	unsigned int here = node_here(), n = 0, i;

	for (i = 0; i < wave; i++)
		pages[i] = (void *)((uintptr_t)objs[i] & -PAGE);
	if (syscall(SYS_move_pages, 0, (unsigned long)wave, pages, NULL, nodes, 0))
		abort();
	for (i = 0; i < wave; i++)
		n += nodes[i] < 0 || (unsigned int)nodes[i] != here;
	return n;
}

static void allocate(unsigned int who, unsigned int round)
{
	void **objs = who == PRODUCER ? sent : own;
	unsigned int i;

	for (i = 0; i < wave; i++) {
		objs[i] = pool_alloc(pool);
		if (!objs[i])
			abort();
		memset(objs[i], 1, SIZE);
	}
	if (round >= rounds / 2)
		remote[who] += count_remote(objs);
}

static void free_all(unsigned int who)
{
	void **objs = who == CONSUMER ? sent : own;
	unsigned int i;

	for (i = 0; i < wave; i++)
		pool_free(pool, objs[i]);
}

static void stay_on(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		abort();
}

static void *work(void *arg)
{
	unsigned int who = (unsigned int)(uintptr_t)arg, round;

	stay_on(who == PRODUCER ? 0 : sysconf(_SC_NPROCESSORS_ONLN) - 1);
	for (round = 0; round < rounds; round++) {
		pthread_barrier_wait(&turn);
		if (who != CONSUMER)
			allocate(who, round);
		pthread_barrier_wait(&turn);
		if (who != PRODUCER)
			free_all(who);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "producer", "consumer", "user" };
	pthread_t threads[WORKERS];
	uintptr_t i;

	wave = argc == 3 ? (unsigned int)atoi(argv[1]) : 0;
	rounds = argc == 3 ? (unsigned int)atoi(argv[2]) : 0;
	pool = create_pool("nodes", SIZE, 0);
	if (!pool || !wave || wave > MOST)
		return 2;
	pthread_barrier_init(&turn, NULL, WORKERS);
	for (i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return 2;
	for (i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < WORKERS; i += USER)
		printf("%s got %u remote %lu\n", names[i], wave * (rounds - rounds / 2),
		       remote[i]);
	return 0;
}
