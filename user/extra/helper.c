// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper.c - a thread that does something again and again: by time, or by an event
 *
 * Layer:   above everything; user space only.
 * Context: plain threads.
 *
 * A child of a fork has no helpers.  What they had open is closed there.
 */
#include "helper.h"
#include "plat.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Helpers there may be at once; each file has one. */
#define HELPERS	3

/*
 * One start or stop at a time.  Held while a thread is waited for, which may be long: so
 * forks do not take it.
 */
static pthread_mutex_t change = PTHREAD_MUTEX_INITIALIZER;

/* Guards what follows, and the helpers themselves; held by forks, and for no wait. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct pool_helper *helpers[HELPERS];
static bool watches_forks;

static void before_fork(void)
{
	pthread_mutex_lock(&mutex);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&mutex);
}

static void forget(struct pool_helper *helper)
{
	helper->started = false;
	close(helper->stop);
	if (helper->fd >= 0)
		close(helper->fd);
}

static void after_fork_in_child(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	unsigned int i;

	change = fresh;
	for (i = 0; i < HELPERS; i++)
		if (helpers[i] && helpers[i]->started)
			forget(helpers[i]);
	pthread_mutex_unlock(&mutex);
}

/* Once, for all children.  Mutex held. */
static bool watch_forks(void)
{
	if (!watches_forks)
		watches_forks = !pthread_atfork(before_fork, after_fork,
						after_fork_in_child);
	return watches_forks;
}

/* Wait until there is work; false: the helper ends.  An error of the file ends it, too. */
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
	return n >= 0 && !fds[0].revents && !(fds[1].revents & POLLERR);
}

static void *helper_main(void *arg)
{
	const struct pool_helper *helper = arg;

	while (is_due(helper))
		helper->work();
	return NULL;
}

/* All signals are the program's, so the thread blocks them. */
static int start_thread(struct pool_helper *helper)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&helper->thread, NULL, helper_main, helper);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

static void list(struct pool_helper *helper)
{
	unsigned int i = 0;

	while (i < HELPERS - 1 && helpers[i] && helpers[i] != helper)
		i++;
	helpers[i] = helper;
}

/* Mutex held.  Returns 0, or an error, negative. */
static int start(struct pool_helper *helper, int fd, int milliseconds)
{
	int err;

	if (helper->started)
		return -EALREADY;
	if (!watch_forks())
		return -ENOMEM;
	helper->stop = eventfd(0, EFD_CLOEXEC);
	if (helper->stop < 0)
		return -errno;
	helper->fd = fd;
	helper->milliseconds = milliseconds;
	list(helper);
	err = start_thread(helper);
	if (err)
		close(helper->stop);
	else
		helper->started = true;
	return -err;
}

/**
 * pool_helper_start() - Start a helper.
 * @helper: the helper.
 * @fd: closed when it ends, if it starts; or -1.
 * @milliseconds: as in the struct.
 *
 * Cancellation is off, since close() is a cancellation point.
 *
 * Return: false, with errno and a line in the log: it is not started, or was already.
 */
bool pool_helper_start(struct pool_helper *helper, int fd, int milliseconds)
{
	int state, err;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&change);
	pthread_mutex_lock(&mutex);
	err = -start(helper, fd, milliseconds);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_unlock(&change);
	pthread_setcancelstate(state, NULL);
	if (err)
		plat_log(PLAT_ERR, "%s is not started: %s", helper->what,
			 err == EALREADY ? "it was already" :
					   "no thread to be had");
	if (err)
		errno = err;
	return !err;
}

static bool tell_to_stop(struct pool_helper *helper)
{
	static const unsigned long long one = 1;
	bool told;

	pthread_mutex_lock(&mutex);
	told = helper->started &&
	       write(helper->stop, &one, sizeof(one)) == sizeof(one);
	pthread_mutex_unlock(&mutex);
	return told;
}

/*
 * Stop a helper, and wait for it; no-op if it was not started.  Cancellation is off, since
 * pthread_join() is a cancellation point.
 */
void pool_helper_stop(struct pool_helper *helper)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&change);
	if (tell_to_stop(helper)) {
		pthread_join(helper->thread, NULL);
		pthread_mutex_lock(&mutex);
		forget(helper);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_unlock(&change);
	pthread_setcancelstate(state, NULL);
}
