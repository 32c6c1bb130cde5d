// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * adapters.c - pools below a mempool, and pools of a device
 *
 * Layer:   tests of kernel/adapters.c.
 * Context: see test.h.
 */
#include "test.h"

#include <linux/device.h>
#include <linux/err.h>
#include <linux/mempool.h>

#define LEAST	4

TEST_CASE(a_mempool_has_its_objects_though_its_pool_is_at_its_limit)
{
	struct pool *pool = test_pool(64);
	mempool_t *mempool;
	void *objs[LEAST];
	unsigned int i;

	ASSERT(pool);
	pool_fail_every = 0;
	mempool = mempool_create(LEAST, pool_mempool_alloc, pool_mempool_free,
				 &pool->head);
	ASSERT(mempool);
	EXPECT_EQ(pool_allocated(pool), LEAST);
	EXPECT(pool_set_limit(&pool->head, LEAST));
	EXPECT_PTR_EQ(test_alloc(pool), NULL);
	for (i = 0; i < LEAST; i++)
		objs[i] = mempool_alloc(mempool, GFP_NOWAIT);
	EXPECT(objs[LEAST - 1]);
	EXPECT_PTR_EQ(mempool_alloc(mempool, GFP_NOWAIT), NULL);
	for (i = 0; i < LEAST; i++)
		if (objs[i])
			mempool_free(objs[i], mempool);
	EXPECT(test_quiet(pool, LEAST));
	mempool_destroy(mempool);
	EXPECT(test_quiet(pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

TEST_CASE(a_pool_of_a_device_ends_with_the_device)
{
	struct device *dev = root_device_register("pool_test");
	struct pool_head *pool;

	ASSERT(!IS_ERR(dev));
	pool = devm_create_pool(dev, "device", 64, 0);
	EXPECT(pool);
	if (pool)
		pool_free(pool, pool_alloc(pool));
	root_device_unregister(dev);
	EXPECT_PTR_EQ(pool_registry_next(NULL), NULL);
}

TEST_CASE(a_pool_of_a_device_is_refused_as_any_other)
{
	struct device *dev = root_device_register("pool_test");

	ASSERT(!IS_ERR(dev));
	EXPECT_PTR_EQ(devm_create_pool(dev, "", 64, 0), NULL);
	EXPECT_PTR_EQ(devm_create_pool(dev, "device", 0, 0), NULL);
	root_device_unregister(dev);
	EXPECT_PTR_EQ(pool_registry_next(NULL), NULL);
}
