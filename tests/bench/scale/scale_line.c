// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scale_line.c - a cache line's way between two processors
 *
 * Layer:   part of scale.c.
 * Context: two of the team, on two processors.
 *
 * One of them writes lines; the other reads them, then writes them; then the
 * first one writes them back.  The lines are linked in shuffled order, each access
 * needs the result of the one before, and writes are locked.  So each access waits for
 * its line, and nothing is prefetched.
 *
 *	first:   write  .      .        fetch  own  .    again  .      claim
 *	second:  .      read   upgrade  .      .    sum  .      third  .
 *
 * A sum over many lines does not wait for each of them: they arrive side by side.
 * "again" tells whether the first reader of a written line takes it away from its
 * writer; "third", whether the next one does.  "claim": both have read the line.
 */
#include "plat.h"
#include "scale.h"

#include <err.h>
#include <stdlib.h>

#define LINES		512
#define TURNS		20000

struct line {
	unsigned long next;
} __attribute__((aligned(POOL_ALIGN)));

static struct line line[LINES];
static unsigned int order[LINES];
static struct line phase, word;

/* One cycle through all lines, shuffled. */
static void link_lines(void)
{
	unsigned int i;

	for (i = 0; i < LINES; i++)
		order[i] = i;
	for (i = LINES - 1; i > 1; i--) {
		unsigned int k = 1 + (unsigned int)rand() % i;
		unsigned int was = order[i];

		order[i] = order[k];
		order[k] = was;
	}
	for (i = 0; i < LINES; i++)
		line[order[i]].next = order[(i + 1) % LINES];
}

static double read_all(void)
{
	double start = scale_clock(CLOCK_MONOTONIC);
	unsigned long at = 0;

	do {
		at = __atomic_load_n(&line[at].next, __ATOMIC_ACQUIRE);
	} while (at);
	return (scale_clock(CLOCK_MONOTONIC) - start) / LINES;
}

/* Adds zero, which the compiler must not know, or it would not write. */
static double write_all(void)
{
	double start = scale_clock(CLOCK_MONOTONIC);
	unsigned long zero = __atomic_load_n(&word.next, __ATOMIC_RELAXED);
	unsigned long at = 0;

	do {
		at = __atomic_fetch_add(&line[at].next, zero, __ATOMIC_ACQ_REL);
	} while (at);
	return (scale_clock(CLOCK_MONOTONIC) - start) / LINES;
}

static double sum_all(void)
{
	double start = scale_clock(CLOCK_MONOTONIC);
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < LINES; i++)
		sum += __atomic_load_n(&line[order[i]].next, __ATOMIC_RELAXED);
	if (sum != LINES * (LINES - 1) / 2)
		errx(1, "lines are lost");
	return (scale_clock(CLOCK_MONOTONIC) - start) / LINES;
}

/* The release pairs with the acquire, so that the measured accesses come after. */
static void turn_is(unsigned long n)
{
	while (__atomic_load_n(&phase.next, __ATOMIC_ACQUIRE) != n)
		plat_pause(false);
}

static void turn_next(unsigned long n)
{
	__atomic_store_n(&phase.next, n, __ATOMIC_RELEASE);
}

static void first(void)
{
	double own;

	write_all();
	turn_next(1);
	turn_is(2);
	scale_say("line_fetch", 2, 0, write_all());
	own = write_all();
	scale_say("line_own", 1, 0, own);
	scale_say("line_own_read", 1, 0, read_all());
	write_all();
	turn_next(3);
	turn_is(4);
	scale_say("line_again", 2, 0, read_all());
	turn_next(5);
	turn_is(6);
	scale_say("line_claim", 2, 0, write_all());
	turn_next(0);
}

static void second(void)
{
	turn_is(1);
	scale_say("line_read", 2, 0, read_all());
	scale_say("line_upgrade", 2, 0, write_all());
	turn_next(2);
	turn_is(3);
	scale_say("line_sum", 2, 0, sum_all());
	turn_next(4);
	turn_is(5);
	scale_say("line_third", 2, 0, read_all());
	turn_next(6);
	turn_is(0);
}

/* A word that both write in turn, then one that both exchange when they can. */
static void ping_pong(unsigned int i)
{
	double start = scale_clock(CLOCK_MONOTONIC);
	unsigned long turn;

	for (turn = i; turn < TURNS; turn += 2) {
		while (__atomic_load_n(&word.next, __ATOMIC_ACQUIRE) != turn)
			;
		__atomic_store_n(&word.next, turn + 1, __ATOMIC_RELEASE);
	}
	if (i)
		scale_say("ping_pong", 2, 0,
			  (scale_clock(CLOCK_MONOTONIC) - start) / TURNS);
}

static void exchange(unsigned int i)
{
	double start = scale_clock(CLOCK_MONOTONIC);
	unsigned int turn;

	for (turn = 0; turn < TURNS; turn++)
		__atomic_exchange_n(&word.next, turn, __ATOMIC_ACQUIRE);
	if (i)
		scale_say("exchange", 2, 0,
			  (scale_clock(CLOCK_MONOTONIC) - start) / TURNS);
}

static void pass_lines(unsigned int i, void *arg)
{
	(void)arg;
	if (i)
		second();
	else
		first();
	ping_pong(i);
	exchange(i);
}

void scale_line(void)
{
	link_lines();
	word.next = 0;
	team_run(2, pass_lines, NULL);
}
