// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * on_pools.c - the replay on pools, the same in both worlds
 *
 * Layer:   between replay.c and pool.h.
 * Context: the replay's workers.
 */
#include "replay.h"
#include "pool.h"

static void *create_pooled(const char *name, unsigned int size)
{
	return create_pool(name, size, 0);
}

/* Pools of equal and of near sizes are merged. */
static void *create_merged(const char *name, unsigned int size)
{
	return create_pool(name, size, MEM_F_SHARED);
}

static bool destroy_pooled(void *pool)
{
	return !pool_destroy(pool);
}

static void *alloc_pooled(void *pool)
{
	return pool_alloc(pool);
}

static void free_pooled(void *pool, void *obj)
{
	pool_free(pool, obj);
}

const struct replay_ops replay_on_pools = {
	.name = "pool",
	.create = create_pooled,
	.destroy = destroy_pooled,
	.alloc = alloc_pooled,
	.free = free_pooled,
	.held = pool_total_allocated,
};

const struct replay_ops replay_on_merged = {
	.name = "merged-pool",
	.create = create_merged,
	.destroy = destroy_pooled,
	.alloc = alloc_pooled,
	.free = free_pooled,
	.held = pool_total_allocated,
};
