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

/* One thread.  All but the first four are 0 at first. */
struct pool_helper {
	struct pool_own_thread own;	/* POOL_OWN_THREAD(pool_helper_forget) */
	const char *what;		/* for the log; NULL: its user says what is wrong */
	void (*work)(void);
	short events;			/* of fd, by which work is due; 0: by time */
	int milliseconds;		/* between two works; -1: no matter how many */
	int fd;				/* what is waited for; ours to be closed; or -1 */
	int stop;			/* becomes readable when it is to end */
};

void pool_helper_forget(struct pool_own_thread *own);
int pool_helper_start(struct pool_helper *helper, int fd, int milliseconds);
void pool_helper_stop(struct pool_helper *helper);

#endif /* POOL_HELPER_H */
