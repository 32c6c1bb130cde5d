/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * bench.h - candidates of the user-space benchmark
 *
 * Layer:   between bench.c, which times, and work.c, which is compiled once per
 *	    candidate, so that each is called the way its users call it: inline,
 *	    through the shared library, or as malloc().
 *
 *   workload    one slice of it
 *   hot         n times: allocate one, write it, free it
 *   batch64     n/64 times: allocate 64 and write them, then free them all,
 *   batch1000   oldest first; likewise 1000
 *   ring        n times: allocate, write, hand over; another thread frees.
 *		 Handed over in bursts, so n is a multiple of RING_BURST
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "ring.h"

#include <stdbool.h>
#include <stddef.h>

struct candidate {
	const char *name;
	/* False after saying why. */
	bool (*setup)(size_t size);
	void (*teardown)(void);
	void (*hot)(unsigned long n);
	void (*batch)(unsigned long n, unsigned int batch);
	/* The two halves of a ring, in two threads. */
	void (*produce)(struct ring *ring, unsigned long n);
	void (*consume)(struct ring *ring, unsigned long n);
};

extern const struct candidate bench_pool;	/* hit path inline */
extern const struct candidate bench_pool_so;	/* functions of the library */
extern const struct candidate bench_malloc;
extern const struct candidate bench_empty;	/* what the loop itself costs */

/* Most objects of a batch. */
#define BATCH_MAX	1000

#endif /* BENCH_BENCH_H */
