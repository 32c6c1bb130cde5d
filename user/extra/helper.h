/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper.h - a thread that does something again and again: by time, or by an event
 *
 * Layer:   above everything; user space only.
 * Context: plain threads.
 */
#ifndef POOL_HELPER_H
#define POOL_HELPER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * A file of the library.  Programs that close all files, as daemons do, close it, too, and may then
 * open a file of theirs under its number.
 */
struct pool_own_file {
	int fd;				/* -1: none */
	dev_t dev;
	ino_t ino;
};

/*
 * One thread that the library starts on request.  All but the first members are 0 at first.
 *
 * "change" excludes a second start or stop, also while a stop waits for the thread, which may be
 * long.  So forks do not lock it.  All other locks nest in it, and it in none.  Other data that a
 * fork must not see half changed are written between pool_helper_lock() and pool_helper_unlock(),
 * where a call waits for nothing but a file system.
 */
struct pool_helper {
	pthread_mutex_t change;		/* PTHREAD_MUTEX_INITIALIZER */
	const char *what;		/* its name in the log */
	void (*work)(void);
	void (*forget)(void);		/* in a child of a fork; locked; NULL: nothing to do */
	short events;			/* events of "file" that call work; 0: only time does */
	bool by_wake;			/* only posts of "wake" call work; there are no files */
	int milliseconds;		/* between two calls of work; -1: no limit */
	sem_t wake;			/* valid from the first start on, as handlers may be late */
	struct pool_own_file file;	/* the file to poll; closed at the end */
	struct pool_own_file stop, stop_end;	/* a pipe: a byte in it ends the thread */
	struct pool_own_file err;	/* stderr at the start, for the last message */
	pthread_t thread;
	bool started;			/* pool_helper_lock() */
	bool watched;			/* pool_helper_lock(): it is in the list of helpers */
	bool stopping;			/* the thread must end */
	bool ended;			/* it ended by itself: the program closed its files */
	struct pool_helper *next;
};

int pool_own_file_raise(int fd);
void pool_own_file_note(struct pool_own_file *file, int fd);
bool pool_own_file_is(const struct pool_own_file *file);
void pool_own_file_close(struct pool_own_file *file);

int pool_helper_at_forks(void);
void pool_helper_lock(void);
void pool_helper_unlock(void);

int pool_helper_begin(struct pool_helper *helper);
int pool_helper_start(struct pool_helper *helper, int fd, int milliseconds);
bool pool_helper_began(struct pool_helper *helper, int cancel, int err, const char *where);
void pool_helper_end(struct pool_helper *helper, void (*before)(void));

#endif /* POOL_HELPER_H */
