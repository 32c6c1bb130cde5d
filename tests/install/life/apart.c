// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * apart.c - a program whose plugin has a libpool of its own
 *
 * Layer:   tests, a program of its own: see life.sh.
 * Context: linked with libpool.so or libpool.a, and the plugin with libpool.a.
 *
 *	apart FILE	the plugin, tests/install/life/plugin.c
 *
 * Neither sees anything of the other: each has its pools, its numbers and its
 * threads' areas, whichever of them a thread calls first.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpool/pool.h>

#define THREADS	4
#define ROUNDS	50
#define OBJS	100

static struct pool_head *pool;
static int (*use)(void);
static unsigned long long (*plugins_total)(void);

static void need(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "apart: %s\n", what);
	exit(1);
}

/* POSIX returns functions as data pointers. */
static void find(void *handle, const char *name, void *fn)
{
	void *found = dlsym(handle, name);

	need(!!found, name);
	memcpy(fn, &found, sizeof(found));
}

static void use_own(void)
{
	void *objs[OBJS];
	unsigned int i;

	for (i = 0; i < OBJS; i++) {
		objs[i] = pool_alloc(pool);
		need(!!objs[i], "pool_alloc");
		memset(objs[i], 1, 64);
	}
	for (i = 0; i < OBJS; i++)
		pool_free(pool, objs[i]);
}

static void *use_both(void *plugin_first)
{
	unsigned int i;

	if (!plugin_first)
		use_own();
	for (i = 0; i < ROUNDS; i++) {
		need(!use(), "plugin_use");
		use_own();
	}
	return NULL;
}

static void use_in_threads(void)
{
	pthread_t threads[THREADS];
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		need(!pthread_create(&threads[i], NULL, use_both,
				     i & 1 ? &pool : NULL), "pthread_create");
	use_both(NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	unsigned long long own, theirs;
	void *handle;

	need(argc == 2, "usage: apart FILE");
	pool = create_pool("apart", 64, 0);
	need(!!pool, "create_pool");
	handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	need(!!handle, dlerror());
	find(handle, "plugin_use", &use);
	find(handle, "plugin_total", &plugins_total);
	need(!plugins_total(), "the plugin counts what it did not allocate");
	use_in_threads();
	own = pool_total_allocated();
	theirs = plugins_total();
	need(own && theirs && own % 64 == 0, "totals");
	need(!pool_destroy(pool), "pool_destroy");
	need(!pool_total_allocated() && plugins_total() == theirs,
	     "the program's pools are the plugin's");
	return 0;
}
