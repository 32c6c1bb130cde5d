// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * work_live.c - workloads with many live objects, in one thread
 *
 * Layer:   between worker.c and the peer.
 * Context: one thread.
 */
#include "work.h"
#include "random.h"

#define LIVE		10000
#define SHUFFLED	16384
#define PICKS		65536		/* a power of two */
#define REFILL		64

static peer_pool the_pool;
static unsigned int live;		/* number of objects: LIVE or SHUFFLED, or fewer */
static void *held[SHUFFLED];
static unsigned int order[SHUFFLED];
static unsigned short pick[PICKS];
static unsigned int at;			/* index in pick[] or order[] */

static bool prepare_none(size_t size)
{
	unsigned int seed = 1;
	unsigned int i;

	live = at_most(SHUFFLED, size);
	random_order(order, live, seed);
	for (i = 0; i < PICKS; i++)
		pick[i] = (unsigned short)random_below(&seed, at_most(LIVE, size));
	at = 0;
	return peer_create(&the_pool, size, live + REFILL, 1);
}

static bool prepare_live(size_t size)
{
	unsigned int i;

	if (!prepare_none(size))
		return false;
	live = at_most(LIVE, size);
	random_order(order, live, 1);
	for (i = 0; i < live; i++)
		held[i] = get_written(the_pool);
	return true;
}

static void finish_none(void)
{
	peer_destroy(the_pool);
}

static void finish_live(void)
{
	unsigned int i;

	for (i = 0; i < live; i++)
		put_back(the_pool, held[i]);
	finish_none();
}

static unsigned long random_one(unsigned long n)
{
	peer_pool pool = the_pool;
	unsigned long i;

	for (i = 0; i < n; i++) {
		void **slot = &held[pick[at++ % PICKS]];
		void *p = get_written(pool);

		put_back(pool, *slot);
		*slot = p;
	}
	return n;
}

/* The next 64 of the shuffled order, all different. */
static unsigned long refill64(unsigned long n)
{
	peer_pool pool = the_pool;
	unsigned long done;
	unsigned int i;

	for (done = 0; done < n; done += REFILL) {
		const unsigned int *chosen;

		if (at + REFILL > live)
			at = 0;
		chosen = &order[at];
		at += REFILL;
		for (i = 0; i < REFILL; i++)
			put_back(pool, held[chosen[i]]);
		for (i = 0; i < REFILL; i++)
			held[chosen[i]] = get_written(pool);
	}
	return done;
}

static unsigned long shuffled(unsigned long n)
{
	peer_pool pool = the_pool;
	unsigned long done;
	unsigned int i;

	for (done = 0; done < n; done += live) {
		for (i = 0; i < live; i++)
			held[i] = get_written(pool);
		for (i = 0; i < live; i++)
			put_back(pool, held[order[i]]);
	}
	return done;
}

#define MILLION	1000000

static void **million;

static bool prepare_million(size_t size)
{
	million = calloc(MILLION, sizeof(*million));
	return million && peer_create(&the_pool, size, MILLION, 1);
}

static unsigned long run_million(unsigned long n)
{
	unsigned long done;
	unsigned int i;

	for (done = 0; done < n; done += MILLION) {
		for (i = 0; i < MILLION; i++)
			million[i] = get_written(the_pool);
		for (i = 0; i < MILLION; i++)
			put_back(the_pool, million[i]);
	}
	return done;
}

static void finish_million(void)
{
	free(million);
	finish_none();
}

const struct work work_live[] = {
	{ "million", 1, prepare_million, run_million, finish_million },
	{ "random", 1, prepare_live, random_one, finish_live },
	{ "refill64", 1, prepare_live, refill64, finish_live },
	{ "shuffled", 1, prepare_none, shuffled, finish_none },
	{ .name = NULL },
};
