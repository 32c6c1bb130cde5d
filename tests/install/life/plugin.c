// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plugin.c - a plugin that has pools while it is loaded
 *
 * Layer:   tests; loaded and unloaded by host.c, linked with libpool.so; loaded by
 *	    apart.c, linked with libpool.a.
 * Context: plain threads.
 */
#include <libpool/pool.h>

#include <stdlib.h>

int plugin_use(void);
unsigned long long plugin_total(void);

static struct pool_head *pools[3];

__attribute__((constructor)) static void plugin_load(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		pools[i] = create_pool("plugin", 32u << i, 0);
		if (!pools[i])
			abort();
	}
}

/* Returns 0 if all allocations succeeded. */
int plugin_use(void)
{
	void *objs[100];
	unsigned int i;
	int bad = 0;

	for (i = 0; i < 100; i++)
		objs[i] = pool_zalloc(pools[i % 3]);
	for (i = 0; i < 100; i++) {
		bad |= !objs[i];
		pool_free(pools[i % 3], objs[i]);
	}
	return bad;
}

/* Bytes in the libpool that the plugin calls. */
unsigned long long plugin_total(void)
{
	return pool_total_allocated();
}

__attribute__((destructor)) static void plugin_unload(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (pool_destroy(pools[i]))
			abort();
}
