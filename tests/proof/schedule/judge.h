/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * judge.h - what is known of objects
 *
 * Layer:   tests; the enumerator.
 * Context: see judge.c.
 */
#ifndef SCHEDULE_JUDGE_H
#define SCHEDULE_JUDGE_H

#include "seam/plat.h"
#include "sched.h"

/* The owner of an object. */
enum owner {
	OWNER_NONE,			/* it is no object */
	OWNER_POOL,
	OWNER_USER,
	OWNER_SEEN,			/* its pool has it; the judge counted it at the end */
};

/* Ids that the pools of a scenario have, from 0; more than it makes. */
#define IDS	8

/* Part of the world. */
extern struct pool *pools[PLAT_LOCALS];
extern unsigned char owner[WORLD_GRANULES];
extern unsigned char whose[WORLD_GRANULES];	/* the id of the object's pool */
extern unsigned int used[IDS];			/* objects that users have, by id */
extern unsigned int granules;			/* in use before the scenario began */

int index_of(const void *obj);

/* judge_bound.c */
unsigned long charged_in(const struct pool_local *local);
unsigned long charged_to(unsigned int cpu);
void judge_bound(unsigned int cpu);
unsigned long judge_slots(const struct pool *pool);
void judge_lowered(void);

/* judge_place.c */
void judge_places(const struct pool *pool);

#endif /* SCHEDULE_JUDGE_H */
