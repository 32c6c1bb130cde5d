// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * start.c - what it costs a program to be linked with libpool
 *
 * Layer:   a program of scale.sh, built thrice: with libpool, with a library that has one function
 *	    (START_EMPTY is that library), and with neither.
 * Context: one thread.
 *
 *	start OBJECTS		allocates OBJECTS objects of 64 bytes, from a pool if there is one
 *
 * Prints the page faults until then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#ifdef START_POOL
#include "pool.h"
#endif

#ifdef START_EMPTY
int start_empty(void);

int start_empty(void)
{
	return 0;
}
#else
static void *get(void)
{
#ifdef START_POOL
	static struct pool_head *pool;

	if (!pool)
		pool = create_pool("start", 64, 0);
	return pool_alloc(pool);
#else
	return malloc(64);
#endif
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	struct rusage usage;

	while (n-- > 0)
		*(volatile char *)get() = 1;
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_minflt);
	return 0;
}
#endif
