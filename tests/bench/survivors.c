// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * survivors.c - how much memory is resident where a burst leaves some objects
 *
 * Layer:   a program per allocator, as the peers: see peer/peer.h.
 * Context: THREADS threads, which share the work of each pool.
 *
 *	survivors PERCENT POOLS SIZE ORDER THREADS
 *
 * POOLS pools of SIZE, SIZE + 32, ... bytes take turns, three times.  Each turn allocates and
 * writes to objects, then frees all but PERCENT of them, chosen at random, in ORDER: "lifo", "fifo"
 * or "random".  Survivors are freed a turn later.  All turns have 128 MiB together.  No call asks
 * the allocator to give memory back.
 *
 * Prints "PEAK RESIDENT USED" in KiB, beyond what was resident at first.  USED is the bytes of
 * survivors.
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

#define BYTES		(128ul << 20)
#define ROUNDS		3
#define THREADS		8

static unsigned int percent, pools, size, threads;
static const char *order;
static peer_pool pool[PEER_POOLS];
static pthread_barrier_t all_are_there;

/* The objects of a thread in a pool; NULL: to be allocated. */
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

	for (turn = 0; turn < ROUNDS * pools; turn++) {
		struct part *p = &part[number][turn % pools];

		fill(p, turn % pools);
		empty(p, turn % pools);
	}
}

/* Threads wait at the end, since those that are gone cache nothing. */
static void *run(void *arg)
{
	peer_thread_start();
	work((unsigned int)(unsigned long)arg);
	pthread_barrier_wait(&all_are_there);
	pause();
	return NULL;
}

static void begin(void)
{
	unsigned int count = (unsigned int)(BYTES / pools / size / threads), i, k;
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

int main(int argc, char **argv)
{
	unsigned long i;
	long before;

	if (argc != 6)
		errx(2, "usage: survivors PERCENT POOLS SIZE ORDER THREADS");
	percent = (unsigned int)atoi(argv[1]);
	pools = (unsigned int)atoi(argv[2]);
	size = (unsigned int)atoi(argv[3]);
	order = argv[4];
	threads = (unsigned int)atoi(argv[5]);
	if (!pools || pools > PEER_POOLS || !size || !threads || threads > THREADS)
		errx(2, "usage: survivors PERCENT POOLS SIZE ORDER THREADS");
	begin();
	resident();
	before = resident();
	pthread_barrier_init(&all_are_there, NULL, threads);
	for (i = 1; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, (void *)i))
			errx(1, "no thread");
	}
	work(0);
	pthread_barrier_wait(&all_are_there);
	printf("%ld %ld %lu\n", resident_most() - before, resident() - before, used() >> 10);
	fflush(stdout);
	_exit(0);
}
