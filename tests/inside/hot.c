// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * hot.c - hot arrays: entering them, and their slots
 *
 * Layer:   tests of common/core/hot.c and age.c.
 */
#include "test.h"

POOL_CASE(an_array_opens_small_and_doubles, test_within(1 << 20, 8, 64))
{
	unsigned int max = POOL_HOT_MAX;
	unsigned int rooms = 0, before = 0, i;

	for (i = 0; i < 800; i++) {
		unsigned int slots;

		if (i < 400)
			test_objs[i] = test_alloc(pool);
		else
			test_free(pool, test_objs[i - 400]);
		slots = test_local(pool)->hot.slots;
		EXPECT(slots == before || slots == 1 ||
		       slots == 2 * before);
		rooms += slots != before;
		before = slots;
	}
	EXPECT_EQ(before, max);
	EXPECT(rooms >= 1);
	EXPECT_EQ(test_cpu()->hot_bytes, max * 64);
}

POOL_CASE(one_array_takes_a_quarter_of_the_bound_at_most, test_within(16384, 8, 128))
{
	test_wave(pool, 400);
	EXPECT_EQ(test_local(pool)->hot.slots,
		  test_min(POOL_HOT_MAX, 16384 / 4 / 128));
	EXPECT(test_bound_holds());
}

/* Use a pool until, under a bound of 32768 bytes, idle arrays are reduced and evicted. */
static void need_the_bound(struct pool *busy)
{
	unsigned int i;

	for (i = 0; i < 400; i++)
		test_wave(busy, 520);
}

PAIR_CASE(idle_arrays_give_their_room_back, idle, test_within(32768, 8, 64), busy, test_pool(64))
{
	test_wave(idle, 300);
	EXPECT_EQ(test_local(idle)->hot.slots, POOL_HOT_MAX);
	need_the_bound(busy);
	EXPECT_EQ(test_local(idle)->hot.slots, 0);
	EXPECT_EQ(test_local(idle)->clustered, 0);
}

TEST_CASE(a_late_pool_gets_its_array_from_idle_ones)
{
	struct pool *pool[8];
	unsigned int i;

	test_options(32768, 8);
	for (i = 0; i < 8; i++) {
		pool[i] = test_pool(512);
		ASSERT(pool[i]);
		test_wave(pool[i], 12);
	}
	for (i = 0; i < 40 && test_local(pool[7])->hot.slots < test_min(12, POOL_HOT_MAX); i++)
		test_wave(pool[7], 12);
	EXPECT_LE(test_min(12, POOL_HOT_MAX), test_local(pool[7])->hot.slots);
	EXPECT(test_bound_holds());
	for (i = 0; i < 8; i++)
		pool_destroy(&pool[i]->head);
}

/* Eight arrays of eight slots exceed the bound.  Their five objects each do not. */
TEST_CASE(free_slots_leave_the_bound_to_objects)
{
	struct pool *pool[8];
	unsigned int i;

	test_options(8 * 1024 * 7, 8);
	for (i = 0; i < 8; i++) {
		pool[i] = test_pool(1024);
		ASSERT(pool[i]);
		test_wave(pool[i], 5);
	}
	for (i = 0; i < 8; i++) {
		EXPECT_EQ(test_sum(pool[i])->evictions, 0);
		EXPECT_EQ(test_sum(pool[i])->cached, 5);
		pool_destroy(&pool[i]->head);
	}
}

PAIR_CASE(an_array_opens_with_one_slot_and_again_with_what_it_had,
	  pool, test_within(64 * 64, 8, 64), other, test_pool(64))
{
	unsigned int i, was;

	test_wave(pool, 1);
	EXPECT_EQ(test_local(pool)->hot.slots, 1);
	test_wave(pool, 6);
	for (i = 0; i < 100 && test_local(pool)->hot.slots; i++)
		test_wave(other, 80);
	EXPECT_EQ(test_local(pool)->hot.slots, 0);
	was = test_local(pool)->reopen;
	EXPECT(was > 1);
	test_wave(pool, 1);
	EXPECT_EQ(test_local(pool)->hot.slots, was);
}

/* One thread lowers and raises the bound, the other one lets an array grow. */
static void grow_or_switch(unsigned int i, void *arg)
{
	struct pool *pool = arg;
	unsigned int r;

	for (r = 0; r < test_scale(20000); r++) {
		if (i)
			pool_set_hot_size(r & 1 ? 524288 : 432128);
		else
			test_wave(pool, 200 + r % 900);
	}
}

/* True if no array of a pool has more slots than an array may have. */
static bool arrays_fit(struct pool *pool)
{
	struct pool_local *local;
	unsigned int i;

	pool_each_part(pool, i, local)
		if (plat_read(&local->hot.slots) > POOL_HOT_SLOTS)
			return false;
	return true;
}

POOL_CASE(an_array_stays_within_its_slots_while_the_bound_changes, test_sure(1024))
{
	test_options(524288, 32);
	test_threads(2, grow_or_switch, pool);
	EXPECT(arrays_fit(pool));
}

PAIR_CASE(an_array_of_more_objects_than_a_cluster_opens_again_with_all,
	  pool, test_within(POOL_HOT_SLOTS * 64 * 4, POOL_CLUSTER_SIZE, 64), other, test_pool(64))
{
	static void *held[POOL_HOT_SLOTS];
	const unsigned int n = POOL_CLUSTER_SIZE + 1;
	unsigned int i;

	if (n > POOL_HOT_MAX)
		return;
	test_wave(pool, POOL_HOT_MAX);
	test_alloc_many(pool, held, POOL_HOT_MAX - n);
	for (i = 0; i < 1000 && test_local(pool)->hot.slots; i++)
		test_wave(other, 1000);
	EXPECT_EQ(test_local(pool)->hot.slots, 0);
	EXPECT_EQ(test_local(pool)->reopen, n);
	test_free_many(pool, held, POOL_HOT_MAX - n);
}

POOL_CASE(a_nested_call_leaves_the_array_alone, test_pool(64))
{
	struct pool_local *local;
	unsigned int flags = 0;
	struct pool_local *here;
	void *mine, *nested;
	unsigned int n;

	test_alloc_many(pool, test_objs, 20);
	mine = test_objs[19];
	test_free_many(pool, test_objs, 19);
	local = test_local(pool);
	here = pool_here_enter(pool, &flags);
	ASSERT(here);
	EXPECT_EQ(local->hot.open, POOL_HELD);
	n = local->hot.n;
	__pool_free(&pool->head, mine, POOL_F_ATOMIC);
	nested = __pool_alloc(&pool->head, POOL_F_ATOMIC);
	n -= local->hot.n;
	EXPECT_EQ(local->hot.open, POOL_HELD);
	pool_here_leave(here);
	EXPECT_EQ(n, 0);
	EXPECT_EQ(local->hot.open, POOL_OPEN);
	EXPECT_EQ(test_sum(pool)->nested, 2);
	if (nested)
		EXPECT(test_quiet(pool, 1));
	test_free(pool, nested);
}

/*
 * A call has entered the CPU's part, which is not set up; a handler that interrupts it sets the
 * part up and frees objects into it.  The call must use these objects.
 */
POOL_CASE(a_part_that_its_interrupter_set_up_is_entered, test_sure(64))
{
	struct pool_local *local;
	unsigned int flags = 0;
	unsigned int i;

	for (i = 0; i < 3; i++)
		test_objs[i] = pool_alloc_nocache(&pool->head);
	plat_cpu_ready(pool, 0);
	local = pool_local_enter(pool);
	EXPECT_EQ(local->hot.open, POOL_HELD);
	__pool_free(&pool->head, test_objs[0], POOL_F_ATOMIC);
	__pool_free(&pool->head, test_objs[1], POOL_F_ATOMIC);
	EXPECT_EQ(local->hot.open, POOL_OPEN);
	EXPECT_EQ(local->hot.n, 2);
	ASSERT(pool_here_begins(pool, local, &flags));
	EXPECT_EQ(local->hot.n, 2);
	pool_hot_leave();
	EXPECT_EQ(flags, 0);
	test_free(pool, test_objs[2]);
}

POOL_CASE(closing_a_small_array_never_raises_the_charge, test_within(65536, 32, 2048))
{
	struct pool *other[13];
	unsigned int i;

	for (i = 0; i < 13; i++) {
		other[i] = test_pool(4096);
		ASSERT(other[i]);
		test_free(other[i], test_alloc(other[i]));
	}
	test_wave(pool, 5);
	for (i = 0; i < 800; i++) {
		test_free(other[i % 13], test_alloc(other[i % 13]));
		EXPECT(test_bound_holds());
	}
	for (i = 0; i < 13; i++)
		ENDS_QUIETLY(&other[i]->head);
}

/* Count the calls of a pool that were no hits, as far as a pool's numbers show them. */
static unsigned long long slow_paths(struct pool *pool)
{
	const struct pool_stats *now = test_sum(pool);

	return now->fills + now->spills + now->gets + now->puts + now->nested +
	       now->store_gets + now->store_puts;
}

/* True if the array of a pool is open after its first use, so that further calls are hits. */
static bool hits(struct pool *pool)
{
	unsigned long long before;
	unsigned int i;

	test_free(pool, test_alloc(pool));
	before = slow_paths(pool);
	for (i = 0; i < 10; i++)
		test_free(pool, test_alloc(pool));
	return slow_paths(pool) == before;
}

TEST_CASE(each_of_1100_pools_has_an_array)
{
	struct pool **pools = (struct pool **)(void *)test_objs;
	unsigned int n = 1100, bad = 0, i;

	test_options(1 << 20, 8);
	for (i = 0; i < n; i++) {
		pools[i] = test_pool(16);
		ASSERT(pools[i]);
	}
	for (i = 0; i < n; i++)
		bad += !hits(pools[i]);
	EXPECT_EQ(bad, 0);
	for (i = 0; i < n; i++)
		EXPECT_PTR_EQ(pool_destroy(&pools[i]->head), NULL);
}
