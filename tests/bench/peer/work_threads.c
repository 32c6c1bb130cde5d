// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * work_threads.c - workloads of two threads
 *
 * Layer:   between worker.c and the peer; above helper.c.
 * Context: the first thread and the helper, or threads of their own.
 */
#include "work.h"
#include "helper.h"
#include "random.h"
#include "ring.h"

#include <err.h>
#include <errno.h>

#define BATCH		1000
#define SLOTS		1000
#define LIFE		20000

static peer_pool the_pool;
static struct ring ring;

static bool prepare(size_t size)
{
	return peer_create(&the_pool, size, RING_SLOTS + BATCH + 2 * SLOTS, 3);
}

static void finish(void)
{
	peer_destroy(the_pool);
}

static void ring_free(unsigned long n)
{
	peer_pool pool = the_pool;

	while (n--)
		put_back(pool, ring_take(&ring));
}

static unsigned long run_ring(unsigned long n)
{
	peer_pool pool = the_pool;
	unsigned long i;

	n = (n + RING_BURST - 1) / RING_BURST * RING_BURST;
	helper_begin(ring_free, n);
	for (i = 0; i < n; i++)
		ring_put(&ring, get_written(pool));
	helper_wait();
	return n;
}

/* Allocate and free batches; the other thread waits for each batch. */
static struct {
	void *held[BATCH];
	char apart[128];
	unsigned long allocated;
	char too[128];
	unsigned long freed;
} alternate;

static void alternate_free(unsigned long n)
{
	peer_pool pool = the_pool;
	unsigned long done;
	unsigned int i;

	for (done = 0; done < n; done += BATCH) {
		ring_wait(&alternate.allocated, alternate.freed);
		for (i = 0; i < BATCH; i++)
			put_back(pool, alternate.held[i]);
		__atomic_store_n(&alternate.freed, alternate.freed + 1,
				 __ATOMIC_RELEASE);
	}
}

static unsigned long run_alternate(unsigned long n)
{
	peer_pool pool = the_pool;
	unsigned long done;
	unsigned int i;

	helper_begin(alternate_free, n);
	for (done = 0; done < n; done += BATCH) {
		for (i = 0; i < BATCH; i++)
			alternate.held[i] = get_written(pool);
		__atomic_store_n(&alternate.allocated, alternate.allocated + 1,
				 __ATOMIC_RELEASE);
		ring_wait(&alternate.freed, alternate.allocated - 1);
	}
	helper_wait();
	return done;
}

static void hot(unsigned long n)
{
	peer_pool pool = the_pool;

	while (n--)
		put_back(pool, get_written(pool));
}

static unsigned long run_hot2(unsigned long n)
{
	helper_begin(hot, n);
	hot(n);
	helper_wait();
	return n;
}

/* The objects that a line of threads passes on. */
static struct line {
	void *held[SLOTS];
	unsigned int seed;
	char apart[128];
} line[2];

static bool prepare_churn(size_t size)
{
	unsigned int i, k;

	if (!prepare(size))
		return false;
	for (i = 0; i < 2; i++) {
		line[i].seed = i + 1;
		for (k = 0; k < SLOTS; k++)
			line[i].held[k] = get_written(the_pool);
	}
	return true;
}

static void finish_churn(void)
{
	unsigned int i, k;

	for (i = 0; i < 2; i++)
		for (k = 0; k < SLOTS; k++)
			put_back(the_pool, line[i].held[k]);
	finish();
}

static void *live(void *arg)
{
	struct line *l = arg;
	peer_pool pool = the_pool;
	unsigned int i;

	peer_thread_start();
	for (i = 0; i < LIFE; i++) {
		void **slot = &l->held[random_below(&l->seed, SLOTS)];

		put_back(pool, *slot);
		*slot = get_written(pool);
	}
	peer_thread_end();
	return NULL;
}

static unsigned long run_churn(unsigned long n)
{
	pthread_t thread[2];
	unsigned long done;
	unsigned int i;

	for (done = 0; done < n; done += LIFE) {
		for (i = 0; i < 2; i++) {
			errno = pthread_create(&thread[i], NULL, live, &line[i]);
			if (errno)
				err(1, "thread");
			helper_pin(thread[i], i);
		}
		for (i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
	}
	return done;
}

/* Bytes of an object with a counter: no divisor of a cache line, so two objects may share one. */
#define COUNTER		48

static bool prepare_counters(size_t size)
{
	(void)size;
	return prepare(COUNTER);
}

static void *count(void *arg)
{
	unsigned long n = *(unsigned long *)arg;
	peer_pool pool = the_pool;
	volatile unsigned long *counter;

	peer_thread_start();
	counter = peer_get(pool);
	if (!counter)
		errx(1, "no more memory");
	for (*counter = 0; n; n--)
		++*counter;
	peer_put(pool, (void *)counter);
	peer_thread_end();
	return NULL;
}

static unsigned long run_counters(unsigned long n)
{
	pthread_t thread[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		errno = pthread_create(&thread[i], NULL, count, &n);
		if (errno)
			err(1, "thread");
		helper_pin(thread[i], i);
	}
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return n;
}

const struct work work_threads[] = {
	{ "ring", 2, prepare, run_ring, finish },
	{ "alternate", 2, prepare, run_alternate, finish },
	{ "hot2", 2, prepare, run_hot2, finish },
	{ "churn", 2, prepare_churn, run_churn, finish_churn },
	{ "counters", 2, prepare_counters, run_counters, finish },
	{ .name = NULL },
};
