// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * work_tail.c - how long single calls take
 *
 * Layer:   between worker.c and the peer; see steps.h.
 * Context: one thread.
 *
 * The steps of "pools32", with a read of the clock before and after each call.  The cost of the
 * read is in all figures; the peer "empty" shows it.
 */
#include "work.h"
#include "steps.h"

#include <stdio.h>
#include <time.h>

/* The last entry counts all calls of this many ticks or more. */
#define TICKS		(1u << 20)

static struct steps steps;
static peer_pool pools[STEPS_POOLS];
static void *held[STEPS_POOLS][STEPS_BURST];
static unsigned int count[STEPS_POOLS];
static unsigned int calls[TICKS];

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The processor's counter where there is one, else nanoseconds. */
static inline unsigned long long ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000 +
	       (unsigned long long)t.tv_nsec;
#endif
}

static void note(unsigned long long took)
{
	calls[took < TICKS ? took : TICKS - 1]++;
}

static void free_burst(unsigned int i)
{
	peer_pool pool = pools[i];
	unsigned int k;

	for (k = 0; k < count[i]; k++) {
		unsigned long long start = ticks();

		peer_put(pool, held[i][k]);
		note(ticks() - start);
	}
	count[i] = 0;
}

static void alloc_burst(unsigned int i, unsigned int burst)
{
	peer_pool pool = pools[i];
	unsigned int k;

	for (k = 0; k < burst; k++) {
		unsigned long long start = ticks();
		void *p = peer_get(pool);

		note(ticks() - start);
		held[i][k] = got(p);
	}
	count[i] = burst;
}

/* Make @n calls. */
static void run(unsigned long n)
{
	while (n) {
		unsigned int burst;
		unsigned int i = steps_next(&steps, &burst);

		if (count[i])
			burst = count[i];
		if (burst > n)
			break;
		n -= burst;
		if (count[i])
			free_burst(i);
		else
			alloc_burst(i, burst);
	}
}

/* Return the number of ticks that no call exceeds, except @part of the calls. */
static unsigned int all_but(double part)
{
	double all = 0, sum = 0;
	unsigned int i;

	for (i = 0; i < TICKS; i++)
		all += calls[i];
	for (i = 0; i < TICKS - 1; i++) {
		sum += calls[i];
		if (sum >= all * (1 - part))
			break;
	}
	return i;
}

static void forget(void)
{
	unsigned int i;

	for (i = 0; i < TICKS; i++)
		calls[i] = 0;
}

static bool begin(size_t size)
{
	unsigned int i;

	steps_make(&steps);
	for (i = 0; i < STEPS_POOLS; i++)
		if (!peer_create(&pools[i], size, STEPS_BURST, 1))
			return false;
	return true;
}

/*
 * Prints ns: the median, and the most that all but 1 %, 0.1 % and 0.01 % take.  Does not print the
 * longest call, because the machine did something else during that call.
 */
bool work_tail(size_t size, unsigned long n)
{
	unsigned long long start;
	double ns, began;

	if (!begin(size))
		return false;
	run(n);
	forget();
	began = seconds();
	start = ticks();
	run(n);
	ns = (seconds() - began) * 1e9 / (double)(ticks() - start);
	printf("%.0f %.0f %.0f %.0f\n", all_but(0.5) * ns,
	       all_but(0.01) * ns, all_but(0.001) * ns, all_but(0.0001) * ns);
	return true;
}
