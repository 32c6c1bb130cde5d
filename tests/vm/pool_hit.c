// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pool_hit.c - calls whose object code defines.sh looks at; a test, never installed
 *
 * Layer:   above the API.
 * Context: never called.
 */
#include <linux/module.h>

#include "pool.h"

void *hit_get(struct pool_head *pool);
bool hit_put(struct pool_head *pool, void *obj);
void *plain_alloc(struct pool_head *pool);
void *flags_alloc(struct pool_head *pool);

/* The hit path. */
void *hit_get(struct pool_head *pool)
{
	return pool_hot_get(pool);
}

bool hit_put(struct pool_head *pool, void *obj)
{
	return pool_hot_put(pool, obj);
}

/* Both functions make the same call. */
void *plain_alloc(struct pool_head *pool)
{
	return pool_alloc(pool);
}

void *flags_alloc(struct pool_head *pool)
{
	return __pool_alloc(pool, 0);
}

MODULE_DESCRIPTION("Calls of pool.ko to look at, for its tests");
MODULE_LICENSE("Dual MIT/GPL");
/* MODULE_IMPORT_NS() takes a token or a string, depending on the kernel. */
MODULE_INFO(import_ns, "LIBPOOL");
