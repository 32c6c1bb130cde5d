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

/* Largest counts and sizes, of version 1 or 2; a trace that has more is refused. */
#define TRACE_CPUS_MAX		64
#define TRACE_POOLS_MAX_1	4096
#define TRACE_POOLS_MAX		65536
#define TRACE_EVENTS_MAX	0x4000000u	/* 64 Mi */
#define TRACE_SIZE_MAX_1	0x400000u	/* 4 MiB */
#define TRACE_SIZE_MAX_2	0x7fffffffu	/* 2 GiB */
#define TRACE_NAME_MAX		63

enum trace_mode {
	TRACE_GLOBAL,
	TRACE_NO_GLOBAL,
	TRACE_NO_CACHE,
	TRACE_MODES,
};

/* The words of the text; pool_configure() knows these, too. */
extern const char *const trace_mode_word[TRACE_MODES];

/* trace_plan() gives a size a pool if at least this many of its objects fit into the bound ... */
#define TRACE_IN_BOUND		32

/* ... and if at least one in this many allocations is of that size. */
#define TRACE_SELDOM		1000

enum trace_use {
	TRACE_POOLED,
	TRACE_MALLOC,			/* its objects come from malloc() */
	TRACE_UNUSED,			/* the first pool of its size has its events */
};

struct trace_pool {
	unsigned int size;
	char name[TRACE_NAME_MAX + 1];

	/* Set by trace_plan(). */
	unsigned int use;		/* enum trace_use */
	unsigned int allocs;		/* this and the next members: version 2 only */
	unsigned int same;		/* the first pool of its size */
	unsigned int next;		/* next of a list of first pools */
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
	/* The text, and the position up to which it was read. */
	const char *text;
	size_t len;
	size_t pos;
	unsigned int done;		/* events read */
	unsigned int seen;		/* highest object read, plus 1 */

	/* The header. */
	unsigned int version;		/* 1 or 2 */
	unsigned int mode;		/* enum trace_mode */
	unsigned int cpus;
	unsigned int buckets;
	unsigned int cluster;
	unsigned int hot_size;
	unsigned int pools;
	unsigned int events;
	unsigned int objects;

	/* Memory of the caller, with as many elements as the comments say. */
	struct trace_pool *pool;	/* pools */
	struct trace_event *event;	/* events */
	unsigned int *live;		/* objects, all 0; used while reading only */

	/* The results of the events, in the order of the text. */
	unsigned int allocs;
	unsigned long long live_bytes;	/* at the end */
	unsigned long long peak_bytes;	/* the most that were live at once */
	unsigned int unpooled;		/* trace_plan(): allocations that come from malloc() */

	const char *error;
	unsigned int error_event;	/* numbered from 1; the last event, if all were read */
	size_t error_byte;		/* numbered from 0 */
};

bool trace_read_header(struct trace *t, const char *text, size_t len);
bool trace_read_events(struct trace *t);

/* plan.c; after trace_read_events(), and before a replay. */
void trace_plan(struct trace *t);
unsigned int trace_largest(const struct trace *t);

/* True if names of pools may have the character, in traces of @version. */
bool trace_good_in_name(unsigned int version, char c);

/* CRC-32 as in zip and zlib: @crc is that of what comes before, 0 if that is nothing. */
unsigned int trace_crc32(unsigned int crc, const char *text, size_t len);

#endif /* REPLAY_TRACE_H */
