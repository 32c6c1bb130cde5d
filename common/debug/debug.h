/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * debug.h - debug options: their masks, and what the checks share
 *
 * Layer:   beside the four; private to common/, kernel/ and user/.
 *
 * The option bits of a pool: flags, and above them a generation.  While any flag of POOL_D_CLOSED
 * is set its hot arrays accept no objects, so that every call goes through the slow path, which
 * checks.
 *
 * A free object that was checked and filled goes through the layers as a sealed pointer: its
 * address, with a seal in the bits that alignment leaves.  The seal says how the object was filled,
 * so it can be checked even if the options have changed since, and the layers need not know.  Hot
 * arrays never have sealed pointers; a cluster has sealed ones only, or none.
 */
#ifndef POOL_DEBUG_H
#define POOL_DEBUG_H

#include "words.h"

/* The option bits without the generation. */
#define POOL_D_FLAGS		((1u << POOL_BITS) - 1)

/* The lowest bit of the generation: see object_table.c. */
#define POOL_D_GEN		(1u << POOL_BITS)

/* Number of generations that "known" can tell apart, since it may have 32 bits. */
#define POOL_D_GENS		0x80u

/* Flags by the properties of their words: words.h.  Options with checks need a table of objects. */
#define POOL_D_CHECKED	POOL_D_WITH(POOL_IS_CHECKED)
#define POOL_D_CLOSED	POOL_D_WITH(POOL_IS_CHECKED | POOL_IS_SLOW)
#define POOL_D_LOOKED	POOL_D_WITH(POOL_IS_CHECKED | POOL_IS_LOOKING)
#define POOL_D_TOUCH	POOL_D_WITH(POOL_IS_TOUCHING)
#define POOL_D_FIXED	POOL_D_WITH(POOL_IS_FIXED)
#define POOL_D_EXACT	POOL_D_WITH(POOL_IS_EXACT)
#define POOL_D_WHO	POOL_D_WITH(POOL_IS_KNOWING)
#define POOL_D_COMMON	POOL_D_WITH(POOL_IS_COMMON)

/* The action after the report of a fault.  Worlds have words for some of these: plat_policies[]. */
enum pool_policy {
	POOL_POLICY_CONTINUE,		/* continue; corrupted objects are quarantined */
	POOL_POLICY_WARN,		/* kernel: WARN(), and continue */
	POOL_POLICY_ABORT,		/* user space: abort() */
	POOL_POLICY_PANIC,		/* kernel: panic() */
};

/*
 * The seal of a pointer: bit 0 is set, and the two bits above it are the number of the pattern that
 * fills the object, 1 to 3, or 0 for none.
 */
#define POOL_SEAL		0x1ul
#define POOL_SEAL_PHASE		0x6ul
#define POOL_SEAL_BITS		0x7ul

static inline unsigned long pool_seal_of(const void *obj)
{
	return (unsigned long)obj & POOL_SEAL_BITS;
}

/* Offsets of the fields behind an object in the backend's memory; 0: there is none. */
struct pool_layout {
	unsigned int tag;		/* directly behind the last byte */
	unsigned int caller;		/* two words: the callers that allocated and freed */
	unsigned int copy;		/* a copy of the object's bytes */
	unsigned int link;		/* link of a parked object; 0: the first word */
	unsigned int total;
};

struct pool;

/* The table of object states.  A segment is an array of pieces, twice as long as the one before. */
#define POOL_STATE_SEGMENTS	18

struct pool_object_table {
	void *segment[POOL_STATE_SEGMENTS];
	unsigned int segments;	/* segments in use, from number 0 on */
	unsigned long known;		/* known entries, and their generation: object_table.c */
	bool whole;			/* every object had an entry at all times */
};

/* The state of a pointer that is freed, by the table. */
enum pool_seen {
	POOL_SEEN_USED,			/* the free is correct */
	POOL_SEEN_FREE,			/* the object is free already */
	POOL_SEEN_BAD,			/* the object is quarantined */
	POOL_SEEN_NEVER,		/* there is no such object */
};

/* Limit on reports per pool; further faults are only counted. */
#define POOL_REPORTS_MAX	64

/* A fault that was found: all that a report needs, see report.c. */
struct pool_fault_info {
	enum pool_fault kind;
	struct pool *pool;
	void *obj;
	void *caller;			/* of the call that found the fault; or NULL */
	unsigned int flags;		/* of that call */
	long where;			/* first bad byte, from obj */
	bool contents_stable;			/* no other code may write to the object now */
};

/* layout.c */
void pool_layout_of(const struct pool *pool, unsigned int size, struct pool_layout *layout);

/* object_table.c: the state of each object */
enum pool_seen pool_state_free(struct pool *pool, unsigned int bits, void *obj,
			       unsigned long *note);
bool pool_state_alloc(struct pool *pool, unsigned int bits, void *obj,
		      unsigned int flags, unsigned int bin);
void pool_state_given(struct pool *pool, void *obj);
void pool_state_drop(struct pool *pool, void *obj);
void pool_state_quarantine(struct pool *pool, void *obj);
void *pool_state_around(struct pool *pool, const void *p);
bool pool_state_knows(struct pool *pool, const void *obj);
unsigned int pool_state_phase(unsigned long note);
unsigned int pool_state_bin(unsigned long note);
void pool_object_table_begin(struct pool *pool, unsigned int bits);
void pool_object_table_lapse(struct pool *pool);
void pool_object_table_grow(struct pool *pool);
void pool_object_table_end(struct pool *pool);
extern unsigned long pool_object_table_bytes;	/* bytes of all pools' tables */

/* pattern.c: the patterns in free objects */
void pool_pattern_fill(void *obj, unsigned int size, unsigned int phase);
long pool_pattern_check(const void *obj, unsigned int size, unsigned int phase);

/* check.c: the checks, where objects change hands */
void *pool_check_free(struct pool *pool, void *obj, unsigned int flags, void *caller);
void pool_check_used(struct pool *pool, unsigned int bits, void *obj,
		     unsigned int flags, void *caller);
void *pool_check_out(struct pool *pool, void *obj, unsigned int flags, void *caller, bool *raw);

/* harden.c: wrong frees, without a table */
void *pool_harden_get(struct pool *pool, unsigned int flags);
bool pool_harden_free(struct pool *pool, void *obj, unsigned int flags, void *caller);

/* gone.c: calls with pools that were destroyed */
void pool_gone_free(struct pool *pool);
void pool_gone_free_all(void);
bool pool_gone_report(struct pool *pool, void *obj, unsigned int flags, void *caller);

/* fail.c */
bool pool_fail_due(unsigned int flags, void *caller);

/* report.c: the only function that reports faults */
void pool_report(const struct pool_fault_info *info);

/* profile.c: calls, counted by place; bin number 0 means no bin */
#define POOL_PROFILE_BINS	4096

extern bool pool_mem_stats;
bool pool_profile_ready(void);
void pool_profile_end(void);
void pool_profile_drop(const struct pool *pool);
unsigned int pool_profile_alloc(struct pool *pool, void *caller, unsigned int bytes);
void pool_profile_free(struct pool *pool, void *caller, unsigned int bytes, unsigned int alloc_bin);

#endif /* POOL_DEBUG_H */
