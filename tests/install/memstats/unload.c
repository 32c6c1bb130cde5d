// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * unload.c - loads and unloads a plugin while another thread names its calls
 *
 * Layer:   tests, user space; see memstats.sh.
 * Context: main program.
 *
 *	unload PLUGIN	ends with 0 if the plugin's function was named meanwhile
 *
 * The loader unmaps the plugin with the names of its functions, so reading a name too late crashes.
 */
#include <libpool/pool.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS	10000

static int stop;
static char text[65536];

/* Returns its argument if the name of the function was found. */
static void *name_calls(void *arg)
{
	int named = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		pool_memstats_to_buf(text, sizeof(text), NULL);
		named |= !!strstr(text, " caller_use+0x");
	}
	return named ? arg : NULL;
}

static int use(const char *plugin, struct pool_head *pool)
{
	void *handle = dlopen(plugin, RTLD_NOW);
	void (*call)(struct pool_head *pool);

	if (!handle)
		return 1;
	*(void **)&call = dlsym(handle, "caller_use");
	call(pool);
	return dlclose(handle);
}

/* Load, name and unload in a child, whatever the other thread was doing at the fork. */
static int child_uses(const char *plugin, struct pool_head *pool)
{
	pid_t child = fork();
	int status = -1;

	if (!child) {
		alarm(60);
		status = use(plugin, pool);
		pool_memstats_to_buf(text, sizeof(text), NULL);
		_exit(status);
	}
	return child < 0 || waitpid(child, &status, 0) != child || status;
}

int main(int argc, char **argv)
{
	struct pool_head *pool;
	pthread_t thread;
	void *named;
	int i;

	if (argc != 2 || !pool_configure("memstats"))
		return 1;
	pool = create_pool("named", 64, 0);
	if (!pool || pthread_create(&thread, NULL, name_calls, pool))
		return 1;
	for (i = 0; i < ROUNDS; i++)
		if (use(argv[1], pool) || (i % 20 == 0 && child_uses(argv[1], pool)))
			return 1;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, &named);
	return named != pool || pool_destroy(pool);
}
