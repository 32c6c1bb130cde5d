// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * queue.c - threads that wait for an object: signals, ends and forks
 *
 * Layer:   tests of common/limit/queue.c, user/lock.c and user/fork.c.
 * Context: see test.h and life.h.
 */
#include "life.h"

#include <pthread.h>
#include <signal.h>

/* A thread that waits for the only object, which the case holds. */
struct waiter {
	struct pool *pool;
	pthread_t thread;
	void *obj;
	bool got;
};

static struct waiter *signalled;

static void *wait_for_one(void *arg)
{
	struct waiter *w = arg;
	void *obj;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	obj = pool_alloc_timeout(&w->pool->head, 0, POOL_FOREVER);
	w->got = obj;
	pool_free(&w->pool->head, obj);
	return NULL;
}

static void start(struct waiter *w)
{
	w->pool = test_pool(64);
	pool_fail_every = 0;
	ck_assert(w->pool && pool_set_limit(&w->pool->head, 1));
	w->obj = pool_alloc(&w->pool->head);
	ck_assert(!pthread_create(&w->thread, NULL, wait_for_one, w));
	while (!plat_read(&w->pool->waiting))
		plat_pause(true);
}

static void finish(struct waiter *w)
{
	ck_assert(!pthread_join(w->thread, NULL));
	EXPECT_EQ(w->pool->waiting, 0);
	EXPECT_PTR_EQ(pool_destroy(&w->pool->head), NULL);
}

static void free_in_handler(int sig)
{
	(void)sig;
	__pool_free(&signalled->pool->head, signalled->obj, POOL_F_ATOMIC);
}

TEST_CASE(a_free_in_a_signal_handler_wakes_who_waits)
{
	struct sigaction action = { .sa_handler = free_in_handler }, before;
	struct waiter w = { .got = false };

	start(&w);
	signalled = &w;
	ASSERT(!sigaction(SIGUSR1, &action, &before));
	raise(SIGUSR1);
	finish(&w);
	EXPECT(w.got);
	sigaction(SIGUSR1, &before, NULL);
}

TEST_CASE(a_thread_that_is_cancelled_leaves_the_queue)
{
	struct waiter w = { .got = false };

	if (UNDER_CHECKER)
		SKIP_BECAUSE("a checker delays the signal, or reports the cancelled stack");
	start(&w);
	/* Wait until the waiter sleeps in its wait, and no longer in the mutex of the queue. */
	test_sleep(20);
	ck_assert(!pthread_cancel(w.thread));
	while (plat_read(&w.pool->waiting))
		plat_pause(true);
	pool_free(&w.pool->head, w.obj);
	finish(&w);
	EXPECT(!w.got);
}

static void allocate_in_child(void *arg)
{
	struct waiter *w = arg;
	void *obj;

	NEED(!plat_read(&w->pool->waiting));
	pool_free(&w->pool->head, w->obj);
	obj = pool_alloc(&w->pool->head);
	NEED(obj);
	NEED(!pool_alloc_timeout(&w->pool->head, 0, 1));
	pool_free(&w->pool->head, obj);
	NEED(!pool_destroy(&w->pool->head));
}

TEST_CASE(nobody_waits_in_a_child)
{
	struct waiter w = { .got = false };

	start(&w);
	EXPECT(child_is_well(allocate_in_child, &w));
	pool_free(&w.pool->head, w.obj);
	finish(&w);
	EXPECT(w.got);
}

static void allocate_last(void *arg)
{
	struct pool *pool = arg;
	void *obj = pool_alloc(&pool->head);

	NEED(obj);
	pool_free(&pool->head, obj);
	NEED(!pool_destroy(&pool->head));
}

/* Fork while a free has put its object into the pool, and not yet cleared the note. */
TEST_CASE(a_child_looks_for_objects_though_nothing_was_free)
{
	struct pool *pool = test_pool(64);
	void *obj;

	pool_fail_every = 0;
	ASSERT(pool && pool_set_limit(&pool->head, 1));
	obj = pool_alloc(&pool->head);
	EXPECT_PTR_EQ(pool_alloc(&pool->head), NULL);
	EXPECT_EQ(plat_read(&pool->used_up), POOL_USED_UP);
	pool_park(pool, obj);
	EXPECT(child_is_well(allocate_last, pool));
	pool_wake(pool);
	EXPECT_PTR_EQ(pool_destroy(&pool->head), NULL);
}

#define MANY	1000

static void free_many_in_child(void *arg)
{
	struct waiter *w = arg;

	test_free_many(w->pool, test_objs, MANY);
	test_wave(w->pool, MANY);
	NEED(test_local(w->pool)->hot.cap);
}

/* This thread visits its array after the waiter closed it, so the child inherits it closed. */
TEST_CASE(arrays_that_a_waiter_closed_take_objects_in_a_child)
{
	struct waiter w = { .pool = test_pool(64) };
	unsigned int flags = 0;

	pool_fail_every = 0;
	ASSERT(w.pool && pool_set_limit(&w.pool->head, MANY));
	test_alloc_many(w.pool, test_objs, MANY);
	ck_assert(!pthread_create(&w.thread, NULL, wait_for_one, &w));
	while (!plat_read(&w.pool->waiting))
		plat_pause(true);
	/* Wait until the waiter has closed the arrays and sleeps. */
	test_sleep(20);
	EXPECT_PTR_EQ(pool_get_one_from_cache(w.pool, &flags), NULL);
	EXPECT_EQ(test_local(w.pool)->hot.cap, 0);
	EXPECT(child_is_well(free_many_in_child, &w));
	test_free_many(w.pool, test_objs, MANY);
	finish(&w);
	EXPECT(w.got);
}
