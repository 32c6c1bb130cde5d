// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * clean.c - a program that leaves nothing behind
 *
 * Layer:   tests, a user of libpool.
 * Context: run by life.sh, under valgrind.
 *
 * Declared, merged and constructed pools, used by threads that have exited and by
 * one that has not.  After pool_destroy_all() the heap is empty.
 */
#include <pthread.h>
#include <stdlib.h>

#include <libpool/pool.h>

#define THREADS		4
#define OBJS		500

DECLARE_STATIC_POOL(declared, "declared", 64);
DECLARE_STATIC_ALIGNED_POOL(aligned, "aligned", 200, 256);

static struct pool_head *pools[5];

static void construct(void *obj, void *arg)
{
	*(void **)obj = arg;
}

static void make_pools(void)
{
	struct pool_attr attr = {
		.name = "built", .size = 48, .ctor = construct,
	};

	pools[0] = declared;
	pools[1] = aligned;
	pools[2] = create_pool("equal", 60, MEM_F_SHARED);
	pools[3] = create_pool("large", 100000, 0);
	pools[4] = create_pool_ext(&attr);
}

static void *use(void *unused)
{
	static __thread void *objs[OBJS];
	unsigned int i, k;

	(void)unused;
	for (i = 0; i < 5; i++) {
		for (k = 0; k < OBJS; k++)
			objs[k] = pool_alloc(pools[i]);
		for (k = 0; k < OBJS; k++)
			pool_free(pools[i], objs[k]);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	struct pool_reserved *reserved;
	unsigned int i;

	make_pools();
	for (i = 0; i < 5; i++)
		if (!pools[i])
			return 1;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, use, NULL))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	use(NULL);
	reserved = pool_reserve(pools[0], 10);
	pool_free(pools[0], pool_alloc_reserved(reserved));
	pool_unreserve(reserved);
	pool_gc(NULL);
	pool_reclaim(NULL);
	use(NULL);
	pool_destroy_all();
	return 0;
}
