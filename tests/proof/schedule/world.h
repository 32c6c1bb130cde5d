/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * world.h - all memory that a schedule changes: to be saved, compared, put back
 *
 * Layer:   below sched.c and plat.c; knows nothing of pools.
 * Context: one thread.
 *
 * The world is this program's .data and .bss, an arena, and the stacks of fibres as
 * far as they are in use.  Memory that outlasts a schedule is not in it: it is mapped, and
 * found by a pointer that never changes.
 */
#ifndef SCHEDULE_WORLD_H
#define SCHEDULE_WORLD_H

#include <stdbool.h>
#include <stddef.h>

#define WORLD_GRANULE	128		/* bytes; alignment of all blocks */
#define WORLD_GRANULES	256
#define WORLD_STACK	16384		/* bytes of a fibre's stack */
#define WORLD_STACKS	6

void world_init(void);
unsigned char *world_stack_end(unsigned int fibre);

/* The arena gives the lowest free place, so that equal histories give equal addresses. */
void *world_alloc(size_t bytes);
void world_free(void *p);

/* Returns the granule of the block that begins at @p; -1: none does. */
int world_block(const void *p);
void *world_at(unsigned int granule);
/* True if a word lies in the arena and in no block. */
bool world_is_free(const void *p);
unsigned int world_used(void);

/* @sp: for each fibre, the beginning of the used part of its stack; NULL: none is used. */
size_t world_save(void *to, void *const *sp);
void world_restore(const void *from);
unsigned long world_hash(void *const *sp);

#endif /* SCHEDULE_WORLD_H */
