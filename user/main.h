/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * main.h - what thread.c needs of the other files: libpool's start, and forks
 *
 * Layer:   user/ only; twin of kernel/main.h.
 * Context: said per function.
 */
#ifndef POOL_MAIN_H
#define POOL_MAIN_H

struct pool_cpu;

/* main.c: before main() */
void libpool_start(void);

/* declare.c */
void libpool_declare_start(void);

/* fork.c: in handlers of fork(), all mutexes held, but for pool_fork_end() */
void pool_fork_hold(void);
void pool_fork_release(void);
void pool_fork_mend(const struct pool_cpu *own);
void pool_fork_end(void);

#endif /* POOL_MAIN_H */
