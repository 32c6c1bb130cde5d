/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * cases_slab.h - what the cases of user/slab.c and user/arena.c share
 *
 * Layer:   tests.
 * Context: the case's own thread.
 */
#ifndef POOL_CASES_SLAB_H
#define POOL_CASES_SLAB_H

#include "test.h"
#include "slab/slab.h"

#define SLAB_PAGE	4096

/* Older headers lack it. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

int __real_madvise(void *at, size_t bytes, int advice);

/* A stride, and how many objects of it a slab has. */
#define LARGE		1008
#define PER_SLAB	(SLAB_BYTES / LARGE)

/* Allocate one object; NULL: the arena has no more. */
static inline void *test_slab_alloc(struct slab_class *class)
{
	void *obj;

	return pool_slab_alloc(class, 1, &obj) ? obj : NULL;
}

void slab_get_many(struct slab_class *class, void **objs, unsigned int n);
enum pool_fault slab_put(void *obj);
unsigned int slab_put_many(void **objs, unsigned int n);
struct arena_size arena_now(void);
void *slab_of(const void *obj);
unsigned long space(void);

/* node.c: pretend that there are two nodes; move the thread to a node; return to the real nodes */
void nodes_two(void);
void nodes_go_to(unsigned int node);
void nodes_one(void);

/* trim.c: calls that returned memory to the system; if true, these calls fail (locked memory) */
extern unsigned long trim_calls;
extern bool trim_locked;

/* trim.c: requests for memory ahead of its use, and the error that they fail with; 0: they work */
extern unsigned long ahead_calls;
extern int ahead_error;

/* trim.c: requests for a huge page */
extern unsigned long huge_asked;

int slab_child(int (*fn)(void *arg), void *arg);

#endif /* POOL_CASES_SLAB_H */
