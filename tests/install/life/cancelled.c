// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cancelled.c - a thread is cancelled inside the C library, which has to unwind
 *
 * Layer:   a program that is linked statically.
 * Context: two threads.
 *
 * The unwinder is found by a section that each part of a program has; the linker keeps one copy.
 */
#include <libpool/pool.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

DECLARE_STATIC_POOL(pool, "cancelled", 64);

static void *read_one(void *arg)
{
	fgetc(arg);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	void *result;
	int fds[2];
	FILE *in;

	pool_free(pool, pool_alloc(pool));
	if (pipe(fds) || !(in = fdopen(fds[0], "r")) ||
	    pthread_create(&thread, NULL, read_one, in) ||
	    pthread_cancel(thread) || pthread_join(thread, &result))
		return 1;
	return result != PTHREAD_CANCELED || ftrylockfile(in);
}
