// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper.c - a thread that does something again and again: by time, or by an event
 *
 * Layer:   above everything; user space only.
 * Context: plain threads.
 *
 * What helpers of the parent had open is closed in a child of a fork.
 */
#include "helper.h"
#include "plat.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* It has ended, or is the parent's: close what it had open.  Locked. */
void pool_helper_forget(struct pool_own_thread *own)
{
	struct pool_helper *helper = (struct pool_helper *)own;

	if (!own->started)
		return;
	own->started = false;
	close(helper->stop);
	if (helper->fd >= 0)
		close(helper->fd);
}

/*
 * Wait until there is work; false: the helper ends.  An error of the file ends it, too, and
 * so does a program that has closed it: poll() would not wait any more.
 */
static bool is_due(const struct pool_helper *helper)
{
	struct pollfd fds[] = {
		{ .fd = helper->stop, .events = POLLIN },
		{ .fd = helper->fd, .events = helper->events },
	};
	int n;

	do
		n = poll(fds, 2, helper->milliseconds);
	while (n < 0 && errno == EINTR);
	return n >= 0 && !fds[0].revents &&
	       !(fds[1].revents & (POLLERR | POLLNVAL));
}

static void *helper_main(void *arg)
{
	const struct pool_helper *helper = arg;

	while (is_due(helper))
		helper->work();
	return NULL;
}

/* Entered and locked.  Returns 0, or an error, negative. */
static int start(struct pool_helper *helper, int fd, int milliseconds)
{
	int err;

	if (helper->own.started)
		return -EALREADY;
	helper->stop = eventfd(0, EFD_CLOEXEC);
	if (helper->stop < 0)
		return -errno;
	helper->fd = fd;
	helper->milliseconds = milliseconds;
	err = pool_own_start(&helper->own, helper_main, helper);
	if (err)
		close(helper->stop);
	return err;
}

/**
 * pool_helper_start() - Start a helper.
 * @helper: the helper, entered.
 * @fd: closed when it ends, if it starts; or -1.
 * @milliseconds: as in the struct.
 *
 * Return: 0, or an error, negative, with a line in the log if it has a name there: it is
 * not started, or was already.
 */
int pool_helper_start(struct pool_helper *helper, int fd, int milliseconds)
{
	int err;

	pool_own_lock();
	err = start(helper, fd, milliseconds);
	pool_own_unlock();
	if (err && helper->what)
		plat_log(PLAT_ERR, "%s is not started: %s", helper->what,
			 err == -EALREADY ? "it was already" :
					    "no thread to be had");
	return err;
}

static bool tell_to_stop(struct pool_helper *helper)
{
	static const unsigned long long one = 1;
	bool told;

	pool_own_lock();
	told = helper->own.started &&
	       write(helper->stop, &one, sizeof(one)) == sizeof(one);
	pool_own_unlock();
	return told;
}

/* Stop a helper, entered, and wait for it; no-op if it was not started. */
void pool_helper_stop(struct pool_helper *helper)
{
	if (!tell_to_stop(helper))
		return;
	pthread_join(helper->own.thread, NULL);
	pool_own_lock();
	pool_helper_forget(&helper->own);
	pool_own_unlock();
}
