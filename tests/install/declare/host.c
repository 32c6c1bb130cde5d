// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * host.c - loads plugins that declare pools, and unloads them
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: a program: host WHAT PLUGIN.so...  It has a declared pool itself.
 */
#include <libpool/pool.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLUGINS	3
#define WHATS	7

DECLARE_STATIC_POOL(own, "own", 64);

static char **paths;

struct plugin {
	void *handle;
	struct pool_head *(*pool)(void);
	int (*start)(void);
};

/* ISO C cannot convert the result of dlsym() to a function. */
static void find(struct plugin *p, const char *name, void *to)
{
	void *at = dlsym(p->handle, name);

	memcpy(to, &at, sizeof(at));
}

static int load(struct plugin *p, int i)
{
	p->handle = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
	if (!p->handle) {
		puts(dlerror());
		return 0;
	}
	find(p, "plugin_pool", &p->pool);
	find(p, "plugin_start", &p->start);
	return !!p->pool;
}

static void count(struct pool_head *pool, void *arg)
{
	struct pool_stats now;

	pool_stats_get(pool, &now, sizeof(now));
	((unsigned int *)arg)[0]++;
	((unsigned int *)arg)[1] += now.registrations;
}

/* True if @pools pools with @registrations registrations in all exist. */
static int there_are(unsigned int pools, unsigned int registrations)
{
	unsigned int n[2] = { 0, 0 };

	pool_for_each(count, n);
	if (n[0] == pools && n[1] == registrations)
		return 1;
	printf("%u pools of %u registrations, not %u of %u\n", n[0], n[1],
	       pools, registrations);
	return 0;
}

/* True if all plugins' pools exist, and equal ones are merged. */
static int exists(void)
{
	struct plugin p[PLUGINS];
	int i;

	if (!there_are(1, 1))
		return 1;
	for (i = 0; i < PLUGINS; i++)
		if (!load(&p[i], i) || p[i].pool() != own)
			return 2;
	return !there_are(2, 6);
}

static int gives_back(void)
{
	struct plugin p[PLUGINS];
	int i;

	for (i = 0; i < PLUGINS; i++)
		if (!load(&p[i], i) || p[i].pool() != own)
			return 1;
	dlclose(p[1].handle);
	if (!there_are(2, 4) || p[0].pool() != own)
		return 2;
	dlclose(p[0].handle);
	if (!there_are(1, 2) || p[2].pool() != own)
		return 3;
	dlclose(p[2].handle);
	return !there_are(1, 1);
}

/* Returns how many KiB the process has mapped. */
static long mapped(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!file || fscanf(file, "%ld", &pages) != 1)
		puts("no statm");
	if (file)
		fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int cycle(void)
{
	struct plugin p[PLUGINS];
	int i;

	for (i = 0; i < PLUGINS; i++)
		if (!load(&p[i], i) || !p[i].pool())
			return 0;
	for (i = 0; i < PLUGINS; i++)
		dlclose(p[i].handle);
	return there_are(1, 1);
}

static int cycles(void)
{
	long before = 0;
	int i;

	for (i = 0; i < 110; i++) {
		if (i == 10)
			before = mapped();
		if (!cycle())
			return 1;
	}
	if (mapped() <= before)
		return 0;
	printf("%ld KiB, then %ld\n", before, mapped());
	return 2;
}

/* Unload a plugin whose pool was destroyed before, and which must not give the pool back. */
static int gone(void)
{
	struct plugin p[2];

	if (!load(&p[0], 0) || !load(&p[1], 1))
		return 1;
	pool_destroy(own);
	pool_destroy(own);
	pool_destroy(own);
	if (!there_are(1, 2))
		return 2;
	dlclose(p[0].handle);
	if (!there_are(1, 1))
		return 3;
	pool_destroy_all();
	dlclose(p[1].handle);
	return !there_are(0, 0);
}

static void *use(void *arg)
{
	for (;;) {
		void *obj = pool_alloc(own);

		pool_free(own, obj);
	}
	return arg;
}

/* Call exit() while threads use pools of the program and of a plugin. */
static int exits(void)
{
	struct plugin p;
	pthread_t thread;

	if (!load(&p, 0) || p.start() || p.start() ||
	    pthread_create(&thread, NULL, use, NULL))
		return 1;
	usleep(5000);
	exit(0);
}

static struct plugin late_plugin;

/* Registered so that it runs after exit() has begun and before libpool's own handler. */
static void load_late(void)
{
	if (!load(&late_plugin, 1) || late_plugin.pool() != own)
		puts("no plugin at exit");
}

static int late(void)
{
	struct plugin p;

	if (!load(&p, 0) || p.start() || atexit(load_late))
		return 1;
	return 0;
}

/* Call exit() with a plugin loaded, which checks that its pools stay. */
static int stays(void)
{
	struct plugin p;

	return !load(&p, 1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*fn)(void);
	} all[WHATS] = {
		{ "exists", exists }, { "gives_back", gives_back },
		{ "cycles", cycles }, { "gone", gone }, { "exits", exits },
		{ "late", late }, { "stays", stays },
	};
	unsigned int i;

	if (argc != 2 + PLUGINS)
		return 100;
	paths = argv + 2;
	for (i = 0; i < WHATS; i++)
		if (!strcmp(argv[1], all[i].name))
			return all[i].fn();
	return 101;
}
