// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * burst.c - all objects of a burst go back to malloc(), and the program asks for the memory
 *
 * Layer:   a user of the library, for malloc.sh.
 *
 * Ends with 0 if less than half of the burst stays resident.
 */
#include <libpool/pool.h>

#include <stdio.h>
#include <string.h>

#define N	1800
#define SIZE	69632		/* larger than objects that come from slabs */

static void *obj[N];

static unsigned long resident_kib(void)
{
	FILE *statm = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (!statm || fscanf(statm, "%*u %lu", &pages) != 1)
		pages = ~0ul / 4;
	if (statm)
		fclose(statm);
	return pages * 4;
}

int main(void)
{
	struct pool_head *pool = create_pool("burst", SIZE, 0);
	int i;

	for (i = 0; i < N; i++)
		memset(obj[i] = pool_alloc(pool), 1, SIZE);
	for (i = 0; i < N; i++)
		pool_free(pool, obj[i]);
	pool_reclaim(NULL);
	printf("%lu KiB stay\n", resident_kib());
	return resident_kib() > N * (SIZE / 1024ul) / 2;
}
