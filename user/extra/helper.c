// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper.c - a thread that does something again and again: by time, or by an event
 *
 * Layer:   above everything; user space only.
 * Context: plain threads.
 *
 * In a child of a fork the files of the parent's helpers are closed.
 *
 * A byte in a pipe asks a helper to end.  A program that closes all of its files closes the pipe,
 * too, and the helper must end, because it would otherwise wait for files of the program that have
 * the same numbers.  So before each work it checks that its files are still its own.
 */
#include "helper.h"
#include "seam/plat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Times after which a helper looks whether it still has its pipe, if nothing else happens: first
 * soon, since many programs close all files at their start, then seldom.
 */
#define LOOK_SOON_MS	100
#define LOOK_MS		60000

void pool_own_file_note(struct pool_own_file *file, int fd)
{
	struct stat st = { .st_ino = 0 };

	if (fd >= 0)
		fstat(fd, &st);
	*file = (struct pool_own_file){ fd, st.st_dev, st.st_ino };
}

/* True if a descriptor still belongs to the noted file; the program may have closed it. */
bool pool_own_file_is(const struct pool_own_file *file)
{
	struct stat st;

	return file->fd >= 0 && !fstat(file->fd, &st) &&
	       st.st_dev == file->dev && st.st_ino == file->ino;
}

void pool_own_file_close(struct pool_own_file *file)
{
	if (pool_own_file_is(file))
		close(file->fd);
	file->fd = -1;
}

/*
 * Give a file a number above those of stdin, stdout and stderr, because a program that was started
 * without these uses their numbers nevertheless.  Returns it, or -1 with errno; then the file is
 * closed.
 */
int pool_own_file_raise(int fd)
{
	int raised, error;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	raised = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	error = errno;
	close(fd);
	errno = error;
	return raised;
}

static void close_pipe(struct pool_helper *helper)
{
	pool_own_file_close(&helper->stop);
	pool_own_file_close(&helper->stop_end);
}

static bool open_pipe(struct pool_helper *helper)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return false;
	pool_own_file_note(&helper->stop, pool_own_file_raise(fds[0]));
	pool_own_file_note(&helper->stop_end, pool_own_file_raise(fds[1]));
	if (helper->stop.fd >= 0 && helper->stop_end.fd >= 0)
		return true;
	close_pipe(helper);
	return false;
}

/* Close the files of a helper that has ended, or is the parent's.  Locked. */
void pool_helper_forget(struct pool_own_thread *own)
{
	struct pool_helper *helper = (struct pool_helper *)own;

	if (!own->started)
		return;
	own->started = false;
	close_pipe(helper);
	pool_own_file_close(&helper->file);
}

/* Wait until there is work; false: the thread must end, because it was asked to or has no files. */
static bool is_due(const struct pool_helper *helper)
{
	struct pollfd fds[] = {
		{ .fd = helper->stop.fd, .events = POLLIN },
		{ .fd = helper->file.fd, .events = helper->events },
	};
	bool timed = helper->milliseconds >= 0;
	int most = timed ? helper->milliseconds : LOOK_SOON_MS;
	int n;

	do {
		if (!pool_own_file_is(&helper->stop))
			return false;
		n = poll(fds, 2, most);
		most = timed ? most : LOOK_MS;
	} while (n < 0 ? errno == EINTR : !n && !timed);
	return n >= 0 && !fds[0].revents &&
	       !(fds[1].revents & (POLLERR | POLLNVAL)) &&
	       (helper->file.fd < 0 || pool_own_file_is(&helper->file));
}

/* Log that the helper ends, unless the program has closed stderr, whose number may be reused. */
static void say_end(const struct pool_helper *helper)
{
	if (pool_own_file_is(&helper->err))
		plat_log(PLAT_ERR, "%s has ended: its file is closed or gone", helper->what);
}

static void *helper_main(void *arg)
{
	struct pool_helper *helper = arg;

	while (is_due(helper))
		helper->work();
	if (plat_read(&helper->stopping))
		return NULL;
	say_end(helper);
	plat_write(&helper->ended, true);
	return NULL;
}

/* True if the program has closed a started helper's files, so that the helper is about to end. */
static bool ends(const struct pool_helper *helper)
{
	return helper->own.started && !pool_own_file_is(&helper->stop);
}

/*
 * Begin a start.  Forks are excluded while files are opened and the thread is made, so that a child
 * knows all of these.  Returns what pool_helper_began() needs.
 */
int pool_helper_begin(struct pool_helper *helper)
{
	int cancel = pool_own_enter(&helper->own);

	if (plat_read(&helper->ended) || ends(helper))
		pool_helper_stop(helper);
	pool_own_lock();
	pool_own_watch(&helper->own);
	return cancel;
}

/*
 * Start a helper that is begun and not started.  @fd, or -1, is closed when the helper ends, if
 * it starts.  @milliseconds are as in the struct.  Returns 0, or an error, negative.
 */
int pool_helper_start(struct pool_helper *helper, int fd, int milliseconds)
{
	int err;

	if (helper->own.started)
		return -EALREADY;
	if (!open_pipe(helper))
		return -errno;
	pool_own_file_note(&helper->file, fd);
	pool_own_file_note(&helper->err, STDERR_FILENO);
	helper->milliseconds = milliseconds;
	plat_write(&helper->stopping, false);
	plat_write(&helper->ended, false);
	err = pool_own_start(&helper->own, helper_main, helper);
	if (err)
		close_pipe(helper);
	return err;
}

/*
 * End a start, and say why it failed.  @cancel is from pool_helper_begin().  @err is 0, or an
 * error, negative.  @where is the file that the helper was to have; NULL: none.  False, with
 * errno and a line in the log: @err is an error.
 */
bool pool_helper_began(struct pool_helper *helper, int cancel, int err, const char *where)
{
	char shown[128];

	pool_own_unlock();
	pool_own_leave(&helper->own, cancel);
	if (!err)
		return true;
	pool_printable(shown, sizeof(shown), where ? where : "", SIZE_MAX);
	plat_log(PLAT_ERR, "%s is not started%s%s%s: %s", helper->what,
		 where ? ": \"" : "", shown, where ? "\"" : "", strerror(-err));
	errno = -err;
	return false;
}

/*
 * Ask a helper to end, by a byte in its pipe.  Closing the pipe does not suffice, because a child
 * that was not made by fork() may have a copy.  If the program has closed the other end, write
 * nothing, because a byte would raise SIGPIPE.
 */
static bool request_stop(struct pool_helper *helper)
{
	bool started;
	ssize_t sent = 1;

	pool_own_lock();
	started = helper->own.started;
	plat_write(&helper->stopping, true);
	if (started && pool_own_file_is(&helper->stop) &&
	    pool_own_file_is(&helper->stop_end))
		sent = write(helper->stop_end.fd, "", 1);
	if (started)
		pool_own_file_close(&helper->stop_end);
	pool_own_unlock();
	return started && sent == 1;
}

/* Stop a helper, entered, and wait for it; no-op if it was not started. */
void pool_helper_stop(struct pool_helper *helper)
{
	if (!request_stop(helper))
		return;
	pthread_join(helper->own.thread, NULL);
	pool_own_lock();
	pool_helper_forget(&helper->own);
	pool_own_unlock();
}

void pool_helper_end(struct pool_helper *helper)
{
	int cancel = pool_own_enter(&helper->own);

	pool_helper_stop(helper);
	pool_own_leave(&helper->own, cancel);
}
