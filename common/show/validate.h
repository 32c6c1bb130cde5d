/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * validate.h - check the lists of a live pool
 *
 * Layer:   above the core; private to validate.c, kernel/debugfs/validate.c, tests.
 * Context: process context; may sleep.
 */
#ifndef POOL_VALIDATE_H
#define POOL_VALIDATE_H

/* What was seen at one place. */
struct pool_finding {
	const char *place;		/* "cpu", "bucket", "spares", "parked" */
	unsigned int nr;		/* number of the CPU or bucket */
	unsigned int clusters;		/* clusters that were checked */
	unsigned long objs;		/* objects in these clusters, or on a parked list */
	bool partial;			/* it changed too often, so its sums were not compared */
	const char *wrong;		/* the first thing that is wrong; NULL: nothing */
	unsigned long found;
	unsigned long expected;
};

/* A function to call after each place; nothing is held, so it may sleep. */
typedef void pool_finding_fn(const struct pool_finding *seen, void *arg);

unsigned int pool_validate(struct pool *pool, pool_finding_fn *say, void *arg);

#endif /* POOL_VALIDATE_H */
