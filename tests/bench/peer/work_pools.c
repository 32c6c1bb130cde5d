// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * work_pools.c - 32 pools, whose popularity changes
 *
 * Layer:   between worker.c and the peer; see steps.h.
 * Context: one thread.
 */
#include "work.h"
#include "steps.h"

static struct steps steps;
static peer_pool pools[STEPS_POOLS];
static void *held[STEPS_POOLS][STEPS_BURST];
static unsigned int count[STEPS_POOLS];

static bool prepare(size_t size)
{
	unsigned int i;

	steps_make(&steps);
	for (i = 0; i < STEPS_POOLS; i++)
		if (!peer_create(&pools[i], size, STEPS_BURST, 1))
			return false;
	return true;
}

static void free_burst(unsigned int i)
{
	peer_pool pool = pools[i];
	unsigned int k;

	for (k = 0; k < count[i]; k++)
		put_back(pool, held[i][k]);
	count[i] = 0;
}

static unsigned int alloc_burst(unsigned int i, unsigned int burst)
{
	peer_pool pool = pools[i];
	unsigned int k;

	for (k = 0; k < burst; k++)
		held[i][k] = get_written(pool);
	count[i] = burst;
	return burst;
}

/* Do whole sequences of steps, so that all peers do the same steps. */
static unsigned long run(unsigned long n)
{
	unsigned long done = 0;

	while (done < n || steps.at % STEPS) {
		unsigned int burst;
		unsigned int i = steps_next(&steps, &burst);

		if (count[i])
			free_burst(i);
		else
			done += alloc_burst(i, burst);
	}
	return done;
}

static void finish(void)
{
	unsigned int i;

	for (i = 0; i < STEPS_POOLS; i++) {
		free_burst(i);
		peer_destroy(pools[i]);
	}
}

const struct work work_pools[] = {
	{ "pools32", 1, prepare, run, finish },
	{ .name = NULL },
};
