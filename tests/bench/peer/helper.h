/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper.h - the second thread
 *
 * Layer:   between worker.c and work_threads.c.
 * Context: one thread calls these.
 */
#ifndef BENCH_HELPER_H
#define BENCH_HELPER_H

#include <pthread.h>

/* See which processors there are, since a peer may bind the first thread later. */
void helper_look(void);

/* Make the thread; it and the caller get a processor each, if there are two. */
void helper_start(void);

/* Make it call @job(@n); one job at a time. */
void helper_begin(void (*job)(unsigned long n), unsigned long n);
void helper_wait(void);

void helper_stop(void);

/* Bind a thread to the @i-th processor that this program may use, if there is one. */
void helper_pin(pthread_t thread, unsigned int i);

#endif /* BENCH_HELPER_H */
