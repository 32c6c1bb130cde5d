// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * wait.c - what a free costs while threads wait, and when a waiter has the object
 *
 * Layer:   a program; twin of kernel/bench_kernel_wait.c.
 * Context: one thread frees, others wait.
 *
 * Threads wait for the only object: of a pool with a limit of 1, or of malloc() below a sem_t, or
 * below a mutex, a condition variable and a count.  In each round the main thread frees the object.
 * A waiter that has it hands it back in a pointer, and waits again.
 *
 * Prints microseconds, medians of ROUNDS rounds: of the free, and from its begin until a waiter has
 * the object.
 */
#include "pool.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS		1000
#define WAITERS_MAX	32
#define SIZE		64

struct wait_peer {
	const char *name;
	void *(*get)(void);
	void (*put)(void *obj);
};

static struct pool_head *pool;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned int count = 1;
static sem_t semaphore;

static void *get_pool(void)
{
	return pool_alloc_timeout(pool, 0, POOL_FOREVER);
}

static void put_pool(void *obj)
{
	pool_free(pool, obj);
}

static void *get_malloc(void)
{
	pthread_mutex_lock(&mutex);
	while (!count)
		pthread_cond_wait(&changed, &mutex);
	count--;
	pthread_mutex_unlock(&mutex);
	return malloc(SIZE);
}

static void put_malloc(void *obj)
{
	free(obj);
	pthread_mutex_lock(&mutex);
	count++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
}

static void *get_sem(void)
{
	while (sem_wait(&semaphore))
		;
	return malloc(SIZE);
}

static void put_sem(void *obj)
{
	free(obj);
	sem_post(&semaphore);
}

static const struct wait_peer peers[] = {
	{ "sem_t", get_sem, put_sem },
	{ "condition", get_malloc, put_malloc },
	{ "pool", get_pool, put_pool },
};

static const struct wait_peer *peer;
static void *box;		/* the object that a waiter has handed back, or NULL */
static double got_at;
static int ending;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void *wait_often(void *unused)
{
	int last;

	(void)unused;
	do {
		void *obj = peer->get();

		if (!obj)
			abort();
		got_at = now();
		last = __atomic_load_n(&ending, __ATOMIC_RELAXED);
		__atomic_store_n(&box, obj, __ATOMIC_RELEASE);
	} while (!last);
	return NULL;
}

static void *handed_back(void)
{
	void *obj;

	while (!(obj = __atomic_exchange_n(&box, NULL, __ATOMIC_ACQUIRE)))
		usleep(20);
	return obj;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *of)
{
	qsort(of, ROUNDS, sizeof(*of), compare);
	return of[ROUNDS / 2];
}

/* Each round begins with a pause, so that the waiters sleep again. */
static void measure(unsigned int n)
{
	static double put[ROUNDS], waiter[ROUNDS];
	pthread_t threads[WAITERS_MAX];
	void *obj = peer->get();
	unsigned int i;

	ending = 0;
	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, wait_often, NULL))
			abort();
	for (i = 0; i < ROUNDS; i++) {
		double start;

		usleep(200);
		start = now();
		peer->put(obj);
		put[i] = now() - start;
		obj = handed_back();
		waiter[i] = got_at - start;
	}
	__atomic_store_n(&ending, 1, __ATOMIC_RELAXED);
	for (i = 0; i < n; i++) {
		peer->put(obj);
		obj = handed_back();
	}
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	peer->put(obj);
	printf("%-10s %7u %8.1f %10.1f\n", peer->name, n, median(put), median(waiter));
}

int main(void)
{
	struct pool_attr attr = { .name = "wait", .size = SIZE, .limit = 1 };
	unsigned int i;

	pool = create_pool_ext(&attr);
	if (!pool || sem_init(&semaphore, 0, 1))
		return 1;
	puts("# us, of a free while threads wait\n#          waiters     free  to waiter");
	for (i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
		peer = &peers[i];
		measure(1);
		measure(4);
		measure(WAITERS_MAX);
	}
	return pool_destroy(pool) ? 1 : 0;
}
