// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * line.c - threads that take objects from one slab have lines of their own
 *
 * Layer:   tests of user/slab/turn.c.
 * Context: see test.h.
 */
#include "cases_slab.h"

#define TAKERS	4
#define EACH	3

struct taking {
	pthread_barrier_t here;
	pthread_mutex_t mutex;
	struct pool *pool;
	struct slab_class *class;
	void *objs[TAKERS][EACH];
};

/* All threads live, and have areas of their own, before the first one takes objects. */
static void take_some(unsigned int i, void *arg)
{
	struct taking *t = arg;

	pool_free(&t->pool->head, pool_alloc(&t->pool->head));
	pthread_barrier_wait(&t->here);
	pthread_mutex_lock(&t->mutex);
	pool_slab_alloc(t->class, EACH, t->objs[i]);
	pthread_mutex_unlock(&t->mutex);
	pthread_barrier_wait(&t->here);
}

static bool share_line(const void *one, const void *other, unsigned int stride)
{
	uintptr_t a = (uintptr_t)one, b = (uintptr_t)other;

	return a / SLAB_ALIGN <= (b + stride - 1) / SLAB_ALIGN &&
	       b / SLAB_ALIGN <= (a + stride - 1) / SLAB_ALIGN;
}

/* How many pairs of objects of different threads have a line in common? */
static unsigned int count_shared(const struct taking *t)
{
	unsigned int a, b, shared = 0;

	for (a = 0; a < TAKERS * EACH; a++)
		for (b = a + 1; b < TAKERS * EACH; b++)
			if (a / EACH != b / EACH)
				shared += share_line(t->objs[a / EACH][a % EACH],
						     t->objs[b / EACH][b % EACH],
						     t->class->stride);
	return shared;
}

static unsigned int shared_of_stride(struct pool *pool, unsigned int stride)
{
	struct taking t = { .pool = pool, .class = pool_slab_class(stride, 16) };
	unsigned int i, shared;

	pthread_barrier_init(&t.here, NULL, TAKERS);
	pthread_mutex_init(&t.mutex, NULL);
	test_threads(TAKERS, take_some, &t);
	shared = count_shared(&t);
	for (i = 0; i < TAKERS; i++)
		slab_put_many(t.objs[i], EACH);
	return shared;
}

POOL_CASE(threads_that_take_objects_in_turn_share_no_line, test_pool(4000))
{
	unsigned int stride;

	pool_fail_every = 0;
	for (stride = 16; stride <= 208; stride += 16)
		EXPECT_EQ(shared_of_stride(pool, stride), 0);
}
