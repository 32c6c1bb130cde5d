// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * log.c - where lines are written, and that no other thread waits for that
 *
 * Layer:   tests of user/log.c, of dump_pools() and user/extra/sigquit.c, and of locks that
 *	    a fork waits for.
 * Context: see test.h and life.h.
 *
 * stderr is a pipe that is not read.  Code that must not wait for it runs in a thread of its own,
 * which the case gives MOMENTS milliseconds.
 */
#include "life.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Milliseconds to wait at most; a busy machine needs some. */
#define MOMENTS		60000

#define PIPE_SIZE	4096
#define POOLS		200

static struct pool_head *pools[POOLS];
static char text[65536];

/* Reports of a checker go to a copy of stderr, because they must not wait for the pipe. */
#if UNDER_CHECKER
void __sanitizer_set_report_fd(void *fd);

static void report_to(int fd)
{
	__sanitizer_set_report_fd((void *)(long)fd);
}
#else
static void report_to(int fd)
{
	(void)fd;
}
#endif

/* The two ends of the pipe that is stderr. */
static int ends[2];
static int keep;

static void block_stderr(void)
{
	char fill[PIPE_SIZE] = "";
	unsigned int i;

	for (i = 0; i < POOLS; i++) {
		pools[i] = create_pool("many", 64, MEM_F_EXACT);
		ck_assert(pools[i]);
	}
	keep = dup(STDERR_FILENO);
	ck_assert(keep >= 0 && !pipe(ends));
	ck_assert(fcntl(ends[1], F_SETPIPE_SZ, PIPE_SIZE) == PIPE_SIZE);
	ck_assert(write(ends[1], fill, sizeof(fill)) == PIPE_SIZE);
	report_to(keep);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
}

/* Close the pipe's last reader, so that a blocked write fails. */
static void unblock_stderr(void)
{
	unsigned int i;

	dup2(keep, STDERR_FILENO);
	report_to(STDERR_FILENO);
	signal(SIGPIPE, SIG_IGN);
	close(ends[0]);
	close(keep);
	for (i = 0; i < POOLS; i++)
		pool_destroy(pools[i]);
}

static unsigned long dumper;

static void *dump_main(void *arg)
{
	plat_word_add(&dumper, (unsigned long)gettid());
	dump_pools();
	return arg;
}

/* Start a thread that blocks in a dump. */
static pthread_t start_dump(void)
{
	pthread_t thread;

	dumper = 0;
	ck_assert(!pthread_create(&thread, NULL, dump_main, NULL));
	ck_assert(falls_asleep(&dumper));
	return thread;
}

struct errand {
	void (*fn)(void);
	unsigned long thread;
	unsigned long done;
};

static void *run_errand(void *arg)
{
	struct errand *e = arg;

	plat_word_add(&e->thread, (unsigned long)gettid());
	e->fn();
	plat_word_add(&e->done, 1);
	return NULL;
}

static struct errand *start_errand(void (*fn)(void))
{
	static struct errand errands[16];	/* a thread may block here for ever */
	static unsigned int used;
	struct errand *e = &errands[used++];
	pthread_t thread;

	ck_assert(used <= 16);
	e->fn = fn;
	ck_assert(!pthread_create(&thread, NULL, run_errand, e));
	pthread_detach(thread);
	return e;
}

/* True if fn() returns although nobody reads stderr. */
static bool ends_soon(void (*fn)(void))
{
	struct errand *e = start_errand(fn);
	unsigned int moments = MOMENTS;

	while (!plat_read(&e->done) && --moments)
		usleep(1000);
	return moments;
}

/* Exit by a system call: in _exit() ThreadSanitizer reports threads that were not joined. */
static void fork_and_wait(void)
{
	int status = -1;
	pid_t child = fork();
	char buf[1000];

	if (!child)
		syscall(SYS_exit_group,
			dump_pools_to_buf(buf, sizeof(buf), "") > 0 ? 0 : 1);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		abort();
}

static void dump_elsewhere(void)
{
	dump_pools_to_buf(text, sizeof(text), "json");
	dump_pools_to_trash();
	pool_destroy(create_pool("new", 64, MEM_F_EXACT));
}

TEST_CASE(a_dump_that_stderr_blocks_blocks_nobody_else)
{
	pthread_t thread;
	bool forks, dumps;

	block_stderr();
	thread = start_dump();
	forks = ends_soon(fork_and_wait);
	dumps = ends_soon(dump_elsewhere);
	unblock_stderr();
	pthread_join(thread, NULL);
	EXPECT(forks);
	EXPECT(dumps);
}

/*
 * AddressSanitizer's runtime fails while a thread that was cancelled in write()
 * unwinds: it looks at a stack that is still poisoned, and takes that for an error.
 */
TEST_CASE(a_dump_that_is_cancelled_leaves_no_mutex_behind)
{
	pthread_t thread;
	void *result;
	bool dumps;

	if (UNDER_ASAN)
		SKIP_BECAUSE("AddressSanitizer takes a cancelled write() for an error");
	block_stderr();
	thread = start_dump();
	pthread_cancel(thread);
	pthread_join(thread, &result);
	dumps = ends_soon(dump_elsewhere);
	unblock_stderr();
	EXPECT(result == PTHREAD_CANCELED);
	EXPECT(dumps);
}

/* Read the pipe until the thread has ended; returns the number of lines read. */
static unsigned int read_until_end(pthread_t thread)
{
	struct pollfd in = { .fd = ends[0], .events = POLLIN };
	unsigned int lines = 0;
	bool over;

	do {
		over = !pthread_tryjoin_np(thread, NULL);
		while (poll(&in, 1, 10) > 0) {
			ssize_t n = read(ends[0], text, sizeof(text));

			while (n-- > 0)
				lines += text[n] == '\n';
		}
	} while (!over);
	return lines;
}

/* Another process with the same stderr may make it non-blocking. */
TEST_CASE(a_dump_is_whole_where_stderr_does_not_wait)
{
	unsigned int lines;

	block_stderr();
	fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
	lines = read_until_end(start_dump());
	unblock_stderr();
	EXPECT_LE(POOLS, lines);
}

static void stop_sigquit(void)
{
	pool_sigquit_stop();
}

/* Begin a dump that cannot end, because the pipe has room for a part of it only. */
static void begin_dump_of_sigquit(void)
{
	int there = 0;

	ck_assert(read(ends[0], text, PIPE_SIZE) == PIPE_SIZE);
	raise(SIGQUIT);
	while (!there) {
		usleep(1000);
		ck_assert(!ioctl(ends[0], FIONREAD, &there));
	}
}

TEST_CASE(a_fork_does_not_wait_for_the_dump_of_sigquit)
{
	unsigned int moments = MOMENTS;
	bool waits, stops, forks;
	struct errand *stop;

	block_stderr();
	ASSERT(pool_sigquit_start());
	begin_dump_of_sigquit();
	stop = start_errand(stop_sigquit);
	waits = falls_asleep(&stop->thread);
	forks = ends_soon(fork_and_wait);
	stops = plat_read(&stop->done);
	unblock_stderr();
	EXPECT(waits);
	EXPECT(!stops);
	EXPECT(forks);
	while (!pool_sigquit_start() && --moments)
		usleep(1000);
	EXPECT(moments);
	pool_sigquit_stop();
}

static unsigned long creating;
static unsigned long signalled;
static pthread_t forker;
static bool arrived;

static void note(int sig)
{
	(void)sig;
	plat_word_add(&signalled, 1);
}

/* Lock the mutex of creations for a while, as a thread that creates a pool does. */
static void *create_slowly(void *arg)
{
	unsigned int moments = MOMENTS;

	plat_mutex_lock(PLAT_CREATE);
	plat_word_add(&creating, 1);
	usleep(50000);
	pthread_kill(forker, SIGUSR1);
	while (!plat_read(&signalled) && --moments)
		usleep(1000);
	arrived = moments;
	plat_mutex_unlock(PLAT_CREATE);
	return arg;
}

TEST_CASE(a_fork_that_waits_for_a_creation_takes_signals)
{
	struct sigaction action = { .sa_handler = note }, before;
	pthread_t thread;

	if (UNDER_TSAN)
		SKIP_BECAUSE("ThreadSanitizer delays signals while a thread waits for a mutex");
	forker = pthread_self();
	sigaction(SIGUSR1, &action, &before);
	ASSERT(!pthread_create(&thread, NULL, create_slowly, NULL));
	while (!plat_read(&creating))
		plat_pause(true);
	fork_and_wait();
	pthread_join(thread, NULL);
	sigaction(SIGUSR1, &before, NULL);
	EXPECT(arrived);
}

struct heard {
	unsigned int lines;
	unsigned int wrong;		/* of another level, or not exactly one line */
	enum pool_log_level level;
	char last[300];
};

static void hear(enum pool_log_level level, const char *line, void *arg)
{
	struct heard *h = arg;

	h->lines++;
	h->wrong += level != h->level || strchr(line, '\n');
	snprintf(h->last, sizeof(h->last), "%s", line);
}

static void refuse(void *arg)
{
	(void)arg;
	pool_set_limit(NULL, 1);
}

static void dump_it(void *arg)
{
	(void)arg;
	dump_pools();
}

POOL_CASE(lines_go_where_the_program_wants_them, test_pool(64))
{
	struct heard log = { .level = POOL_LOG_ERROR };
	struct heard dump = { .level = POOL_LOG_TEXT };

	pool_set_log(hear, &log);
	captured(text, sizeof(text), refuse, NULL);
	EXPECT_EQ(strcmp(text, ""), 0);
	EXPECT_EQ(log.lines, 1);
	EXPECT_EQ(log.wrong, 0);
	EXPECT_EQ(strcmp(log.last, "pool: pool_set_limit(NULL) is refused"), 0);
	pool_set_log(hear, &dump);
	captured(text, sizeof(text), dump_it, NULL);
	EXPECT_EQ(strcmp(text, ""), 0);
	EXPECT_LE(3, dump.lines);
	EXPECT_EQ(dump.wrong, 0);
	pool_set_log(NULL, &log);
	captured(text, sizeof(text), refuse, NULL);
	EXPECT_EQ(count_lines(text), 1);
	EXPECT_EQ(log.lines, 1);
}

POOL_CASE(faults_found_in_handlers_are_told_to_that_function, test_checked(64, POOL_D_TAG))
{
	struct heard log = { .level = POOL_LOG_ERROR };
	void *obj;

	pool_set_log(hear, &log);
	obj = test_alloc(pool);
	__pool_free(&pool->head, obj, POOL_F_ATOMIC);
	__pool_free(&pool->head, obj, POOL_F_ATOMIC);
	pool_set_log(NULL, NULL);
	EXPECT_LE(2, log.lines);
	EXPECT_EQ(log.wrong, 0);
	EXPECT_EQ(test_faults(pool), 1);
}

static unsigned long mixed_up;

static void one(enum pool_log_level level, const char *line, void *arg)
{
	(void)level;
	(void)line;
	plat_word_add(&mixed_up, arg != &ends[0]);
}

static void other(enum pool_log_level level, const char *line, void *arg)
{
	(void)level;
	(void)line;
	plat_word_add(&mixed_up, arg != &ends[1]);
}

static void set_or_log(unsigned int i, void *arg)
{
	unsigned long r;

	pool_set_log(one, &ends[0]);
	for (r = 0; r < test_scale(20000); r++) {
		if (i > 1)
			refuse(arg);
		else if (r & 1)
			pool_set_log(one, &ends[0]);
		else
			pool_set_log(other, &ends[1]);
	}
}

TEST_CASE(a_function_for_lines_is_called_with_its_own_argument)
{
	test_threads(4, set_or_log, NULL);
	pool_set_log(NULL, NULL);
	EXPECT_EQ(plat_read(&mixed_up), 0);
}

/* Use pools in a function for lines; @arg points to the pool that the first call creates. */
static void make_pool(enum pool_log_level level, const char *line, void *arg)
{
	struct pool_head **made = arg;

	(void)level;
	(void)line;
	if (!*made)
		*made = create_pool("made", 100, MEM_F_EXACT);
}

TEST_CASE(a_report_of_what_a_smaller_cache_gives_back_holds_no_lock)
{
	struct pool *pool = test_checked(1024, POOL_D_INTEGRITY);
	struct pool_head *made = NULL;

	ASSERT(pool);
	pool_fail_every = 0;
	test_alloc_many(pool, test_objs, 64);
	test_free_many(pool, test_objs, 64);
	memset(test_objs[3], 1, 8);
	pool_set_log(make_pool, &made);
	EXPECT(pool_configure("max_cached=1"));
	pool_set_log(NULL, NULL);
	EXPECT_EQ(test_faults(pool), 1);
	EXPECT(made);
	pool_destroy(made);
	pool_destroy(&pool->head);
}
