// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * caller.c - a plugin that calls a pool of the program
 *
 * Layer:   tests, user space; see memstats.sh.
 * Context: loaded and unloaded by unload.c.
 */
#include <libpool/pool.h>

void caller_use(struct pool_head *pool);

void caller_use(struct pool_head *pool)
{
	pool_free(pool, pool_alloc(pool));
}
