// SPDX-License-Identifier: GPL-2.0-only
/*
 * adapters.c - pools below a mempool, and pools of a device
 *
 * Layer:   API; above alloc.c and create.c.
 * Context: said in pool_bulk.h.
 */
#include "seam/plat.h"

#include <linux/device.h>

void *pool_mempool_alloc(gfp_t gfp, void *pool)
{
	return pool_alloc_gfp(pool, gfp);
}

void pool_mempool_free(void *obj, void *pool)
{
	pool_free_inline(pool, obj, 0);
}

/* The registration of a device, which the end of the device releases. */
struct of_device {
	struct pool_head *pool;
	const void *owner;
};

/*
 * Destroy a device's pool when the device ends; with objects in use it stays, and the log says so.
 */
static void end_of_device(void *arg)
{
	const struct of_device *end = arg;

	pool_destroy_of(end->pool, end->owner);
}

struct pool_head *pool_create_devm_at(struct device *dev, const char *name,
				      unsigned int size, unsigned int flags,
				      const char *file, int line,
				      const void *owner, unsigned int abi)
{
	struct pool_attr attr = { .name = name, .size = size, .flags = flags };
	struct pool_creator creator = {
		.file = file, .line = line, .owner = owner, .abi = abi,
	};
	struct of_device *end = devm_kmalloc(dev, sizeof(*end), GFP_KERNEL);
	struct pool_head *pool;

	if (end) {
		pool = pool_create(&attr, &creator);
		end->pool = pool;
		end->owner = owner;
		if (pool && !devm_add_action_or_reset(dev, end_of_device, end))
			return pool;
		devm_kfree(dev, end);
		if (!pool)
			return NULL;
	}
	pool_create_refused(&attr, &creator, "out of memory");
	return NULL;
}
