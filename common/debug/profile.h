/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * profile.h - places in the code that allocate or free, and what they counted
 *
 * Layer:   beside the four; private to profile.c, show/memstats.c and the seam.
 * Context: process context, except for the functions of profile.c in debug.h.
 *
 * A place allocates, or frees.  A free whose allocation is known is counted twice:
 * where it happened, and where the object came from.  The place where it happened also
 * counts it as "known", so that sums over places are exact:
 *
 *   balance = allocated - (freed - known)
 */
#ifndef POOL_PROFILE_H
#define POOL_PROFILE_H

struct pool_place {
	const char *what;		/* the function that was called */
	char pool[POOL_NAME_LEN + 1];	/* "-": of no pool */
	const void *caller;		/* address; NULL: "file" and "line" say the place */
	const char *site;		/* the caller's name when first seen; NULL: not known */
	const char *file;
	int line;
	unsigned long allocs;		/* calls */
	unsigned long allocated;	/* bytes */
	unsigned long frees;		/* calls */
	unsigned long freed;		/* bytes */
	unsigned long known;		/* frees whose allocating place is known */
	unsigned long known_bytes;
};

bool pool_profile_read(unsigned int nr, struct pool_place *place);
void pool_profile_reset(unsigned int nr);

#endif /* POOL_PROFILE_H */
