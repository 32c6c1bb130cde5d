/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * random.h - the same random numbers for every peer
 *
 * Layer:   below the workloads.
 */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

/* Returns a number below @n, which must be much smaller than 2^31. */
static inline unsigned int random_below(unsigned int *state, unsigned int n)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return (unsigned int)((unsigned long long)*state * n >> 32);
}

/* Shuffle the numbers 0 to @n - 1. */
static inline void random_order(unsigned int *order, unsigned int n,
				unsigned int seed)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		unsigned int k = random_below(&seed, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
}

#endif /* BENCH_RANDOM_H */
