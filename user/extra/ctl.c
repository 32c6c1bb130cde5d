// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ctl.c - on request, a thread offers the pools on a UNIX socket
 *
 * Layer:   above everything; user space only, twin of kernel/debugfs.
 * Context: plain threads.
 *
 * A client sends one line and gets one answer: "ok", or "error: " and what was wrong, and then a
 * text.  One client is served at a time.  It has a second to send its line, and a second to read
 * the answer, so a client that does neither keeps others for two seconds at most.
 */
#include "ctl.h"
#include "helper.h"
#include "seam/plat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Time that a client has to send its line, and again to read the answer. */
#define CLIENT_MS	1000

/* Pause after a client could not be accepted. */
#define PAUSE_MS	100

/* Clients that wait for their turn. */
#define BACKLOG		16

/* Time that a start waits for starts of other programs, which may wait for a CPU. */
#define STARTS_MS	1000

/* pool_helper_lock(), so that a child of a fork finds them whole, and closes the file. */
static struct pool_own_file client = { .fd = -1 };
static struct {
	struct sockaddr_un addr;	/* sun_path "": no socket is bound */
	dev_t dev;
	ino_t ino;
	pid_t pid;
} bound;

static void work(void);

/* Close the client in a child of a fork, and leave the socket's name to the parent. */
static void forget(void)
{
	pool_own_file_close(&client);
	bound.addr.sun_path[0] = 0;
}

static struct pool_helper helper = {
	.change = PTHREAD_MUTEX_INITIALIZER, .what = "the control socket",
	.work = work, .forget = forget, .events = POLLIN,
};

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* Wait for an event of a file; false: it is too late, or the server is to stop. */
static bool wait_for(int fd, short events, long long end)
{
	struct pollfd fds[] = {
		{ .fd = helper.stop.fd, .events = POLLIN },
		{ .fd = fd, .events = events },
	};
	long long left = end - now_ms();

	return left > 0 && poll(fds, 2, (int)left) > 0 && !fds[0].revents;
}

/* True if the client's descriptor is still the connection: a program may close all descriptors. */
static bool is_client(void)
{
	if (pool_own_file_is(&client))
		return true;
	errno = EBADF;
	return false;
}

/* Send a text, or as much of it as the client reads in time. */
static bool send_all(int fd, const char *text, size_t len, long long end)
{
	while (len) {
		ssize_t n = is_client() ? send(fd, text, len, MSG_NOSIGNAL) : -1;

		if (n < 0 && (errno != EAGAIN || !wait_for(fd, POLLOUT, end)))
			return false;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return true;
}

/* Read a line, and cut its newline off.  Returns what is wrong with it, or NULL. */
static const char *read_line(int fd, char *line)
{
	long long end = now_ms() + CLIENT_MS;
	char *newline = NULL;
	size_t len = 0;

	while (!newline) {
		ssize_t n = is_client() ? recv(fd, line + len, POOL_CTL_LINE - len, 0) : -1;

		if (n > 0) {
			newline = memchr(line + len, '\n', (size_t)n);
			len += (size_t)n;
		} else if (len == POOL_CTL_LINE) {
			return "the line is too long";
		} else if (!n || errno != EAGAIN || !wait_for(fd, POLLIN, end)) {
			return "the line has no end";
		}
	}
	*newline = 0;
	return strlen(line) == (size_t)(newline - line) ? NULL :
							  "the line has a NUL";
}

static bool find_peer(int fd, struct ucred *peer)
{
	socklen_t len = sizeof(*peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &len);
}

/*
 * True if a client's user is root, or the program's user at this moment, because a program may
 * change its user after it made the socket.
 */
static bool may_ask(int fd)
{
	struct ucred peer;

	return find_peer(fd, &peer) && (!peer.uid || peer.uid == geteuid());
}

/* Read one line of a client and answer it.  Bytes after the line are not read. */
static void serve(int fd)
{
	struct pool_ctl_answer answer = { .text = NULL };
	char line[POOL_CTL_LINE], head[sizeof(answer.wrong) + 16];
	const char *wrong;
	long long end;

	wrong = may_ask(fd) ? read_line(fd, line) :
			      "only root and the program's user may ask";
	if (!wrong)
		pool_ctl_answer(&answer, line);
	else
		snprintf(answer.wrong, sizeof(answer.wrong), "%s", wrong);
	snprintf(head, sizeof(head), *answer.wrong ? "error: %s\n" : "ok\n",
		 answer.wrong);
	end = now_ms() + CLIENT_MS;
	if (send_all(fd, head, strlen(head), end) && !*answer.wrong)
		send_all(fd, answer.text, answer.len, end);
	free(answer.text);
}

/* Accept a client, and record its file, so that a child of a fork closes it. */
static int accept_client(void)
{
	int fd;

	pool_helper_lock();
	fd = accept4(helper.file.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	fd = pool_own_file_raise(fd);
	pool_own_file_note(&client, fd);
	pool_helper_unlock();
	return fd;
}

/* Close the client.  shutdown() ends the connection even where a child has a copy of the file. */
static void leave_client(void)
{
	pool_helper_lock();
	if (pool_own_file_is(&client))
		shutdown(client.fd, SHUT_RDWR);
	pool_own_file_close(&client);
	pool_helper_unlock();
}

/*
 * Accept and serve a client.  Pauses if files are short, because the waiting client would wake the
 * thread again at once.
 */
static void work(void)
{
	int fd = accept_client();

	if (fd < 0) {
		if (errno != EAGAIN)
			wait_for(-1, 0, now_ms() + PAUSE_MS);
		return;
	}
	serve(fd);
	leave_client();
}

/*
 * Make a path begin at the root, unless it is too long then, because the program may go to another
 * folder before the socket is removed, or looked for.
 */
static void begin_at_root(struct sockaddr_un *addr)
{
	char full[sizeof(addr->sun_path)];
	size_t len, more = strlen(addr->sun_path) + 1;

	if (*addr->sun_path == '/' || !getcwd(full, sizeof(full) - 1))
		return;
	len = strlen(full);
	if (full[len - 1] != '/')
		full[len++] = '/';
	if (len + more > sizeof(full))
		return;
	memcpy(full + len, addr->sun_path, more);
	memcpy(addr->sun_path, full, len + more);
}

/* Complete a path to the address of a socket.  Returns 0, or an error, negative. */
static int expand(struct sockaddr_un *addr, const char *path)
{
	size_t len = 0;
	int n;

	addr->sun_family = AF_UNIX;
	if (!path || !*path)
		return -EINVAL;
	for (; *path; path++) {
		bool id = path[0] == '%' && path[1] == 'p';

		n = snprintf(addr->sun_path + len, sizeof(addr->sun_path) - len,
			     id ? "%d" : "%c", id ? (int)getpid() : *path);
		len += (size_t)n;
		path += id;
		if (len >= sizeof(addr->sun_path))
			return -ENAMETOOLONG;
	}
	begin_at_root(addr);
	return 0;
}

/* True if a connection shows that a socket's server is gone or, with @or_own, is this process. */
static bool is_dead(int fd, bool refused, bool or_own)
{
	struct ucred server;

	if (refused)
		return errno == ECONNREFUSED;
	return or_own && find_peer(fd, &server) && server.pid == getpid();
}

/*
 * Remove a socket that has no server or, with @or_own, whose server is this process.  A connection
 * to any other file is refused, too, so look at the file first.
 */
static bool remove_dead(const struct sockaddr_un *addr, bool or_own)
{
	struct stat st;
	bool dead;
	int fd;

	if (lstat(addr->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	dead = is_dead(fd, connect(fd, (const struct sockaddr *)addr, sizeof(*addr)), or_own);
	close(fd);
	return dead && !unlink(addr->sun_path);
}

/*
 * Lock the folder of the socket.  Otherwise, of two programs that start at once, one might mistake
 * the new socket of the other program, which does not listen yet, for a dead one.  Any process that
 * may read a folder may lock it for ever, so the wait is bounded.  Returns a file to close, or -1.
 */
static int lock_folder(const struct sockaddr_un *addr)
{
	char folder[sizeof(addr->sun_path) + 1] = ".";
	const char *end = strrchr(addr->sun_path, '/');
	int fd, ms;

	if (end)
		memcpy(folder, addr->sun_path, (size_t)(end + 1 - addr->sun_path));
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (ms = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && ms < STARTS_MS; ms++)
		usleep(1000);
	return fd;
}

/* Unlock and close a folder; the unlock counts even if a child of a fork has a copy of the file. */
static void unlock_folder(int fd)
{
	if (fd < 0)
		return;
	flock(fd, LOCK_UN);
	close(fd);
}

/* Record which file this server's socket is.  Locked.  Returns 0, or an error, negative. */
static int note_bound(const struct sockaddr_un *addr)
{
	struct stat st;

	if (lstat(addr->sun_path, &st))
		return -errno;
	bound.addr = *addr;
	bound.dev = st.st_dev;
	bound.ino = st.st_ino;
	bound.pid = getpid();
	return 0;
}

/*
 * True if the name leads to this server's socket, by the file's numbers.  False in a child for
 * which no handlers of fork() ran, since the server is the parent's.  Locked.
 */
static bool is_bound(void)
{
	const char *path = bound.addr.sun_path;
	struct stat st;

	return *path && bound.pid == getpid() && !lstat(path, &st) &&
	       st.st_dev == bound.dev && st.st_ino == bound.ino;
}

/*
 * Remove a socket that the program has closed, unless another program has bound the name since, and
 * serves it.  A connection to this process's own server counts as dead, too, because the server
 * ends when it notices that its files are closed.  Locked.
 */
static void remove_closed(void)
{
	int folder = lock_folder(&bound.addr);

	remove_dead(&bound.addr, true);
	unlock_folder(folder);
}

/* Remove the socket's name, unless it is another file's by now.  Locked. */
static void remove_bound(void)
{
	bool ours = is_bound();

	if (ours && pool_own_file_is(&helper.file))
		unlink(bound.addr.sun_path);
	else if (ours)
		remove_closed();
	bound.addr.sun_path[0] = 0;
}

/*
 * Bind a socket.  Linux gives its file the mode of the socket, less the umask, so there is no
 * moment at which others could connect.  Locked.  Returns 0, or an error, negative.
 */
static int bind_to(int fd, const struct sockaddr_un *addr)
{
	const struct sockaddr *to = (const struct sockaddr *)addr;
	int err;

	if (fchmod(fd, 0600))
		return -errno;
	if (bind(fd, to, sizeof(*addr)) &&
	    (errno != EADDRINUSE || !remove_dead(addr, false) ||
	     bind(fd, to, sizeof(*addr))))
		return -errno;
	err = note_bound(addr);
	if (!err && listen(fd, BACKLOG))
		err = -errno;
	return err;
}

/* Start the thread with a socket at an address.  Locked.  Returns 0, or an error, negative. */
static int start_at(const struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int folder, err;

	fd = pool_own_file_raise(fd);
	if (fd < 0)
		return -errno;
	folder = lock_folder(addr);
	err = bind_to(fd, addr);
	unlock_folder(folder);
	if (!err)
		err = pool_helper_start(&helper, fd, -1);
	if (!err)
		return 0;
	/*
	 * While the socket is open no other file has its numbers, and there may be no descriptor
	 * left.
	 */
	if (is_bound())
		unlink(addr->sun_path);
	bound.addr.sun_path[0] = 0;
	close(fd);
	return err;
}

/* Start the thread at a path, entered.  Returns 0, or an error, negative. */
static int start(const char *path)
{
	struct sockaddr_un addr;
	int err = expand(&addr, path);

	if (err)
		return err;
	if (helper.started)
		return -EALREADY;
	/* Remove the socket of a server that has ended by itself. */
	remove_bound();
	return start_at(&addr);
}

bool pool_ctl_start(const char *path)
{
	int cancel = pool_helper_begin(&helper);

	return pool_helper_began(&helper, cancel, start(path), path ? path : "");
}

void pool_ctl_stop(void)
{
	pool_helper_end(&helper, remove_bound);
}

/* Remove the socket at exit(); the thread ends with the program. */
__attribute__((destructor)) static void remove_at_exit(void)
{
	pool_helper_lock();
	remove_bound();
	pool_helper_unlock();
}
