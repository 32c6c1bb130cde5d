/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * own_thread.h - what each thread of the library's own needs: its starts, stops and forks
 *
 * Layer:   above everything; user space only.
 * Context: plain threads.
 */
#ifndef POOL_OWN_THREAD_H
#define POOL_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * One thread that the library starts on request.
 *
 * "change" excludes a second start or stop, also while a stop waits for the thread, which may be
 * long.  So forks do not lock it.  All other locks nest in it, and it in none.  Other data that a
 * fork must not see half changed are written between pool_own_lock() and pool_own_unlock(), where a
 * call waits for nothing but a file system.
 */
struct pool_own_thread {
	pthread_mutex_t change;
	void (*in_child)(struct pool_own_thread *own);	/* in a child; locked */
	pthread_t thread;
	bool started;				/* pool_own_lock() */
	bool watched;				/* pool_own_lock() */
	struct pool_own_thread *next;
};

#define POOL_OWN_THREAD(fn) \
	{ .change = PTHREAD_MUTEX_INITIALIZER, .in_child = (fn) }

int pool_own_enter(struct pool_own_thread *own);
void pool_own_leave(struct pool_own_thread *own, int cancel);

void pool_own_lock(void);
void pool_own_unlock(void);

int pool_own_at_forks(void);
void pool_own_watch(struct pool_own_thread *own);
int pool_own_start(struct pool_own_thread *own, void *(*fn)(void *arg), void *arg);

#endif /* POOL_OWN_THREAD_H */
