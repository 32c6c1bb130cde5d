/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * scenario.h - what scenarios share
 *
 * Layer:   tests; the enumerator.
 * Context: fibres; setups run in no fibre, as CPU 0 unless they say otherwise.
 */
#ifndef SCHEDULE_SCENARIO_H
#define SCHEDULE_SCENARIO_H

#include "seam/plat.h"
#include "sched.h"

#define SIZE		64u		/* of objects */
/* Bounds for set_bound(). */
#define SINGLY		(5ul * SIZE)	/* no arrays, clusters of one */
#define ROOMY		(16ul * SIZE)	/* arrays of four, clusters of two */
#define AMPLE		(32ul * SIZE)	/* as ROOMY, and two objects come at once */
#define NARROW		(4ul * SIZE)	/* as SINGLY, but no more than four are cached */

/* Part of the world. */
extern struct pool_head *pool, *other;
extern void *obj[10];

struct pool_head *make(const char *name, unsigned int limit,
		       unsigned int min_avail);
void set_bound(unsigned long bound);
void setup(unsigned long bound, unsigned int limit, unsigned int n);
void give(unsigned int from, unsigned int to, unsigned int flags);
void give_as(unsigned int cpu, unsigned int from, unsigned int to);

/* For CPUs. */
void alloc_one(void);
void alloc_free(void);
void switch_caches_off(void);
void reclaim(void);
void collect(void);
void shrink(void);
void age(void);
void switch_to(const char *words);

/* For handlers. */
void handle_alloc(void);
void handle_free(void);

#define SCENARIO(what, mutants, cpus_, setup_, ...) \
	{ .name = #what, .kills = mutants, .cpus = cpus_, .setup = setup_, \
	  __VA_ARGS__ }
#define CPUS(...)	.cpu = { __VA_ARGS__ }
#define IRQS(...)	.irq = { __VA_ARGS__ }

#endif /* SCHEDULE_SCENARIO_H */
