// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * adapters.c - pools below a mempool, and pools of a device
 *
 * Layer:   tests of kernel/adapters.c.
 */
#include "test.h"
#include "failslab.h"
#include "helper_traced.h"

#include <linux/device.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/mempool.h>

#define LEAST	4

POOL_CASE(a_mempool_has_its_objects_though_its_pool_is_at_its_limit, test_sure(64))
{
	mempool_t *mempool;
	void *objs[LEAST];
	unsigned int i;

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

/* How many lines of the log say why a pool was refused. */
static unsigned int refusals;

static void on_line(void *data, const char *text, size_t len)
{
	if (strnstr(text, "create_pool(\"late\", 64) refused: ", len))
		refusals++;
}

/* Let the slab fail when it is called to note the pool for the device. */
static int on_note(struct kprobe *probe, struct pt_regs *regs)
{
	test_fail_nth(1);
	return 0;
}

static void fail_to_note(struct kunit *test)
{
	struct kprobe probe = { .symbol_name = "__devm_add_action", .pre_handler = on_note };
	struct device *dev = root_device_register("pool_test");

	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	if (!register_kprobe(&probe)) {
		EXPECT_PTR_EQ(devm_create_pool(dev, "late", 64, 0), NULL);
		unregister_kprobe(&probe);
	}
	root_device_unregister(dev);
}

TEST_CASE(a_pool_that_its_device_cannot_note_is_refused_and_the_log_says_so)
{
	pool_fail_every = 0;
	refusals = 0;
	EXPECT(IF_FAILSLAB(ONLY_IF(IS_ENABLED(CONFIG_TRACEPOINTS), "this kernel has no tracepoints",
				   TRACED("console", on_line, fail_to_note(test)))));
	EXPECT_EQ(refusals, 1);
	EXPECT_PTR_EQ(pool_registry_next(NULL), NULL);
}
