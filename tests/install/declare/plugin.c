// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plugin.c - a plugin that declares pools: one shared with others, one aligned
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: dlopen()ed by host.c and bare.c, or linked with host.c.  With EARLY it loads that
 *	    file before its pools are made.
 */
#include <libpool/pool.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef NAME
#define NAME	"one"
#endif

DECLARE_STATIC_POOL(pool, NAME, 64);
DECLARE_STATIC_ALIGNED_POOL(wide, NAME "-wide", 64, 128);

struct pool_head *plugin_pool(void);
int plugin_start(void);

struct pool_head *plugin_pool(void)
{
	void *obj = wide ? pool_alloc(wide) : NULL;

	if (!obj)
		return NULL;
	pool_free(wide, obj);
	return pool;
}

/* Use the plugin's pools in a thread until the process ends. */
static void *use(void *arg)
{
	for (;;) {
		void *obj[100];
		int i;

		for (i = 0; i < 100; i++)
			obj[i] = pool_alloc(i % 2 ? pool : wide);
		for (i = 0; i < 100; i++)
			pool_free(i % 2 ? pool : wide, obj[i]);
	}
	return arg;
}

int plugin_start(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, use, NULL);
}

#ifdef EARLY
static __attribute__((constructor(105))) void load(void)
{
	if (!dlopen(EARLY, RTLD_NOW | RTLD_LOCAL))
		_exit(8);
}
#endif

static void count(struct pool_head *head, void *arg)
{
	struct pool_stats now;

	pool_stats_get(head, &now, sizeof(now));
	*(unsigned int *)arg += now.registrations;
}

/* Runs after the plugin's destructors; prints a line unless STAYS pools are left. */
static __attribute__((destructor(101))) void look(void)
{
	const char *stays = getenv("STAYS");
	unsigned int n = 0;

	if (!stays)
		return;
	pool_for_each(count, &n);
	if (n != strtoul(stays, NULL, 10))
		_exit(9);
}
