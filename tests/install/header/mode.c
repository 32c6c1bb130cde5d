// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * mode.c - what the mode that a build has does to a hundred objects
 *
 * Prints where these are after they were freed, and how often the backend was called.  With an
 * argument it then reads a freed object, which faults where its page is gone.
 */
#include "pool.h"
#include "pool_stats.h"
#include <stdio.h>

int main(int argc, char **argv)
{
	struct pool_head *pool = create_pool("mode", 64, 0);
	struct pool_stats now;
	char *objs[100];
	int i;

	(void)argv;
	for (i = 0; i < 100; i++)
		objs[i] = pool_alloc(pool);
	for (i = 0; i < 100; i++)
		pool_free(pool, objs[i]);
	pool_stats_get(pool, &now, sizeof(now));
	printf("gets=%llu puts=%llu cached=%llu shared=%llu\n",
	       (unsigned long long)now.store_gets, (unsigned long long)now.store_puts,
	       (unsigned long long)now.cached, (unsigned long long)now.shared);
	fflush(stdout);
	if (argc > 1)
		printf("%d\n", *(volatile char *)objs[50]);
	return pool_destroy(pool) != 0;
}
