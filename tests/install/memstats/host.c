// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * host.c - loads a plugin whose calls are counted, and unloads it
 *
 * Layer:   tests, user space; see memstats.sh.
 * Context: main program, built without DEBUG_MEM_STATS.
 *
 *	host PLUGIN	ends with 0 if the plugin's lines come and go with the plugin
 */
#include <libpool/pool.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define LINES	"\nmalloc - 1 0 40 0 40 part.c:17\n" \
		"free - 0 1 0 56 -56 part.c:20\n" \
		"malloc - 1 0 56 0 56 part.c:20\n" \
		"BALANCE allocs=2 frees=1 allocated=96 freed=56 balance=40\n"

static char text[4096];

static const char *show(const char *words)
{
	pool_memstats_to_buf(text, sizeof(text), words);
	return text;
}

/* The plugin's functions are those of part.h. */
static int use(const char *plugin)
{
	void *handle = dlopen(plugin, RTLD_NOW);
	void *(*make)(void);
	void *p;
	int bad;

	if (!handle)
		return 1;
	*(void **)&make = dlsym(handle, "part_make");
	bad = !strstr(show("all match part"), "\nmalloc - 0 0 0 0 0 part.c:17\n");
	p = make();
	bad |= !strstr(show(NULL), LINES);
	pool_memstats_to_buf(NULL, 0, "reset");
	bad |= !!strstr(show(""), "part.c");
	free(p);
	return dlclose(handle) || bad || strstr(show("all"), "part.c");
}

int main(int argc, char **argv)
{
	int i;

	for (i = 0; i < 100; i++)
		if (argc != 2 || use(argv[1]))
			return 1;
	return 0;
}
