// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * work_pools.c - 32 pools, of which now these and now those are popular
 *
 * Layer:   between worker.c and the peer.
 * Context: one thread.
 *
 * A step picks a pool: the one of rank k with a probability as 1/k.  If it has a
 * burst of live objects they are freed, oldest first; else a burst of 1 to 128 is
 * allocated.  After 512 steps each pool gets the next one's rank.  From 256 bytes
 * on, all pools' bursts together are more than the default bound.
 */
#include "work.h"
#include "random.h"

#define POOLS		32
#define BURST		128
#define STEPS		16384		/* a power of two */
#define SHIFT_EVERY	512

static peer_pool pools[POOLS];
static void *held[POOLS][BURST];
static unsigned int count[POOLS];

static struct step {
	unsigned short rank;
	unsigned short burst;
} steps[STEPS];
static unsigned int at;

/* In proportion to 1/1, 1/2, 1/3 and so on. */
static unsigned short random_rank(unsigned int *seed)
{
	unsigned int all = 0, sum, i;

	for (i = 1; i <= POOLS; i++)
		all += 1000000 / i;
	sum = random_below(seed, all);
	for (i = 1; i < POOLS && sum >= 1000000 / i; i++)
		sum -= 1000000 / i;
	return (unsigned short)(i - 1);
}

static bool prepare(size_t size)
{
	unsigned int seed = 1;
	unsigned int i;

	for (i = 0; i < STEPS; i++) {
		steps[i].rank = random_rank(&seed);
		steps[i].burst =
			(unsigned short)(1 + random_below(&seed, BURST));
	}
	for (i = 0; i < POOLS; i++)
		if (!peer_create(&pools[i], size, BURST, 1))
			return false;
	at = 0;
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

static unsigned long run(unsigned long n)
{
	unsigned long done = 0;

	while (done < n) {
		const struct step *s = &steps[at % STEPS];
		unsigned int i = (s->rank + at / SHIFT_EVERY) % POOLS;

		at++;
		if (count[i])
			free_burst(i);
		else
			done += alloc_burst(i, s->burst);
	}
	return done;
}

static void finish(void)
{
	unsigned int i;

	for (i = 0; i < POOLS; i++) {
		free_burst(i);
		peer_destroy(pools[i]);
	}
}

const struct work work_pools[] = {
	{ "pools32", 1, prepare, run, finish },
	{ .name = NULL },
};
