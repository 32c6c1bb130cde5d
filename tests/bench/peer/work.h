/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * work.h - the workloads
 *
 * Layer:   between worker.c, which times, and the peer.
 *
 *   workload     an operation is an allocation, a write and a free of one object
 *   hot          one object at a time; the compiler knows that it is not NULL
 *   hot-opaque   as hot, but the pool is in a variable that may change, NULL is
 *		  tested for, and the object's address comes from elsewhere
 *   lifo64       64 are allocated, then freed, newest first
 *   fifo64       oldest first
 *   lifo1000, fifo1000		the same with 1000
 *   bulk64       64 by one call, if the peer has one
 *   random       of 10,000 live objects a random one is replaced
 *   refill64     of 10,000 live objects 64 random ones are freed, then replaced
 *   shuffled     16,384 are allocated, then freed in shuffled order
 *   pools32      bursts of 1 to 128 in 32 pools, some of which are more popular
 *		  than others, which changes; see steps.h
 *   ring         one thread allocates, another one frees; see ring.h
 *   alternate    one thread allocates 1000, another one frees them, and so on
 *   hot2         two threads at once do "hot"; per operation of each
 *   churn        two threads replace random ones of 1000 objects each; after
 *		  20,000 operations they end and other threads inherit the objects
 *   counters     two new threads add to a counter in an object of 48 bytes each; an operation is
 *		  an addition
 *   trace        the trace; an operation is an allocation or a free
 *   million      1,000,000 are allocated, then freed; for the memory they take
 *
 * Live objects of random, refill64 and shuffled are 32 MiB at most: at
 * 16 KiB, 2048 instead of 10,000 and 16,384.
 */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include "peer.h"

#include <stdint.h>
#include <stdlib.h>

struct work {
	const char *name;
	/* 1 if its instructions can be counted, too */
	unsigned int threads;
	/* False: the peer cannot do this. */
	bool (*prepare)(size_t size);
	/* Do at least @n operations; returns how many were done. */
	unsigned long (*run)(unsigned long n);
	void (*finish)(void);
};

extern const struct work work_order[];		/* ends with an entry that has no name */
extern const struct work work_live[];
extern const struct work work_pools[];
extern const struct work work_threads[];
extern const struct work work_trace[];

/* works.c: the workload of this name; exits if there is none. */
const struct work *work_find(const char *name);

/* work_trace.c: read a trace, which is not compressed, for the workload "trace". */
void work_trace_load(const char *file);

/* work_tail.c: time @n calls each.  False: the peer cannot do this. */
bool work_tail(size_t size, unsigned long n);

/* work_grow.c: time @n objects, from nothing, once.  False: the peer cannot do this. */
bool work_grow(size_t size, unsigned long n);

/* Hides from the compiler what happened to @p. */
static inline void *forgotten(void *p)
{
	__asm__ __volatile__("" : "+r"(p) : : "memory");
	return p;
}

/* The word that an object's owner writes into it. */
static inline uintptr_t cookie_of(const void *p)
{
	return (uintptr_t)p ^ 0x5a5a5a5a;
}

/* Write to an object, the least that every user does. */
static inline void *got(void *p)
{
	if (!p)
		abort();
	*(uintptr_t *)p = cookie_of(p);
	return forgotten(p);
}

static inline void *get_written(peer_pool pool)
{
	return got(peer_get(pool));
}

/* With BENCH_VERIFY, fail unless this is the object's only owner, and its word intact. */
static inline void verify(void *p)
{
#ifdef BENCH_VERIFY
	if (*(uintptr_t *)p != cookie_of(p))
		abort();
	*(uintptr_t *)p = 0;
#else
	(void)p;
#endif
}

static inline void put_back(peer_pool pool, void *p)
{
	verify(p);
	peer_put(pool, p);
}

/* Returns how many of @count objects of @size bytes fit into 32 MiB. */
static inline unsigned int at_most(unsigned int count, size_t size)
{
	return (32u << 20) / size < count ? (unsigned int)((32u << 20) / size) :
	       count;
}

#endif /* BENCH_WORK_H */
