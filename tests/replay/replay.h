/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * replay.h - executes a trace against an allocator, in both worlds
 *
 * Layer:   above trace.c; below the program and the module, which bring the
 *	    memory, the workers and the clock.
 *
 * A worker stands for one or more CPUs of the trace and executes their events in the order of the
 * text.  The order of two workers' events is open, with one exception: a free waits for its
 * allocation.  Two workers never wait for each other, since an allocation waits for nothing and
 * comes earlier in the text than its free.
 *
 * Every object is filled when it is allocated, with a pattern made of its pool and number, and
 * compared when it is freed.  So a replay finds objects that have two owners, and objects to which
 * an allocator wrote.  Small objects are filled completely, large ones at both ends.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "trace.h"

/* The allocator that a trace is replayed on. */
struct replay_ops {
	const char *name;
	/* Make a pool; NULL, after it has printed why. */
	void *(*create)(const char *name, unsigned int size);
	/* False: objects are in use, and the pool still exists. */
	bool (*destroy)(void *pool);
	void *(*alloc)(void *pool);
	void (*free)(void *pool, void *obj);
	/* Bytes taken from the platform for all pools; NULL if the allocator does not know. */
	unsigned long long (*held)(void);
};

/* How much of an object a replay writes and compares. */
enum replay_content {
	REPLAY_FULL,			/* small objects as a whole, large ones at both ends */
	REPLAY_WORD,			/* write the first word only, when time is measured */
};

/* One worker's part; nobody else uses the results until the worker is done. */
struct replay_worker {
	char apart[128];		/* on a cache line of its own */
	struct replay *replay;
	unsigned int first;		/* index of its first event */
	unsigned int count;
	unsigned int waits;		/* frees that had to wait for another worker */
	unsigned int nulls;		/* allocations that returned NULL */
	unsigned int wrong;		/* objects with other contents */
	unsigned int first_wrong;	/* allocation of the first such object, from 1 on */
	unsigned long long peak_held;
	unsigned long long ns;		/* set by the caller */
};

struct replay {
	const struct trace *trace;
	const struct replay_ops *ops;
	enum replay_content content;
	unsigned int workers;		/* 1 to trace->cpus */
	unsigned int made;		/* pools that were created for the trace->pools */

	/* The caller's memory. */
	struct replay_worker *worker;	/* workers, all 0 */
	struct trace_event *event;	/* trace->events */
	void **pool;			/* trace->pools, all 0 */
	void **slot;			/* trace->allocs, all 0 */
};

/* Called in this order, each by one thread, except replay_work(). */
void replay_split(struct replay *r);
bool replay_create(struct replay *r);
void replay_work(struct replay_worker *w);
void replay_free_rest(struct replay *r);
bool replay_destroy(struct replay *r);

/* report.c */
unsigned int replay_failures(const struct replay *r);
size_t replay_report(const struct replay *r, char *buf, size_t size);
size_t replay_settings(const struct trace *t, char *buf, size_t size);

/* on_pools.c */
extern const struct replay_ops replay_on_pools;
extern const struct replay_ops replay_on_merged;

#endif /* REPLAY_REPLAY_H */
