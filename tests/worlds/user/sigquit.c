// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sigquit.c - SIGQUIT dumps all pools and collects their memory
 *
 * Layer:   tests of user/extra/sigquit.c.
 * Context: see test.h and life.h.
 */
#include "life.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[256 * 1024];

/* Raise SIGQUIT and read all that it causes; the dump comes first. */
static void quit(void *arg)
{
	struct pool *pool = arg;

	raise(SIGQUIT);
	while (test_sum(pool)->shared)
		usleep(1000);
}

POOL_CASE(sigquit_dumps_and_collects_once_it_is_asked_to, test_pool(64))
{
	unsigned int round;

	pool_fail_every = 0;
	EXPECT(pool_sigquit_start());
	EXPECT(pool_sigquit_start());
	for (round = 0; round < 3; round++) {
		test_threads(1, life_leave_shared, pool);
		EXPECT_EQ(test_sum(pool)->shared, 100);
		captured(text, sizeof(text), quit, pool);
		drop_memory(text);
		EXPECT_EQ(test_sum(pool)->shared, 0);
		EXPECT_EQ(count_lines(text), 3);
		EXPECT(strstr(text, " held 6.2K = used 0B + cached 0B + shared 6.2K\n"));
	}
	pool_sigquit_stop();
	pool_sigquit_stop();
}

static pthread_t main_thread;

static void *send_signals(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < 200; i++) {
		pthread_kill(main_thread, SIGQUIT);
		usleep(100);
	}
	return NULL;
}

static void work_under_signals(void *arg)
{
	struct pool *pool = arg;
	unsigned int i;
	pthread_t thread;

	main_thread = pthread_self();
	ck_assert(!pthread_create(&thread, NULL, send_signals, NULL));
	for (i = 0; i < 200; i++)
		test_wave(pool, 300);
	pthread_join(thread, NULL);
	pool_sigquit_stop();
}

POOL_CASE(sigquit_in_the_middle_of_calls_disturbs_nobody, test_pool(64))
{
	ASSERT(pool_sigquit_start());
	captured(text, sizeof(text), work_under_signals, pool);
	drop_memory(text);
	EXPECT(strstr(text, "\ntotal of 1 pool: "));
	EXPECT_EQ(count_lines(text) % 3, 0);
}

static unsigned char signal_stack[256 * 1024];

static bool was_used(const unsigned char *stack, size_t size)
{
	while (size && !stack[size - 1])
		size--;
	return size;
}

/* Programs whose threads have tiny stacks of their own give signals another stack. */
POOL_CASE(sigquit_uses_the_stack_that_its_thread_has_for_signals, test_pool(64))
{
	stack_t ours = { .ss_sp = signal_stack, .ss_size = sizeof(signal_stack) };
	stack_t old;

	ASSERT(pool_sigquit_start());
	ASSERT(!sigaltstack(&ours, &old));
	captured(text, sizeof(text), quit, pool);
	EXPECT(was_used(signal_stack, sizeof(signal_stack)));
	EXPECT(!sigaltstack(&old, NULL));
	pool_sigquit_stop();
}

static void own_handler(int sig)
{
	(void)sig;
}

static void other_handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
}

static void start_refused(void *arg)
{
	(void)arg;
	ck_assert(!pool_sigquit_start());
}

TEST_CASE(a_handler_of_the_program_is_not_replaced)
{
	struct sigaction action = { .sa_handler = own_handler };
	struct sigaction before, now;

	sigaction(SIGQUIT, &action, &before);
	captured(text, sizeof(text), start_refused, NULL);
	EXPECT_EQ(count_lines(text), 1);
	EXPECT(strstr(text, "pool: SIGQUIT is not for dumps: it has a handler"));
	sigaction(SIGQUIT, NULL, &now);
	EXPECT(now.sa_handler == own_handler);
	action.sa_flags = SA_SIGINFO;
	action.sa_sigaction = other_handler;
	sigaction(SIGQUIT, &action, NULL);
	captured(text, sizeof(text), start_refused, NULL);
	EXPECT_EQ(count_lines(text), 1);
	sigaction(SIGQUIT, &before, NULL);
}

static bool is_ignored(void)
{
	struct sigaction now;

	return !sigaction(SIGQUIT, NULL, &now) && now.sa_handler == SIG_IGN;
}

TEST_CASE(after_the_end_sigquit_is_what_it_was)
{
	struct sigaction before, now;

	signal(SIGQUIT, SIG_IGN);
	ASSERT(pool_sigquit_start());
	EXPECT(!is_ignored());
	pool_sigquit_stop();
	EXPECT(is_ignored());
	signal(SIGQUIT, SIG_DFL);
	sigaction(SIGQUIT, NULL, &before);
	ASSERT(pool_sigquit_start());
	signal(SIGQUIT, own_handler);
	pool_sigquit_stop();
	sigaction(SIGQUIT, NULL, &now);
	EXPECT(now.sa_handler == own_handler);
	sigaction(SIGQUIT, &before, NULL);
}

TEST_CASE(the_thread_behind_sigquit_takes_no_signal)
{
	sigset_t one, old, pending;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR2);
	ASSERT(pool_sigquit_start());
	pthread_sigmask(SIG_BLOCK, &one, &old);
	kill(getpid(), SIGUSR2);
	usleep(20000);
	sigpending(&pending);
	EXPECT(sigismember(&pending, SIGUSR2));
	signal(SIGUSR2, SIG_IGN);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	signal(SIGUSR2, SIG_DFL);
	pool_sigquit_stop();
}

/* The thread sanitizer allows no thread in the child of a program with threads. */
#if UNDER_TSAN
static bool works_in_child(struct pool *pool)
{
	return pool;
}
#else
static bool works_in_child(struct pool *pool)
{
	bool good = pool_sigquit_start() && !is_ignored();

	captured(text, sizeof(text), quit, pool);
	good = good && !test_sum(pool)->shared && strstr(text, "\ntotal of 1 pool: ");
	pool_sigquit_stop();
	return good && is_ignored();
}
#endif

POOL_CASE(a_child_may_ask_for_sigquit_anew, test_pool(64))
{
	int status = -1;
	pid_t child;

	test_threads(1, life_leave_shared, pool);
	signal(SIGQUIT, SIG_IGN);
	ASSERT(pool_sigquit_start());
	child = fork();
	if (!child)
		_exit(is_ignored() && works_in_child(pool) ? 0 : 1);
	ASSERT(child > 0);
	EXPECT(waitpid(child, &status, 0) == child);
	EXPECT_EQ(status, 0);
	EXPECT(!is_ignored());
	pool_sigquit_stop();
	EXPECT(is_ignored());
	signal(SIGQUIT, SIG_DFL);
	EXPECT_EQ(test_sum(pool)->shared, 100);
}

static bool has_own_handler(void)
{
	struct sigaction now;

	return !sigaction(SIGQUIT, NULL, &now) && now.sa_handler == own_handler;
}

TEST_CASE(a_child_keeps_the_handler_that_came_after_the_start)
{
	int status = -1;
	pid_t child;

	ASSERT(pool_sigquit_start());
	signal(SIGQUIT, own_handler);
	child = fork();
	if (!child)
		_exit(has_own_handler() ? 0 : 1);
	ASSERT(child > 0);
	EXPECT(waitpid(child, &status, 0) == child);
	EXPECT_EQ(status, 0);
	pool_sigquit_stop();
	EXPECT(has_own_handler());
	signal(SIGQUIT, SIG_DFL);
}
