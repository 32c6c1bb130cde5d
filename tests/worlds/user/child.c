// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * child.c - requests to a child of a fork, and its answers
 *
 * Layer:   tests, user space only; fork.c has the cases.
 * Context: a child leaves by _exit(): nothing of the framework runs in it.
 */
#include "life.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int child_says;

void child_needs(bool cond, const char *what, const char *file, int line)
{
	if (cond)
		return;
	dprintf(child_says, "%s:%d: child: %s\n", file, line, what);
	_exit(1);
}

/* Run fn() in a child.  Discards the log lines of its pools, because there are many. */
static void child_main(void (*fn)(void *arg), void *arg)
{
	int null = open("/dev/null", O_WRONLY);

	child_says = dup(STDERR_FILENO);
	dup2(null, STDERR_FILENO);
	signal(SIGALRM, SIG_DFL);
	alarm(60);
	fn(arg);
	_exit(0);
}

/* True if fn() finds all that it needs in a child of this thread. */
bool child_is_well(void (*fn)(void *arg), void *arg)
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		child_main(fn, arg);
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/* True if all numbers of a pool agree with each other. */
bool adds_up(struct pool *pool)
{
	struct pool_stats now;

	pool_sum(pool, &now);
	return now.parked + now.abandoned <= now.used &&
	       test_quiet(pool, now.used);
}

/* True if all cached and shared objects can be allocated, each of them once. */
bool objects_are_distinct(struct pool *pool)
{
	struct pool_stats before, now;
	bool distinct = true;
	unsigned long i, n;

	pool_sum(pool, &before);
	n = before.cached + before.shared;
	if (n > TEST_OBJS)
		n = TEST_OBJS;
	for (i = 0; i < n; i++) {
		test_objs[i] = test_alloc(pool);
		*(unsigned long *)test_objs[i] = i;
	}
	pool_sum(pool, &now);
	for (i = 0; i < n; i++)
		distinct &= *(unsigned long *)test_objs[i] == i;
	test_free_many(pool, test_objs, n);
	return distinct && now.store_gets == before.store_gets;
}
