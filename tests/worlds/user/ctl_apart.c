// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ctl_apart.c - the socket, ageing and SIGQUIT do not wait for each other
 *
 * Layer:   tests of user/extra/helper.c and sigquit.c.
 * Context: see test.h and life.h.
 *
 * Each of their threads may be blocked for as long as the program likes: by the reader of stderr,
 * or by a destructor.  The other threads must go on meanwhile: a user who wants to know why one is
 * blocked asks another one.
 */
#include "cases_ctl.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>

/* How often to look, a millisecond apart; a busy machine needs many looks. */
#define MOMENTS		60000

#define PIPE_SIZE	4096
#define PEAK		4000u

static int ends[2];			/* stderr is a pipe that is not read */
static int keep;

/* Wait until @fn is true of @arg; false: it never is. */
static bool comes_true(bool (*fn)(void *arg), void *arg)
{
	unsigned int moments = MOMENTS;

	while (!fn(arg) && --moments)
		usleep(1000);
	return moments;
}

static bool has_input(void *arg)
{
	struct pollfd in = { .fd = *(int *)arg, .events = POLLIN };

	return poll(&in, 1, 0) > 0;
}

/* True if the server answers a line, even if other threads of the library are blocked. */
static bool is_answered(const char *line)
{
	int fd = client();
	bool answered;

	ck_assert(fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line));
	answered = comes_true(has_input, &fd);
	text[0] = 0;
	if (answered)
		read_all(fd, text, sizeof(text));
	close(fd);
	return !strncmp(text, "ok\n", 3);
}

static bool has_faded(void *arg)
{
	return pool_allocated(arg) * 10 < PEAK;
}

/* True if the thread that ages releases what nobody needs. */
static bool ages(struct pool *pool)
{
	test_wave(pool, PEAK);
	return comes_true(has_faded, pool);
}

static bool is_full(void *arg)
{
	int there = 0;

	(void)arg;
	return !ioctl(ends[0], FIONREAD, &there) && there == PIPE_SIZE;
}

static void start_all(void)
{
	ck_assert(pool_sigquit_start());
	ck_assert(pool_age_start(1));
	ck_assert(pool_ctl_start(fresh_path()));
}

static void stop_all(void)
{
	pool_ctl_stop();
	pool_age_stop();
	pool_sigquit_stop();
	EXPECT(is_clean());
}

static void block_stderr(void)
{
	keep = dup(STDERR_FILENO);
	ck_assert(keep >= 0 && !pipe(ends));
	ck_assert(fcntl(ends[1], F_SETPIPE_SZ, PIPE_SIZE) == PIPE_SIZE);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
}

/* Let a blocked write go on: it fails, since the pipe has no reader any more. */
static void unblock_stderr(void)
{
	dup2(keep, STDERR_FILENO);
	close(keep);
	signal(SIGPIPE, SIG_IGN);
	close(ends[0]);
}

POOL_CASE(a_dump_of_sigquit_that_stderr_blocks_keeps_neither_clients_nor_ageing, test_pool(64))
{
	bool blocks, answered, aged, still;

	pool_fail_every = 0;
	many_pools();
	start_all();
	block_stderr();
	raise(SIGQUIT);
	blocks = comes_true(is_full, NULL);
	answered = is_answered("pools\n");
	aged = ages(pool);
	still = is_full(NULL);
	unblock_stderr();
	stop_all();
	no_pools();
	EXPECT(blocks);
	EXPECT(answered);
	EXPECT(aged);
	EXPECT(still);
}

static unsigned long waits, goes;

static void construct(void *obj, void *arg)
{
	(void)arg;
	memset(obj, 0, 64);
}

/* A destructor that needs what another thread has. */
static void destruct(void *obj, void *arg)
{
	unsigned int moments = MOMENTS;

	(void)obj;
	(void)arg;
	plat_write(&waits, 1);
	while (!plat_read(&goes) && --moments)
		usleep(1000);
}

static bool is_waiting(void *arg)
{
	return plat_read((unsigned long *)arg);
}

TEST_CASE(a_destructor_that_waits_keeps_no_client)
{
	struct pool_attr attr = {
		.name = "slow", .size = 64, .flags = MEM_F_EXACT,
		.ctor = construct, .dtor = destruct,
	};
	struct pool_head *slow = create_pool_ext(&attr);
	bool collects, answered;

	ASSERT(slow);
	pool_fail_every = 0;
	start_all();
	test_threads(1, life_leave_shared, pool_of(slow));
	raise(SIGQUIT);
	collects = comes_true(is_waiting, &waits);
	answered = is_answered("pools\n");
	plat_write(&goes, 1);
	stop_all();
	pool_destroy(slow);
	EXPECT(collects);
	EXPECT(answered);
}

static bool is_collected(void *arg)
{
	return !test_sum(arg)->shared;
}

static void quit(void *arg)
{
	raise(SIGQUIT);
	ck_assert(comes_true(is_collected, arg));
}

/* True if a SIGQUIT takes effect while the server still waits for a client that does not read. */
static bool collects_beside_a_client(struct pool *pool)
{
	struct pollfd in = { .fd = never_reads(), .events = POLLRDHUP };
	static char lines[256 * 1024];
	bool first;

	ck_assert(comes_true(has_input, &in.fd));
	test_threads(1, life_leave_shared, pool);
	captured(lines, sizeof(lines), quit, pool);
	first = !poll(&in, 1, 0);
	close(in.fd);
	return first;
}

/*
 * On a busy machine the dump may take the client's second, so one try of some suffices.  No memory
 * ages, so only SIGQUIT collects.
 */
POOL_CASE(a_client_that_never_reads_delays_no_dump_of_sigquit, test_pool(64))
{
	unsigned int tries = 50;

	pool_fail_every = 0;
	many_pools();
	ASSERT(pool_sigquit_start() && pool_ctl_start(fresh_path()));
	while (tries && !collects_beside_a_client(pool))
		tries--;
	EXPECT(tries > 0);
	stop_all();
	no_pools();
}
