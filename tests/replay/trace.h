/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * trace.h - a recorded sequence of allocations and frees
 *
 * Layer:   below the replay, in both worlds; knows nothing of pools.
 * Context: any that may read the text; allocates nothing.
 *
 * The text is described in Documentation/trace-format.rst.  Reading it takes
 * two steps, because only its header says how much memory the second one needs:
 *
 *	trace_read_header()	counts and settings
 *	the caller sets		pool, event, live
 *	trace_read_events()	the rest
 *
 * Each step returns false with error, error_event and error_byte set.
 */
#ifndef REPLAY_TRACE_H
#define REPLAY_TRACE_H

#include "world.h"

/* Largest counts and sizes; a header that says more is refused. */
#define TRACE_CPUS_MAX		64
#define TRACE_POOLS_MAX		4096
#define TRACE_EVENTS_MAX	0x4000000u	/* 64 Mi */
#define TRACE_SIZE_MAX		0x400000u	/* 4 MiB */
#define TRACE_NAME_MAX		63

enum trace_mode {
	TRACE_GLOBAL,
	TRACE_NO_GLOBAL,
	TRACE_NO_CACHE,
	TRACE_MODES,
};

/* The words of the text; pool_configure() knows these, too. */
extern const char *const trace_mode_word[TRACE_MODES];

struct trace_pool {
	unsigned int size;
	char name[TRACE_NAME_MAX + 1];
};

enum trace_kind {
	TRACE_ALLOC,
	TRACE_FREE,
};

/*
 * Allocations are numbered from 0.  A free says which allocation it ends, so
 * that the text may use an object's number again.
 */
struct trace_event {
	unsigned int alloc;
	unsigned short pool;
	unsigned char cpu;
	unsigned char kind;		/* enum trace_kind */
};

struct trace {
	/* The text, and how far it was read. */
	const char *text;
	size_t len;
	size_t pos;
	unsigned int done;		/* events read */
	unsigned int seen;		/* highest object read, plus 1 */

	/* The header. */
	unsigned int mode;		/* enum trace_mode */
	unsigned int cpus;
	unsigned int buckets;
	unsigned int cluster;
	unsigned int hot_size;
	unsigned int pools;
	unsigned int events;
	unsigned int objects;

	/* The caller's memory: as many elements as the comment says. */
	struct trace_pool *pool;	/* pools */
	struct trace_event *event;	/* events */
	unsigned int *live;		/* objects, all 0; only for reading */

	/* The results of the events, in the order of the text. */
	unsigned int allocs;
	unsigned long long live_bytes;	/* at the end */
	unsigned long long peak_bytes;	/* most that were live at once */

	const char *error;
	unsigned int error_event;	/* from 1, the last if all were read */
	size_t error_byte;		/* from 0 */
};

bool trace_read_header(struct trace *t, const char *text, size_t len);
bool trace_read_events(struct trace *t);

#endif /* REPLAY_TRACE_H */
