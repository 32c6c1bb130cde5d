// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * handler.c - a signal handler makes the first calls of each kind
 *
 * Layer:   a program, for life.sh, which reads what the loader binds between the two lines.
 * Context: one thread.
 *
 * The program allocates only.  So the handler's frees, and its allocations of what was freed, are
 * the first to spill arrays, evict clusters, and fill arrays again.
 */
#include <libpool/pool.h>

#include <signal.h>
#include <unistd.h>

#define MANY	20000

static struct pool_head *pools[2];
static void *objs[2][MANY];

static void say(const char *line, size_t bytes)
{
	if (write(STDERR_FILENO, line, bytes) < 0)
		_exit(2);
}

static void on_signal(int sig)
{
	int k, i;

	(void)sig;
	say("handler begins\n", 15);
	for (k = 0; k < 2; k++)
		for (i = 0; i < MANY; i++)
			__pool_free(pools[k], objs[k][i], POOL_F_ATOMIC);
	for (k = 0; k < 2; k++)
		for (i = 0; i < MANY; i++)
			objs[k][i] = __pool_alloc(pools[k], POOL_F_ATOMIC);
	for (k = 0; k < 2; k++)
		for (i = 0; i < MANY; i++)
			if (objs[k][i])
				__pool_free(pools[k], objs[k][i], POOL_F_ATOMIC);
	say("handler ends\n", 13);
}

int main(int argc, char **argv)
{
	int k, i;

	(void)argv;
	for (k = 0; k < 2; k++) {
		pools[k] = create_pool("handled", 64 + 512 * k, MEM_F_EXACT);
		if (argc > 1)
			pool_set_debug(pools[k], argv[1]);
		for (i = 0; i < MANY; i++)
			objs[k][i] = pool_alloc(pools[k]);
	}
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	return 0;
}
