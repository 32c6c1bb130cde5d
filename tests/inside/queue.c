// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * queue.c - callers that wait for an object are served in order
 *
 * Layer:   tests of common/limit/queue.c, and of how alloc.c waits.
 * Context: see test.h.
 *
 * No array has slots of these small limits, so a waiter that no free wakes sleeps for ever, and
 * the case does not end.
 */
#include "test.h"

#define WAITERS	4

/* Thread 0 has the only object; the others wait for it. */
struct queue {
	struct pool *pool;
	unsigned int ms;		/* of the first to come */
	unsigned long come;
	unsigned long done;
	unsigned long wrong;
	unsigned int order[WAITERS];
};

static bool begin(struct queue *q)
{
	q->pool = test_pool(64);
	pool_fail_every = 0;
	return q->pool && pool_set_limit(&q->pool->head, 1);
}

/* True if no thread noted anything wrong, and nothing of the pool was lost. */
static bool ends_well(struct queue *q)
{
	return !plat_read(&q->wrong) && test_quiet(q->pool, 0) && !pool_destroy(&q->pool->head);
}

static void wait_for(unsigned int *word, unsigned int value)
{
	while (plat_read(word) != value)
		plat_pause(true);
}

/* Come as number @i. */
static void *wait_in_line(struct queue *q, unsigned int i)
{
	wait_for(&q->pool->waiting, i);
	return pool_alloc_timeout(&q->pool->head, 0, POOL_FOREVER);
}

static void come_in_order(unsigned int i, void *arg)
{
	struct queue *q = arg;
	void *obj;

	if (!i) {
		obj = pool_alloc(&q->pool->head);
		plat_word_add(&q->come, 1);
		wait_for(&q->pool->waiting, WAITERS);
		pool_free(&q->pool->head, obj);
		return;
	}
	while (!plat_read(&q->come))
		plat_pause(true);
	obj = wait_in_line(q, i - 1);
	if (obj)
		q->order[plat_word_add(&q->done, 1) - 1] = i;
	pool_free(&q->pool->head, obj);
}

TEST_CASE(who_waits_is_served_in_the_order_of_arrival)
{
	struct queue q = { .ms = 0 };
	struct pool_stats now;
	unsigned int i;

	ASSERT(begin(&q));
	test_threads(1 + WAITERS, come_in_order, &q);
	EXPECT_EQ(q.done, WAITERS);
	for (i = 0; i < WAITERS; i++)
		EXPECT_EQ(q.order[i], i + 1);
	EXPECT_EQ(q.pool->waiting, 0);
	pool_stats_get(&q.pool->head, &now, sizeof(now));
	EXPECT_EQ(now.refused, 0);
	EXPECT(test_quiet(q.pool, 0));
	EXPECT_PTR_EQ(pool_destroy(&q.pool->head), NULL);
}

#define ROUNDS	200

/*
 * Thread 0 frees the only object and allocates at once.  The waiter must get the object, not
 * thread 0, in whichever way it allocates.
 */
static void free_and_want(unsigned int i, void *arg)
{
	struct queue *q = arg;
	unsigned long r, rounds = test_scale(ROUNDS);
	void *obj;

	for (r = 0; r < rounds; r++) {
		if (i) {
			while (plat_read(&q->come) == r)
				plat_pause(true);
			obj = pool_alloc_timeout(&q->pool->head, 0, POOL_FOREVER);
			plat_word_add(&q->wrong, !obj);
			while (plat_read(&q->done) == r)
				plat_pause(true);
			pool_free(&q->pool->head, obj);
			continue;
		}
		obj = pool_alloc_timeout(&q->pool->head, 0, POOL_FOREVER);
		plat_word_add(&q->come, 1);
		wait_for(&q->pool->waiting, 1);
		pool_free(&q->pool->head, obj);
		obj = pool_alloc(&q->pool->head);
		plat_word_add(&q->wrong, !!obj);
		plat_word_add(&q->wrong, !!pool_alloc_nocache(&q->pool->head));
		plat_word_add(&q->wrong, pool_alloc_bulk_some(&q->pool->head, 0, 1, &obj));
		plat_word_add(&q->wrong, !!pool_alloc_timeout(&q->pool->head, 0, 0));
		plat_word_add(&q->done, 1);
	}
}

TEST_CASE(who_comes_later_does_not_overtake_who_waits)
{
	struct queue q = { .ms = 0 };

	ASSERT(begin(&q));
	test_threads(2, free_and_want, &q);
	EXPECT(ends_well(&q));
}

static void first_gives_up(unsigned int i, void *arg)
{
	struct queue *q = arg;
	void *obj;

	if (!i) {
		obj = pool_alloc(&q->pool->head);
		plat_word_add(&q->come, 1);
		while (plat_read(&q->come) == 1)
			plat_pause(true);
		wait_for(&q->pool->waiting, 1);
		pool_free(&q->pool->head, obj);
		return;
	}
	while (!plat_read(&q->come) ||
	       (i == 2 && plat_read(&q->come) == 1 && !plat_read(&q->pool->waiting)))
		plat_pause(true);
	obj = pool_alloc_timeout(&q->pool->head, 0, i == 1 ? q->ms : POOL_FOREVER);
	if (i == 1)
		plat_word_add(&q->come, 1);
	plat_word_add(&q->wrong, !obj != (i == 1));
	pool_free(&q->pool->head, obj);
}

/* The wait of the first is long enough, most often, for the second waiter to come meanwhile. */
TEST_CASE(who_gives_up_leaves_the_turn_to_the_next)
{
	struct queue q = { .ms = 50 };

	ASSERT(begin(&q));
	test_threads(3, first_gives_up, &q);
	EXPECT(ends_well(&q));
}

static void raise_or_wait(unsigned int i, void *arg)
{
	struct queue *q = arg;
	void *obj;

	if (!i) {
		obj = pool_alloc(&q->pool->head);
		plat_word_add(&q->come, 1);
		wait_for(&q->pool->waiting, 1);
		plat_word_add(&q->wrong, !pool_set_limit(&q->pool->head, 2));
		wait_for(&q->pool->waiting, 0);
		pool_free(&q->pool->head, obj);
		return;
	}
	while (!plat_read(&q->come))
		plat_pause(true);
	obj = wait_in_line(q, 0);
	plat_word_add(&q->wrong, !obj);
	pool_free(&q->pool->head, obj);
}

TEST_CASE(a_limit_that_is_raised_wakes_who_waits)
{
	struct queue q = { .ms = 0 };

	ASSERT(begin(&q));
	test_threads(2, raise_or_wait, &q);
	EXPECT_EQ(q.wrong, 0);
	EXPECT_PTR_EQ(pool_destroy(&q.pool->head), NULL);
}

/* Each way to free; the waiter frees, too, and comes again. */
static void free_in_ways(unsigned int i, void *arg)
{
	struct queue *q = arg;
	struct pool_head *head = &q->pool->head;
	unsigned int way;
	void *obj;

	for (way = 0; way < 4; way++) {
		if (i) {
			while (plat_read(&q->come) == way)
				plat_pause(true);
			obj = pool_alloc_timeout(head, 0, POOL_FOREVER);
			plat_word_add(&q->wrong, !obj);
			pool_free(head, obj);
			plat_word_add(&q->done, 1);
			continue;
		}
		obj = pool_alloc_timeout(head, 0, POOL_FOREVER);
		plat_word_add(&q->wrong, !obj);
		plat_word_add(&q->come, 1);
		wait_for(&q->pool->waiting, 1);
		if (way == 0)
			pool_free_bulk(head, 0, 1, &obj);
		else if (way == 1)
			__pool_free(head, obj, POOL_F_ATOMIC);
		else if (way == 2)
			__pool_free(head, obj, POOL_F_NOSLAB);
		else
			pool_free(head, obj);
		while (plat_read(&q->done) == way)
			plat_pause(true);
	}
}

TEST_CASE(each_kind_of_free_wakes_who_waits)
{
	struct queue q = { .ms = 0 };

	ASSERT(begin(&q));
	test_threads(2, free_in_ways, &q);
	EXPECT(ends_well(&q));
}

/* In the middle of a call of the pool: the object is parked. */
static void free_nested(unsigned int i, void *arg)
{
	struct queue *q = arg;
	struct pool_local *local;
	void *obj;

	if (!i) {
		obj = pool_alloc(&q->pool->head);
		local = test_local(q->pool);
		plat_word_add(&q->come, 1);
		wait_for(&q->pool->waiting, 1);
		if (local)
			plat_write(&local->hot.open, POOL_HELD);
		pool_free(&q->pool->head, obj);
		if (local)
			plat_write(&local->hot.open, POOL_OPEN);
		wait_for(&q->pool->waiting, 0);
		return;
	}
	while (!plat_read(&q->come))
		plat_pause(true);
	obj = wait_in_line(q, 0);
	plat_word_add(&q->wrong, !obj);
	pool_free(&q->pool->head, obj);
}

TEST_CASE(a_free_that_interrupts_a_call_wakes_who_waits)
{
	struct queue q = { .ms = 0 };

	ASSERT(begin(&q));
	test_threads(2, free_nested, &q);
	EXPECT(ends_well(&q));
}

/* Thread 2 comes last, but has a reserve, of which thread 0 has the object. */
struct reserved {
	struct queue q;
	struct pool_reserved *reserve;
};

static void free_to_reserve(unsigned int i, void *arg)
{
	struct reserved *r = arg;
	struct queue *q = &r->q;
	void *obj, *own;

	if (!i) {
		obj = pool_alloc(&q->pool->head);
		own = pool_alloc_reserved(r->reserve);
		plat_word_add(&q->wrong, !obj || !own);
		plat_word_add(&q->come, 1);
		wait_for(&q->pool->waiting, 2);
		pool_free_reserved(r->reserve, own, 0);
		while (plat_read(&q->done) == 0)
			plat_pause(true);
		/* The reserve has its object again, though thread 1 waits for one of the pool. */
		own = pool_alloc_reserved_timeout(r->reserve, 0, 0);
		plat_word_add(&q->wrong, !own);
		pool_free_reserved(r->reserve, own, 0);
		pool_free(&q->pool->head, obj);
		return;
	}
	while (!plat_read(&q->come))
		plat_pause(true);
	wait_for(&q->pool->waiting, i - 1);
	obj = i == 1 ? pool_alloc_timeout(&q->pool->head, 0, POOL_FOREVER) :
		       pool_alloc_reserved_timeout(r->reserve, 0, POOL_FOREVER);
	plat_word_add(&q->wrong, !obj);
	if (i == 1) {
		pool_free(&q->pool->head, obj);
		return;
	}
	pool_free_reserved(r->reserve, obj, 0);
	plat_word_add(&q->done, 1);
}

TEST_CASE(what_comes_to_a_reserve_is_its_callers_whoever_waits)
{
	struct reserved r = { .reserve = NULL };

	ASSERT(begin(&r.q));
	EXPECT(pool_set_limit(&r.q.pool->head, 2));
	r.reserve = pool_reserve(&r.q.pool->head, 1);
	ASSERT(r.reserve);
	test_threads(3, free_to_reserve, &r);
	EXPECT_EQ(r.q.wrong, 0);
	pool_unreserve(r.reserve);
	EXPECT_PTR_EQ(pool_destroy(&r.q.pool->head), NULL);
}

#define MANY	4096

/* Thread 0 has all objects and an array with slots; while thread 1 waits the array takes none. */
static void close_and_open(unsigned int i, void *arg)
{
	struct queue *q = arg;
	struct pool_local *local;
	void *obj;

	if (i) {
		while (!plat_read(&q->come))
			plat_pause(true);
		obj = wait_in_line(q, 0);
		plat_word_add(&q->wrong, !obj);
		pool_free(&q->pool->head, obj);
		return;
	}
	test_wave(q->pool, TEST_SOME);
	test_alloc_many(q->pool, test_objs, MANY);
	local = test_local(q->pool);
	plat_word_add(&q->wrong, !plat_read(&local->hot.cap));
	plat_word_add(&q->come, 1);
	wait_for(&q->pool->waiting, 1);
	while (plat_read(&local->hot.cap))
		plat_pause(true);
	test_free(q->pool, test_objs[0]);
	wait_for(&q->pool->waiting, 0);
	test_free_many(q->pool, test_objs + 1, MANY - 1);
	plat_word_add(&q->wrong, !plat_read(&local->hot.cap));
}

TEST_CASE(arrays_are_closed_while_somebody_waits_and_opened_again)
{
	struct queue q = { .ms = 0 };

	ASSERT(begin(&q));
	EXPECT(pool_set_limit(&q.pool->head, MANY));
	test_threads(2, close_and_open, &q);
	EXPECT(ends_well(&q));
}

static const char owner;
static void *left;		/* seen by tools that search for leaks */

/* Thread 0 ends the pool, of which it has the only object, while the others wait. */
static void end_or_wait(unsigned int i, void *arg)
{
	struct queue *q = arg;

	if (i) {
		while (!plat_read(&q->come))
			plat_pause(true);
		plat_word_add(&q->wrong, !!pool_alloc_timeout(&q->pool->head, 0, POOL_FOREVER));
		return;
	}
	left = pool_alloc(&q->pool->head);
	plat_word_add(&q->come, 1);
	wait_for(&q->pool->waiting, WAITERS);
	plat_word_add(&q->wrong, !pool_destroy(&q->pool->head));
	pool_destroy_owned(&owner);
}

TEST_CASE(who_waits_gets_nothing_where_the_pool_ends)
{
	struct queue q = { .ms = 0 };
	struct pool_head *head;

	pool_fail_every = 0;
	head = pool_create_at("ends", 64, MEM_F_EXACT, "queue.c", 1, &owner, POOL_ABI);
	ASSERT(head && pool_set_limit(head, 1));
	q.pool = pool_of(head);
	test_threads(1 + WAITERS, end_or_wait, &q);
	EXPECT_EQ(q.wrong, 0);
	EXPECT(plat_read(&left));
	EXPECT_EQ(test_count_pools(), 0);
}
