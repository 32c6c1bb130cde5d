// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bound.c - the bytes that all CPUs together may cache
 *
 * Layer:   tests of common/reclaim/bound.c.
 */
#include "test.h"

#define SIZE	256u

/* Count the CPUs that share max_cached. */
static unsigned long sharers(void)
{
	unsigned long n = 0;
	unsigned int i;

	for (i = 0; i < test_nr_cpus(); i++)
		n += !!plat_cpu_of(i);
	return n;
}

/* Set max_cached such that each CPU may have @bytes. */
static bool set_share(unsigned long bytes)
{
	char text[64];

	snprintf(text, sizeof(text), "max_cached=%lu", bytes * sharers());
	return pool_configure(text);
}

/* A program's only thread has all of the cap; suite userbound has fifty threads. */
POOL_CASE(a_cpu_caches_no_more_than_its_share_of_the_cap, test_within(1 << 20, 8, SIZE))
{
	unsigned int i;

	ASSERT(set_share(16384));
	for (i = 0; i < 20; i++) {
		test_wave(pool, 1000);
		EXPECT_LE(test_charged(), 16384);
	}
	EXPECT(test_bound_holds());
}

POOL_CASE(a_cap_larger_than_all_bounds_changes_nothing, test_within(65536, 8, SIZE))
{
	ASSERT(set_share(1 << 20));
	test_wave(pool, 1000);
	EXPECT_LE(test_charged(), 65536);
	EXPECT_LE(32768, test_charged());
	EXPECT(pool_configure("hot_size=32k"));
	test_wave(pool, 1000);
	EXPECT_LE(test_charged(), 32768);
}

/* The CPU visits no pool between the new cap and the check, so setting the cap must evict. */
POOL_CASE(a_cap_that_comes_late_takes_clusters_at_once, test_within(1 << 20, 8, SIZE))
{
	test_wave(pool, 1000);
	EXPECT_LE(65536, pool_clustered_bytes(test_cpu()));
	ASSERT(set_share(65536));
	EXPECT_LE(pool_clustered_bytes(test_cpu()), 65536);
	test_wave(pool, 1000);
	EXPECT_LE(test_charged(), 65536);
}

POOL_CASE(without_the_cap_the_bound_is_what_it_was, test_within(1 << 18, 8, SIZE))
{
	ASSERT(set_share(4096));
	test_wave(pool, 1000);
	EXPECT_LE(test_charged(), 4096);
	ASSERT(pool_configure("max_cached=0"));
	test_wave(pool, 1000);
	test_wave(pool, 1000);
	EXPECT_LE(65536, test_charged());
	EXPECT_LE(test_charged(), 1 << 18);
}

POOL_CASE(a_cap_below_one_cluster_caches_nothing_and_loses_nothing,
	  test_sure_within(1 << 20, 8, SIZE))
{
	ASSERT(pool_configure("max_cached=1"));
	test_wave(pool, 1000);
	test_wave(pool, 1000);
	EXPECT_EQ(test_charged(), 0);
}
