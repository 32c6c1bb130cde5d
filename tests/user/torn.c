// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * torn.c - threads that end inside a call, with the lock of their CPU
 *
 * Layer:   tests of user/torn.c.
 * Context: see test.h and life.h.
 */
#include "life.h"

#include <pthread.h>

#if UNDER_ASAN
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable()	do { } while (0)
#endif

/* What a thread leaves when it ends between two instructions of a slow path. */
struct torn {
	struct pool *visited;		/* its array is held, and it has clusters */
	struct pool *other;		/* its array is open */
	unsigned long ready;
	bool cancelled;			/* asynchronously; else the thread ends itself */
	unsigned int held;		/* objects in the array of "visited" */
	unsigned int clustered;		/* in its clusters */
	unsigned int lost;		/* objects in clusters of "other" */
};

static void *end_in_a_visit(void *arg)
{
	struct torn *torn = arg;
	struct pool_local *local;

	/* What the thread allocates is lost, as it must be: no leak to report. */
	__lsan_disable();
	test_wave(torn->other, 20);
	test_wave(torn->visited, TEST_SOME);
	torn->lost = (unsigned int)plat_read(&test_local(torn->other)->clustered);
	ck_assert(plat_read(&test_local(torn->other)->hot.n));
	local = test_local(torn->visited);
	torn->held = plat_read(&local->hot.n);
	torn->clustered = (unsigned int)plat_read(&local->clustered);
	ck_assert(plat_cpu_trylock(local->cpu));
	plat_write(&local->hot.open, POOL_HELD);
	/* As in the middle of an insertion. */
	local->by_pool.next = NULL;
	local->cpu->by_lru.prev = NULL;
	local->cpu->by_age.next = NULL;
	if (!torn->cancelled)
		return NULL;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	plat_word_add(&torn->ready, 1);
	while (plat_read(&torn->ready))
		plat_pause(false);
	return NULL;
}

static void end_thread(struct torn *torn)
{
	pthread_t thread;

	ck_assert(!pthread_create(&thread, NULL, end_in_a_visit, torn));
	if (torn->cancelled) {
		while (!plat_read(&torn->ready))
			plat_pause(true);
		ck_assert(!pthread_cancel(thread));
	}
	ck_assert(!pthread_join(thread, NULL));
}

static void lock_is_released(bool cancelled)
{
	struct torn torn = { .cancelled = cancelled };
	struct pool_stats now;

	torn.visited = test_pool(64);
	torn.other = test_pool(1024);
	ASSERT(torn.visited && torn.other);
	pool_fail_every = 0;
	end_thread(&torn);
	EXPECT(torn.held && torn.clustered);
	EXPECT(areas_are_true());
	EXPECT(others_are_empty());
	pool_sum(torn.visited, &now);
	EXPECT_EQ(now.abandoned, torn.held + torn.clustered);
	EXPECT_EQ(now.used, now.abandoned);
	pool_sum(torn.other, &now);
	EXPECT_EQ(now.abandoned, torn.lost);
	EXPECT_EQ(now.used, now.abandoned);
	/* The area is as any other to the next thread. */
	test_threads(2, use_pool, torn.visited);
	EXPECT(areas_are_true());
	EXPECT(test_quiet(torn.other, torn.lost));
	EXPECT_PTR_EQ(pool_destroy(&torn.visited->head), NULL);
	EXPECT_PTR_EQ(pool_destroy(&torn.other->head), NULL);
}

TEST_CASE(a_thread_that_ends_with_its_cpu_lock_loses_what_the_lock_guards)
{
	lock_is_released(false);
}

TEST_CASE(a_thread_cancelled_with_its_cpu_lock_ends)
{
	if (UNDER_CHECKER)
		SKIP_BECAUSE("a checker delays the signal, or takes the cancelled stack for an error");
	lock_is_released(true);
}
