/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * scale.h - what the parts of scale.c share
 *
 * Layer:   between scale.c and its parts.
 * Context: the first thread calls these; jobs run in the team's.
 */
#ifndef BENCH_SCALE_H
#define BENCH_SCALE_H

#include <time.h>

#define TEAM_MAX	8

/* How many bytes a thread may cache in all measurements. */
#define SCALE_BOUND	32768u

static inline double scale_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* scale.c: prints one line of the output. */
void scale_say(const char *what, unsigned int threads, unsigned int buckets,
	       double value);

/*
 * scale_team.c: threads that stay.  The i-th has the i-th area, so it starts at
 * bucket i, and is bound to the i-th processor, round and round.
 */
unsigned int team_start(void);
void team_run(unsigned int n, void (*job)(unsigned int i, void *arg), void *arg);
void team_stop(void);

/* scale_line.c: how long a cache line takes from one processor to another. */
void scale_line(void);

/* scale_visit.c: the cost of a visit to the shared pool for one thread alone. */
void scale_visit(void);

/* scale_run.c: many visits, by many threads. */
void scale_run(unsigned int processors);

#endif /* BENCH_SCALE_H */
