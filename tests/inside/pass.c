// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pass.c - ageing by pieces: how much a step releases, and what a pass leaves
 *
 * Layer:   tests of common/reclaim/pass.c.
 */
#include "test.h"

#define PEAK	(40u * POOL_CLUSTER_SIZE)

/* Do one step, as tick.c does.  False if the pass has ended. */
static bool step(void)
{
	struct pool_step piece;
	bool more;

	plat_mutex_lock(PLAT_REGISTRY);
	more = pool_pass_next(&piece);
	plat_mutex_unlock(PLAT_REGISTRY);
	pool_pass_give(&piece);
	return more;
}

static void passes(unsigned int n)
{
	while (n--)
		while (step())
			;
}

/* Count the objects that a pool has beyond its array. */
static unsigned long held(struct pool *pool)
{
	return pool_allocated(pool) - test_local(pool)->hot.n;
}

POOL_CASE(an_idle_pool_has_next_to_nothing_after_ten_passes, test_sure(64))
{
	unsigned long most = 0, had;
	bool more = true;

	passes(1);
	test_wave(pool, PEAK);
	passes(1);
	while (more) {
		had = held(pool);
		more = step();
		if (most < had - held(pool))
			most = had - held(pool);
	}
	/* A step releases objects of one shared part, or of one CPU. */
	EXPECT(most && most <= 4 * POOL_CLUSTER_SIZE);
	passes(10);
	EXPECT_LE(held(pool), PEAK / 64);
	EXPECT_EQ(plat_read(&pool->moving), 0);
}

POOL_CASE(what_is_used_between_two_passes_stays, test_sure(64))
{
	unsigned long had;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		test_wave(pool, PEAK);
		passes(1);
	}
	had = held(pool);
	test_wave(pool, PEAK);
	passes(1);
	EXPECT_LE(had * 3 / 4, held(pool));
}

POOL_CASE(a_pass_releases_half_of_what_the_shared_part_did_not_need, test_sure(64))
{
	unsigned int n = 8 * POOL_CLUSTER_SIZE, i;

	passes(1);
	for (i = 0; i < n; i++)
		test_objs[i] = pool_alloc_nocache(&pool->head);
	for (i = 0; i < n; i++)
		ASSERT(test_objs[i] && pool_shared_put_one(pool, test_objs[i], 0));
	/* From this pass on, the pool records which objects are not needed. */
	passes(1);
	EXPECT_EQ(pool_shared_count(pool), n);
	passes(1);
	EXPECT_LE(n / 2, pool_shared_count(pool));
	EXPECT_LE(pool_shared_count(pool), n / 2 + POOL_CLUSTER_SIZE);
}

POOL_CASE(passes_leave_spare_objects, test_sure(64))
{
	passes(1);
	test_wave(pool, PEAK);
	pool_set_min_avail(&pool->head, PEAK / 4);
	passes(20);
	EXPECT_LE(PEAK / 4, pool_shared_count(pool));
	EXPECT_LE(pool_shared_count(pool), PEAK / 4 + POOL_CLUSTER_SIZE);
}

static unsigned long destroyed;

static void destroy_one(void *obj, void *arg)
{
	(void)obj;
	(void)arg;
	plat_word_add(&destroyed, 1);
}

static const struct pool_attr with_dtor = { .name = "dtor", .size = 64, .dtor = destroy_one };

POOL_CASE(a_step_calls_no_destructor, test_made(&with_dtor))
{
	unsigned long before, had;

	pool_fail_every = 0;
	test_wave(pool, PEAK);
	before = plat_read(&destroyed);
	had = pool_allocated(pool);
	passes(4);
	EXPECT_EQ(plat_read(&destroyed), before);
	EXPECT_EQ(pool_allocated(pool), had);
}

TEST_CASE(a_pass_goes_on_when_the_pool_that_it_is_at_ends)
{
	struct pool *pools[3];
	unsigned int i;

	pool_fail_every = 0;
	passes(1);
	for (i = 0; i < 3; i++) {
		pools[i] = test_pool(64 * (i + 1));
		ASSERT(pools[i]);
		test_wave(pools[i], PEAK);
	}
	passes(1);
	for (i = 0; i < 3; i++) {
		unsigned long had = pool_shared_count(pools[i]);

		while (step() && pool_shared_count(pools[i]) == had)
			;
		EXPECT(!pool_destroy(&pools[i]->head));
	}
	passes(2);
}
