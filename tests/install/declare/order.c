// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * order.c - declarations of near sizes in several files, linked in any order
 *
 * Layer:   tests, user space; see declare.sh.
 * Context: with VAR and SIZE a file with one declaration; without, the program.
 */
#include <libpool/pool.h>

#ifdef VAR

extern struct pool_head *VAR;
DECLARE_POOL(VAR, "order", SIZE);

#else

#include <stdio.h>

extern struct pool_head *large, *small, *far;

/* 3184 is near to 3216, and 3168 to 3184, but not to 3216. */
int main(void)
{
	if (large == small && large->size == 3216 && far->size == 3168)
		return 0;
	printf("%u %u %u\n", large->size, small->size, far->size);
	return 1;
}

#endif
