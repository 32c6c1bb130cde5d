/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * session.h - one replay from the text to the end, in both worlds
 *
 * Layer:   above trace.c, replay.c and the crew; below the program and the
 *	    module.
 * Context: one thread, process context; may sleep.
 *
 *	session_load()		reads the text, which is not needed afterwards
 *	session_begin()		makes pools and threads
 *	session_work()		executes all events; then live objects and threads
 *				stay, and nothing moves: the time to read numbers
 *	session_end()		frees the rest, destroys the pools
 *	session_forget()	at any time, except between begin and end
 *
 * Those that can fail return NULL, or the reason of the failure.
 */
#ifndef REPLAY_SESSION_H
#define REPLAY_SESSION_H

#include "crew.h"

struct session {
	struct trace trace;
	struct replay replay;
	struct crew *crew;
};

const char *session_load(struct session *s, const char *text, size_t len);
const char *session_begin(struct session *s, const struct replay_ops *ops,
			  enum replay_content content, unsigned int cpus);
void session_work(struct session *s);
const char *session_end(struct session *s);
void session_forget(struct session *s);

#endif /* REPLAY_SESSION_H */
