// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * races.c - threads that pass objects on, through pools and past them
 *
 * Layer:   tests, a user of libpool: see tools.sh.
 * Context: built with ThreadSanitizer, and linked with a libpool that is not.
 *
 *	races		everything is in order: nothing may be reported
 *	races bad	two threads write to an object at once: that must be reported
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpool/pool.h>

#define THREADS	4
#define ROUNDS	20
#define OBJS	100

DECLARE_STATIC_POOL(declared, "declared", 40);

static struct pool_head *pools[4];
static void *handed[OBJS];
static pthread_mutex_t handed_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static void need(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "races: %s\n", what);
	exit(3);
}

/* Each thread gets objects that others have written to, and freed. */
static void wave(struct pool_head *pool, int byte)
{
	char *objs[OBJS];
	unsigned int i;

	for (i = 0; i < OBJS; i++) {
		objs[i] = pool_alloc(pool);
		need(!!objs[i], "pool_alloc");
		memset(objs[i], byte, pool->size);
	}
	for (i = 0; i < OBJS; i++)
		pool_free(pool, objs[i]);
	need(pool_alloc_bulk(pool, 0, OBJS, (void **)objs), "bulk");
	for (i = 0; i < OBJS; i++)
		memset(objs[i], byte, pool->size);
	pool_free_bulk(pool, 0, OBJS, (void **)objs);
}

/* Each thread frees the objects of the thread before it. */
static void hand_on(struct pool_head *pool, unsigned int i)
{
	void *obj = pool_alloc(pool);

	need(!!obj, "pool_alloc");
	memset(obj, 1, pool->size);
	pthread_mutex_lock(&handed_mutex);
	if (handed[i]) {
		memset(handed[i], 2, pool->size);
		pool_free(pool, handed[i]);
	}
	handed[i] = obj;
	pthread_mutex_unlock(&handed_mutex);
}

static void *use(void *arg)
{
	unsigned int i, r;

	for (r = 0; r < ROUNDS; r++) {
		for (i = 0; i < 4; i++)
			wave(pools[i], (int)r);
		for (i = 0; i < OBJS; i++)
			hand_on(pools[0], i);
		pool_reclaim(NULL);
	}
	return arg;
}

static void *spoil(void *arg)
{
	unsigned int i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < 100; i++)
		((volatile char *)handed[0])[i % 40] = (char)i;
	return arg;
}

static void run(void *(*fn)(void *))
{
	pthread_t threads[THREADS];
	unsigned int i;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		need(!pthread_create(&threads[i], NULL, fn, NULL), "thread");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	unsigned int i;

	(void)argv;
	pools[0] = declared;
	pools[1] = create_pool("small", 16, MEM_F_SHARED);
	pools[2] = create_pool("other", 100, 0);
	pools[3] = create_pool("large", 5000, 0);
	for (i = 0; i < 4; i++)
		need(!!pools[i], "create_pool");
	run(use);
	run(use);
	if (argc > 1)
		run(spoil);
	for (i = 0; i < OBJS; i++)
		pool_free(pools[0], handed[i]);
	for (i = 1; i < 4; i++)
		need(!pool_destroy(pools[i]), "pool_destroy");
	return 0;
}
