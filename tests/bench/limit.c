// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * limit.c - what a limit costs where nobody waits
 *
 * Layer:   a program; twin of kernel/bench_kernel_limit.c.
 * Context: one thread.
 *
 * A pair is an allocation, a write and a free.  The peers that limit malloc() count its objects by
 * a sem_t, or by a mutex and a count, as a pool of objects with a condition variable does.
 *
 * Prints nanoseconds per pair, the least of ROUNDS rounds: with one object at a time, and with 100
 * objects at a time, or 16 if the limit is 16.
 */
#include "pool.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS		50
#define OPS		20000
#define BATCH		100
#define LARGE		100000
#define SMALL		16	/* no array: less than a slot for each of two CPUs */
#define SIZE		64

struct limit_peer {
	const char *name;
	unsigned int limit;
	void *(*get)(void);
	void (*put)(void *obj);
};

static struct pool_head *pool;
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned int count;

static void *get_malloc(void)
{
	return malloc(SIZE);
}

static void *get_sem(void)
{
	return sem_trywait(&semaphore) ? NULL : malloc(SIZE);
}

static void put_sem(void *obj)
{
	free(obj);
	sem_post(&semaphore);
}

static void *get_counted(void)
{
	bool some;

	pthread_mutex_lock(&mutex);
	some = count;
	count -= some;
	pthread_mutex_unlock(&mutex);
	return some ? malloc(SIZE) : NULL;
}

static void put_counted(void *obj)
{
	free(obj);
	pthread_mutex_lock(&mutex);
	count++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
}

static void *get_pool(void)
{
	return pool_alloc(pool);
}

static void put_pool(void *obj)
{
	pool_free(pool, obj);
}

static const struct limit_peer peers[] = {
	{ "malloc", 0, get_malloc, free },
	{ "sem_t", LARGE, get_sem, put_sem },
	{ "mutex", LARGE, get_counted, put_counted },
	{ "pool", 0, get_pool, put_pool },
	{ "pool", LARGE, get_pool, put_pool },
	{ "pool", SMALL, get_pool, put_pool },
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void round_of(const struct limit_peer *peer, unsigned int batch)
{
	static void *held[BATCH];
	unsigned int n, i;

	for (n = OPS / batch; n; n--) {
		for (i = 0; i < batch; i++) {
			held[i] = peer->get();
			if (!held[i])
				abort();
			*(unsigned int *)held[i] = i;
			__asm__ __volatile__("" : : "r" (held[i]) : "memory");
		}
		while (i)
			peer->put(held[--i]);
	}
}

static double least(const struct limit_peer *peer, unsigned int batch)
{
	double best = 0;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		double start = now(), took;

		round_of(peer, batch);
		took = now() - start;
		if (!i || took < best)
			best = took;
	}
	return best / OPS;
}

static void measure(const struct limit_peer *peer)
{
	struct pool_attr attr = { .name = "limit", .size = SIZE, .limit = peer->limit };
	double one, many;

	pool = create_pool_ext(&attr);
	if (!pool || sem_init(&semaphore, 0, peer->limit))
		abort();
	count = peer->limit;
	one = least(peer, 1);
	many = least(peer, peer->limit == SMALL ? SMALL : BATCH);
	printf("%-8s %9u %7.1f %7.1f\n", peer->name, peer->limit, one, many);
	pool_destroy(pool);
}

int main(void)
{
	unsigned int i;

	puts("# ns of an allocation and its free: one object at a time, and 100\n"
	     "#            limit     one   batch");
	for (i = 0; i < sizeof(peers) / sizeof(peers[0]); i++)
		measure(&peers[i]);
	return 0;
}
