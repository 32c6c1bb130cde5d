// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * check.c - checks find all faults, and nothing else
 *
 * Layer:   tests, both worlds.
 * Context: the case's own thread; the policy only counts faults.
 */
#include "test.h"

/* Free an object, damage a byte of it, and let it be allocated again. */
static bool sees_damage(struct pool *pool, unsigned int at, unsigned char bits)
{
	unsigned long before = test_found(pool, POOL_FAULT_WRITTEN);
	unsigned char *obj = test_alloc(pool);
	void *next;

	test_free(pool, obj);
	obj[at] ^= bits;
	next = test_alloc(pool);
	if (next == obj || test_found(pool, POOL_FAULT_WRITTEN) != before + 1)
		return false;
	test_free(pool, next);
	return plat_read(&pool->quarantined) == before + 1;
}

POOL_CASE(backup_alone_sees_a_change_at_allocation,
	  test_checked_within(1 << 20, 8, 33, POOL_D_BACKUP))
{
	unsigned int at;

	for (at = 0; at < 33; at++)
		EXPECT(sees_damage(pool, at, 0x80));
	test_quarantined = 33;
}

/*
 * A user writes the 0 that ends a text one byte too far.  The tag is made of its pool's address,
 * which may have a byte 0 there, so several pools are tried.
 */
POOLS_CASE(the_tag_sees_a_zero_too_many, 16, test_checked(64 + nth, POOL_D_TAG))
{
	unsigned char *obj = test_alloc(pool);

	ASSERT(obj);
	obj[64 + nth] = 0;
	test_free(pool, obj);
	EXPECT_EQ(test_found(pool, POOL_FAULT_OVERFLOW), 1);
	test_quarantined = 1;
}

static const unsigned int behind[] = {
	POOL_D_CALLER, POOL_D_BACKUP, POOL_D_CALLER | POOL_D_BACKUP,
};

POOLS_CASE(what_is_behind_a_guarded_object_is_kept_apart, ARRAY_LEN(behind),
	   test_checked(100, POOL_D_UAF | POOL_D_NO_CACHE | behind[nth]))
{
	unsigned char *obj = test_alloc(pool);

	ASSERT(obj);
	obj[100] ^= 1;
	test_free(pool, obj);
	EXPECT_EQ(test_found(pool, POOL_FAULT_OVERFLOW), 1);
	test_quarantined = 1;
}

static const unsigned int options[] = {
	POOL_D_TAG, POOL_D_INTEGRITY, POOL_D_POISON, POOL_D_COLD_FIRST,
	POOL_D_CALLER, POOL_D_BACKUP, POOL_D_MEMSTATS,
	POOL_D_TAG | POOL_D_NO_CACHE, POOL_D_TAG | POOL_D_NO_GLOBAL,
};

POOLS_CASE(a_second_free_is_found_at_once_and_later, ARRAY_LEN(options),
	   test_checked_within(1 << 20, 8, 64, options[nth]))
{
	enum pool_fault kind = options[nth] & POOL_D_NO_CACHE ? POOL_FAULT_FOREIGN :
								POOL_FAULT_DOUBLE_FREE;

	test_alloc_many(pool, test_objs, 100);
	test_free(pool, test_objs[0]);
	test_free(pool, test_objs[0]);
	EXPECT_EQ(test_found(pool, kind), 1);
	test_free_many(pool, test_objs + 1, 99);
	test_free(pool, test_objs[50]);
	EXPECT_EQ(test_found(pool, kind), 2);
	EXPECT_EQ(test_faults(pool), 2);
}

/* Free all objects, which all other CPUs do at the same time. */
static void free_them_all(unsigned int i, void *arg)
{
	struct pool *pool = arg;

	(void)i;
	plat_cpu_ready(pool, 0);
	test_free_many(pool, test_objs, 1000);
}

POOL_CASE(of_four_who_free_an_object_one_is_right,
	  test_checked_within(1 << 20, 8, 64, POOL_D_INTEGRITY | POOL_D_NO_GLOBAL))
{
	test_alloc_many(pool, test_objs, 1000);
	test_threads(4, free_them_all, pool);
	EXPECT_EQ(test_faults(pool), 3000);
}

POOL_CASE(pointers_that_are_no_objects_are_found, test_checked(64, POOL_D_POISON))
{
	static unsigned char memory[64];
	unsigned char *obj = test_alloc(pool);

	test_free(pool, memory);
	EXPECT_EQ(test_found(pool, POOL_FAULT_FOREIGN), 1);
	test_free(pool, obj + 16);
	test_free(pool, obj + 63);
	test_free(pool, obj + 1);
	EXPECT_EQ(test_found(pool, POOL_FAULT_INTERIOR), 3);
	test_free(pool, obj + 64);
	EXPECT_EQ(test_found(pool, POOL_FAULT_FOREIGN), 2);
	test_free(pool, obj);
	EXPECT_EQ(test_faults(pool), 5);
}

POOL_CASE(callers_are_kept_behind_the_object, test_checked(20, POOL_D_CALLER))
{
	struct pool_layout layout;
	void **caller;
	char *obj;

	pool_layout_of(pool, 20, &layout);
	EXPECT_EQ(layout.caller % sizeof(void *), 0);
	EXPECT_LE(20, layout.caller);
	EXPECT_LE(layout.caller + 2 * sizeof(void *), layout.total);
	obj = test_alloc(pool);
	ASSERT(obj);
	caller = (void **)(void *)(obj + layout.caller);
	EXPECT(caller[0]);
	test_free(pool, obj);
	EXPECT(caller[1]);
	EXPECT(caller[0] != caller[1]);
}

POOL_CASE(a_corrupted_object_in_quarantine_is_not_taken_back,
	  test_checked_within(1 << 20, 8, 64, POOL_D_INTEGRITY))
{
	unsigned char *obj;

	EXPECT(sees_damage(pool, 5, 1));
	obj = test_alloc(pool);
	test_free(pool, obj);
	obj[1] ^= 1;
	test_free(pool, test_alloc(pool));
	test_free(pool, obj);
	EXPECT_EQ(test_found(pool, POOL_FAULT_DOUBLE_FREE), 1);
	test_quarantined = 2;
}

/*
 * A quarantined object is still allocated, though later checks do not know it.  If it counted as an
 * object from before the switch, a wrong pointer could be taken for such an object, and be
 * accepted.
 */
POOL_CASE(after_a_quarantine_and_a_switch_a_wrong_pointer_is_still_found,
	  test_checked_within(1 << 20, 8, 64, POOL_D_INTEGRITY))
{
	static unsigned char memory[64] __attribute__((aligned(64)));

	EXPECT(sees_damage(pool, 5, 1));
	EXPECT(pool_set_debug(&pool->head, "-integrity"));
	pool_reclaim(&pool->head);
	EXPECT(pool_set_debug(&pool->head, "+integrity"));
	test_wave(pool, 50);
	test_free(pool, memory);
	EXPECT_EQ(test_found(pool, POOL_FAULT_FOREIGN), 1);
	test_quarantined = 1;
}

static struct pool_stats stats;

POOL_CASE(faults_are_counted_by_their_kind_in_numbers_and_dumps, test_checked(64, POOL_D_TAG))
{
	static char text[8192];
	static unsigned char memory[64];
	unsigned char *obj = test_alloc(pool);

	ASSERT(obj);
	test_free(pool, memory);
	test_free(pool, memory);
	obj[64] ^= 1;
	test_free(pool, obj);
	pool_stats_get(&pool->head, &stats, sizeof(stats));
	EXPECT_EQ(stats.faults[POOL_FAULT_FOREIGN], 2);
	EXPECT_EQ(stats.faults[POOL_FAULT_OVERFLOW], 1);
	EXPECT_EQ(stats.faults[POOL_FAULT_WRITTEN], 0);
	EXPECT_EQ(stats.quarantined, 1);
	dump_pools_to_buf(text, sizeof(text), "json");
	EXPECT(strstr(text, "\"overflow\":1"));
	EXPECT(strstr(text, "\"foreign\":2"));
	dump_pools_to_buf(text, sizeof(text), "prometheus");
	EXPECT(strstr(text, "kind=\"foreign\"} 2"));
	test_quarantined = 1;
}

TEST_CASE(what_options_add_to_the_largest_size_is_refused)
{
	struct pool *pool = test_checked(PLAT_SIZE_MAX, 0);

	ASSERT(pool);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
	EXPECT(!test_checked(PLAT_SIZE_MAX, POOL_D_BACKUP));
	EXPECT(!test_checked(PLAT_SIZE_MAX, POOL_D_BACKUP | POOL_D_TAG));
	EXPECT(!test_checked(PLAT_SIZE_MAX - 1, POOL_D_TAG));
	pool = test_checked(PLAT_SIZE_MAX / 4, POOL_D_BACKUP | POOL_D_TAG);
	ASSERT(pool);
	EXPECT(pool->backend.size > pool->head.size * 2ul);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

/* Faults beyond POOL_REPORTS_MAX are not reported: a report by "warn" would abort the program. */
POOL_CASE(faults_that_are_only_counted_are_not_warned_of,
	  test_checked_within(1 << 20, 8, 64, POOL_D_INTEGRITY))
{
	unsigned int i;

	for (i = 0; i < POOL_REPORTS_MAX; i++)
		test_free(pool, &pool->debug);
	pool_options.policy = POOL_POLICY_WARN;
	for (i = 0; i < 10; i++)
		test_free(pool, &pool->debug);
	EXPECT_EQ(test_found(pool, POOL_FAULT_FOREIGN), POOL_REPORTS_MAX + 10);
}
