// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * queue.c - callers that wait for an object are served in order
 *
 * Layer:   tests of common/limit/queue.c, and of how alloc.c waits.
 *
 * No array has slots of these small limits, so a waiter that no free wakes sleeps for ever, and
 * the case does not end.
 */
#include "test.h"

#define WAITERS	4

/* The order in which waiters got the object. */
static unsigned int order[WAITERS];

/* The reserve that a case makes; it has one object. */
static struct pool_reserved *reserve;

/* Thread 0 has the only object; the others wait for it. */
struct queue {
	struct pool *pool;
	unsigned long come;
	unsigned long done;
	unsigned long wrong;
};

/* Run @n threads at a pool with this limit; true if all went well, and none waits. */
static bool served(struct pool *pool, unsigned int limit, unsigned int n,
		   void (*fn)(unsigned int i, void *arg))
{
	struct queue q = { .pool = pool };

	if (!pool_set_limit(&pool->head, limit))
		return false;
	test_threads(n, fn, &q);
	return !plat_read(&q.wrong) && !pool->waiting;
}

static void wait_for(unsigned int *word, unsigned int value)
{
	while (plat_read(word) != value)
		plat_pause(true);
}

/* Wait for an object as number @i of those that wait, once thread 0 has the object. */
static void *wait_in_line(struct queue *q, unsigned int i)
{
	test_await(&q->come, 1);
	wait_for(&q->pool->waiting, i);
	return pool_alloc_timeout(&q->pool->head, 0, POOL_FOREVER);
}

/* Wait for an object as the only waiter, and free it. */
static void wait_once(struct queue *q)
{
	void *obj = wait_in_line(q, 0);

	plat_word_add(&q->wrong, !obj);
	pool_free(&q->pool->head, obj);
}

/* Get the only object, let the other threads come, and return the object once @n of them wait. */
static void *take_and_await(struct queue *q, unsigned int n)
{
	void *obj = pool_alloc_timeout(&q->pool->head, 0, POOL_FOREVER);

	plat_word_add(&q->wrong, !obj);
	plat_word_add(&q->come, 1);
	wait_for(&q->pool->waiting, n);
	return obj;
}

/* Thread 0 frees the object when all others wait; each of these records when it got the object. */
static void come_in_order(unsigned int i, void *arg)
{
	struct queue *q = arg;
	void *obj = i ? wait_in_line(q, i - 1) : take_and_await(q, WAITERS);

	if (i && obj)
		order[plat_word_add(&q->done, 1) - 1] = i;
	pool_free(&q->pool->head, obj);
}

POOL_CASE(who_waits_is_served_in_the_order_of_arrival, test_sure(64))
{
	unsigned int i;

	memset(order, 0, sizeof(order));
	EXPECT(served(pool, 1, 1 + WAITERS, come_in_order));
	for (i = 0; i < WAITERS; i++)
		EXPECT_EQ(order[i], i + 1);
	EXPECT_EQ(test_sum(pool)->refused, 0);
}

#define ROUNDS	200

/* Thread 0 frees the only object and allocates at once, but the waiter must get the object. */
static void free_and_want(unsigned int i, void *arg)
{
	struct queue *q = arg;
	unsigned long r, rounds = test_scale(ROUNDS);
	void *obj;

	for (r = 0; r < rounds; r++) {
		if (i) {
			test_await(&q->come, r + 1);
			obj = pool_alloc_timeout(&q->pool->head, 0, POOL_FOREVER);
			plat_word_add(&q->wrong, !obj);
			test_await(&q->done, r + 1);
			pool_free(&q->pool->head, obj);
			continue;
		}
		pool_free(&q->pool->head, take_and_await(q, 1));
		obj = pool_alloc(&q->pool->head);
		plat_word_add(&q->wrong, !!obj);
		plat_word_add(&q->wrong, !!pool_alloc_nocache(&q->pool->head));
		plat_word_add(&q->wrong, pool_alloc_bulk_some(&q->pool->head, 0, 1, &obj));
		plat_word_add(&q->wrong, !!pool_alloc_timeout(&q->pool->head, 0, 0));
		plat_word_add(&q->done, 1);
	}
}

POOL_CASE(who_comes_later_does_not_overtake_who_waits, test_sure(64))
{
	EXPECT(served(pool, 1, 2, free_and_want));
}

/* Thread 1 waits so long that thread 2 nearly always comes meanwhile. */
#define SOON_MS	50

static void first_gives_up(unsigned int i, void *arg)
{
	struct queue *q = arg;
	void *obj;

	if (!i) {
		obj = pool_alloc(&q->pool->head);
		plat_word_add(&q->come, 1);
		test_await(&q->come, 2);
		wait_for(&q->pool->waiting, 1);
		pool_free(&q->pool->head, obj);
		return;
	}
	test_await(&q->come, 1);
	while (i == 2 && plat_read(&q->come) == 1 && !plat_read(&q->pool->waiting))
		plat_pause(true);
	obj = pool_alloc_timeout(&q->pool->head, 0, i == 1 ? SOON_MS : POOL_FOREVER);
	if (i == 1)
		plat_word_add(&q->come, 1);
	plat_word_add(&q->wrong, !obj != (i == 1));
	pool_free(&q->pool->head, obj);
}

POOL_CASE(who_gives_up_leaves_the_turn_to_the_next, test_sure(64))
{
	EXPECT(served(pool, 1, 3, first_gives_up));
}

static void raise_or_wait(unsigned int i, void *arg)
{
	struct queue *q = arg;
	void *obj;

	if (i) {
		wait_once(q);
		return;
	}
	obj = take_and_await(q, 1);
	plat_word_add(&q->wrong, !pool_set_limit(&q->pool->head, 2));
	wait_for(&q->pool->waiting, 0);
	pool_free(&q->pool->head, obj);
}

POOL_CASE(a_limit_that_is_raised_wakes_who_waits, test_sure(64))
{
	EXPECT(served(pool, 1, 2, raise_or_wait));
}

/*
 * Thread 0 frees the object in one way after the other; thread 1 waits for it, frees it, and waits
 * again.
 */
static void free_in_ways(unsigned int i, void *arg)
{
	struct queue *q = arg;
	struct pool_head *head = &q->pool->head;
	unsigned int way;
	void *obj;

	for (way = 0; way < 4; way++) {
		if (i) {
			test_await(&q->come, way + 1);
			wait_once(q);
			plat_word_add(&q->done, 1);
			continue;
		}
		obj = take_and_await(q, 1);
		if (way == 0)
			pool_free_bulk(head, 0, 1, &obj);
		else if (way == 1)
			__pool_free(head, obj, POOL_F_ATOMIC);
		else if (way == 2)
			__pool_free(head, obj, POOL_F_NOSLAB);
		else
			pool_free(head, obj);
		test_await(&q->done, way + 1);
	}
}

POOL_CASE(each_kind_of_free_wakes_who_waits, test_sure(64))
{
	EXPECT(served(pool, 1, 2, free_in_ways));
}

/* Free while a call of the pool is interrupted, so that the object is parked. */
static void free_nested(unsigned int i, void *arg)
{
	struct queue *q = arg;
	struct pool_local *local;
	void *obj;

	if (i) {
		wait_once(q);
		return;
	}
	obj = take_and_await(q, 1);
	local = test_local(q->pool);
	plat_write(&local->hot.open, POOL_HELD);
	pool_free(&q->pool->head, obj);
	plat_write(&local->hot.open, POOL_OPEN);
	wait_for(&q->pool->waiting, 0);
}

POOL_CASE(a_free_that_interrupts_a_call_wakes_who_waits, test_sure(64))
{
	EXPECT(served(pool, 1, 2, free_nested));
}

/*
 * Thread 0 frees an object to the reserve; thread 2, which waits with the reserve, must get it
 * though it came last.
 */
static void free_to_reserve(unsigned int i, void *arg)
{
	struct queue *q = arg;
	void *obj, *own;

	if (!i) {
		own = pool_alloc_reserved(reserve);
		plat_word_add(&q->wrong, !own);
		obj = take_and_await(q, 2);
		pool_free_reserved(reserve, own, 0);
		test_await(&q->done, 1);
		/* The object is in the reserve again, though thread 1 waits for one of the pool. */
		own = pool_alloc_reserved_timeout(reserve, 0, 0);
		plat_word_add(&q->wrong, !own);
		pool_free_reserved(reserve, own, 0);
		pool_free(&q->pool->head, obj);
		return;
	}
	if (i == 1) {
		wait_once(q);
		return;
	}
	test_await(&q->come, 1);
	wait_for(&q->pool->waiting, 1);
	obj = pool_alloc_reserved_timeout(reserve, 0, POOL_FOREVER);
	plat_word_add(&q->wrong, !obj);
	pool_free_reserved(reserve, obj, 0);
	plat_word_add(&q->done, 1);
}

POOL_CASE(what_comes_to_a_reserve_is_its_callers_whoever_waits, test_sure(64))
{
	ASSERT(pool_set_limit(&pool->head, 2));
	reserve = pool_reserve(&pool->head, 1);
	ASSERT(reserve);
	EXPECT(served(pool, 2, 3, free_to_reserve));
	pool_unreserve(reserve);
}

#define MANY	4096

/* While thread 1 waits, the array of thread 0, which has slots, must accept no object. */
static void close_and_open(unsigned int i, void *arg)
{
	struct queue *q = arg;
	struct pool_local *local;

	if (i) {
		wait_once(q);
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

POOL_CASE(arrays_are_closed_while_somebody_waits_and_opened_again, test_sure(64))
{
	EXPECT(served(pool, MANY, 2, close_and_open));
}

static const char owner;
static void *left;		/* seen by tools that search for leaks */

/* Thread 0 ends the pool, of which it has the only object, while the others wait. */
static void end_or_wait(unsigned int i, void *arg)
{
	struct queue *q = arg;

	if (i) {
		test_await(&q->come, 1);
		plat_word_add(&q->wrong, !!pool_alloc_timeout(&q->pool->head, 0, POOL_FOREVER));
		return;
	}
	left = take_and_await(q, WAITERS);
	plat_word_add(&q->wrong, !pool_destroy(&q->pool->head));
	pool_destroy_owned(&owner);
}

TEST_CASE(who_waits_gets_nothing_where_the_pool_ends)
{
	struct queue q = { .come = 0 };
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
