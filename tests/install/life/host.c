// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * host.c - a program that uses libpool only by dlopen()
 *
 * Layer:   tests, a program of its own: see life.sh.
 * Context: not linked with libpool.
 *
 *	host plugin FILE LIBRARY	loads and unloads a plugin that has pools
 *	host library LIBRARY		loads libpool itself, and lets go of it
 *					while threads still have areas
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libpool/pool.h>

#define THREADS	4
#define ROUNDS	100

/* The functions of libpool that are used, by name. */
static void *(*create_at)(const char *name, unsigned int size,
			  unsigned int flags, const char *file, int line,
			  const void *owner, unsigned int abi);
static void *(*get)(void *pool);
static void (*put)(void *pool, void *obj);
static void *(*destroy)(void *pool);
static unsigned long long (*total)(void);

static int (*use)(void);
static pthread_barrier_t barrier;
static void *pool;
static pthread_key_t older_key;
static unsigned int freed_late;

static void fail(const char *what)
{
	const char *why = dlerror();

	fprintf(stderr, "host: %s: %s\n", what, why ? why : "wrong");
	exit(1);
}

/* POSIX returns functions as data pointers. */
static void find(void *handle, const char *name, void *fn)
{
	void *found = dlsym(handle, name);

	if (!found)
		fail(name);
	memcpy(fn, &found, sizeof(found));
}

static void *open_file(const char *file)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		fail(file);
	return handle;
}

static void find_library(void *handle)
{
	find(handle, "pool_create_at", &create_at);
	find(handle, "pool_alloc", &get);
	find(handle, "pool_free", &put);
	find(handle, "pool_destroy", &destroy);
	find(handle, "pool_total_allocated", &total);
}

static void *use_plugin(void *arg)
{
	(void)arg;
	if (use())
		fail("plugin_use");
	return NULL;
}

/* Give an area to a thread that outlives all plugins, with an array in it for each of them. */
static void *outlive(void *arg)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		use_plugin(arg);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void plugin_round(const char *file)
{
	void *handle = open_file(file);
	pthread_t threads[THREADS];
	unsigned int i;

	find(handle, "plugin_use", &use);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, use_plugin, NULL))
			fail("pthread_create");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	use_plugin(NULL);
	pthread_barrier_wait(&barrier);
	if (dlclose(handle) || dlopen(file, RTLD_NOW | RTLD_NOLOAD))
		fail("dlclose");
}

static int plugins(const char *file, const char *library)
{
	pthread_t thread;
	unsigned int i;

	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, outlive, NULL))
		fail("pthread_create");
	for (i = 0; i < ROUNDS; i++)
		plugin_round(file);
	pthread_join(thread, NULL);
	find_library(open_file(library));
	if (total())
		fail("a plugin's pool was left");
	return 0;
}

static void use_library(void)
{
	void *objs[200];
	unsigned int i;

	for (i = 0; i < 200; i++)
		objs[i] = get(pool);
	for (i = 0; i < 200; i++) {
		if (!objs[i])
			fail("pool_alloc");
		put(pool, objs[i]);
	}
}

/* This key is older than libpool's, so its destructor runs first. */
static void free_late(void *obj)
{
	put(pool, obj);
	__atomic_fetch_add(&freed_late, 1, __ATOMIC_RELAXED);
}

/* Keep a thread from before libpool is loaded until after it was closed. */
static void *around_library(void *arg)
{
	pthread_barrier_wait(&barrier);
	use_library();
	pthread_setspecific(older_key, get(pool));
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return arg;
}

/* Fork: the handlers of fork() outlast the closed library. */
static void fork_after(void)
{
	int status = 1;
	pid_t child = fork();

	if (!child) {
		use_library();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		fail("a child of the fork");
}

static int around(const char *library)
{
	pthread_t threads[THREADS];
	unsigned int i;
	void *handle;

	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	if (pthread_key_create(&older_key, free_late))
		fail("pthread_key_create");
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, around_library, NULL))
			fail("pthread_create");
	handle = open_file(library);
	find_library(handle);
	pool = create_at("host", 64, 0, __FILE__, __LINE__, NULL,
			 POOL_ABI);
	if (!pool)
		fail("pool_create_at");
	pthread_barrier_wait(&barrier);
	use_library();
	pthread_barrier_wait(&barrier);
	if (dlclose(handle))
		fail("dlclose");
	fork_after();
	pthread_barrier_wait(&barrier);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (freed_late != THREADS)
		fail("destructors");
	use_library();
	if (destroy(pool) || total())
		fail("pool_destroy");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "plugin"))
		return plugins(argv[2], argv[3]);
	if (argc == 3 && !strcmp(argv[1], "library"))
		return around(argv[2]);
	return 2;
}
