/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * state.h - what the recorder of a process knows
 *
 * Layer:   the preload library, between recorder.c and site.c.
 * Context: see recorder.h.
 */
#ifndef POOLTRACE_STATE_H
#define POOLTRACE_STATE_H

#include "raw.h"

/* All zero at first, and in the child of a fork(). */
struct state {
	struct raw_head *head;		/* the mapped file */
	struct raw_record *record;	/* limit of them */
	uint64_t limit;
	uint64_t ready;			/* records that the file has room for */
	uint32_t epoch;			/* see struct raw_site */
	uint32_t site_lock;		/* 1: a thread adds a site */
	char path[4096];		/* of the file */
};

/* The number of a call site, which is added if it is new; 0: there is no room. */
uint32_t site_of(struct state *s, uintptr_t addr);

#endif /* POOLTRACE_STATE_H */
