/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * profile.h - places in the code that allocate or free, and what they counted
 *
 * Layer:   beside the four; private to profile.c, show/memstats.c and the seam.
 * Context: process context, but for what debug.h has of profile.c.
 *
 * A place allocates, or frees.  A free whose allocation is known is counted twice:
 * where it happened, and where the object came from.  "known" of the former takes
 * that back, so that what is summed up over places is exact:
 *
 *   balance = allocated - (freed - known)
 */
#ifndef POOL_PROFILE_H
#define POOL_PROFILE_H

struct pool_place {
	const char *what;		/* the function called */
	char pool[POOL_NAME_LEN + 1];	/* or "-" */
	const void *caller;		/* NULL: file and line */
	const char *file;
	int line;
	unsigned long allocs;		/* calls */
	unsigned long allocated;	/* bytes */
	unsigned long frees;		/* calls */
	unsigned long freed;		/* bytes */
	unsigned long known;		/* calls of the latter */
	unsigned long known_bytes;
};

bool pool_profile_read(unsigned int nr, struct pool_place *place);
void pool_profile_reset(unsigned int nr);

#endif /* POOL_PROFILE_H */
