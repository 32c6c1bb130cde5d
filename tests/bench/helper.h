/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper.h - the other thread of the ring
 *
 * Layer:   between bench.c and work.c.
 * Context: one thread calls these.
 */
#ifndef BENCH_HELPER_H
#define BENCH_HELPER_H

#include "bench.h"

/* Make the thread; it and the caller get a processor each, if there are two. */
void helper_start(void);

/* Hand @n objects over to it; returns when it has freed the last one. */
void helper_ring(const struct candidate *c, unsigned long n);

void helper_stop(void);

#endif /* BENCH_HELPER_H */
