// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * gfp.c - allocation by the kernel's flags, and the effect of init_on_alloc and
 *		 init_on_free on recycled objects
 *
 * Layer:   tests of kernel/gfp.c and of the kernel's half of pool_hot.h.
 *
 * The two parameters are set at boot.  The same cases run in kernels that were booted with
 * init_on_alloc=1 and with init_on_free=1; see tests/check.sh.
 */
#include "test.h"

#include <linux/debug_locks.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>

#define SIZE		96
#define DIRT		0x5a
#define FEW		20

/* True if this kernel wipes memory at allocation. */
static bool wiped_at_alloc(void)
{
	return want_init_on_alloc(0);
}

static bool wiped_at_free(void)
{
	return want_init_on_free();
}

static bool is_all(const void *obj, unsigned char byte)
{
	return !memchr_inv(obj, byte, SIZE);
}

/* Create a pool of which no backend call fails on purpose. */
static struct pool *gfp_pool(void)
{
	return test_sure(SIZE);
}

#define IF_ONE_NODE(make)	ONLY_IF(nr_node_ids == 1, "several nodes", make)

/* Free an object that its user has filled, and return its address. */
static void *recycle_dirty(struct pool *pool)
{
	void *obj = test_alloc(pool);

	if (obj) {
		memset(obj, DIRT, SIZE);
		test_free(pool, obj);
	}
	return obj;
}

POOL_CASE(gfp_zero_zeroes_recycled_and_new_objects, gfp_pool())
{
	void *dirty, *obj, *node;

	obj = pool_alloc_gfp(&pool->head, GFP_KERNEL | __GFP_ZERO);
	ASSERT(obj);
	EXPECT(is_all(obj, 0));
	test_free(pool, obj);
	dirty = recycle_dirty(pool);
	obj = pool_alloc_gfp(&pool->head, GFP_KERNEL | __GFP_ZERO);
	EXPECT_PTR_EQ(obj, dirty);
	EXPECT(is_all(obj, 0));
	node = pool_alloc_gfp(&pool->head,
			      GFP_KERNEL | __GFP_THISNODE | __GFP_ZERO);
	ASSERT(node);
	EXPECT(is_all(node, 0));
	test_free(pool, node);
	test_free(pool, obj);
}

/* init_on_alloc and init_on_free hold for each way by which an object is recycled. */
POOL_CASE(recycled_objects_are_wiped_as_the_kernel_wipes_new_ones, gfp_pool())
{
	bool clean = wiped_at_alloc() || wiped_at_free();
	unsigned char found = clean ? 0 : DIRT;
	void *dirty, *obj, *bulk[1];

	kunit_info(test, "init_on_alloc=%d init_on_free=%d", wiped_at_alloc(),
		   wiped_at_free());
	dirty = recycle_dirty(pool);
	ASSERT(dirty);
	EXPECT(is_all(dirty, wiped_at_free() ? 0 : DIRT));
	obj = pool_alloc_gfp(&pool->head, GFP_KERNEL);
	EXPECT_PTR_EQ(obj, dirty);
	EXPECT(is_all(obj, found));
	test_free(pool, obj);
	recycle_dirty(pool);
	obj = pool_alloc(&pool->head);
	EXPECT_PTR_EQ(obj, dirty);
	EXPECT(is_all(obj, found));
	memset(obj, DIRT, SIZE);
	bulk[0] = obj;
	pool_free_bulk(&pool->head, 0, 1, bulk);
	EXPECT(is_all(dirty, wiped_at_free() ? 0 : DIRT));
	ASSERT(pool_alloc_bulk(&pool->head, 0, 1, bulk));
	EXPECT_PTR_EQ(bulk[0], dirty);
	EXPECT(is_all(bulk[0], found));
	test_free(pool, bulk[0]);
}

/* Wiping the object must not cost a visit, which would take the CPU's lock, and might spill. */
POOL_CASE(a_free_into_an_array_with_room_makes_no_visit_though_it_wipes, gfp_pool())
{
	unsigned long visits;
	void *obj;

	test_free(pool, test_alloc(pool));
	obj = test_alloc(pool);
	ASSERT(obj);
	visits = test_cpu()->visits;
	test_free(pool, obj);
	EXPECT_EQ(test_cpu()->visits, visits);
	EXPECT(is_all(obj, 0) || !wiped_at_free());
}

static unsigned int constructed, destroyed;

static void construct(void *obj, void *arg)
{
	memset(obj, DIRT, SIZE);
	constructed++;
}

static void destruct(void *obj, void *arg)
{
	if (is_all(obj, DIRT))
		destroyed++;
}

static struct pool *constructed_pool(void)
{
	static const struct pool_attr attr = {
		.name = "built", .size = SIZE, .flags = MEM_F_EXACT,
		.ctor = construct, .dtor = destruct,
	};

	pool_fail_every = 0;
	constructed = 0;
	destroyed = 0;
	return test_made(&attr);
}

TEST_CASE(constructed_objects_are_never_wiped_whatever_the_kernel_wishes)
{
	struct pool *pool = constructed_pool();
	unsigned int i;

	ASSERT(pool);
	for (i = 0; i < 200; i++) {
		test_objs[i] = pool_alloc_gfp(&pool->head, GFP_KERNEL);
		EXPECT(test_objs[i] && is_all(test_objs[i], DIRT));
	}
	test_free_many(pool, test_objs, 200);
	EXPECT(is_all(test_objs[199], DIRT));
	for (i = 0; i < 200; i++) {
		test_objs[i] = pool_alloc_gfp(&pool->head, GFP_NOWAIT);
		EXPECT(test_objs[i] && is_all(test_objs[i], DIRT));
	}
	test_free_many(pool, test_objs, 200);
	pool_destroy(&pool->head);
	EXPECT(constructed >= 200);
	EXPECT_EQ(constructed, destroyed);
}

POOL_CASE(zeros_are_refused_where_a_constructor_was, constructed_pool())
{
	EXPECT_PTR_EQ(pool_alloc_gfp(&pool->head, GFP_KERNEL | __GFP_ZERO),
		      NULL);
	EXPECT_PTR_EQ(pool_alloc_gfp(&pool->head, GFP_NOWAIT | __GFP_ZERO),
		      NULL);
	EXPECT_EQ(test_sum(pool)->failed, 2);
	EXPECT_EQ(test_sum(pool)->allocated, 0);
	EXPECT_EQ(constructed, 0);
}

/* The kernel would report a sleep here, and the run would fail. */
POOL_CASE(gfp_nowait_serves_those_who_may_not_sleep, IF_NOT_RT(gfp_pool()))
{
	void *objs[40];
	unsigned int round, i, got = 0;

	for (round = 0; round < 4; round++) {
		bool irqs_off = round & 1;
		unsigned long flags;

		if (irqs_off)
			local_irq_save(flags);
		else
			preempt_disable();
		for (i = 0; i < ARRAY_SIZE(objs); i++) {
			objs[i] = pool_alloc_gfp(&pool->head, GFP_NOWAIT);
			got += !!objs[i];
		}
		test_free_many(pool, objs, ARRAY_SIZE(objs));
		if (irqs_off)
			local_irq_restore(flags);
		else
			preempt_enable();
	}
	EXPECT_EQ(got, round * ARRAY_SIZE(objs));
}

POOL_CASE(gfp_nofail_passes_limit_and_injected_failures_over, gfp_pool())
{
	unsigned int i;

	EXPECT(pool_set_limit(&pool->head, 1));
	pool_fail_every = 1;
	for (i = 0; i < 40; i++) {
		test_objs[i] = pool_alloc_gfp(&pool->head,
					      GFP_KERNEL | __GFP_NOFAIL);
		EXPECT(test_objs[i]);
	}
	EXPECT_PTR_EQ(pool_alloc_gfp(&pool->head, GFP_KERNEL), NULL);
	pool_fail_every = 0;
	EXPECT_PTR_EQ(pool_alloc_gfp(&pool->head, GFP_KERNEL), NULL);
	EXPECT_EQ(test_sum(pool)->allocated, 40);
	EXPECT_EQ(test_sum(pool)->injected, 1);
	EXPECT_EQ(test_sum(pool)->refused, 1);
	EXPECT_EQ(test_sum(pool)->failed, 0);
	test_free_many(pool, test_objs, 40);
}

POOL_CASE(gfp_nofail_is_refused_to_those_who_cannot_wait, gfp_pool())
{
	void *obj = test_alloc(pool);

	test_free(pool, obj);
	EXPECT_PTR_EQ(pool_alloc_gfp(&pool->head, GFP_NOWAIT | __GFP_NOFAIL),
		      NULL);
	EXPECT_PTR_EQ(pool_alloc_gfp(&pool->head, GFP_ATOMIC | __GFP_NOFAIL),
		      NULL);
	EXPECT_EQ(test_sum(pool)->failed, 2);
}

/*
 * A timer that changes a pool while a caller waits.  It is not on the stack, because the function
 * that ends such a timer has different names in different kernels.
 */
static struct {
	struct timer_list timer;
	struct pool *pool;
} meanwhile;

static void renewal_ends(struct timer_list *timer)
{
	plat_word_sub_release(&meanwhile.pool->allocated, POOL_RENEWING);
}

/* The renewal ends after more ticks than any other call would wait. */
POOL_CASE(gfp_nofail_waits_for_a_pool_that_is_made_anew, gfp_pool())
{
	void *obj;

	plat_word_add(&pool->allocated, POOL_RENEWING);
	meanwhile.pool = pool;
	timer_setup(&meanwhile.timer, renewal_ends, 0);
	mod_timer(&meanwhile.timer, jiffies + 4 * POOL_BUSY_TRIES);
	obj = pool_alloc_gfp(&pool->head, GFP_KERNEL | __GFP_NOFAIL);
	EXPECT(obj);
	timer_delete_sync(&meanwhile.timer);
	test_free(pool, obj);
}

/* The slab would warn of some of these flags. */
POOL_CASE(gfp_flags_that_mean_nothing_here_are_dropped, gfp_pool())
{
	gfp_t gfp = GFP_KERNEL | __GFP_DMA | __GFP_DMA32 | __GFP_HIGHMEM |
		    __GFP_MOVABLE | __GFP_COMP | __GFP_ACCOUNT;

	test_objs[0] = pool_alloc_gfp(&pool->head, gfp);
	test_objs[1] = pool_alloc_gfp(&pool->head, gfp | __GFP_THISNODE);
	EXPECT(test_objs[0]);
	EXPECT(test_objs[1]);
	test_free_many(pool, test_objs, 2);
}

/* On one node, calls that name the node must use the array instead of getting new objects. */
POOL_CASE(a_call_that_names_the_only_node_is_an_ordinary_one, IF_ONE_NODE(gfp_pool()))
{
	struct pool_stats before;
	unsigned int i;

	test_wave(pool, TEST_SOME);
	pool_sum(pool, &before);
	EXPECT(before.cached > 0);
	for (i = 0; i < 10 * TEST_SOME; i++) {
		test_free(pool, pool_alloc_gfp(&pool->head, GFP_KERNEL | __GFP_THISNODE));
		test_free(pool, pool_alloc_node(&pool->head, GFP_KERNEL, 0));
	}
	EXPECT_EQ(test_sum(pool)->store_gets, before.store_gets);
	EXPECT_EQ(test_sum(pool)->allocated, before.allocated);
}

/* All objects that the limit allows are in this CPU's array, where the call must find them. */
POOL_CASE(at_the_limit_a_call_that_names_the_only_node_gets_all_objects, IF_ONE_NODE(gfp_pool()))
{
	unsigned int i, got = 0;

	EXPECT(pool_set_limit(&pool->head, FEW));
	test_wave(pool, FEW);
	for (i = 0; i < FEW; i++) {
		test_objs[i] = pool_alloc_gfp(&pool->head, GFP_KERNEL | __GFP_THISNODE);
		got += !!test_objs[i];
	}
	EXPECT_EQ(got, FEW);
	test_free_many(pool, test_objs, got);
}

POOL_CASE(a_call_that_names_the_only_node_gets_a_guarded_object,
	  IF_ONE_NODE(test_in_mode(POOL_D_UAF, SIZE)))
{
	gfp_t gfp = GFP_KERNEL | __GFP_NORETRY | __GFP_WRITE;
	unsigned int i;

	pool_fail_every = 0;
	test_objs[0] = pool_alloc_gfp(&pool->head, gfp);
	test_objs[1] = pool_alloc_gfp(&pool->head, gfp | __GFP_THISNODE);
	test_objs[2] = pool_alloc_node(&pool->head, gfp, numa_mem_id());
	for (i = 0; i < 3; i++)
		EXPECT(is_vmalloc_addr(test_objs[i]));
	test_free_many(pool, test_objs, 3);
}

static void limit_goes(struct timer_list *timer)
{
	plat_write(&meanwhile.pool->limit, 0);
}

/* True if lockdep has found no fault, because it is off after the first fault. */
static bool lockdep_is_content(void)
{
	return !IS_ENABLED(CONFIG_LOCKDEP) || debug_locks;
}

/*
 * Allocate twice as in a file system that reclaim may enter, where lockdep reports a second entry.
 * The second call must search everywhere, because the limit is reached while a free object seems to
 * be moving; then a timer removes the limit.
 */
static bool alloc_within_reclaim(gfp_t gfp)
{
	struct pool *pool = gfp_pool();
	void *objs[2];
	bool well;

	if (!pool)
		return false;
	fs_reclaim_acquire(GFP_KERNEL);
	objs[0] = pool_alloc_gfp(&pool->head, gfp);
	pool->limit = 1;
	pool_depart(&pool->moving, 1);
	meanwhile.pool = pool;
	timer_setup(&meanwhile.timer, limit_goes, 0);
	mod_timer(&meanwhile.timer, jiffies + 2);
	objs[1] = pool_alloc_gfp(&pool->head, gfp);
	well = objs[0] && objs[1];
	fs_reclaim_release(GFP_KERNEL);
	timer_delete_sync(&meanwhile.timer);
	pool_arrive(&pool->moving, 1);
	test_free_many(pool, objs, 2);
	well = well && lockdep_is_content() && test_quiet(pool, 0);
	return !pool_destroy(&pool->head) && well;
}

TEST_CASE(gfp_nofs_and_noio_reach_the_slab)
{
	EXPECT(alloc_within_reclaim(GFP_NOFS));
	EXPECT(alloc_within_reclaim(GFP_NOIO));
}

/* With "integrity" the first object needs a table, allocated with the caller's flags. */
TEST_CASE(gfp_nofs_and_noio_reach_what_checks_need)
{
	test_mode(POOL_D_INTEGRITY);
	EXPECT(alloc_within_reclaim(GFP_NOFS));
	EXPECT(alloc_within_reclaim(GFP_NOIO));
}

POOL_CASE(gfp_callers_at_the_limit_get_what_is_parked, test_sure_within(8192, 8, SIZE))
{
	void *obj;

	test_alloc_just(pool, test_objs, 64);
	EXPECT(pool_set_limit(&pool->head, 64));
	EXPECT_PTR_EQ(pool_alloc_gfp(&pool->head, GFP_KERNEL), NULL);
	EXPECT_PTR_EQ(pool_alloc_gfp(&pool->head, GFP_NOWAIT), NULL);
	pool_park(pool, test_objs[63]);
	obj = pool_alloc_gfp(&pool->head, GFP_NOWAIT);
	EXPECT_PTR_EQ(obj, test_objs[63]);
	EXPECT_EQ(test_sum(pool)->refused, 2);
	EXPECT_EQ(test_sum(pool)->allocated, 64);
	test_free_many(pool, test_objs, 64);
}
