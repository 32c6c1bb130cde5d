// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * work_order.c - workloads with few live objects, in one thread
 *
 * Layer:   between worker.c and the peer.
 * Context: one thread.
 *
 * The pool is a variable of each function, so that the compiler need not read it in each operation.
 * In "hot-opaque" the compiler must do so.
 */
#include "work.h"

#define BATCH_MAX	1000

static peer_pool the_pool;

static bool prepare(size_t size)
{
	return peer_create(&the_pool, size, BATCH_MAX, 1);
}

static void finish(void)
{
	peer_destroy(the_pool);
}

static unsigned long hot(unsigned long n)
{
	peer_pool pool = the_pool;
	unsigned long i;

	for (i = 0; i < n; i++) {
		uintptr_t *p = peer_get(pool);

		*p = i;
		__asm__ __volatile__("" : : "r"(p) : "memory");
		peer_put(pool, p);
	}
	return n;
}

static unsigned long hot_opaque(unsigned long n)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		put_back(the_pool, get_written(the_pool));
	return n;
}

static inline unsigned long lifo(unsigned long n, unsigned int size)
{
	peer_pool pool = the_pool;
	void *held[BATCH_MAX];
	unsigned long done;
	unsigned int i;

	for (done = 0; done < n; done += size) {
		for (i = 0; i < size; i++)
			held[i] = get_written(pool);
		while (i)
			put_back(pool, held[--i]);
	}
	return done;
}

static inline unsigned long fifo(unsigned long n, unsigned int size)
{
	peer_pool pool = the_pool;
	void *held[BATCH_MAX];
	unsigned long done;
	unsigned int i;

	for (done = 0; done < n; done += size) {
		for (i = 0; i < size; i++)
			held[i] = get_written(pool);
		for (i = 0; i < size; i++)
			put_back(pool, held[i]);
	}
	return done;
}

static unsigned long lifo64(unsigned long n)
{
	return lifo(n, 64);
}

static unsigned long fifo64(unsigned long n)
{
	return fifo(n, 64);
}

static unsigned long lifo1000(unsigned long n)
{
	return lifo(n, 1000);
}

static unsigned long fifo1000(unsigned long n)
{
	return fifo(n, 1000);
}

static unsigned long bulk64(unsigned long n)
{
	peer_pool pool = the_pool;
	void *held[PEER_BULK];
	unsigned long done;
	unsigned int i;

	for (done = 0; done < n; done += PEER_BULK) {
		if (!peer_get_bulk(pool, held, PEER_BULK))
			abort();
		for (i = 0; i < PEER_BULK; i++)
			got(held[i]);
		for (i = 0; i < PEER_BULK; i++)
			verify(held[i]);
		peer_put_bulk(pool, held, PEER_BULK);
	}
	return done;
}

const struct work work_order[] = {
	{ "hot", 1, prepare, hot, finish },
	{ "hot-opaque", 1, prepare, hot_opaque, finish },
	{ "lifo64", 1, prepare, lifo64, finish },
	{ "fifo64", 1, prepare, fifo64, finish },
	{ "lifo1000", 1, prepare, lifo1000, finish },
	{ "fifo1000", 1, prepare, fifo1000, finish },
	{ "bulk64", 1, prepare, bulk64, finish },
	{ .name = NULL },
};
