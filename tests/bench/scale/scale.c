// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * scale.c - measures the inputs of a model of more processors
 *
 * Layer:   a program, with the library and its insides linked in.
 * Context: a team of threads, on at least two processors.
 *
 *	scale [ROUNDS]			5
 *
 * Prints a line per value, "what,threads,buckets,value"; scale.py takes the medians
 * of rounds.  Times are nanoseconds.  All is measured in each round, so that a
 * disturbance of the machine meets all alike.  Lines are measured twice, since a virtual
 * machine's processors may be moved, and then are nearer or farther.
 */
#include "plat.h"
#include "scale.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>

void scale_say(const char *what, unsigned int threads, unsigned int buckets,
	       double value)
{
	printf("%s,%u,%u,%.6g\n", what, threads, buckets, value);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;
	unsigned int processors = team_start();

	if (processors < 2)
		errx(1, "needs two processors");
	if (!rounds)
		errx(1, "usage: scale [ROUNDS]");
	puts("what,threads,buckets,value");
	scale_say("processors", 0, 0, processors);
	pool_set_hot_size(SCALE_BOUND);
	while (rounds--) {
		scale_say("round", 0, 0, (double)rounds);
		scale_line();
		scale_visit();
		scale_run(processors);
		scale_line();
	}
	team_stop();
	return 0;
}
