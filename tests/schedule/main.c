// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - the schedule enumerator's command line
 *
 * Layer:   tests.
 * Context: see usage().
 */
#include "sched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void usage(void)
{
	fprintf(stderr,
		"usage: schedule [-ae] [-p PREEMPTIONS] [-s STATES] [SCENARIO...]\n"
		"       schedule -r \"STEP:WHO ...\" SCENARIO\n"
		"       schedule -l\n"
		"\n"
		"Runs all schedules of all scenarios, or of those that are named.\n"
		"	-a	look at states again that were seen already\n"
		"	-e	stop before each operation, not only where it matters\n"
		"	-p	so many preemptions at most; else any number\n"
		"	-s	so many states at most, of a scenario\n"
		"	-r	run one schedule and show each step\n"
		"	-l	list the mutants, each with a scenario that finds it\n");
	exit(2);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void replay(const struct scenario *s, const char *schedule)
{
	bool good;

	sched->tracing = true;
	good = search_replay(s, schedule);
	sched->tracing = false;
	printf("%s\n", good ? "all is well" : sched->why);
}

static void tell(const struct scenario *s, const struct outcome *out,
		 double seconds)
{
	char most[32] = "any number of";

	if (out->preemptions != SCHED_ANY)
		snprintf(most, sizeof(most), "%u", out->preemptions);
	printf("# %u CPUs, %s preemptions, %u steps: %lu states, %lu schedules run, %lu ends, %.2f s\n",
	       s->cpus, most, out->steps, out->states, out->runs, out->ends,
	       seconds);
}

static bool judge(const struct scenario *s, const struct limits *limits)
{
	double start = now();
	struct outcome out;
	bool good = search(s, limits, &out);

	tell(s, &out, now() - start);
	if (!good) {
		printf("# %s\n# schedule -r \"%s\" %s\n", sched->why,
		       out.schedule, s->name);
		replay(s, out.schedule);
	}
	printf("%s %s\n", good ? "ok" : "not ok", s->name);
	fflush(stdout);
	return good;
}

static void list(void)
{
	const struct scenario *s;

	for (s = scenarios; s->name; s++)
		if (s->kills)
			printf("%s %s\n", s->kills, s->name);
}

static bool is_named(const char *name, char **names)
{
	if (!*names)
		return true;
	while (*names)
		if (!strcmp(name, *names++))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct limits limits = { SCHED_ANY, 1000000, true, false };
	const char *schedule = NULL;
	const struct scenario *s;
	bool good = true;
	int c;

	world_init();
	sched_init();
	search_init();
	table_init();
	words_init();
	while ((c = getopt(argc, argv, "aelp:r:s:")) != -1) {
		if (c == 'a')
			limits.merge = false;
		else if (c == 'e')
			limits.all_words = true;
		else if (c == 'l')
			return list(), 0;
		else if (c == 'p')
			limits.preemptions = (unsigned int)atoi(optarg);
		else if (c == 's')
			limits.states = strtoul(optarg, NULL, 0);
		else if (c == 'r')
			schedule = optarg;
		else
			usage();
	}
	for (s = scenarios; s->name; s++) {
		if (!is_named(s->name, argv + optind))
			continue;
		if (schedule)
			replay(s, schedule);
		else
			good &= judge(s, &limits);
	}
	return !good;
}
