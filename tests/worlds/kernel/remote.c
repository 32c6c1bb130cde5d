// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * remote.c - arrays of CPUs that use no pools any more
 *
 * Layer:   tests of kernel/remote.c, and of ageing by another CPU than the one that used pools.
 */
#include "test.h"

#define BUSY		1u	/* the CPU that uses pools; CPU 0 ages them */
#define WAVE		300u
#define AGES		20u
#define POOLS		(2 * POOL_EVICT_MOST + 1)

static struct pool *pools[POOLS];

static void go_to(unsigned int cpu)
{
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

static struct pool_cpu *busy_cpu(void)
{
	return plat_cpu_of(BUSY);
}

static void age_from_cpu_0(unsigned int ages)
{
	go_to(0);
	while (ages--)
		pool_age();
}

static bool make_pools(void)
{
	unsigned int i;

	pool_fail_every = 0;
	for (i = 0; i < POOLS; i++) {
		pools[i] = test_pool(64);
		if (!pools[i])
			return false;
	}
	return true;
}

static void use_on_busy(unsigned int first, unsigned int n)
{
	unsigned int i;

	go_to(BUSY);
	for (i = 0; i < n; i++)
		test_wave(pools[first + i], WAVE);
}

static unsigned long allocated(void)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < POOLS; i++)
		sum += pool_allocated(pools[i]);
	return sum;
}

static unsigned long kept_from_backend(void)
{
	unsigned long sum = 0;
	struct pool_stats now;
	unsigned int i;

	for (i = 0; i < POOLS; i++) {
		pool_sum(pools[i], &now);
		sum += now.store_gets - now.store_puts;
	}
	return sum;
}

static void destroy_pools(void)
{
	unsigned int i;

	for (i = 0; i < POOLS; i++)
		pool_destroy(&pools[i]->head);
}

TEST_CASE(what_a_cpu_left_in_its_arrays_goes_back_when_another_one_ages)
{
	unsigned long visits;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU only");
	ASSERT(make_pools());
	use_on_busy(0, POOLS);
	EXPECT(plat_read(&busy_cpu()->hot_bytes));
	EXPECT(allocated());
	visits = busy_cpu()->visits;
	age_from_cpu_0(AGES);
	EXPECT_EQ(plat_read(&busy_cpu()->hot_bytes), 0);
	EXPECT_EQ(allocated(), 0);
	EXPECT_EQ(kept_from_backend(), 0);
	/*
	 * One visit took the free slots of each array, and later visits took its objects, a cluster
	 * at a time.
	 */
	EXPECT_LE(busy_cpu()->visits - visits, 3 * POOLS);
	visits = busy_cpu()->visits;
	age_from_cpu_0(AGES);
	EXPECT_EQ(busy_cpu()->visits, visits);
	EXPECT(!pool_age());
	destroy_pools();
}

TEST_CASE(of_a_busy_cpu_only_arrays_that_it_does_not_use_go_by_age)
{
	unsigned int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU only");
	ASSERT(make_pools());
	use_on_busy(0, POOLS);
	for (i = 0; i < AGES; i++) {
		use_on_busy(0, 1);
		age_from_cpu_0(1);
	}
	EXPECT(plat_local_of(pools[0], BUSY)->hot.n);
	for (i = 1; i < POOLS; i++)
		EXPECT_EQ(plat_local_of(pools[i], BUSY)->hot.slots, 0);
	EXPECT_LE(allocated() - pool_allocated(pools[0]), POOLS * POOL_CLUSTER_SIZE);
	age_from_cpu_0(AGES);
	EXPECT_EQ(allocated(), 0);
	destroy_pools();
}
