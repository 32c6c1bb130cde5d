// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * remote.c - the signal that reaches the arrays of other threads
 *
 * Layer:   tests of user/remote.c.
 * Context: see test.h and life.h.
 */
#include "life.h"
#include "main.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void no_handler(int sig)
{
	(void)sig;
}

static bool refused(int signo, int why)
{
	errno = 0;
	return !pool_reclaim_signal(signo) && errno == why;
}

/* If a handler of such a signal returned, the instruction that failed would run again, for ever. */
TEST_CASE(a_signal_by_which_programs_end_is_refused)
{
	static const int fatal[] = {
		SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT,
	};
	struct sigaction before, now;
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(fatal); i++) {
		ASSERT(!sigaction(fatal[i], NULL, &before));
		EXPECT(refused(fatal[i], EINVAL));
		ASSERT(!sigaction(fatal[i], NULL, &now));
		EXPECT(now.sa_handler == before.sa_handler);
	}
	/* Signals that the C library uses itself, and the first number that is no signal. */
	EXPECT(refused(SIGRTMIN - 1, EINVAL));
	EXPECT(refused(SIGRTMAX + 1, EINVAL));
	EXPECT(pool_reclaim_signal(SIGURG));
	EXPECT(pool_reclaim_signal(0));
}

TEST_CASE(a_signal_that_cannot_be_lent_is_refused_and_nothing_changes)
{
	struct sigaction action = { .sa_handler = no_handler }, before, now;

	EXPECT(refused(-1, EINVAL));
	EXPECT(refused(SIGKILL, EINVAL));
	EXPECT(refused(SIGSTOP, EINVAL));
	EXPECT(refused(100000, EINVAL));
	ASSERT(!sigaction(SIGUSR1, &action, &before));
	EXPECT(refused(SIGUSR1, EBUSY));
	ASSERT(!sigaction(SIGUSR1, NULL, &now));
	EXPECT(now.sa_handler == no_handler);
	ASSERT(!sigaction(SIGUSR1, &before, NULL));
	EXPECT(pool_reclaim_signal(SIGURG));
	EXPECT(pool_reclaim_signal(SIGURG));
	EXPECT(refused(SIGUSR2, EBUSY));
	EXPECT(pool_reclaim_signal(0));
	EXPECT(pool_reclaim_signal(0));
	ASSERT(!sigaction(SIGURG, NULL, &now));
	EXPECT(now.sa_handler == SIG_DFL);
}

/* A thread with objects in its array, which may have blocked all signals. */
struct sleeper {
	struct pool *pool;
	bool blocks;
	bool stays_deaf;		/* exits with all signals blocked */
	unsigned long ready;
	unsigned long done;
};

static void *sleep_with_objects(void *arg)
{
	struct sleeper *s = arg;
	sigset_t all, old;
	void *objs[16];

	test_alloc_many(s->pool, objs, 16);
	test_free_many(s->pool, objs, 16);
	sigfillset(&all);
	if (s->blocks)
		pthread_sigmask(SIG_BLOCK, &all, &old);
	plat_word_add(&s->ready, 1);
	while (!plat_read(&s->done))
		test_sleep(1);
	if (s->blocks && !s->stays_deaf)
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	return NULL;
}

static pthread_t start_with(struct sleeper *s, void *(*fn)(void *arg))
{
	pthread_t thread;

	pool_fail_every = 0;
	s->pool = test_pool(64);
	ck_assert(s->pool);
	ck_assert(!pthread_create(&thread, NULL, fn, s));
	while (!plat_read(&s->ready))
		plat_pause(true);
	return thread;
}

static pthread_t start(struct sleeper *s)
{
	return start_with(s, sleep_with_objects);
}

static void stop(struct sleeper *s, pthread_t thread)
{
	plat_word_add(&s->done, 1);
	pthread_join(thread, NULL);
	EXPECT_PTR_EQ(pool_destroy(&s->pool->head), NULL);
}

TEST_CASE(without_a_signal_a_reclaim_leaves_the_arrays_of_others)
{
	struct sleeper s = { .blocks = false };
	pthread_t thread = start(&s);

	pool_reclaim(&s.pool->head);
	EXPECT(pool_allocated(s.pool));
	ASSERT(pool_reclaim_signal(SIGURG));
	pool_reclaim(&s.pool->head);
	EXPECT_EQ(pool_allocated(s.pool), 0);
	stop(&s, thread);
}

/* A pending SIGUSR1 would end the program if the library restored its default action. */
TEST_CASE(a_thread_that_blocks_the_signal_keeps_its_objects_and_lives)
{
	struct sleeper s = { .blocks = true };
	pthread_t thread = start(&s);

	ASSERT(pool_reclaim_signal(SIGUSR1));
	pool_reclaim(&s.pool->head);
	EXPECT(pool_allocated(s.pool));
	EXPECT(!plat_empty_arrays(s.pool, POOL_FOREVER));
	ASSERT(pool_reclaim_signal(0));
	stop(&s, thread);
}

static void fill_array(struct pool *pool)
{
	void *objs[16];

	test_alloc_many(pool, objs, 16);
	test_free_many(pool, objs, 16);
}

/* Deliver the signal to this thread as if it were within pool_thread_idle(). */
static void hear_while_idling(const sigset_t *mask)
{
	unsigned char *area = pool_thread_area;

	pool_thread_area = plat_area_making;
	pthread_sigmask(SIG_SETMASK, mask, NULL);
	pool_thread_area = area;
	pool_heard((struct plat_area *)(void *)area);
}

/*
 * Run as a thread that is asked twice while it blocks the signal, and that idles in between, and
 * may handle the signal then.
 */
static void *idle_between(void *arg)
{
	struct sleeper *s = arg;
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	fill_array(s->pool);
	plat_word_add(&s->ready, 1);
	while (!plat_read(&s->done))
		test_sleep(1);
	pool_thread_idle();
	if (!s->blocks)
		hear_while_idling(&old);
	fill_array(s->pool);
	plat_word_add(&s->ready, 1);
	while (plat_read(&s->done) < 2)
		test_sleep(1);
	return NULL;
}

static bool asked_after_idle(bool blocks)
{
	struct sleeper s = { .blocks = blocks };
	pthread_t thread = start_with(&s, idle_between);
	bool again;

	ck_assert(pool_reclaim_signal(SIGURG));
	ck_assert(plat_empty_arrays(s.pool, POOL_FOREVER));
	ck_assert(!plat_empty_arrays(s.pool, POOL_FOREVER));
	plat_word_add(&s.done, 1);
	while (plat_read(&s.ready) < 2)
		test_sleep(1);
	again = plat_empty_arrays(s.pool, POOL_FOREVER);
	stop(&s, thread);
	return again;
}

/* A second wait for the same thread would cost another tenth of a second. */
TEST_CASE(a_thread_that_does_not_answer_is_waited_for_once_though_it_idles)
{
	EXPECT(!asked_after_idle(true));
}

TEST_CASE(a_thread_that_hears_while_it_idles_is_asked_again)
{
	EXPECT(asked_after_idle(false));
}

/* Set the limit so that all free objects are in the array of that thread. */
static void limit_to_array(struct pool *pool)
{
	pool_reclaim(&pool->head);
	EXPECT(pool_allocated(pool));
	EXPECT(pool_set_limit(&pool->head, 1));
}

TEST_CASE(without_a_signal_a_wait_does_not_find_what_another_thread_has)
{
	struct sleeper s = { .blocks = false };
	pthread_t thread = start(&s);
	void *obj;

	limit_to_array(s.pool);
	EXPECT_PTR_EQ(pool_alloc_timeout(&s.pool->head, 0, 50), NULL);
	ASSERT(pool_reclaim_signal(SIGURG));
	obj = pool_alloc_timeout(&s.pool->head, 0, POOL_FOREVER);
	EXPECT(obj);
	pool_free(&s.pool->head, obj);
	stop(&s, thread);
}

/* Returns the milliseconds that an allocation at the limit takes with a timeout of @ms. */
static long timed_out(struct pool *pool, unsigned int ms)
{
	struct timespec start, end;
	void *obj;

	clock_gettime(CLOCK_MONOTONIC, &start);
	obj = pool_alloc_timeout(&pool->head, 0, ms);
	clock_gettime(CLOCK_MONOTONIC, &end);
	ck_assert(!obj);
	return (end.tv_sec - start.tv_sec) * 1000 +
	       (end.tv_nsec - start.tv_nsec) / 1000000;
}

/*
 * The timeout is shorter than the time after which a thread counts as deaf, so the second call asks
 * the thread again.
 */
TEST_CASE(a_wait_is_over_in_time_though_a_thread_does_not_answer)
{
	struct sleeper s = { .blocks = true };
	pthread_t thread = start(&s);

	limit_to_array(s.pool);
	ASSERT(pool_reclaim_signal(SIGURG));
	EXPECT(timed_out(s.pool, 5) >= 4);
	EXPECT(plat_empty_arrays(s.pool, POOL_FOREVER));
	EXPECT(!plat_empty_arrays(s.pool, POOL_FOREVER));
	ASSERT(pool_reclaim_signal(0));
	stop(&s, thread);
}

POOL_CASE(a_wait_is_not_cut_short_by_signals, test_pool(64))
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { 0 };
	struct sigaction action = {
		.sa_handler = no_handler, .sa_flags = SA_RESTART,
	}, before;
	void *obj;

	pool_fail_every = 0;
	EXPECT(pool_set_limit(&pool->head, 1));
	obj = pool_alloc(&pool->head);
	ASSERT(!sigaction(SIGALRM, &action, &before));
	ASSERT(!setitimer(ITIMER_REAL, &often, NULL));
	EXPECT(timed_out(pool, 300) >= 299);
	ASSERT(!setitimer(ITIMER_REAL, &never, NULL));
	ASSERT(!sigaction(SIGALRM, &before, NULL));
	pool_free(&pool->head, obj);
}

/* Reclaim in a child from a thread that the child has started. */
static bool works_in_child(void)
{
	struct sleeper s = { .blocks = false };
	pthread_t thread = start(&s);
	bool empty;

	pool_reclaim(&s.pool->head);
	empty = !pool_allocated(s.pool);
	plat_word_add(&s.done, 1);
	pthread_join(thread, NULL);
	return empty;
}

TEST_CASE(a_thread_is_asked_though_one_that_had_its_area_did_not_answer)
{
	struct sleeper deaf = { .blocks = true, .stays_deaf = true };
	struct sleeper s = { .blocks = false };
	pthread_t thread = start(&deaf);

	ASSERT(pool_reclaim_signal(SIGURG));
	pool_reclaim(&deaf.pool->head);
	EXPECT(pool_allocated(deaf.pool));
	stop(&deaf, thread);
	thread = start(&s);
	pool_reclaim(&s.pool->head);
	EXPECT_EQ(pool_allocated(s.pool), 0);
	stop(&s, thread);
}

TEST_CASE(a_thread_is_asked_again_by_another_signal)
{
	struct sleeper s = { .blocks = true };
	pthread_t thread = start(&s);

	ASSERT(pool_reclaim_signal(SIGURG));
	EXPECT(plat_empty_arrays(s.pool, POOL_FOREVER));
	EXPECT(!plat_empty_arrays(s.pool, POOL_FOREVER));
	ASSERT(pool_reclaim_signal(0));
	ASSERT(pool_reclaim_signal(SIGUSR2));
	EXPECT(plat_empty_arrays(s.pool, POOL_FOREVER));
	ASSERT(pool_reclaim_signal(0));
	stop(&s, thread);
}

static sigjmp_buf way_out;

static void jump_out(int sig)
{
	(void)sig;
	siglongjmp(way_out, 1);
}

/*
 * Leave the handler of another signal by a jump while a reclaim asks this thread.  The kernel
 * delivers the lower of two pending signals first, so the second handler interrupts the library's.
 */
static void *jump_when_asked(void *arg)
{
	struct sleeper *s = arg;
	sigset_t all, old;

	fill_array(s->pool);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	plat_word_add(&s->ready, 1);
	while (!plat_read(&plat_this_area()->asked))
		test_sleep(1);
	pthread_kill(pthread_self(), SIGUSR2);
	while (!sigpending(&all) && !sigismember(&all, SIGUSR1))
		test_sleep(1);
	if (!sigsetjmp(way_out, 1))
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	while (!plat_read(&s->done))
		test_sleep(1);
	return NULL;
}

TEST_CASE(a_handler_that_jumps_out_does_not_interrupt_an_answer)
{
	struct sigaction action = { .sa_handler = jump_out }, before;
	struct sleeper s = { .blocks = false };
	pthread_t thread;

	if (UNDER_TSAN)
		SKIP_BECAUSE("ThreadSanitizer calls handlers in an order of its own");
	ASSERT(pool_reclaim_signal(SIGUSR1));
	ASSERT(!sigaction(SIGUSR2, &action, &before));
	thread = start_with(&s, jump_when_asked);
	pool_reclaim(&s.pool->head);
	EXPECT(!pool_allocated(s.pool));
	stop(&s, thread);
	ASSERT(!sigaction(SIGUSR2, &before, NULL));
	ASSERT(pool_reclaim_signal(0));
}

/* The mask of the library's handler must not block signals of the thread's own faults. */
TEST_CASE(a_handler_of_a_threads_own_fault_interrupts_an_answer)
{
	struct sigaction now;

	ASSERT(pool_reclaim_signal(SIGURG));
	ASSERT(!sigaction(SIGURG, NULL, &now));
	EXPECT(UNDER_TSAN || sigismember(&now.sa_mask, SIGALRM));
	EXPECT(!sigismember(&now.sa_mask, SIGSEGV));
	EXPECT(!sigismember(&now.sa_mask, SIGTRAP));
	ASSERT(pool_reclaim_signal(0));
}

/* Pretend that a thread of this id ended unnoticed: an area has the id, but not this thread. */
static void *sleep_with_id(void *arg)
{
	struct plat_area *area = arg;

	plat_write(&area->thread, plat_own_id());
	while (plat_read(&area->thread))
		test_sleep(1);
	return NULL;
}

TEST_CASE(a_thread_does_not_answer_for_one_that_had_its_id)
{
	struct sleeper s = { .blocks = true };
	pthread_t thread = start(&s), other;
	struct plat_area *area = NULL;
	struct pool_local *part;
	unsigned int i, id;

	pool_each_part(s.pool, i, part)
		if (plat_read(&part->hot.n))
			area = plat_areas[i];
	ASSERT(area && pool_reclaim_signal(SIGURG));
	id = plat_read(&area->thread);
	ASSERT(!pthread_create(&other, NULL, sleep_with_id, area));
	while (plat_read(&area->thread) == id)
		test_sleep(1);
	EXPECT(plat_empty_arrays(s.pool, POOL_FOREVER));
	EXPECT(!plat_empty_arrays(s.pool, POOL_FOREVER));
	plat_write(&area->thread, 0);
	pthread_join(other, NULL);
	plat_write(&area->thread, id);
	ASSERT(pool_reclaim_signal(0));
	stop(&s, thread);
}

TEST_CASE(a_child_of_a_fork_reaches_its_own_threads)
{
	struct sleeper s = { .blocks = false };
	pthread_t thread;
	int status;
	pid_t pid;

	if (UNDER_TSAN)
		SKIP_BECAUSE("ThreadSanitizer lets no child start threads");
	thread = start(&s);
	ASSERT(pool_reclaim_signal(SIGURG));
	pid = fork();
	if (!pid)
		_exit(works_in_child() ? 7 : 1);
	ASSERT(waitpid(pid, &status, 0) == pid);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	stop(&s, thread);
}

/* Threads come and go while others ask them. */
#define STORM	4

static void ask_or_come_and_go(unsigned int i, void *arg)
{
	unsigned long r, rounds = test_scale(i ? 4000 : 400);
	struct pool *pool = arg;
	void *objs[8];

	for (r = 0; r < rounds; r++) {
		test_alloc_many(pool, objs, 8);
		test_free_many(pool, objs, 8);
		if (!i)
			pool_reclaim(&pool->head);
		else if (r % 64 == 0)
			pool_thread_idle();
	}
}

POOL_CASE(threads_that_idle_and_exit_are_asked_meanwhile, test_pool(64))
{
	pool_fail_every = 0;
	ASSERT(pool_reclaim_signal(SIGURG));
	test_threads(STORM, ask_or_come_and_go, pool);
}
