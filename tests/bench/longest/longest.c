// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * longest.c - single calls, counted instruction by instruction
 *
 * Layer:   a program, x86-64 only; above the API.
 * Context: one thread at a time.  Built without a red zone, see trap.h.
 *
 * Per cause: how many calls, the median and the most of the instructions in the
 * program and in the library, and the most in the C library.  Most calls are those of
 * "pools32" (steps.h); others are rare ones of a program's life, made on purpose.
 *
 * A stepped instruction takes microseconds.  So only some of the calls that will hit are
 * stepped, and in some runs only every n-th of the others.
 */
#include "longest.h"
#include "pool.h"
#include "steps.h"

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MANY		65536u
#define HITS		100		/* how many are stepped */
#define SMALL		16u

static struct steps steps;
static struct pool_head *pools[STEPS_POOLS];
static void *held[STEPS_POOLS][STEPS_BURST];
static unsigned int count[STEPS_POOLS];
static void *objs[MANY];

static struct pool_head *new_pool(unsigned int size)
{
	struct pool_head *pool = create_pool("longest", size, 0);

	if (!pool)
		errx(1, "no pool");
	return pool;
}

static bool alloc_hits(struct pool_head *pool)
{
	const struct pool_hot *hot = pool_hot_enter(pool);

	return hot->open == POOL_OPEN && hot->n;
}

static bool free_hits(struct pool_head *pool)
{
	const struct pool_hot *hot = pool_hot_enter(pool);

	return hot->open == POOL_OPEN && hot->n < hot->cap;
}

/* True if the next call is to be stepped: every @every-th call that does not hit. */
static bool is_chosen(bool hits, unsigned int every, unsigned int *hit)
{
	static unsigned int slow;

	if (!every)
		return false;
	return hits ? (*hit)++ < HITS : slow++ % every == 0;
}

static void *one_alloc(const char *op, struct pool_head *pool, bool causes)
{
	void *obj;

	CALL_COUNTED(op, causes, obj = pool_alloc(pool));
	return obj;
}

static void one_free(const char *op, struct pool_head *pool, void *obj,
		     bool causes)
{
	CALL_COUNTED(op, causes, pool_free(pool, obj));
}

static void take_more(struct pool_head *pool, unsigned int from,
		      unsigned int to)
{
	unsigned int i;

	for (i = from; i < to; i++)
		objs[i] = pool_alloc(pool);
}

/* Allocate @n objects and count every @every-th call; 0: no call. */
static void take(struct pool_head *pool, unsigned int n, unsigned int every)
{
	static unsigned int hit;
	unsigned int i;

	for (i = 0; i < n; i++)
		objs[i] = is_chosen(alloc_hits(pool), every, &hit) ?
			  one_alloc("alloc", pool, true) : pool_alloc(pool);
}

static void give(struct pool_head *pool, unsigned int n, unsigned int every)
{
	static unsigned int hit;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (is_chosen(free_hits(pool), every, &hit))
			one_free("free", pool, objs[i], true);
		else
			pool_free(pool, objs[i]);
	}
}

/* Make a step of pools32: a burst of one pool. */
static void one_step(unsigned int every)
{
	unsigned int burst, k;
	unsigned int i = steps_next(&steps, &burst);

	if (count[i]) {
		for (k = 0; k < count[i]; k++)
			objs[k] = held[i][k];
		give(pools[i], count[i], every);
		count[i] = 0;
		return;
	}
	take(pools[i], burst, every);
	for (k = 0; k < burst; k++)
		held[i][k] = objs[k];
	count[i] = burst;
}

/* Count the first calls, then a part of the sequence with warm caches. */
static void run_steps(unsigned int size)
{
	unsigned int i, k;

	steps_make(&steps);
	for (i = 0; i < STEPS_POOLS; i++)
		pools[i] = new_pool(size);
	for (i = 0; i < STEPS + STEPS / 8; i++)
		one_step(i < STEPS / 32 || i >= STEPS ? 8 : 0);
	for (i = 0; i < STEPS_POOLS; i++) {
		for (k = 0; k < count[i]; k++)
			pool_free(pools[i], held[i][k]);
		count[i] = 0;
		pool_destroy(pools[i]);
	}
}

/* Let the need rise and fall, so that objects go to the backend. */
static void run_waves(unsigned int size, unsigned int n)
{
	struct pool_head *pool = new_pool(size);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		take(pool, n, 128);
		give(pool, n, 16);
	}
	pool_destroy(pool);
}

/*
 * Allocate one large object for which many small ones have to leave.  The pool of the
 * smallest ones comes last, so that the oldest clusters are small.  Then one call evicts
 * as many as possible.
 */
static void run_evictions(void)
{
	struct pool_head *large = new_pool(32768);
	unsigned int i, round;
	void *obj;

	for (i = 0; i < SMALL; i++)
		pools[i] = new_pool(16 + 16 * i);
	for (round = 0; round < 8; round++) {
		obj = pool_alloc(large);
		for (i = SMALL; i--;) {
			take(pools[i], MANY / 4 / (i + 1), 0);
			give(pools[i], MANY / 4 / (i + 1), 0);
		}
		one_free("free", large, obj, true);
	}
	for (i = 0; i < SMALL; i++)
		pool_destroy(pools[i]);
	pool_destroy(large);
}

/* Bulk calls: warm, then more than is cached, then more than can be cached. */
static void run_bulks(unsigned int size)
{
	struct pool_head *pool = new_pool(size);
	unsigned int n;

	take(pool, 256, 0);
	give(pool, 256, 0);
	for (n = 0; n < 384; n += 64)
		CALL_COUNTED("bulk64_alloc", true,
			     pool_alloc_bulk(pool, 0, 64, objs + n));
	take_more(pool, 384, 1024);
	for (n = 0; n < 1024; n += 64)
		CALL_COUNTED("bulk64_free", true,
			     pool_free_bulk(pool, 0, 64, objs + n));
	pool_destroy(pool);
}

static void run_nocache(void)
{
	struct pool_head *pool = new_pool(64);
	unsigned int i;

	for (i = 0; i < 16; i++)
		CALL_COUNTED("nocache_alloc", true,
			     objs[i] = pool_alloc_nocache(pool));
	give(pool, 16, 0);
	pool_destroy(pool);
}

/* Threads */

static void in_thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, fn, arg);
	if (errno)
		err(1, "thread");
	pthread_join(thread, NULL);
}

static void *first_calls(void *arg)
{
	void *obj = one_alloc("first_alloc_of_thread", arg, false);

	one_free("first_free_of_thread", arg, obj, false);
	CALL_COUNTED("thread_idle", false, pool_thread_idle());
	return NULL;
}

static void *give_all(void *arg)
{
	give(arg, 2048, 4);
	return NULL;
}

/* One thread allocates, others free. */
static void run_threads(void)
{
	struct pool_head *pool = new_pool(64);
	unsigned int i;

	for (i = 0; i < 3; i++)
		in_thread(first_calls, pool);
	for (i = 0; i < 3; i++) {
		take(pool, 2048, 8);
		in_thread(give_all, pool);
	}
	pool_destroy(pool);
}

static pthread_barrier_t ready, done;

static void *stay(void *arg)
{
	pool_free(arg, pool_alloc(arg));
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&done);
	return NULL;
}

/* Refuse a call, which reads the numbers of @threads threads first. */
static void refuse(const char *op, unsigned int threads)
{
	struct pool_head *pool = new_pool(64);
	unsigned int n = threads ? threads : 1, i;
	pthread_t thread[64];

	pthread_barrier_init(&ready, NULL, threads + 1);
	pthread_barrier_init(&done, NULL, threads + 1);
	for (i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, stay, pool))
			errx(1, "thread");
	pthread_barrier_wait(&ready);
	pool_set_limit(pool, threads + n);
	take(pool, n, 0);
	one_alloc(op, pool, false);
	pthread_barrier_wait(&done);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	give(pool, n, 0);
	pool_destroy(pool);
}

/* Costs that grow with what other calls left behind: see Documentation/performance-figures.rst. */

/* Free @n objects in a handler while the array is full. */
static void after_parking(const char *op, unsigned int n)
{
	struct pool_head *pool = new_pool(64);
	unsigned int i;

	pool_set_debug(pool, "no-cache,no-global");
	take(pool, n + 1, 0);
	for (i = 0; i < n; i++)
		__pool_free(pool, objs[i], POOL_F_ATOMIC);
	one_free(op, pool, objs[n], false);
	pool_destroy(pool);
}

/* Empty @n clusters of the shared pool in a handler. */
static void after_emptying(const char *op, unsigned int n)
{
	struct pool_head *pool = new_pool(64);
	unsigned int i;

	pool_set_min_avail(pool, n);
	take(pool, n, 0);
	give(pool, n, 0);
	for (i = 0; i < n; i++)
		objs[i] = __pool_alloc(pool, POOL_F_ATOMIC);
	for (i = 0; i < n; i++) {
		if (i > 1024 || free_hits(pool))
			pool_free(pool, objs[i]);
		else
			one_free(op, pool, objs[i], false);
	}
	pool_destroy(pool);
}

/* Collect @n objects more than a thread caches. */
static void run_gc(const char *op, unsigned int n)
{
	struct pool_head *pool = new_pool(1024);

	n += 512;
	pool_set_min_avail(pool, n);
	take(pool, n, 0);
	give(pool, n, 0);
	pool_set_min_avail(pool, 0);
	CALL_COUNTED(op, false, pool_gc(NULL));
	pool_destroy(pool);
}

/* Ticks of ageing, which make several passes over the pools of run_ticks(). */
#define TICKS		40u

/* One visit in this many may age; a pair of calls has two visits. */
#define TICK_PAIRS	128u

/*
 * Each read of the library's clock returns ten seconds more, because ageing waits for time to pass.
 */
static unsigned long looks;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){ .tv_sec = (time_t)(10 * ++looks) };
	return 0;
}

static void pairs(struct pool_head *pool, unsigned int n)
{
	while (n--)
		pool_free(pool, pool_alloc(pool));
}

/*
 * Calls that age other pools.  A limit of 16 leaves no room for an array, so each call is a visit,
 * and every 128th pair ages: the first one that looks at the clock, and each 128th after it.
 */
static void run_ticks(void)
{
	struct pool_head *busy = new_pool(64);
	unsigned int i;
	void *obj;

	pool_set_limit(busy, 16);
	for (i = 0; i < SMALL; i++) {
		pools[i] = new_pool(16 + 16 * i);
		take(pools[i], 4096, 0);
		give(pools[i], 4096, 0);
	}
	if (!pool_set_debug(NULL, "age"))
		errx(1, "no ageing");
	looks = 0;
	while (!looks)
		pairs(busy, 1);
	for (i = 0; i < TICKS; i++) {
		pairs(busy, TICK_PAIRS - 1);
		CALL_COUNTED("alloc_that_ages", false, obj = pool_alloc(busy));
		pool_free(busy, obj);
	}
	if (looks < 3)
		errx(1, "no pass of ageing has ended");
	pool_set_debug(NULL, "no-age");
	for (i = 0; i < SMALL; i++)
		pool_destroy(pools[i]);
	pool_destroy(busy);
}

int main(void)
{
	call_start();
	run_threads();
	run_steps(64);
	run_steps(1024);
	run_waves(64, 16384);
	run_waves(16384, 256);
	run_evictions();
	run_bulks(64);
	run_bulks(1024);
	run_nocache();
	refuse("refused_alloc", 0);
	refuse("refused_alloc_with_64_threads", 64);
	after_parking("free_after_100_parked", 100);
	after_parking("free_after_400_parked", 400);
	after_emptying("free_after_handler_took_16384", 16384);
	after_emptying("free_after_handler_took_65536", MANY);
	run_gc("gc_of_256_objects", 256);
	run_gc("gc_of_1024_objects", 1024);
	run_ticks();
	table_print();
	return 0;
}
