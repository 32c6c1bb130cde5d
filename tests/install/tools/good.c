// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * good.c - a program without a fault, in which no tool may report one
 *
 * Layer:   tests, a user of libpool: see tools.sh.
 * Context: built with AddressSanitizer, or run by valgrind.
 *
 * Calls everything that makes, moves or ends objects, and writes each object from
 * its first byte to its last.  Some pools are left, with objects in their caches.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libpool/pool.h>

#define THREADS		3
#define OBJS		200

DECLARE_STATIC_POOL(declared, "declared", 37);
DECLARE_STATIC_ALIGNED_POOL(aligned, "aligned", 200, 256);

static struct pool_head *pools[8];
static unsigned int count;
static struct pool_head *built;

static void need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "good: %s\n", what);
	exit(3);
}

static void construct(void *obj, void *arg)
{
	memset(obj, 0, 51);
	*(void **)obj = arg;
}

static void destruct(void *obj, void *arg)
{
	need(*(void **)obj == arg, "destruct");
}

static void add(struct pool_head *pool)
{
	need(pool, "create_pool");
	pools[count++] = pool;
}

static void make_pools(void)
{
	struct pool_attr attr = {
		.name = "built", .size = 51, .ctor = construct,
		.dtor = destruct, .arg = pools,
	};
	struct pool_attr few = {
		.name = "few", .size = 24, .limit = 100000, .min_avail = 3,
		.mode = POOL_M_NO_GLOBAL,
	};

	add(declared);
	add(aligned);
	add(create_pool("one", 1, MEM_F_EXACT));
	add(create_pool("equal", 61, MEM_F_SHARED));
	add(create_pool("near", 63, MEM_F_SHARED));
	add(create_pool("large", 70000, 0));
	add(create_pool_ext(&few));
	built = create_pool_ext(&attr);
	need(built, "create_pool_ext");
}

static void wave(struct pool_head *pool)
{
	static __thread char *objs[OBJS];
	unsigned int i;

	for (i = 0; i < OBJS; i++) {
		objs[i] = i & 1 ? pool_zalloc(pool) : pool_alloc(pool);
		need(objs[i], "pool_alloc");
		need(!(i & 1) || !objs[i][pool->size - 1], "pool_zalloc");
		memset(objs[i], 1, pool->size);
	}
	for (i = 0; i < OBJS; i++)
		pool_free(pool, objs[i]);
}

/* Constructed objects must be as they were freed, or as they were made. */
static void wave_built(void)
{
	static __thread void **objs[OBJS];
	unsigned int i;

	for (i = 0; i < OBJS; i++) {
		objs[i] = pool_alloc(built);
		need(objs[i] && *objs[i] == pools, "constructed");
	}
	for (i = 0; i < OBJS; i++)
		pool_free(built, objs[i]);
}

static void bulk(struct pool_head *pool)
{
	static __thread void *objs[OBJS];
	unsigned int i;

	need(pool_alloc_bulk(pool, POOL_F_MUST_ZERO, OBJS, objs), "bulk");
	for (i = 0; i < OBJS; i++)
		memset(objs[i], 2, pool->size);
	pool_free_bulk(pool, 0, OBJS, objs);
}

static void reserve(struct pool_head *pool)
{
	struct pool_reserved *r = pool_reserve(pool, 10);
	char *obj = pool_alloc_reserved(r);

	need(obj, "reserve");
	memset(obj, 3, pool->size);
	pool_free(pool, obj);
	pool_unreserve(r);
	obj = pool_alloc_nocache(pool);
	need(obj, "nocache");
	memset(obj, 4, pool->size);
	pool_free(pool, obj);
}

/* Objects that a handler frees may be parked. */
static void handler(int sig)
{
	char *objs[10] = { NULL };
	unsigned int i;

	(void)sig;
	for (i = 0; i < 10; i++) {
		objs[i] = __pool_alloc(pools[0], POOL_F_ATOMIC);
		if (objs[i])
			memset(objs[i], 5, pools[0]->size);
	}
	for (i = 0; i < 10; i++)
		__pool_free(pools[0], objs[i], POOL_F_ATOMIC);
}

static void *use(void *unused)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		wave(pools[i]);
		bulk(pools[i]);
		reserve(pools[i]);
	}
	wave_built();
	raise(SIGUSR1);
	pool_thread_idle();
	wave(pools[0]);
	return unused;
}

static void use_in_threads(void)
{
	pthread_t threads[THREADS];
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		need(!pthread_create(&threads[i], NULL, use, NULL), "thread");
	use(NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void use_in_child(void)
{
	pid_t child = fork();
	int status = 1;

	if (!child) {
		use(NULL);
		_exit(0);
	}
	need(waitpid(child, &status, 0) == child && !status, "child");
}

static void collect(void)
{
	static char text[10000];

	pool_flush(pools[0]);
	pool_gc(NULL);
	pool_reclaim(NULL);
	dump_pools_to_buf(text, sizeof(text), "");
	use(NULL);
}

int main(void)
{
	struct pool_head *gone;

	signal(SIGUSR1, handler);
	make_pools();
	use_in_threads();
	use_in_child();
	collect();
	gone = create_pool("gone", 100, 0);
	wave(gone);
	need(!pool_destroy(gone), "pool_destroy");
	need(!pool_destroy(built), "pool_destroy");
	return 0;
}
