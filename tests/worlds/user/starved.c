// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * starved.c - threads that are late to handle the lent signal, or got it unasked
 *
 * Layer:   tests of user/remote.c.
 * Context: see test.h.
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

static struct {
	struct pool *pool;
	unsigned long ready;
	unsigned long done;
} starved;

static void run_on_first_cpu(int policy)
{
	const struct sched_param param = { .sched_priority = 0 };
	cpu_set_t allowed, first;
	unsigned int i;

	ck_assert(!sched_getaffinity(0, sizeof(allowed), &allowed));
	for (i = 0; !CPU_ISSET(i, &allowed); i++)
		;
	CPU_ZERO(&first);
	CPU_SET(i, &first);
	ck_assert(!sched_setaffinity(0, sizeof(first), &first));
	ck_assert(!sched_setscheduler(0, policy, &param));
}

static void spin_until_done(void)
{
	plat_word_add(&starved.ready, 1);
	while (!plat_read(&starved.done))
		plat_pause(false);
}

static void *have_objects(void *arg)
{
	run_on_first_cpu(SCHED_IDLE);
	test_wave(starved.pool, 16);
	spin_until_done();
	return arg;
}

/* raise() returns after the thread has handled the signal. */
static void *get_signals(void *arg)
{
	unsigned int i;

	test_wave(starved.pool, 16);
	for (i = 0; i < 3; i++)
		raise(SIGURG);
	plat_word_add(&starved.ready, 1);
	while (!plat_read(&starved.done))
		plat_pause(true);
	return arg;
}

static void *take_processor(void *arg)
{
	run_on_first_cpu(SCHED_OTHER);
	spin_until_done();
	return arg;
}

static void await(unsigned long ready)
{
	while (plat_read(&starved.ready) < ready)
		plat_pause(true);
}

/* Send the signal as another thread or another process may. */
TEST_CASE(a_thread_that_got_the_signal_unasked_is_asked)
{
	pthread_t thread;

	starved.ready = 0;
	starved.done = 0;
	starved.pool = test_pool(64);
	ASSERT(starved.pool);
	pool_fail_every = 0;
	ASSERT(pool_reclaim_signal(SIGURG));
	ASSERT(!pthread_create(&thread, NULL, get_signals, NULL));
	await(1);
	pool_reclaim(&starved.pool->head);
	EXPECT_EQ(pool_allocated(starved.pool), 0);
	ASSERT(pool_reclaim_signal(0));
	plat_word_add(&starved.done, 1);
	pthread_join(thread, NULL);
	EXPECT_PTR_EQ(pool_destroy(&starved.pool->head), NULL);
}

/* The hog leaves the thread a 342nd of a processor, in short pieces far apart. */
TEST_CASE(a_thread_that_gets_no_processor_is_waited_for)
{
	pthread_t thread, hog;

	starved.ready = 0;
	starved.done = 0;
	starved.pool = test_pool(64);
	ASSERT(starved.pool);
	pool_fail_every = 0;
	ASSERT(!pthread_create(&thread, NULL, have_objects, NULL));
	await(1);
	ASSERT(!pthread_create(&hog, NULL, take_processor, NULL));
	await(2);
	ASSERT(pool_reclaim_signal(SIGURG));
	pool_reclaim(&starved.pool->head);
	EXPECT_EQ(pool_allocated(starved.pool), 0);
	ASSERT(pool_reclaim_signal(0));
	plat_word_add(&starved.done, 1);
	pthread_join(hog, NULL);
	pthread_join(thread, NULL);
	EXPECT_PTR_EQ(pool_destroy(&starved.pool->head), NULL);
}
