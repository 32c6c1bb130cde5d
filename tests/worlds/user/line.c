// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * line.c - threads that take objects from one slab have lines of their own
 *
 * Layer:   tests of user/slab/line.c.
 * Context: see test.h.
 */
#include "cases_slab.h"

#include <stdlib.h>

#define TAKERS	16

/* Objects of each miss: single ones for callers, then what a growing pool gets at once. */
static const unsigned int steps[] = { 1, 1, 2, 4, 8, 16, 32, 64, 64 };

#define STEPS	(sizeof(steps) / sizeof(*steps))
#define EACH	192	/* objects in all steps */

/* A cache line that an object of this thread covers or touches. */
struct line {
	uintptr_t at;
	unsigned int thread;
};

/* A class of slabs, and the objects that threads take of it, one step after the other. */
struct taking {
	pthread_barrier_t here;
	pthread_mutex_t mutex;
	struct pool *pool;
	struct slab_class *class;
	unsigned int steps, takers;
	void *objs[TAKERS][EACH];
	unsigned int count[TAKERS];
	struct line lines[TAKERS * EACH * 5];
};

static struct taking taking;

/* Wait until all threads have an area, because the area decides where objects are. */
static void take_some(unsigned int i, void *arg)
{
	struct taking *t = arg;
	unsigned int k;

	pool_free(&t->pool->head, pool_alloc(&t->pool->head));
	t->count[i] = 0;
	for (k = 0; k < t->steps; k++) {
		pthread_barrier_wait(&t->here);
		pthread_mutex_lock(&t->mutex);
		t->count[i] += pool_slab_alloc(t->class, 1, t->objs[i] + t->count[i]);
		t->count[i] += pool_slab_alloc(t->class, steps[k] - 1, t->objs[i] + t->count[i]);
		pthread_mutex_unlock(&t->mutex);
	}
	pthread_barrier_wait(&t->here);
}

static int in_order(const void *one, const void *other)
{
	const struct line *a = one, *b = other;

	return (a->at > b->at) - (a->at < b->at);
}

/* Returns how many lines have objects of several threads. */
static unsigned int count_shared(struct taking *t)
{
	unsigned int i, k, n = 0, shared = 0;

	for (i = 0; i < t->takers; i++)
		for (k = 0; k < t->count[i]; k++) {
			uintptr_t at = (uintptr_t)t->objs[i][k] / SLAB_ALIGN * SLAB_ALIGN;

			for (; at < (uintptr_t)t->objs[i][k] + t->class->stride; at += SLAB_ALIGN)
				t->lines[n++] = (struct line){ at, i };
		}
	qsort(t->lines, n, sizeof(*t->lines), in_order);
	for (i = 1; i < n; i++)
		shared += t->lines[i].at == t->lines[i - 1].at &&
			  t->lines[i].thread != t->lines[i - 1].thread;
	return shared;
}

static unsigned int shared_of(struct pool *pool, unsigned int stride, unsigned int takers,
			      unsigned int n)
{
	struct taking *t = &taking;
	unsigned int i, shared;

	t->pool = pool;
	t->class = pool_slab_class(stride, 16);
	t->steps = n;
	t->takers = takers;
	pthread_barrier_init(&t->here, NULL, takers);
	pthread_mutex_init(&t->mutex, NULL);
	test_threads(takers, take_some, t);
	shared = count_shared(t);
	for (i = 0; i < takers; i++)
		EXPECT_EQ(slab_put_many(t->objs[i], t->count[i]), 0);
	return shared;
}

/* Take two objects in each of 16 threads, as a program with a counter per thread does. */
POOL_CASE(threads_that_take_objects_in_turn_share_no_line, test_pool(4000))
{
	unsigned int stride;

	pool_fail_every = 0;
	for (stride = 16; stride <= 208; stride += 16)
		EXPECT_EQ(shared_of(pool, stride, TAKERS, 2), 0);
}

/* Take batches that grow, until each thread has used several slabs. */
POOL_CASE(threads_that_grow_in_turn_share_no_line, test_pool(4000))
{
	unsigned int stride;

	pool_fail_every = 0;
	for (stride = 16; stride <= 208; stride += 16)
		EXPECT_EQ(shared_of(pool, stride, TAKERS / 2, STEPS), 0);
}

/* Each free object lies between two objects in use, and another thread took the last one before. */
TEST_CASE(objects_on_shared_lines_are_taken_when_there_are_no_others)
{
	struct slab_class *class = pool_slab_class(48, 16);
	struct slab *slab;
	unsigned int n = 1, i;
	size_t used;

	plat_trim(true);
	test_objs[0] = test_slab_alloc(class);
	ASSERT(test_objs[0]);
	slab = pool_arena_slab(test_objs[0]);
	while (slab->used < slab->objs)
		test_objs[n++] = test_slab_alloc(class);
	used = arena_now().used;
	for (i = 2; i < n; i += 2)
		EXPECT_EQ(slab_put(test_objs[i]), POOL_FAULT_KINDS);
	slab->lines = LINES_KEPT;
	slab->taker = NULL;
	for (i = 2; i < n; i += 2)
		test_objs[i] = test_slab_alloc(class);
	EXPECT_EQ(slab->used, slab->objs);
	EXPECT_EQ(arena_now().used, used);
	EXPECT_EQ(slab_put_many(test_objs, n), 0);
	plat_trim(true);
}
