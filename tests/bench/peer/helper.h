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

/* Read which processors the program may use; call before the peer binds a thread. */
void helper_look(void);

/* Make the helper thread, and bind it and the caller to a processor each, if there are two. */
void helper_start(void);

/* Have the helper call @job(@n); it does one job at a time. */
void helper_begin(void (*job)(unsigned long n), unsigned long n);
void helper_wait(void);

void helper_stop(void);

/* Bind a thread to the @i-th processor that this program may use, if there is one. */
void helper_pin(pthread_t thread, unsigned int i);

#endif /* BENCH_HELPER_H */
