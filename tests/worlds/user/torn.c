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

/* The state in which a thread ends between two instructions of a slow path. */
struct torn {
	struct pool *visited;		/* its array is held, and it has clusters */
	struct pool *other;		/* its array is open */
	unsigned long ready;
	bool cancelled;			/* asynchronously; else the thread exits */
	unsigned int held;		/* objects in the array of "visited" */
	unsigned int clustered;		/* objects in clusters of "visited" */
	unsigned int lost;		/* objects in clusters of "other" */
};

static void *end_in_a_visit(void *arg)
{
	struct torn *torn = arg;
	struct pool_local *local;

	/*
	 * Keep LeakSanitizer from reporting the objects of this thread, which are lost on purpose.
	 */
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
	/* Leave the lists as in the middle of an insertion. */
	local->by_pool.next = NULL;
	local->by_age.prev = NULL;
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

/* True if @lost objects of a pool are in use, and all of them are counted as abandoned. */
static bool has_lost(struct pool *pool, unsigned int lost)
{
	struct pool_stats now;

	pool_sum(pool, &now);
	return now.abandoned == lost && now.used == lost;
}

/* End a thread that holds the lock of its CPU; true if only what the lock guards is lost. */
static bool lock_is_released(bool cancelled)
{
	struct torn torn = { .cancelled = cancelled };
	bool well;

	torn.visited = test_pool(64);
	torn.other = test_pool(1024);
	ck_assert(torn.visited && torn.other);
	pool_fail_every = 0;
	end_thread(&torn);
	well = torn.held && torn.clustered && areas_are_true() && others_are_empty() &&
	       has_lost(torn.visited, torn.held + torn.clustered) &&
	       has_lost(torn.other, torn.lost);
	/* The area of the ended thread serves the next threads like any other area. */
	test_threads(2, use_pool, torn.visited);
	well = well && areas_are_true() && test_quiet(torn.other, torn.lost);
	return !pool_destroy(&torn.visited->head) && !pool_destroy(&torn.other->head) && well;
}

TEST_CASE(a_thread_that_ends_with_its_cpu_lock_loses_what_the_lock_guards)
{
	EXPECT(lock_is_released(false));
}

TEST_CASE(a_thread_cancelled_with_its_cpu_lock_ends)
{
	if (UNDER_CHECKER)
		SKIP_BECAUSE("a checker delays the signal, or reports the cancelled stack");
	EXPECT(lock_is_released(true));
}

/* More objects than a thread caches, so that each round locks buckets and slabs. */
#define SMALL		300

/* Objects that come from malloc() and that no thread caches. */
#define LARGE		20

#define CANCELLED	400

struct looped {
	struct pool *small;
	struct pool *large;
	unsigned long calls;
};

static void use_all(struct looped *looped, struct pool *pool, unsigned int n)
{
	void *objs[SMALL];
	unsigned int i;

	for (i = 0; i < n; i++)
		objs[i] = pool_alloc(&pool->head);
	for (i = 0; i < n; i++) {
		pool_free(&pool->head, objs[i]);
		plat_word_add(&looped->calls, 1);
	}
}

static void *loop(void *arg)
{
	struct looped *looped = arg;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;) {
		use_all(looped, looped->small, SMALL);
		use_all(looped, looped->large, LARGE);
	}
	return NULL;
}

/* Cancel a thread somewhere behind its call number @calls. */
static void cancel_in_loop(struct looped *looped, unsigned long calls)
{
	pthread_t thread;

	plat_write(&looped->calls, 0ul);
	ck_assert(!pthread_create(&thread, NULL, loop, looped));
	while (plat_read(&looped->calls) < calls)
		plat_pause(true);
	ck_assert(!pthread_cancel(thread));
	ck_assert(!pthread_join(thread, NULL));
}

/* Leave the pools: objects that a cancelled thread was moving keep them from being destroyed. */
static void cancel_threads(void *arg)
{
	struct looped looped = { .calls = 0 };
	unsigned int i;

	(void)arg;
	/*
	 * A cancelled thread leaves objects counted as moving, so each allocation that fails later
	 * yields up to PLAT_LAST_TRIES times.  This case is about locks.
	 */
	pool_fail_every = 0;
	looped.small = test_pool(64);
	looped.large = test_pool(100000);
	NEED(looped.small && looped.large);
	for (i = 0; i < CANCELLED; i++)
		cancel_in_loop(&looped, i * 7);
	/* Make calls that together acquire each lock of the library. */
	pool_gc(NULL);
	pool_reclaim(0);
	use_all(&looped, looped.small, SMALL);
	use_all(&looped, looped.large, LARGE);
}

TEST_CASE(threads_cancelled_in_any_call_keep_no_lock_for_ever)
{
	if (UNDER_CHECKER)
		SKIP_BECAUSE("a checker delays the signal, or reports the cancelled stack");
	EXPECT(child_is_well(cancel_threads, NULL));
}
