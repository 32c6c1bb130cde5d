// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * survivors.c - how much memory is resident after bursts of which some objects stay in use
 *
 * Layer:   a program per allocator, as the peers: see peer/peer.h.
 * Context: THREADS threads, which share the work of each pool.
 *
 *	survivors PERCENT POOLS SIZE ORDER THREADS [MIB [ROUNDS]]
 *
 * POOLS pools of SIZE, SIZE + 32, ... bytes take turns, three times.  Each turn allocates and
 * writes to objects, then frees all but PERCENT of them, chosen at random, in ORDER: "lifo", "fifo"
 * or "random".  Survivors are freed a turn later.  All turns of a round have MIB together, 128 by
 * default.  With ROUNDS each turn has threads of its own, which end after it.  No call asks the
 * allocator to give memory back before RESIDENT is read.
 *
 * Prints "PEAK RESIDENT USED AGED ASKED" in KiB, beyond what was resident at first.  USED is the
 * bytes of survivors.  AGED and ASKED are resident after three calls of pool_age(), and then one of
 * pool_gc(), if the allocator has them.
 */
#include "peer.h"
#include "random.h"
#include "resident.h"

#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB		128ul
#define ROUNDS		3
#define THREADS		8

static unsigned int percent, pools, size, threads, rounds = ROUNDS;
static unsigned long burst = MIB << 20;
static const char *order;
static peer_pool pool[PEER_POOLS];
static pthread_barrier_t all_are_there;

/* Only libpool has these. */
#pragma weak pool_age
#pragma weak pool_gc
struct pool_head;
extern bool pool_age(void);
extern void pool_gc(struct pool_head *unused);

/* A thread's objects of a pool; NULL for an object that must be allocated. */
struct part {
	void **objs;
	unsigned int count;
	unsigned int seed;
};

static struct part part[THREADS][PEER_POOLS];

static void fill(struct part *p, unsigned int k)
{
	unsigned int i;

	for (i = 0; i < p->count; i++) {
		if (p->objs[i])
			continue;
		p->objs[i] = peer_get(pool[k]);
		if (!p->objs[i])
			errx(1, "no more memory");
		memset(p->objs[i], 1, size);
	}
}

static void shuffle(struct part *p)
{
	unsigned int i;

	for (i = 0; i < p->count; i++) {
		unsigned int k = random_below(&p->seed, i + 1);
		void *obj = p->objs[i];

		p->objs[i] = p->objs[k];
		p->objs[k] = obj;
	}
}

static void empty(struct part *p, unsigned int k)
{
	unsigned int i;

	if (order[0] == 'r')
		shuffle(p);
	for (i = 0; i < p->count; i++) {
		unsigned int at = order[0] == 'l' ? p->count - 1 - i : i;

		if (random_below(&p->seed, 100) < percent)
			continue;
		peer_put(pool[k], p->objs[at]);
		p->objs[at] = NULL;
	}
}

static void work(unsigned int number)
{
	unsigned int turn;

	for (turn = 0; turn < rounds * pools; turn++) {
		struct part *p = &part[number][turn % pools];

		fill(p, turn % pools);
		empty(p, turn % pools);
	}
}

/* Work, and wait at the end, because caches of ended threads are empty. */
static void *run(void *arg)
{
	peer_thread_start();
	work((unsigned int)(unsigned long)arg);
	pthread_barrier_wait(&all_are_there);
	pause();
	return NULL;
}

static void start(pthread_t *thread, void *(*fn)(void *arg), unsigned long number)
{
	if (pthread_create(thread, NULL, fn, (void *)number))
		errx(1, "no thread");
}

static void work_at_once(void)
{
	pthread_t thread;
	unsigned int i;

	for (i = 1; i < threads; i++)
		start(&thread, run, i);
	work(0);
	pthread_barrier_wait(&all_are_there);
}

static unsigned int turns;

/* Make one turn; no thread frees before all threads have allocated. */
static void *run_turn(void *arg)
{
	struct part *p = &part[(unsigned long)arg][turns % pools];

	peer_thread_start();
	fill(p, turns % pools);
	pthread_barrier_wait(&all_are_there);
	empty(p, turns % pools);
	peer_thread_end();
	return NULL;
}

/* Run each turn in new threads. */
static void work_in_turn(void)
{
	pthread_t thread[THREADS];
	unsigned int i;

	for (; turns < rounds * pools; turns++) {
		for (i = 0; i < threads; i++)
			start(&thread[i], run_turn, i);
		for (i = 0; i < threads; i++)
			pthread_join(thread[i], NULL);
	}
}

static void begin(void)
{
	unsigned int count = (unsigned int)(burst / pools / size / threads), i, k;
	const char *why = peer_start(0);

	if (why)
		errx(1, "%s", why);
	for (k = 0; k < pools; k++) {
		if (!peer_create(&pool[k], size + k * 32, count * threads, threads))
			errx(1, "no memory");
		for (i = 0; i < threads; i++) {
			struct part *p = &part[i][k];

			*p = (struct part){ malloc(count * sizeof(void *)), count, i * 64 + k + 1 };
			if (!p->objs)
				errx(1, "no memory");
			memset(p->objs, 1, count * sizeof(void *));
			memset(p->objs, 0, count * sizeof(void *));
		}
	}
}

static unsigned long used(void)
{
	unsigned long bytes = 0;
	unsigned int i, k, n;

	for (i = 0; i < threads; i++)
		for (k = 0; k < pools; k++)
			for (n = 0; n < part[i][k].count; n++)
				bytes += part[i][k].objs[n] ? size + k * 32 : 0;
	return bytes;
}

static long resident_after(bool asked)
{
	unsigned int i;

	for (i = 0; !asked && pool_age && i < 3; i++)
		pool_age();
	if (asked && pool_gc)
		pool_gc(NULL);
	return resident();
}

int main(int argc, char **argv)
{
	long before, after;

	if (argc < 6 || argc > 8)
		errx(2, "usage: survivors PERCENT POOLS SIZE ORDER THREADS [MIB [ROUNDS]]");
	percent = (unsigned int)atoi(argv[1]);
	pools = (unsigned int)atoi(argv[2]);
	size = (unsigned int)atoi(argv[3]);
	order = argv[4];
	threads = (unsigned int)atoi(argv[5]);
	if (argc > 6)
		burst = strtoul(argv[6], NULL, 10) << 20;
	if (argc > 7)
		rounds = (unsigned int)atoi(argv[7]);
	if (!pools || pools > PEER_POOLS || !size || !threads || threads > THREADS)
		errx(2, "usage: survivors PERCENT POOLS SIZE ORDER THREADS [MIB [ROUNDS]]");
	begin();
	resident();
	before = resident();
	pthread_barrier_init(&all_are_there, NULL, threads);
	if (argc > 7)
		work_in_turn();
	else
		work_at_once();
	after = resident();
	printf("%ld %ld %lu ", resident_most() - before, after - before, used() >> 10);
	after = resident_after(false);
	printf("%ld %ld\n", after - before, resident_after(true) - before);
	fflush(stdout);
	_exit(0);
}
