// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ctl_life.c - the control socket from its start to its end: paths, other programs, forks
 *
 * Layer:   tests of user/extra/ctl.c.
 * Context: see test.h and life.h.
 */
#include "cases_ctl.h"

#include <fcntl.h>
#include <sys/wait.h>

static const char *asked_for;
static int refusal;

static void start_refused(void *arg)
{
	(void)arg;
	errno = 0;
	refusal = pool_ctl_start(asked_for) ? 0 : errno;
}

/* True if the start is refused for this reason, with one line in the log. */
static bool start_fails(const char *path, int err)
{
	asked_for = path;
	captured(text, sizeof(text), start_refused, NULL);
	return refusal == err && count_lines(text) == 1 &&
	       strstr(text, "pool: the control socket is not started: \"");
}

TEST_CASE(a_bad_path_is_refused_by_one_line)
{
	char path[sizeof(addr.sun_path) + 1];

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	EXPECT(start_fails(path, ENAMETOOLONG));
	EXPECT(start_fails("", EINVAL));
	EXPECT(start_fails(NULL, EINVAL));
	EXPECT(start_fails("/nowhere/at\nall", ENOENT));
	memcpy(path, "/tmp/", 5);
	path[sizeof(path) - 2] = 0;
	ASSERT(pool_ctl_start(path));
	pool_ctl_stop();
	EXPECT(!is_there(path));
}

TEST_CASE(the_path_may_have_the_number_of_the_process)
{
	char path[64];

	fresh_path();
	snprintf(path, sizeof(path), "%s/%%p-%%-%%p%%", dir);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/%d-%%-%d%%", dir,
		 (int)getpid(), (int)getpid());
	ASSERT(pool_ctl_start(path));
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	pool_ctl_stop();
	EXPECT(is_clean());
}

static bool shows_path(struct sockaddr_un *bound)
{
	socklen_t len = sizeof(*bound);
	int fd = client();
	bool shown;

	shown = fd >= 0 && !getpeername(fd, (struct sockaddr *)bound, &len);
	close(fd);
	return shown;
}

/* Daemons change their folder.  poolctl finds the socket by the path that the kernel shows. */
TEST_CASE(a_socket_goes_though_its_program_is_in_another_folder_by_then)
{
	struct sockaddr_un bound = { .sun_family = AF_UNSPEC };
	char before[256];

	fresh_path();
	ASSERT(getcwd(before, sizeof(before)) && !chdir(dir));
	EXPECT(pool_ctl_start("ctl"));
	ASSERT(!chdir("/"));
	EXPECT(shows_path(&bound));
	EXPECT_EQ(strcmp(bound.sun_path, addr.sun_path), 0);
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	pool_ctl_stop();
	EXPECT(is_clean());
	ASSERT(!chdir(before));
}

/* Make a socket without a server, as a killed program leaves one. */
static void leave_dead_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert(!bind(fd, (struct sockaddr *)&addr, sizeof(addr)));
	close(fd);
}

TEST_CASE(a_dead_socket_is_replaced_and_nothing_else)
{
	char target[64];
	int fd;

	fresh_path();
	leave_dead_socket();
	ASSERT(pool_ctl_start(addr.sun_path));
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	pool_ctl_stop();
	EXPECT(!is_there(addr.sun_path));

	fd = live_socket();
	EXPECT(start_fails(addr.sun_path, EADDRINUSE));
	EXPECT(is_there(addr.sun_path));
	close(fd);
	unlink(addr.sun_path);

	close(open(addr.sun_path, O_CREAT | O_WRONLY, 0600));
	EXPECT(start_fails(addr.sun_path, EADDRINUSE));
	EXPECT(is_there(addr.sun_path));
	unlink(addr.sun_path);

	snprintf(target, sizeof(target), "%s/target", dir);
	ck_assert(!symlink(target, addr.sun_path));
	EXPECT(start_fails(addr.sun_path, EADDRINUSE));
	EXPECT(is_there(addr.sun_path) && !is_there(target));
	unlink(addr.sun_path);
	EXPECT(is_clean());
}

#define RIVALS	4

/* Processes that start on the same name at the same moment. */
struct rivals {
	int go[2];		/* readable once it is closed */
	int won[2];		/* takes a byte of each that has started */
	int end[2];
};

static void be_a_rival(struct rivals *r)
{
	char byte;

	close(r->go[1]);
	close(r->end[1]);
	if (read(r->go[0], &byte, 1) < 0)
		_exit(1);
	if (pool_ctl_start(addr.sun_path) && write(r->won[1], "w", 1) != 1)
		_exit(1);
	close(r->won[1]);
	_exit(read(r->end[0], &byte, 1) < 0);
}

/* Returns how many of them have started, all on a socket that is dead. */
static unsigned int winners(void)
{
	struct rivals r;
	unsigned int i, n = 0;
	char byte;

	ck_assert(!pipe(r.go) && !pipe(r.won) && !pipe(r.end));
	leave_dead_socket();
	for (i = 0; i < RIVALS; i++)
		if (!fork())
			be_a_rival(&r);
	close(r.won[1]);
	close(r.go[1]);
	while (read(r.won[0], &byte, 1) == 1)
		n++;
	close(r.end[1]);
	while (wait(NULL) > 0)
		;
	close(r.go[0]);
	close(r.won[0]);
	close(r.end[0]);
	unlink(addr.sun_path);
	return n;
}

TEST_CASE(of_programs_that_find_a_dead_socket_one_replaces_it)
{
	unsigned int i, wrong = 0;

	if (UNDER_TSAN)
		SKIP_BECAUSE("children of a program with threads may have none");
	fresh_path();
	for (i = 0; i < 100; i++)
		wrong += winners() != 1;
	EXPECT_EQ(wrong, 0);
	EXPECT(is_clean());
}

/* The default stack of threads is set so large that no thread can be made. */
TEST_CASE(without_a_thread_the_start_is_refused_by_one_line)
{
	pthread_attr_t normal, large;

	fresh_path();
	ASSERT(!pthread_getattr_default_np(&normal));
	ASSERT(!pthread_getattr_default_np(&large));
	ASSERT(!pthread_attr_setstacksize(&large, SIZE_MAX / 4));
	ASSERT(!pthread_setattr_default_np(&large));
	EXPECT(start_fails(addr.sun_path, EAGAIN));
	ASSERT(!pthread_setattr_default_np(&normal));
	EXPECT(is_clean());
	ASSERT(pool_ctl_start(fresh_path()));
	pool_ctl_stop();
	EXPECT(is_clean());
}

static void start_again(void *elsewhere)
{
	refusal = pool_ctl_start(elsewhere) ? 0 : errno;
}

TEST_CASE(a_second_start_is_refused_and_the_first_goes_on)
{
	char elsewhere[64];

	ASSERT(pool_ctl_start(fresh_path()));
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", dir);
	captured(text, sizeof(text), start_again, elsewhere);
	EXPECT_EQ(refusal, EALREADY);
	EXPECT(!is_there(elsewhere));
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	pool_ctl_stop();
	pool_ctl_stop();
	EXPECT(is_clean());
	ASSERT(pool_ctl_start(fresh_path()));
	pool_ctl_stop();
	EXPECT(is_clean());
}

/*
 * Returns the milliseconds that a stop takes while one client does not read its answer, and a
 * second client waits.
 */
static long stop_beside_clients(void)
{
	int fd, more;
	long start;

	ck_assert(pool_ctl_start(fresh_path()));
	fd = never_reads();
	more = client();
	usleep(50000);
	start = ms_now();
	pool_ctl_stop();
	start = ms_now() - start;
	EXPECT(is_clean());
	EXPECT(client() < 0);
	close(fd);
	close(more);
	return start;
}

/*
 * A stop that waited would always take the rest of a client's second.  One try that is quicker
 * shows that it does not; on a busy machine others may be as slow.
 */
TEST_CASE(a_stop_waits_for_no_client)
{
	unsigned int tries = 50;

	many_pools();
	while (tries && stop_beside_clients() > 700)
		tries--;
	EXPECT(tries > 0);
	no_pools();
}

TEST_CASE(a_stop_leaves_the_socket_of_another_program)
{
	int fd;

	ASSERT(pool_ctl_start(fresh_path()));
	EXPECT(!unlink(addr.sun_path));
	fd = live_socket();
	pool_ctl_stop();
	EXPECT(is_there(addr.sun_path));
	close(fd);
	unlink(addr.sun_path);
	EXPECT(is_clean());
}

/* The thread sanitizer allows no thread in the child of a program with threads. */
static void be_a_child(void *arg)
{
	char path[sizeof(addr.sun_path)];

	(void)arg;
	pool_ctl_stop();
	NEED(is_there(addr.sun_path));
	if (UNDER_TSAN)
		return;
	snprintf(path, sizeof(path), "%s/child", dir);
	NEED(pool_ctl_start(path));
	memcpy(addr.sun_path, path, sizeof(path));
	NEED(!strcmp(ask("gc\n"), "ok\n"));
	pool_ctl_stop();
	NEED(!is_there(path));
}

/* A child of _Fork() must not call the library, but its exit() runs the library's destructors. */
TEST_CASE(a_child_without_handlers_of_forks_leaves_the_socket_when_it_ends)
{
	int status = -1;
	pid_t child;

	if (UNDER_CHECKER)
		SKIP_BECAUSE("checkers handle forks, too");
	ASSERT(pool_ctl_start(fresh_path()));
	fflush(NULL);
	child = _Fork();
	if (!child)
		exit(0);
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	pool_ctl_stop();
	EXPECT(is_clean());
}

static bool around_forks;

static void stop_before(void)
{
	if (around_forks)
		pool_ctl_stop();
}

static void start_after(void)
{
	if (around_forks)
		around_forks = pool_ctl_start(addr.sun_path);
}

/* The socket is that of the parent, which may have it again by now. */
static void stop_none(void *arg)
{
	(void)arg;
	pool_ctl_stop();
}

/* The program registers its handlers before the library starts a thread of its own. */
TEST_CASE(handlers_of_forks_may_stop_the_server_and_start_it)
{
	ASSERT(!pthread_atfork(stop_before, start_after, NULL));
	ASSERT(pool_ctl_start(fresh_path()));
	around_forks = true;
	EXPECT(child_is_well(stop_none, NULL));
	EXPECT(around_forks);
	around_forks = false;
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	pool_ctl_stop();
	EXPECT(is_clean());
}

TEST_CASE(a_child_has_no_socket_and_may_have_its_own)
{
	ASSERT(pool_ctl_start(fresh_path()));
	EXPECT(child_is_well(be_a_child, NULL));
	EXPECT_EQ(strcmp(ask("gc\n"), "ok\n"), 0);
	pool_ctl_stop();
	EXPECT(is_clean());
}
