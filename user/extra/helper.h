/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper.h - a thread that does something again and again: by time, or by an event
 *
 * Layer:   above everything; user space only.
 * Context: plain threads.
 */
#ifndef POOL_HELPER_H
#define POOL_HELPER_H

#include "own_thread.h"

#include <sys/types.h>

/*
 * A file of the library.  Programs that close all files, as daemons do, close it, too, and its
 * number may be that of a file of the program then.
 */
struct pool_own_file {
	int fd;				/* -1: none */
	dev_t dev;
	ino_t ino;
};

/* One thread.  All but the first four are 0 at first. */
struct pool_helper {
	struct pool_own_thread own;	/* POOL_OWN_THREAD(pool_helper_forget) */
	const char *what;		/* its name in the log */
	void (*work)(void);
	short events;			/* events of "file" that call work; 0: only time does */
	int milliseconds;		/* between two calls of work; -1: no limit */
	struct pool_own_file file;	/* the file to poll; closed at the end */
	struct pool_own_file stop, stop_end;	/* a pipe: a byte in it ends the thread */
	struct pool_own_file err;	/* stderr at the start, for the last message */
	bool stopping;			/* the thread must end */
	bool ended;			/* it ended by itself: the program closed its files */
};

int pool_own_file_raise(int fd);
void pool_own_file_note(struct pool_own_file *file, int fd);
bool pool_own_file_is(const struct pool_own_file *file);
void pool_own_file_close(struct pool_own_file *file);

void pool_helper_forget(struct pool_own_thread *own);
int pool_helper_begin(struct pool_helper *helper);
int pool_helper_start(struct pool_helper *helper, int fd, int milliseconds);
bool pool_helper_began(struct pool_helper *helper, int cancel, int err, const char *where);
void pool_helper_stop(struct pool_helper *helper);
void pool_helper_end(struct pool_helper *helper);

#endif /* POOL_HELPER_H */
