// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ctl_files.c - descriptors of the control socket, beside those of its program
 *
 * Layer:   tests of user/extra/ctl.c and helper.c.
 * Context: see test.h and life.h.
 */
#include "cases_ctl.h"
#include "extra/helper.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAIRS	4

/*
 * Close all files as daemons do at their start.  Makes system calls, because ThreadSanitizer would
 * rightly report a race with the server's thread, which uses some of these descriptors.
 */
static void close_files(void)
{
	long fd;

	for (fd = 3; fd < 256; fd++)
		syscall(SYS_close, fd);
}

/*
 * Close all files and open a pair of new ones, so that a write to one end would show at the other.
 */
static void close_and_open(void *arg)
{
	int fds[2 * PAIRS], fd;
	unsigned int i;
	char c;

	(void)arg;
	NEED(pool_ctl_start(addr.sun_path));
	close_files();
	for (i = 0; i < PAIRS; i++)
		NEED(!syscall(SYS_socketpair, AF_UNIX,
			      SOCK_STREAM | SOCK_NONBLOCK, 0, &fds[2 * i]));
	while ((fd = client()) >= 0) {
		close(fd);
		usleep(1000);
	}
	pool_ctl_stop();
	for (i = 0; i < 2 * PAIRS; i++)
		NEED(read(fds[i], &c, 1) < 0 && errno == EAGAIN);
	NEED(!is_there(addr.sun_path));
}

TEST_CASE(a_program_that_closes_all_files_keeps_those_that_it_opens_then)
{
	fresh_path();
	EXPECT(child_is_well(close_and_open, NULL));
	EXPECT(is_clean());
}

/* A server that has lost its files ends, and another one may be started at once. */
static void start_after_the_end(void *arg)
{
	char *path = arg;
	unsigned int i;

	NEED(pool_ctl_start(path));
	for (i = 0; i < 20; i++) {
		close_files();
		NEED(pool_ctl_start(addr.sun_path));
	}
	NEED(!strcmp(ask("gc\n"), "ok\n"));
	NEED(!is_there(path));
	pool_ctl_stop();
}

TEST_CASE(a_server_that_has_lost_its_files_may_be_started_anew)
{
	char path[64];

	fresh_path();
	snprintf(path, sizeof(path), "%s/other", dir);
	EXPECT(child_is_well(start_after_the_end, path));
	EXPECT(is_clean());
}

/* Another program takes the path, until it is killed. */
static pid_t serve_elsewhere(void)
{
	int ready[2];
	pid_t other;
	char c;

	NEED(!pipe(ready));
	other = fork();
	if (!other) {
		live_socket();
		if (write(ready[1], "r", 1) == 1)
			pause();
		_exit(1);
	}
	NEED(other > 0 && read(ready[0], &c, 1) == 1);
	return other;
}

/* The server's thread keeps the socket until it looks at its files, soon for the first time. */
static void lose_the_name(void *arg)
{
	pid_t other;

	(void)arg;
	NEED(pool_ctl_start(addr.sun_path));
	close_files();
	usleep(500000);
	NEED(!unlink(addr.sun_path));
	other = serve_elsewhere();
	pool_ctl_stop();
	NEED(is_there(addr.sun_path));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	unlink(addr.sun_path);
}

/* Most file systems give a new socket the number of a removed one. */
TEST_CASE(a_server_that_has_lost_its_files_leaves_the_socket_of_another)
{
	fresh_path();
	EXPECT(child_is_well(lose_the_name, NULL));
	EXPECT(is_clean());
}

static void stop_at_once(void *arg)
{
	(void)arg;
	NEED(pool_ctl_start(addr.sun_path));
	usleep(500000);
	close_files();
	pool_ctl_stop();
	NEED(!is_there(addr.sun_path));
}

/* The server's thread waits for its files, which the program has closed, for up to a minute. */
TEST_CASE(a_socket_goes_though_its_server_does_not_know_yet_that_it_is_closed)
{
	fresh_path();
	EXPECT(child_is_well(stop_at_once, NULL));
	EXPECT(is_clean());
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* The client gets descriptor 0, the lowest, and the server's end of the connection a high one. */
static void serve_without_stdio(void *arg)
{
	int fd;

	(void)arg;
	for (fd = 0; fd <= STDERR_FILENO; fd++)
		close(fd);
	NEED(pool_ctl_start(addr.sun_path));
	NEED(!is_open(0) && !is_open(1) && !is_open(2));
	fd = client();
	usleep(100000);
	NEED(!fd && !is_open(1) && !is_open(2));
	NEED(write(fd, "gc\n", 3) == 3);
	NEED(read_all(fd, text, sizeof(text)) == 3);
	NEED(pool_pressure_start("/proc/thread-self/comm"));
	NEED(!is_open(1) && !is_open(2));
	pool_pressure_stop();
	pool_ctl_stop();
}

TEST_CASE(a_program_without_stdio_keeps_its_numbers_for_itself)
{
	fresh_path();
	EXPECT(child_is_well(serve_without_stdio, NULL));
	EXPECT(is_clean());
}

/* The child is forked while a client is served, whose connection must end with the answer. */
TEST_CASE(a_child_keeps_no_connection_open)
{
	unsigned int before = open_files();
	char byte;
	pid_t child;
	int fd, child_stays[2], says[2];

	ASSERT(!pipe(child_stays) && !pipe(says));
	ASSERT(pool_ctl_start(fresh_path()));
	fd = client();
	usleep(100000);
	child = fork();
	if (!child) {
		close(child_stays[1]);
		byte = (char)open_files();
		if (write(says[1], &byte, 1) == 1 && !read(child_stays[0], &byte, 1))
			_exit(0);
		_exit(1);
	}
	ASSERT(child > 0);
	EXPECT_EQ(read(says[0], &byte, 1), 1);
	/*
	 * The child has both pipes, less the end that it closed, and the client, but nothing of the
	 * server.
	 */
	EXPECT_EQ((unsigned int)byte, before + 4 + 1 - 1);
	EXPECT_EQ(write(fd, "gc\n", 3), 3);
	EXPECT_EQ(read_all(fd, text, sizeof(text)), 3);
	pool_ctl_stop();
	EXPECT(client() < 0);
	close(child_stays[1]);
	waitpid(child, NULL, 0);
	close(fd);
	close(child_stays[0]);
	close(says[0]);
	close(says[1]);
	EXPECT_EQ(open_files(), before);
	EXPECT(is_clean());
}

static unsigned long accepts;		/* calls of accept4() by the server's thread */

int __real_accept4(int fd, struct sockaddr *from, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *from, socklen_t *len, int flags);

int __wrap_accept4(int fd, struct sockaddr *from, socklen_t *len, int flags)
{
	plat_word_add(&accepts, 1);
	return __real_accept4(fd, from, len, flags);
}

/* A process that connects, and says nothing. */
static pid_t silent_client(void)
{
	unsigned long n = plat_read(&accepts);
	pid_t other = fork();

	if (!other) {
		client();
		pause();
		_exit(1);
	}
	NEED(other > 0);
	while (plat_read(&accepts) == n)
		usleep(1000);
	/* The server's thread has the lock until it has noted the file. */
	pool_helper_lock();
	pool_helper_unlock();
	return other;
}

/* Return the server's end of the connection of that process. */
static int end_of(pid_t other)
{
	struct ucred peer;
	int fd;

	for (fd = 3; fd < 256; fd++) {
		socklen_t len = sizeof(peer);

		if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
		    peer.pid == other)
			return fd;
	}
	return -1;
}

/* The client gets the answer that its line has no end, because the server is being stopped. */
static void replace_client(void *arg)
{
	int fds[2], fd;
	pid_t other;
	char c;

	(void)arg;
	NEED(pool_ctl_start(addr.sun_path));
	other = silent_client();
	fd = end_of(other);
	NEED(fd >= 0 && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds));
	NEED(syscall(SYS_dup3, fds[1], fd, 0) == fd);
	pool_ctl_stop();
	NEED(read(fds[0], &c, 1) < 0 && errno == EAGAIN);
	NEED(!kill(other, SIGKILL) && waitpid(other, NULL, 0) == other);
}

TEST_CASE(a_client_whose_file_was_closed_is_told_nothing_by_another_one)
{
	fresh_path();
	EXPECT(child_is_well(replace_client, NULL));
	EXPECT(is_clean());
}

/* The server accepts the client when there is a descriptor again, and sleeps until then. */
TEST_CASE(a_server_without_descriptors_sleeps_and_goes_on)
{
	struct rlimit old, none;
	unsigned long n;
	long start, passed;
	int fd;

	ASSERT(pool_ctl_start(fresh_path()));
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	ASSERT(!getrlimit(RLIMIT_NOFILE, &old));
	/* poll() looks at no more files than the limit, and those two are open. */
	none = (struct rlimit){ .rlim_cur = 2, .rlim_max = old.rlim_max };
	ASSERT(!setrlimit(RLIMIT_NOFILE, &none));
	n = plat_read(&accepts);
	start = ms_now();
	connect(fd, (struct sockaddr *)&addr, sizeof(addr));
	while (plat_read(&accepts) - n < 4)
		usleep(1000);
	passed = ms_now() - start;
	setrlimit(RLIMIT_NOFILE, &old);
	/* The server sleeps for a tenth of a second between two attempts, rounded down. */
	EXPECT_LE(290, passed);
	EXPECT_EQ(write(fd, "gc\n", 3), 3);
	EXPECT_EQ(read_all(fd, text, sizeof(text)), 3);
	close(fd);
	pool_ctl_stop();
	EXPECT(is_clean());
}
