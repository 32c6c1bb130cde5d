// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bare.c - a program without libpool that loads a plugin which brings it along
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: a program: bare PLUGIN.so
 */
#include <libpool/pool.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void (*for_each)(void (*fn)(struct pool_head *pool, void *arg),
			void *arg);

/* ISO C cannot convert the result of dlsym() to a function. */
static void find(void *handle, const char *name, void *to)
{
	void *at = dlsym(handle, name);

	memcpy(to, &at, sizeof(at));
}

static void (*get_stats)(struct pool_head *pool, struct pool_stats *stats,
			 size_t size);

static void count(struct pool_head *pool, void *arg)
{
	struct pool_stats now;

	get_stats(pool, &now, sizeof(now));
	*(unsigned int *)arg += now.registrations;
}

/*
 * Load and unload the plugin.  The library stays loaded.  Objects that were loaded together with it
 * count as the program, so the two registrations of the first load stay; those of later loads are
 * released.
 */
static int cycle(const char *path, unsigned int first)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	unsigned int before = 0, after = 0;

	if (!handle) {
		puts(dlerror());
		return 1;
	}
	find(handle, "pool_for_each", &for_each);
	find(handle, "pool_stats_get", &get_stats);
	if (!for_each || !get_stats)
		return 2;
	for_each(count, &before);
	dlclose(handle);
	for_each(count, &after);
	if (before == (first ? 2 : 4) && after == 2)
		return 0;
	printf("%u registrations, then %u\n", before, after);
	return 3;
}

int main(int argc, char **argv)
{
	int i, bad = argc != 2;

	for (i = 0; i < 5 && !bad; i++)
		bad = cycle(argv[1], !i);
	return bad;
}
