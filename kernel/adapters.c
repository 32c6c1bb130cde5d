// SPDX-License-Identifier: GPL-2.0-only
/*
 * adapters.c - pools below a mempool, and pools of a device
 *
 * Layer:   API; above alloc.c and create.c.
 * Context: said in pool_bulk.h.
 */
#include "plat.h"

#include <linux/device.h>

void *pool_mempool_alloc(gfp_t gfp, void *pool)
{
	return pool_alloc_gfp(pool, gfp);
}

void pool_mempool_free(void *obj, void *pool)
{
	pool_free_inline(pool, obj, 0);
}

/* Objects in use keep the pool, and the log says so. */
static void end_of_device(void *pool)
{
	pool_destroy(pool);
}

struct pool_head *pool_create_devm_at(struct device *dev, const char *name,
				      unsigned int size, unsigned int flags,
				      const char *file, int line,
				      const void *owner, unsigned int abi)
{
	struct pool_head *pool;

	pool = pool_create_at(name, size, flags, file, line, owner, abi);
	if (!pool || !devm_add_action_or_reset(dev, end_of_device, pool))
		return pool;
	plat_log(PLAT_ERR, "%s:%d: create_pool(\"%s\", %u) refused: out of memory",
		 file, line, name, size);
	return NULL;
}
