/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * advise.h - which sizes and call sites of a trace would gain from pools
 *
 * Layer:   user space, between session.c and poolreplay.c.
 * Context: one thread.
 */
#ifndef REPLAY_ADVISE_H
#define REPLAY_ADVISE_H

#include "session.h"

/* Print tables to stdout; @s: loaded and replayed.  Returns NULL, or why it failed. */
const char *advise(struct session *s);

#endif /* REPLAY_ADVISE_H */
