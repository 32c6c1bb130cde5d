// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump.c - dumps as programs see them: stderr, the trash, SIGQUIT
 *
 * Layer:   tests of common/show/dump.c and user/extra/sigquit.c.
 * Context: see test.h.
 */
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY		400
#define TRASH_SIZE	16384

static struct pool_head *pools[MANY];
static char text[256 * 1024];
static char full[256 * 1024];

static bool make_many(void)
{
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		pools[i] = create_pool("many", 64, MEM_F_EXACT);
		if (!pools[i])
			return false;
	}
	return true;
}

static void end_many(void)
{
	unsigned int i;

	for (i = 0; i < MANY; i++)
		pool_destroy(pools[i]);
}

/* Drop the lines of memory, which dumps and other threads change. */
static void drop_memory(char *dump)
{
	char *line = dump, *next;

	while (*line) {
		next = line + strcspn(line, "\n");
		if (*next)
			next++;
		if (!strncmp(line, "memory ", 7) || !strncmp(line, "slabs: ", 7) || *line == ' ')
			memmove(line, next, strlen(next) + 1);
		else
			line = next;
	}
}

static void dump_it(void *arg)
{
	(void)arg;
	dump_pools();
}

TEST_CASE(dump_pools_writes_more_than_the_trash_holds)
{
	ASSERT(make_many());
	captured(text, sizeof(text), dump_it, NULL);
	dump_pools_to_buf(full, sizeof(full), NULL);
	drop_memory(text);
	drop_memory(full);
	EXPECT_EQ(strcmp(text, full), 0);
	EXPECT_EQ(count_lines(text), MANY + 2);
	EXPECT_LE(TRASH_SIZE, strlen(text));
	end_many();
}

static void dump_wrongly(void *arg)
{
	char buf[16];

	ck_assert_int_eq(dump_pools_to_buf(buf, sizeof(buf), arg), -1);
}

TEST_CASE(a_wrong_word_for_a_dump_is_named_with_the_right_ones)
{
	captured(text, sizeof(text), dump_wrongly, "byname no\nsense json");
	EXPECT_EQ(count_lines(text), 1);
	EXPECT(strstr(text, "\"no?sense\""));
	EXPECT(strstr(text, "words are byname bysize byusage detailed match "));
	EXPECT(strstr(text, "<prefix> <count> table raw json prometheus\n"));
	captured(text, sizeof(text), dump_wrongly, "match");
	EXPECT(strstr(text, "\"match\": no prefix"));
}

/* user.mk redirects all of the library's calls to these. */
void *__real_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static unsigned long allocations;
static bool no_memory;

void *__wrap_malloc(size_t size)
{
	plat_word_add(&allocations, 1);
	return __real_malloc(size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	plat_word_add(&allocations, 1);
	return no_memory ? NULL : __real_aligned_alloc(alignment, size);
}

TEST_CASE(no_dump_into_a_buffer_allocates)
{
	static const char * const options[] = {
		"", "json byusage detailed", "prometheus byname 1", "raw match x",
	};
	unsigned long start = plat_read(&allocations);
	struct pool *pool = test_pool(64);
	unsigned long before, after;
	unsigned int i;

	ASSERT(pool);
	test_wave(pool, TEST_SOME);
	before = plat_read(&allocations);
	for (i = 0; i < 4; i++)
		dump_pools_to_buf(full, sizeof(full), options[i]);
	dump_pools_to_trash();
	after = plat_read(&allocations);
	EXPECT(before >= start + 2);
	EXPECT_EQ(after, before);
	pool_destroy(&pool->head);
}

TEST_CASE(without_memory_dump_pools_writes_what_the_trash_holds)
{
	ASSERT(make_many());
	no_memory = true;
	captured(text, sizeof(text), dump_it, NULL);
	no_memory = false;
	EXPECT_EQ(strcmp(text, pool_trash()), 0);
	EXPECT(strstr(text, "\ntruncated\n"));
	end_many();
}

static void count_line(enum pool_log_level level, const char *line, void *arg)
{
	unsigned int *lines = arg;

	(void)level;
	*lines += !!*line;
}

TEST_CASE(a_function_for_lines_leaves_the_trash_as_it_is)
{
	struct pool *pool = test_pool(64);
	unsigned int lines = 0;

	ASSERT(pool);
	dump_pools_to_trash();
	snprintf(full, sizeof(full), "%s", pool_trash());
	no_memory = true;
	pool_set_log(count_line, &lines);
	dump_pools();
	pool_set_log(NULL, NULL);
	no_memory = false;
	EXPECT_LE(3, lines);
	EXPECT_EQ(strcmp(full, pool_trash()), 0);
	pool_destroy(&pool->head);
}

static void *dump_main(void *arg)
{
	dump_it(arg);
	return NULL;
}

/* Is the pipe so full that one more line waits? */
static bool is_filled(int pipe)
{
	int n = 0;

	return !ioctl(pipe, FIONREAD, &n) && n > 4096 - 256;
}

/* Read to the end of the table; returns how many lines were printed. */
static unsigned int read_table(int pipe)
{
	size_t len = 0;
	ssize_t n;

	do {
		n = read(pipe, text + len, sizeof(text) - 1 - len);
		len += n > 0 ? (size_t)n : 0;
		text[len] = 0;
	} while (n > 0 && !strstr(text, "\ntotal of "));
	drop_memory(text);
	return count_lines(text);
}

TEST_CASE(pools_come_and_go_while_stderr_is_blocked)
{
	int keep = dup(STDERR_FILENO);
	struct pool_head *pool;
	pthread_t thread;
	int ends[2];
	unsigned int i;

	ASSERT(make_many());
	ASSERT(keep >= 0 && !pipe(ends));
	ASSERT(fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
	dup2(ends[1], STDERR_FILENO);
	ASSERT(!pthread_create(&thread, NULL, dump_main, NULL));
	while (!is_filled(ends[0]))
		plat_pause(true);
	pool = create_pool("new", 64, 0);
	EXPECT(pool);
	EXPECT_PTR_EQ(pool_destroy(pool), NULL);
	for (i = 0; i < MANY; i++)
		EXPECT_PTR_EQ(pool_destroy(pools[i]), NULL);
	i = read_table(ends[0]);
	pthread_join(thread, NULL);
	dup2(keep, STDERR_FILENO);
	EXPECT_EQ(i, MANY + 2);
	EXPECT(!strstr(text, " new "));
	EXPECT(strstr(text, "\ntotal of 400 pools: "));
	close(ends[0]);
	close(ends[1]);
	close(keep);
}

static unsigned long long shared_of(struct pool *pool)
{
	struct pool_stats now;

	pool_sum(pool, &now);
	return now.shared;
}

static void leave_shared(unsigned int i, void *arg)
{
	struct pool *pool = arg;
	void *objs[100];

	(void)i;
	test_alloc_just(pool, objs, 100);
	test_free_many(pool, objs, 100);
}

/* Raise SIGQUIT and read all that it causes; the dump comes first. */
static void quit(void *arg)
{
	struct pool *pool = arg;

	raise(SIGQUIT);
	while (shared_of(pool))
		usleep(1000);
}

TEST_CASE(sigquit_dumps_and_collects_once_it_is_asked_to)
{
	struct pool *pool = test_pool(64);
	unsigned int round;

	ASSERT(pool);
	pool_fail_every = 0;
	EXPECT(pool_sigquit_start());
	EXPECT(pool_sigquit_start());
	for (round = 0; round < 3; round++) {
		test_threads(1, leave_shared, pool);
		EXPECT_EQ(shared_of(pool), 100);
		captured(text, sizeof(text), quit, pool);
		drop_memory(text);
		EXPECT_EQ(shared_of(pool), 0);
		EXPECT_EQ(count_lines(text), 3);
		EXPECT(strstr(text, " held 6.2K = used 0B + cached 0B + shared 6.2K\n"));
	}
	pool_sigquit_stop();
	pool_sigquit_stop();
	EXPECT(test_quiet(pool, 0));
	pool_destroy(&pool->head);
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

TEST_CASE(sigquit_in_the_middle_of_calls_disturbs_nobody)
{
	struct pool *pool = test_pool(64);

	ASSERT(pool);
	ASSERT(pool_sigquit_start());
	captured(text, sizeof(text), work_under_signals, pool);
	drop_memory(text);
	EXPECT(strstr(text, "\ntotal of 1 pool: "));
	EXPECT_EQ(count_lines(text) % 3, 0);
	EXPECT(test_quiet(pool, 0));
	pool_destroy(&pool->head);
}

static unsigned char signal_stack[256 * 1024];

static bool was_used(const unsigned char *stack, size_t size)
{
	while (size && !stack[size - 1])
		size--;
	return size;
}

/* As in programs whose threads have tiny stacks of their own making. */
TEST_CASE(sigquit_uses_the_stack_that_its_thread_has_for_signals)
{
	stack_t ours = { .ss_sp = signal_stack, .ss_size = sizeof(signal_stack) };
	struct pool *pool = test_pool(64);
	stack_t old;

	ASSERT(pool);
	ASSERT(pool_sigquit_start());
	ASSERT(!sigaltstack(&ours, &old));
	captured(text, sizeof(text), quit, pool);
	EXPECT(was_used(signal_stack, sizeof(signal_stack)));
	EXPECT(!sigaltstack(&old, NULL));
	pool_sigquit_stop();
	pool_destroy(&pool->head);
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
	good = good && !shared_of(pool) && strstr(text, "\ntotal of 1 pool: ");
	pool_sigquit_stop();
	return good && is_ignored();
}
#endif

TEST_CASE(a_child_may_ask_for_sigquit_anew)
{
	struct pool *pool = test_pool(64);
	int status = -1;
	pid_t child;

	ASSERT(pool);
	test_threads(1, leave_shared, pool);
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
	EXPECT_EQ(shared_of(pool), 100);
	pool_destroy(&pool->head);
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
