/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * crew.h - the threads of a replay
 *
 * Layer:   below session.c; crew.c in user space, crew_kernel.c in the kernel.
 * Context: one thread calls these; may sleep.
 */
#ifndef REPLAY_CREW_H
#define REPLAY_CREW_H

#include "replay.h"

struct crew;

/*
 * Make one waiting thread per worker of @r, each on a CPU of its own if there are enough.  NULL:
 * not all could be made, and none is left.
 */
struct crew *crew_hire(struct replay *r);

/* Execute all events.  The threads stay, so what they cached stays theirs. */
void crew_work(struct crew *crew);

/* The first thread frees what is still live, then all end. */
void crew_dismiss(struct crew *crew);

#endif /* REPLAY_CREW_H */
