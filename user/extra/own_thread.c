// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * own_thread.c - what each thread of the library's own needs: its starts, stops and forks
 *
 * Layer:   above everything; user space only.
 * Context: plain threads.
 *
 * A child of a fork has no such thread, and may start its own.
 */
#include "own_thread.h"

#include <signal.h>

/*
 * Protects the list of threads, and their files against a fork, which locks it before all other
 * mutexes.  Lock order: after "change" of one thread, before all others.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct pool_own_thread *first;

/*
 * Begin to start or stop a thread.  Cancellation is off meanwhile, since files are opened and
 * closed, and threads waited for.  Returns what pool_own_leave() restores.
 */
int pool_own_enter(struct pool_own_thread *own)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&own->change);
	return cancel;
}

void pool_own_leave(struct pool_own_thread *own, int cancel)
{
	pthread_mutex_unlock(&own->change);
	pthread_setcancelstate(cancel, NULL);
}

/* Exclude forks until pool_own_unlock(). */
void pool_own_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void pool_own_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

/* Forget the parent's threads in a child; "change" is made anew, as such a thread may hold it. */
static void after_fork_in_child(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	struct pool_own_thread *own;

	for (own = first; own; own = own->next) {
		own->change = fresh;
		own->in_child(own);
		own->started = false;
	}
	pool_own_unlock();
}

/*
 * Register the handlers of forks, after those of thread.c, so that a fork locks the mutex before
 * all others.  Handlers that the program registers later run while it is free, so these may start
 * and stop threads.  Returns 0, or an error.
 */
int pool_own_at_forks(void)
{
	return pthread_atfork(pool_own_lock, pool_own_unlock, after_fork_in_child);
}

/* Have in_child() called in each child from now on.  Locked. */
void pool_own_watch(struct pool_own_thread *own)
{
	if (own->watched)
		return;
	own->next = first;
	first = own;
	own->watched = true;
}

/*
 * Start a thread, between pool_own_lock() and pool_own_unlock().  It blocks all signals, because
 * these are the program's.  Returns 0, or an error, negative.
 */
int pool_own_start(struct pool_own_thread *own, void *(*fn)(void *arg), void *arg)
{
	sigset_t all, old;
	int err;

	pool_own_watch(own);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&own->thread, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	own->started = !err;
	return -err;
}
