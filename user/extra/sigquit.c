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
#include "plat.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

/*
 * One start or stop at a time.  Held while waiting for the helper, perhaps for ever, so
 * forks do not take it.
 */
static pthread_mutex_t change = PTHREAD_MUTEX_INITIALIZER;

/* Guards what follows; forks hold it, and nothing waits while it is held. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool started;
static bool watches_forks;
static pthread_t helper;
static struct sigaction before;

/* Posted by the handler, and to stop the helper. */
static sem_t wake;
static bool has_wake;
static bool stopping;

/*
 * A handler may still run when the helper is gone, so the semaphore is never
 * destroyed.
 */
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

static void *helper_main(void *arg)
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

static void before_fork(void)
{
	pthread_mutex_lock(&mutex);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&mutex);
}

/* A child has no helper for the handler to wake. */
static void after_fork_in_child(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	change = fresh;
	if (started)
		sigaction(SIGQUIT, &before, NULL);
	started = false;
	has_wake = false;
	pthread_mutex_unlock(&mutex);
}

/* Register with fork() once, for all children. */
static bool watch_forks(void)
{
	if (!watches_forks)
		watches_forks = !pthread_atfork(before_fork, after_fork,
						after_fork_in_child);
	return watches_forks;
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

/* All signals are the program's, so our thread blocks them. */
static bool start_helper(void)
{
	sigset_t all, old;
	int err;

	if (!prepare_wake())
		return false;
	plat_write(&stopping, false);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&helper, NULL, helper_main, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return !err;
}

static void stop_helper(void)
{
	plat_write(&stopping, true);
	sem_post(&wake);
	pthread_join(helper, NULL);
}

static bool is_free(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) &&
	       (action->sa_handler == SIG_DFL ||
		action->sa_handler == SIG_IGN);
}

/* Start; returns why that fails, or NULL.  Mutex held. */
static const char *start(void)
{
	struct sigaction ours = { .sa_flags = SA_RESTART };

	if (sigaction(SIGQUIT, NULL, &before))
		return "its handler cannot be known";
	if (!is_free(&before))
		return "it has a handler already";
	if (!watch_forks() || !start_helper())
		return "no thread to be had";
	ours.sa_handler = on_quit;
	sigemptyset(&ours.sa_mask);
	if (sigaction(SIGQUIT, &ours, NULL)) {
		stop_helper();
		return "it cannot be handled";
	}
	started = true;
	return NULL;
}

bool pool_sigquit_start(void)
{
	const char *why = NULL;

	pthread_mutex_lock(&change);
	pthread_mutex_lock(&mutex);
	if (!started)
		why = start();
	pthread_mutex_unlock(&mutex);
	pthread_mutex_unlock(&change);
	if (why)
		plat_log(PLAT_ERR, "SIGQUIT is not for dumps: %s", why);
	return !why;
}

/* Restore SIGQUIT; true: there is a helper to be stopped. */
static bool end_start(void)
{
	struct sigaction now;
	bool was;

	pthread_mutex_lock(&mutex);
	was = started;
	if (was && !sigaction(SIGQUIT, NULL, &now) &&
	    now.sa_handler == on_quit)
		sigaction(SIGQUIT, &before, NULL);
	started = false;
	pthread_mutex_unlock(&mutex);
	return was;
}

/* Cancellation is off, since pthread_join() is a cancellation point. */
void pool_sigquit_stop(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&change);
	if (end_start())
		stop_helper();
	pthread_mutex_unlock(&change);
	pthread_setcancelstate(state, NULL);
}
