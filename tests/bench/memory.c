// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * memory.c - how much memory is resident after a burst
 *
 * Layer:   a program per allocator, as the peers: see peer/peer.h.
 * Context: one thread.
 *
 *	memory [OBJECTS [SIZE]]
 *
 * A burst allocates 256 MB of objects of 64 bytes and writes to them, then frees them in random
 * order.  As many operations with 1000 live objects follow.  Then the allocator is asked to give
 * memory back: first by the call that a busy program can make at any time, then by the one that
 * gives most.
 *
 * Prints "PHASE OPERATIONS KiB": the resident memory, less that before the burst.  The array of
 * pointers to the objects is written to before that.
 */
#include "peer.h"
#include "random.h"
#include "resident.h"

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS		4194304u
#define SIZE		64u
#define LIVE		1000u
#define SAMPLES		16u		/* samples in a phase */

static void **objs;
static unsigned int count = OBJECTS;
static long before, operations;
static peer_pool pool;

/* Calls by which allocators return memory; NULL if the program lacks the allocator. */
struct pool_head;
#pragma weak pool_gc
#pragma weak pool_reclaim
#pragma weak malloc_trim
#pragma weak mallctl
#pragma weak mi_collect
#pragma weak MallocExtension_ReleaseFreeMemory
#pragma weak MallocExtension_MarkThreadIdle
extern void pool_gc(struct pool_head *unused);
extern void pool_reclaim(struct pool_head *head);
extern int malloc_trim(size_t pad);
extern int mallctl(const char *name, void *old, size_t *old_size, void *new,
		   size_t new_size);
extern void mi_collect(bool force);
extern void MallocExtension_ReleaseFreeMemory(void);
extern void MallocExtension_MarkThreadIdle(void);

static void give_back(bool all)
{
	if (pool_gc) {
		if (all)
			pool_reclaim(NULL);
		else
			pool_gc(NULL);
	} else if (mallctl) {
		if (all)
			mallctl("thread.tcache.flush", NULL, NULL, NULL, 0);
		mallctl("arena.4096.purge", NULL, NULL, NULL, 0);
	} else if (mi_collect) {
		mi_collect(all);
	} else if (MallocExtension_ReleaseFreeMemory) {
		if (all)
			MallocExtension_MarkThreadIdle();
		MallocExtension_ReleaseFreeMemory();
	} else if (malloc_trim) {
		malloc_trim(0);
	}
}

static void say(const char *phase)
{
	printf("%s %ld %ld\n", phase, operations, resident() - before);
}

static void *get(void)
{
	void *obj = peer_get(pool);

	if (!obj)
		errx(1, "no more memory");
	return obj;
}

static void shuffle(void)
{
	unsigned int seed = 1, i;

	for (i = 0; i < count; i++) {
		unsigned int k = random_below(&seed, i + 1);
		void *obj = objs[i];

		objs[i] = objs[k];
		objs[k] = obj;
	}
}

static void burst(unsigned int size)
{
	unsigned int step = count / SAMPLES, i;

	for (i = 0; i < count; i++, operations++) {
		if (i % step == 0)
			say("grow");
		objs[i] = get();
		memset(objs[i], 1, size);
	}
	say("peak");
	shuffle();
	for (i = 0; i < count; i++, operations++) {
		if (i % step == 0)
			say("free");
		peer_put(pool, objs[i]);
	}
	say("freed");
}

/* Work as a program does between bursts, with few live objects. */
static void calm(void)
{
	unsigned int step = count / SAMPLES, seed = 1, i;

	for (i = 0; i < LIVE; i++)
		objs[i] = get();
	for (i = 0; i < count; i += 2, operations += 2) {
		unsigned int k = random_below(&seed, LIVE);

		if (i % step == 0)
			say("calm");
		peer_put(pool, objs[k]);
		objs[k] = get();
	}
	for (i = 0; i < LIVE; i++)
		peer_put(pool, objs[i]);
	say("calmed");
}

static void begin(unsigned int size)
{
	const char *why = peer_start(0);

	if (why)
		errx(1, "%s", why);
	objs = malloc(count * sizeof(*objs));
	if (!objs || !peer_create(&pool, size, count, 1))
		errx(1, "no memory");
	memset(objs, 1, count * sizeof(*objs));
	peer_put(pool, get());
	resident();
	before = resident();
}

int main(int argc, char **argv)
{
	unsigned int size = argc > 2 ? (unsigned int)atoi(argv[2]) : SIZE;

	if (argc > 1)
		count = (unsigned int)atoi(argv[1]);
	if (count < SAMPLES || count < LIVE || !size)
		errx(2, "usage: memory [OBJECTS [SIZE]]");
	begin(size);
	burst(size);
	calm();
	give_back(false);
	say("gc");
	give_back(true);
	say("reclaim");
	return 0;
}
