// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cost.c - the cost of a pool's calls under a tool
 *
 * Layer:   tests, a user of libpool: see cost.sh.
 * Context: run alone, by the tool, and with no-tools.
 *
 *	cost N		allocates and frees N times, eight objects at a time; prints
 *			nanoseconds per object
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <libpool/pool.h>

#define AT_ONCE	8

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	struct pool_head *pool = create_pool("cost", 64, 0);
	long n = argc > 1 ? atol(argv[1]) / AT_ONCE : 1;
	void *objs[AT_ONCE];
	double start;
	long i, k;

	if (!pool || n < 1)
		return 1;
	start = now();
	for (i = 0; i < n; i++) {
		for (k = 0; k < AT_ONCE; k++)
			objs[k] = pool_alloc(pool);
		for (k = 0; k < AT_ONCE; k++)
			pool_free(pool, objs[k]);
	}
	printf("%.0f\n", (now() - start) / (double)(n * AT_ONCE));
	return pool_destroy(pool) != NULL;
}
