// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper.c - a thread that does something again and again: by time, or by an event
 *
 * Layer:   above everything; user space only.
 * Context: plain threads.
 *
 * A child of a fork has no helpers, and may start its own.  The files of the parent's are closed.
 *
 * A byte in a pipe asks a helper to end.  A program that closes all of its files closes the pipe,
 * too, and the helper must end, because it would otherwise wait for files of the program that have
 * the same numbers.  So before each work it checks that its files are still its own.
 *
 * A helper that a signal handler wakes has a semaphore and no files, because the program may close
 * a file, and open another one under its number, between the handler's check and its write.
 */
#include "helper.h"
#include "seam/plat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Times after which a helper looks whether it still has its pipe, if nothing else happens: first
 * soon, since many programs close all files at their start, then seldom.  The end of the pipe
 * wakes poll(), but poll() waits on if another file has the pipe's number by then.
 */
#define LOOK_SOON_MS	100
#define LOOK_MS		60000

/*
 * Protects the list of helpers, and their files against a fork, which locks it before all other
 * mutexes.  Lock order: after "change" of one helper, before all others.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct pool_helper *first;

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

/* Exclude forks until pool_helper_unlock(). */
void pool_helper_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void pool_helper_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

/* Close the files of a helper that has ended, or is the parent's.  Locked. */
static void forget(struct pool_helper *helper)
{
	if (!helper->started)
		return;
	helper->started = false;
	close_pipe(helper);
	pool_own_file_close(&helper->file);
}

/*
 * Forget the parent's helpers in a child.  "change" is made anew, as a thread of the parent may
 * hold it, and "wake", as the helper may wait for it.
 */
static void after_fork_in_child(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	struct pool_helper *helper;

	for (helper = first; helper; helper = helper->next) {
		helper->change = fresh;
		if (helper->forget)
			helper->forget();
		sem_init(&helper->wake, 0, 0);
		forget(helper);
	}
	pool_helper_unlock();
}

/*
 * Register the handlers of forks, after those of thread.c, so that a fork locks the mutex before
 * all others.  Handlers that the program registers later run while it is free, so these may
 * start and stop helpers.  Returns 0, or an error.
 */
int pool_helper_at_forks(void)
{
	return pthread_atfork(pool_helper_lock, pool_helper_unlock, after_fork_in_child);
}

static void drain_wake(struct pool_helper *helper)
{
	while (!sem_trywait(&helper->wake))
		;
}

/* Add a helper to the list of helpers that each child forgets.  Locked. */
static void watch(struct pool_helper *helper)
{
	if (helper->watched)
		return;
	sem_init(&helper->wake, 0, 0);
	helper->next = first;
	first = helper;
	helper->watched = true;
}

/* Wait for a post of "wake".  All posts that come during one work cause one more work. */
static void wait_for_wake(struct pool_helper *helper)
{
	while (sem_wait(&helper->wake))
		;
	drain_wake(helper);
}

/* Wait for an event or the time; false: the helper must end, or its files are not its own. */
static bool wait_for_files(const struct pool_helper *helper)
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

/* Wait until there is work; false: the thread must end. */
static bool is_due(struct pool_helper *helper)
{
	if (!helper->by_wake)
		return wait_for_files(helper);
	wait_for_wake(helper);
	return !plat_read(&helper->stopping);
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
	return helper->started && !helper->by_wake && !pool_own_file_is(&helper->stop);
}

/*
 * Begin to start or stop a helper.  Cancellation is off meanwhile, since files are opened and
 * closed, and the call waits for threads.  Returns what leave() restores.
 */
static int enter(struct pool_helper *helper)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&helper->change);
	return cancel;
}

static void leave(struct pool_helper *helper, int cancel)
{
	pthread_mutex_unlock(&helper->change);
	pthread_setcancelstate(cancel, NULL);
}

/*
 * Put a byte into a helper's pipe.  Closing the pipe does not suffice, because a child that was not
 * made by fork() may have a copy.  If the program has closed the other end, write nothing, because
 * a byte would raise SIGPIPE.  False: no byte is in the pipe.  Locked.
 */
static bool ring(struct pool_helper *helper)
{
	ssize_t sent = 1;

	if (pool_own_file_is(&helper->stop) && pool_own_file_is(&helper->stop_end))
		sent = write(helper->stop_end.fd, "", 1);
	pool_own_file_close(&helper->stop_end);
	return sent == 1;
}

/* Ask a helper to end; false: it was not started, or cannot be asked. */
static bool request_stop(struct pool_helper *helper)
{
	bool asked;

	pool_helper_lock();
	plat_write(&helper->stopping, true);
	asked = helper->started && (helper->by_wake ? !sem_post(&helper->wake) :
						      ring(helper));
	pool_helper_unlock();
	return asked;
}

/* Stop a helper, entered, and wait for it; no-op if it was not started. */
static void stop(struct pool_helper *helper)
{
	if (!request_stop(helper))
		return;
	pthread_join(helper->thread, NULL);
	pool_helper_lock();
	forget(helper);
	pool_helper_unlock();
}

/*
 * Begin a start.  Forks are excluded while files are opened and the thread is made, so that a child
 * knows all of these.  Posts by late handlers of an earlier start are dropped.  Returns what
 * pool_helper_began() needs.
 */
int pool_helper_begin(struct pool_helper *helper)
{
	int cancel = enter(helper);

	if (plat_read(&helper->ended) || ends(helper))
		stop(helper);
	pool_helper_lock();
	watch(helper);
	if (!helper->started)
		drain_wake(helper);
	return cancel;
}

/*
 * Make the thread.  It blocks all signals, because these are the program's.  Locked.  Returns 0, or
 * an error, negative.
 */
static int make_thread(struct pool_helper *helper)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&helper->thread, NULL, helper_main, helper);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	helper->started = !err;
	return -err;
}

/*
 * Start a helper that is begun and not started.  @fd, or -1, is closed when the helper ends, if
 * it starts.  @milliseconds are as in the struct.  Returns 0, or an error, negative.
 */
int pool_helper_start(struct pool_helper *helper, int fd, int milliseconds)
{
	int err;

	if (helper->started)
		return -EALREADY;
	if (!helper->by_wake && !open_pipe(helper))
		return -errno;
	pool_own_file_note(&helper->file, fd);
	pool_own_file_note(&helper->err, STDERR_FILENO);
	helper->milliseconds = milliseconds;
	plat_write(&helper->stopping, false);
	plat_write(&helper->ended, false);
	err = make_thread(helper);
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

	pool_helper_unlock();
	leave(helper, cancel);
	if (!err)
		return true;
	pool_printable(shown, sizeof(shown), where ? where : "", SIZE_MAX);
	plat_log(PLAT_ERR, "%s is not started%s%s%s: %s", helper->what,
		 where ? ": \"" : "", shown, where ? "\"" : "", strerror(-err));
	errno = -err;
	return false;
}

/* End a helper; @before is called first, locked, also if the helper was not started; or NULL. */
void pool_helper_end(struct pool_helper *helper, void (*before)(void))
{
	int cancel = enter(helper);

	if (before) {
		pool_helper_lock();
		before();
		pool_helper_unlock();
	}
	stop(helper);
	leave(helper, cancel);
}
