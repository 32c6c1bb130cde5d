// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * phases.c - how much memory is resident in a program that uses sizes in turn, and later idles
 *
 * Layer:   a program per allocator, as the peers: see peer/peer.h.
 * Context: four threads.
 *
 *	phases saw|phase [SECONDS]
 *
 * There are 16 pools of 64, 192, ... 1984 bytes.
 *
 *	saw	six rounds; in each the pools take turns: every thread fills 16 MiB and frees them
 *	phase	three rounds; in each every thread has 4 MiB of each pool, replaces as many objects at
 *		random, and frees them in random order
 *
 * Then SECONDS of light work, 60 if not given: every 10 ms each thread takes and frees 200 objects
 * of 64 bytes.  No call asks the allocator to give memory back.
 *
 * Prints "FIRST LAST PEAK LIGHT" in KiB, beyond what was resident at first: after the first round
 * and the last one, the most of all, and after the light work.
 */
#include "peer.h"
#include "random.h"
#include "resident.h"

#include <err.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#define POOLS		16u
#define THREADS		4u
#define SIZE(k)		(64u + 128u * (k))
#define SAW_BYTES	(16u << 20)
#define PHASE_BYTES	(4u << 20)
#define LIGHT		200u

static peer_pool pool[POOLS];
static pthread_barrier_t barrier;
static unsigned int seconds = 60;
static bool saw;
static long before, first, last, most;

/* The objects of each thread: room for the smallest objects of one turn of "saw". */
static void *objs[THREADS][SAW_BYTES / SIZE(0)];

static void *get(unsigned int k)
{
	void *obj = peer_get(pool[k]);

	if (!obj)
		errx(1, "no more memory");
	memset(obj, 1, SIZE(k));
	return obj;
}

static void tooth(void **mine, unsigned int k)
{
	unsigned int n = SAW_BYTES / SIZE(k), i;

	for (i = 0; i < n; i++)
		mine[i] = get(k);
	for (i = 0; i < n; i++)
		peer_put(pool[k], mine[i]);
}

/* Returns the index in mine[] of the first object of a pool. */
static unsigned int start_of(unsigned int k)
{
	unsigned int at = 0;

	while (k--)
		at += PHASE_BYTES / SIZE(k);
	return at;
}

static void phase(void **mine, unsigned int *seed)
{
	unsigned int k, i;

	for (k = 0; k < POOLS; k++)
		for (i = 0; i < PHASE_BYTES / SIZE(k); i++)
			mine[start_of(k) + i] = get(k);
	for (k = 0; k < POOLS; k++) {
		void **from = mine + start_of(k);
		unsigned int n = PHASE_BYTES / SIZE(k);

		for (i = 0; i < n; i++) {
			unsigned int at = random_below(seed, n);

			peer_put(pool[k], from[at]);
			from[at] = get(k);
		}
	}
	for (k = 0; k < POOLS; k++) {
		void **from = mine + start_of(k);
		unsigned int n = PHASE_BYTES / SIZE(k);

		for (; n; n--) {
			unsigned int at = random_below(seed, n);

			peer_put(pool[k], from[at]);
			from[at] = from[n - 1];
		}
	}
}

static void light(void **mine)
{
	unsigned int n, i;

	for (n = 0; n < seconds * 100; n++) {
		for (i = 0; i < LIGHT; i++)
			mine[i] = get(0);
		for (i = 0; i < LIGHT; i++)
			peer_put(pool[0], mine[i]);
		usleep(10000);
	}
}

/* Note the resident memory while all threads wait. */
static void note(unsigned int number, long *at)
{
	pthread_barrier_wait(&barrier);
	if (!number)
		*at = resident() - before;
	if (!number && *at > most)
		most = *at;
	pthread_barrier_wait(&barrier);
}

static void *work(void *arg)
{
	unsigned int number = (unsigned int)(unsigned long)arg, seed = number + 1, round, k;
	unsigned int rounds = saw ? 6 : 3;
	void **mine = objs[number];

	if (number)
		peer_thread_start();
	for (round = 0; round < rounds; round++) {
		for (k = 0; saw && k < POOLS; k++)
			tooth(mine, k);
		if (!saw)
			phase(mine, &seed);
		note(number, round ? &last : &first);
	}
	light(mine);
	pthread_barrier_wait(&barrier);
	if (number)
		pause();
	return NULL;
}

static void begin(void)
{
	const char *why = peer_start(0);
	unsigned int k;

	if (why)
		errx(1, "%s", why);
	for (k = 0; k < POOLS; k++)
		if (!peer_create(&pool[k], SIZE(k), THREADS * SAW_BYTES / SIZE(k), THREADS))
			errx(1, "no memory");
	memset(objs, 1, sizeof(objs));
	resident();
	before = resident();
}

int main(int argc, char **argv)
{
	unsigned long i;
	long peak;

	if (argc < 2 || (strcmp(argv[1], "saw") && strcmp(argv[1], "phase")))
		errx(2, "usage: phases saw|phase [SECONDS]");
	saw = argv[1][0] == 's';
	if (argc > 2)
		seconds = (unsigned int)atoi(argv[2]);
	begin();
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 1; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, (void *)i))
			errx(1, "no thread");
	}
	work(NULL);
	peak = resident_most() - before;
	printf("%ld %ld %ld %ld\n", first, last, peak > most ? peak : most, resident() - before);
	fflush(stdout);
	_exit(0);
}
