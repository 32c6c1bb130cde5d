// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * deep.c - a program with many pools, whose stack grows to nearly its limit then
 *
 * Layer:   tests, a user of libpool.
 * Context: run by life.sh, under "ulimit -s".
 *
 *	deep MEBIBYTES POOLS
 */
#include <stdlib.h>

#include <libpool/pool.h>

#define MEBIBYTE	(1 << 20)

/* Touch all pages of the stack, from the uppermost one down, as a stack grows. */
static unsigned int go_deep(unsigned int mebibytes)
{
	volatile unsigned char here[MEBIBYTE];
	unsigned int i, below;

	for (i = MEBIBYTE; i; i -= 4096)
		here[i - 1] = 1;
	below = mebibytes > 1 ? go_deep(mebibytes - 1) : 0;
	return here[MEBIBYTE - 1] + below;
}

int main(int argc, char **argv)
{
	unsigned int mebibytes = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	int pools = argc > 2 ? atoi(argv[2]) : 0;

	while (pools--) {
		struct pool_head *pool = create_pool("deep", 64, MEM_F_EXACT);

		if (!pool)
			return 1;
		pool_free(pool, pool_alloc(pool));
	}
	return go_deep(mebibytes) != mebibytes;
}
