// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bad.c - one mistake per definition, which an analyzer finds without running it
 */
#include <libpool/pool.h>

int mistake(struct pool_head *pool, int n);

int mistake(struct pool_head *pool, int n)
{
	int *obj = pool_alloc(pool);
	int sum;

	if (!obj)
		return -1;
#ifndef UNWRITTEN
	*obj = n;
#endif
#ifdef OVER
	obj[1] = n;
#endif
#ifdef LEAK
	if (n == 7)
		return 7;
#endif
	sum = *obj + 1;
#ifdef MISMATCH
	__builtin_free(obj);
#else
	pool_free(pool, obj);
#endif
#ifdef TWICE
	if (n == 7)
		pool_free(pool, obj);
#endif
#ifdef AFTER
	sum += *obj;
#endif
	return sum;
}
