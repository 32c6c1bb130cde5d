/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * bugs.h - bugs that users make, one at a time, and which options find them
 *
 * Layer:   tests; bugs.c and bugs_cell.c are compiled for both worlds,
 *	    bugs_user.c and bugs_kernel.c run them.
 * Context: a plain thread, or a kthread or insmod, that may sleep.
 *
 * A cell of the matrix is one bug under one set of options.  Its outcome is a line "bug options
 * when report"; "when" and "report" are "-" if nothing finds the bug.
 */
#ifndef POOL_BUGS_H
#define POOL_BUGS_H

#include "seam/plat.h"

/* Size of the objects, such that their ends are aligned and a slab has several objects. */
#define BUGS_SIZE	2048u

/* Most bytes that are damaged at once. */
#define BUGS_DAMAGE	4096u

/* Objects in use besides the victim of the bug. */
#define BUGS_OBJS	24u

/* The moment in a cell, and so the moment when a bug is found. */
enum bugs_when {
	BUGS_NEVER,
	BUGS_ACCESS,			/* the access itself faulted */
	BUGS_SHOWN,			/* not reported, but a filler was read */
	BUGS_FREE,
	BUGS_ALLOC,			/* the next allocation found it */
	BUGS_RECLAIM,			/* found on the way to the backend */
	BUGS_DESTROY,
	BUGS_WRONG,			/* the cell itself does not work */
};

struct bugs_cell;

struct bug {
	const char *name;
	void (*make)(struct bugs_cell *cell);
	long at;			/* bytes from the object's beginning */
	unsigned int bytes;
	unsigned char flip;		/* bits of each byte; 0: all zeros */
};

/* One cell, as it runs. */
struct bugs_cell {
	const struct bug *bug;
	struct pool *pool;
	struct pool *other;		/* another pool of the same kind */
	void *obj[BUGS_OBJS];		/* objects in use, or NULL */
	unsigned char *victim;
	unsigned char *wrong;		/* a pointer that is freed wrongly */
	unsigned long puts;		/* calls of the backend before a free */
	bool is_used;			/* the victim is in use */
	enum bugs_when now;
	enum bugs_when when;
	const char *report;
};

extern const struct bug bugs[];		/* ends with an entry that has no name */
extern const char * const bugs_options[];	/* ends with NULL */

void bugs_run(struct bugs_cell *cell, const struct bug *bug,
	      const char *options);
size_t bugs_line(const struct bugs_cell *cell, const char *options, char *text,
		 size_t size);

/*
 * bugs_cell.c, for bugs.  bugs_found() records a finding, bugs_look() records whether a fault has
 * been counted, and bugs_step() records that the next step begins.  bugs_get() allocates where
 * failures are injected.
 */
void bugs_found(struct bugs_cell *cell, enum bugs_when when,
		const char *report);
bool bugs_look(struct bugs_cell *cell);
void bugs_step(struct bugs_cell *cell, enum bugs_when now);
void *bugs_get(struct pool *pool);
bool bugs_make_pool(struct bugs_cell *cell);

/*
 * The runners.  An access that faults returns false, or does not return.
 *
 * bugs_on_other() runs a function on another CPU, where there is one, and in
 * another thread.  bugs_has_room() says whether all memory within
 * BUGS_DAMAGE bytes of an object belongs to the cell.
 */
bool bugs_read(void *to, const void *from, size_t bytes);
bool bugs_write(void *to, const void *from, size_t bytes);
void bugs_on_other(void (*fn)(void *arg), void *arg);
bool bugs_has_room(const void *obj, size_t bytes);

#endif /* POOL_BUGS_H */
