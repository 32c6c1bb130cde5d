// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reach.c - objects that move while a caller looks for the last free one
 *
 * Layer:   tests of common/shared/reach.c and alloc.c.
 *
 * Races are replayed by hand: a reading, the steps of another CPU, the comparison.
 */
#include "test.h"

/* The object of the case's pool. */
static void *obj;

/* Make a pool without arrays, with clusters of single objects, and "obj", which is in use. */
static struct pool *reach_pool(void)
{
	struct pool *pool = test_sure_within(65536, 32, 16400);

	obj = pool ? test_alloc(pool) : NULL;
	return pool;
}

POOL_CASE(where_nothing_is_free_one_look_is_enough, reach_pool())
{
	struct pool_reading before;

	pool_reach_read(pool, &before);
	EXPECT(!pool_reach_missed(pool, &before));
	test_free(pool, obj);
}

/*
 * Read all places, and forget that one had objects, so that only departures show them; true if so.
 */
static bool read_places(struct pool *pool, struct pool_reading *before)
{
	bool some;

	pool_reach_read(pool, before);
	some = before->some;
	before->some = false;
	return some;
}

/* Buckets count departures and users do not: only "allocated" shows what a user freed. */
POOL_CASE(an_object_that_went_to_the_backend_meanwhile_was_missed, reach_pool())
{
	struct pool_reading before;

	EXPECT(pool_shared_put_one(pool, obj, 0));
	EXPECT(read_places(pool, &before));
	pool_flush(&pool->head);
	EXPECT_EQ(pool_allocated(pool), 0);
	EXPECT(pool_reach_missed(pool, &before));
	obj = test_alloc(pool);
	ASSERT(obj);
	pool_reach_read(pool, &before);
	pool_backend_put(pool, obj);
	EXPECT(pool_reach_missed(pool, &before));
}

/*
 * The object goes into use: no place has it now, and the places that were read before it came there
 * had not had it.
 */
POOL_CASE(an_object_that_left_a_bucket_or_a_cluster_meanwhile_was_missed, reach_pool())
{
	struct pool_reading before;

	EXPECT(pool_shared_put_one(pool, obj, 0));
	EXPECT(read_places(pool, &before));
	obj = test_alloc(pool);
	EXPECT(pool_reach_missed(pool, &before));
	test_free(pool, obj);
	EXPECT_EQ(test_local(pool)->clustered, 1);
	EXPECT(read_places(pool, &before));
	obj = test_alloc(pool);
	EXPECT_EQ(test_local(pool)->clustered, 0);
	EXPECT(pool_reach_missed(pool, &before));
	test_free(pool, obj);
	EXPECT(read_places(pool, &before));
	obj = pool_take_remote(pool, 0);
	EXPECT(obj);
	EXPECT(pool_reach_missed(pool, &before));
	test_free(pool, obj);
}

/* The object was moving while the caller looked, and has arrived since. */
POOL_CASE(an_object_that_was_on_its_way_was_missed, reach_pool())
{
	struct pool_reading before;

	pool_depart(&pool->moving, 1);
	pool_reach_read(pool, &before);
	pool_arrive(&pool->moving, 1);
	EXPECT(pool_reach_missed(pool, &before));
	pool_depart(&test_local(pool)->moving, 1);
	pool_reach_read(pool, &before);
	pool_arrive(&test_local(pool)->moving, 1);
	EXPECT(pool_reach_missed(pool, &before));
	test_free(pool, obj);
}

/* An array does not count departures, so only "moving" shows that the object left. */
POOL_CASE(an_object_that_has_left_an_array_meanwhile_was_missed, reach_pool())
{
	struct pool_reading before;

	pool_reach_read(pool, &before);
	pool_depart(&test_local(pool)->moving, 1);
	EXPECT(pool_reach_missed(pool, &before));
	pool_arrive(&test_local(pool)->moving, 1);
	test_free(pool, obj);
}

/*
 * The object is unparked after the reading, and then parked and unparked again.  First it is on
 * this CPU's list, and then on the pool's, because this CPU's part is not set up.
 */
POOLS_CASE(an_object_that_was_parked_and_taken_was_missed, 2, reach_pool())
{
	struct pool_reading before;

	plat_write(&test_local(pool)->pool, nth ? NULL : pool);
	pool_park(pool, obj);
	EXPECT_EQ(plat_read(&pool->parked.count), nth);
	EXPECT(read_places(pool, &before));
	obj = pool_unpark_all(pool, 0);
	EXPECT(obj);
	EXPECT(pool_reach_missed(pool, &before));
	pool_reach_read(pool, &before);
	EXPECT(!before.some);
	pool_park(pool, obj);
	EXPECT(pool_reach_missed(pool, &before));
	obj = pool_unpark_all(pool, 0);
	EXPECT(obj);
	EXPECT(pool_reach_missed(pool, &before));
	plat_write(&test_local(pool)->pool, pool);
	test_free(pool, obj);
}

/* The first reading may be an earlier call's, so the second one must show what moves. */
POOL_CASE(a_call_at_the_limit_is_not_refused_while_something_moves, reach_pool())
{
	unsigned long *moving[2];
	unsigned int i;

	moving[0] = &pool->moving;
	moving[1] = &test_local(pool)->moving;
	for (i = 0; i < 2; i++) {
		EXPECT(pool_used_up(pool, 1));
		EXPECT_EQ(pool->settled, pool->store_gets);
		pool_wake(pool);
		pool_depart(moving[i], 1);
		EXPECT(!pool_used_up(pool, 1));
		EXPECT_EQ(pool->used_up, 0);
		pool_arrive(moving[i], 1);
		EXPECT(pool_used_up(pool, 1));
	}
	test_free(pool, obj);
	EXPECT(!pool_used_up(pool, 1));
	obj = test_alloc(pool);
	EXPECT(pool_used_up(pool, 1));
	EXPECT_EQ(pool->settled, pool->store_gets + 1);
	test_free(pool, obj);
}

/* The note spares the next call the search for a free object. */
POOL_CASE(a_refused_call_leaves_a_note_until_an_object_is_free, reach_pool())
{
	EXPECT_EQ(pool->used_up, 0);
	EXPECT(pool_used_up(pool, 1));
	EXPECT_EQ(pool->used_up, POOL_USED_UP);
	EXPECT(!pool_used_up(pool, 2));
	EXPECT(pool_set_limit(&pool->head, 2));
	EXPECT_EQ(pool->used_up, 0);
	EXPECT(!pool_used_up(pool, 2));
	EXPECT_EQ(pool->used_up, 0);
	EXPECT(pool_used_up(pool, 1));
	test_free(pool, obj);
	EXPECT_EQ(pool->used_up, 0);
}

/* A free that hits an array clears no note, so none is made while an array takes objects. */
POOL_CASE(a_refused_call_leaves_no_note_while_an_array_takes_objects, reach_pool())
{
	struct pool_local *local;

	EXPECT(pool_set_limit(&pool->head, 1));
	local = test_local(pool);
	pool_hot_set_cap(local, 1);
	EXPECT(pool_used_up(pool, 1));
	EXPECT_EQ(pool->used_up, 0);
	pool_hot_set_cap(local, 0);
	EXPECT(pool_used_up(pool, 1));
	EXPECT_EQ(pool->used_up, POOL_USED_UP);
	pool_hot_set_cap(local, 1);
	EXPECT_EQ(pool->used_up, 0);
	pool_hot_set_cap(local, 0);
	test_free(pool, obj);
}

/*
 * A caller missed an object that a hit had freed into an array, and left the note.  A request to
 * empty the array, and a visit of another pool that takes its slots, must clear the note, because
 * no free does.
 */
PAIR_CASE(an_array_that_gives_its_objects_ends_the_note,
	  pool, test_sure_within(65536, 32, 1024), other, test_pool(1024))
{
	unsigned int n;

	ASSERT(pool_set_limit(&pool->head, 4096));
	test_wave(pool, 16);
	n = plat_read(&test_local(pool)->hot.n);
	ASSERT(n);
	plat_write(&pool->used_up, POOL_USED_UP);
	test_wave(other, 256);
	EXPECT(plat_read(&test_local(pool)->hot.n) < n);
	EXPECT_EQ(pool->used_up, 0);
	test_wave(pool, 16);
	ASSERT(plat_read(&test_local(pool)->hot.n));
	plat_write(&pool->used_up, POOL_USED_UP);
	pool_empty_array(pool);
	EXPECT_EQ(pool->used_up, 0);
}
