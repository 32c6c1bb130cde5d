// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sigquit.c - on request, SIGQUIT dumps the pools and collects
 *
 * Layer:   above everything; user space only.
 * Context: plain threads, except for on_quit(), which is a signal handler.
 *
 * A handler may neither print nor collect, since it may have interrupted the code that
 * these use.  So it posts a semaphore, and a thread that waits for it does both.
 * All signals that come while the thread is at work cause one more round.
 */
#include "own_thread.h"
#include "seam/plat.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>

static void forget(struct pool_own_thread *own);

static struct pool_own_thread own = POOL_OWN_THREAD(forget);
static struct sigaction before;		/* pool_own_lock(): the action to restore */

/*
 * Posted by the handler, and to stop the thread.  Not a pipe, because a program that closes all of
 * its files would have the handler write to a file that it opens next.
 */
static sem_t wake;
static bool has_wake;
static bool stopping;

/* Wake the thread.  May run after the thread has ended, so the semaphore is never destroyed. */
static void on_quit(int sig)
{
	int saved = errno;

	(void)sig;
	sem_post(&wake);
	errno = saved;
}

static void drain_wake(void)
{
	while (!sem_trywait(&wake))
		;
}

static void *dump_at_each(void *arg)
{
	(void)arg;
	for (;;) {
		if (sem_wait(&wake))
			continue;
		drain_wake();
		if (plat_read(&stopping))
			return NULL;
		dump_pools();
		pool_gc(NULL);
	}
}

/* Restore SIGQUIT, unless the program has given it another handler since.  Locked. */
static void restore(void)
{
	struct sigaction now;

	if (!sigaction(SIGQUIT, NULL, &now) && now.sa_handler == on_quit)
		sigaction(SIGQUIT, &before, NULL);
}

/* Restore the signal's action in a child, which has no thread for the handler to wake. */
static void forget(struct pool_own_thread *quit)
{
	if (quit->started)
		restore();
	has_wake = false;
}

/* Prepare the semaphore.  Posts by late handlers of an earlier start are dropped. */
static bool prepare_wake(void)
{
	if (has_wake)
		drain_wake();
	else
		has_wake = !sem_init(&wake, 0, 0);
	return has_wake;
}

static void stop_thread(void)
{
	plat_write(&stopping, true);
	sem_post(&wake);
	pthread_join(own.thread, NULL);
}

static bool is_free(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) &&
	       (action->sa_handler == SIG_DFL ||
		action->sa_handler == SIG_IGN);
}

/*
 * Start; returns why that fails, or NULL.  Entered and locked.  Installs the handler before the
 * thread starts, so that no failure has to wait for the thread while forks are excluded.
 */
static const char *start(void)
{
	struct sigaction ours = {
		.sa_handler = on_quit, .sa_flags = SA_RESTART | SA_ONSTACK,
	};

	if (sigaction(SIGQUIT, NULL, &before))
		return "its handler cannot be known";
	if (!is_free(&before))
		return "it has a handler already";
	sigemptyset(&ours.sa_mask);
	if (!prepare_wake() || sigaction(SIGQUIT, &ours, NULL))
		return "it cannot be handled";
	plat_write(&stopping, false);
	if (!pool_own_start(&own, dump_at_each, NULL))
		return NULL;
	sigaction(SIGQUIT, &before, NULL);
	return "no thread to be had";
}

bool pool_sigquit_start(void)
{
	int cancel = pool_own_enter(&own);
	const char *why = NULL;

	pool_own_lock();
	if (!own.started)
		why = start();
	pool_own_unlock();
	pool_own_leave(&own, cancel);
	if (why)
		plat_log(PLAT_ERR, "SIGQUIT is not for dumps: %s", why);
	return !why;
}

/* Begin a stop by restoring SIGQUIT; true: the thread must be stopped next. */
static bool end_start(void)
{
	bool was;

	pool_own_lock();
	was = own.started;
	if (was)
		restore();
	own.started = false;
	pool_own_unlock();
	return was;
}

void pool_sigquit_stop(void)
{
	int cancel = pool_own_enter(&own);

	if (end_start())
		stop_thread();
	pool_own_leave(&own, cancel);
}
