// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bound.c - many threads: a bound over all of them, and the memory of those that ended
 *
 * Layer:   tests of common/reclaim/bound.c and user/remote.c.
 * Context: see test.h.  The areas of these many threads stay, so these cases come late.
 */
#include "test.h"
#include "shared/walk.h"

#include <sched.h>
#include <signal.h>

#define THREADS		50u
#define OBJS		1000u
#define SIZE		1024u
#define CAP		(1u << 20)

static unsigned long turn;
static unsigned long clusters_asleep, all_awake;

static void wait_for_turn(unsigned long number)
{
	while (plat_read(&turn) != number)
		sched_yield();
}

static void burst(struct pool *pool)
{
	void *objs[OBJS];
	unsigned int i;

	for (i = 0; i < OBJS; i++)
		objs[i] = test_alloc(pool);
	for (i = 0; i < OBJS; i++)
		test_free(pool, objs[i]);
}

static unsigned long sum(unsigned long (*bytes)(struct pool_cpu *cpu))
{
	struct pool_cpu *cpu;
	unsigned long all = 0;
	unsigned int i;

	pool_each_cpu(i, cpu)
		all += bytes(cpu);
	return all;
}

static unsigned long charged(struct pool_cpu *cpu)
{
	return pool_charged(cpu);
}

/*
 * The threads begin one after another, each while those before it sleep, and then work once more.
 * A thread that ends gives up its caches, so all wait for the last one.
 */
static void begin_in_turn(unsigned int i, void *arg)
{
	wait_for_turn(i);
	burst(arg);
	plat_word_add(&turn, 1);
	wait_for_turn(THREADS + i);
	if (!i)
		clusters_asleep = sum(pool_clustered_bytes);
	burst(arg);
	if (i == THREADS - 1)
		all_awake = sum(charged);
	plat_word_add(&turn, 1);
	wait_for_turn(2 * THREADS);
}

TEST_CASE(fifty_threads_hold_what_the_cap_lets_two)
{
	struct pool *pool;

	test_options(CAP / 2, 8);
	plat_write(&turn, 0);
	pool = test_pool(SIZE);
	ASSERT(pool && pool_configure("max_cached=1m"));
	test_threads(THREADS, begin_in_turn, pool);
	EXPECT_LE(clusters_asleep, CAP);
	EXPECT_LE(all_awake, CAP);
	EXPECT_LE(CAP / 4, all_awake);
	EXPECT(test_quiet(pool, 0));
	pool_destroy(&pool->head);
}

#define CROWD		100u
#define CROWD_OBJS	600u

static unsigned long asleep, done;

static void sleep_with_many(struct pool *pool)
{
	void *objs[CROWD_OBJS];

	test_alloc_many(pool, objs, CROWD_OBJS);
	test_free_many(pool, objs, CROWD_OBJS);
	plat_word_add(&asleep, 1);
	while (!plat_read(&done))
		test_sleep(10);
}

/* A hundred threads sleep, and one more reclaims. */
static void sleep_or_reclaim(unsigned int i, void *arg)
{
	if (i) {
		sleep_with_many(arg);
		return;
	}
	while (plat_read(&asleep) < CROWD)
		test_sleep(1);
	EXPECT_LE(25 << 20, pool_allocated(arg) * SIZE);
	pool_reclaim(NULL);
	EXPECT_EQ(pool_allocated(arg), 0);
	plat_word_add(&done, 1);
}

TEST_CASE(a_hundred_threads_asleep_give_all_that_they_have_cached)
{
	struct pool *pool;

	pool_fail_every = 0;
	test_options(512 << 10, POOL_CLUSTER_SIZE);
	plat_write(&asleep, 0);
	plat_write(&done, 0);
	pool = test_pool(SIZE);
	ASSERT(pool && pool_reclaim_signal(SIGURG));
	test_threads(CROWD + 1, sleep_or_reclaim, pool);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}
