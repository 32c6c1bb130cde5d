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
		"usage: schedule [-aetw] [-p PREEMPTIONS] [-s STATES] [SCENARIO...]\n"
		"       schedule [-w] -r \"STEP:WHO ...\" SCENARIO\n"
		"       schedule -l\n"
		"\n"
		"Runs all schedules of all scenarios, or of those that are named.\n"
		"	-a	look at states again that were seen already\n"
		"	-e	stop before each operation, not only where it matters\n"
		"	-p	so many preemptions at most; else any number\n"
		"	-s	so many states at most, of a scenario\n"
		"	-r	run one schedule and show each step\n"
		"	-t	see that what is skipped makes no difference; needs -p\n"
		"	-w	stores may be late, as on CPUs that order less\n"
		"	-l	list the mutants, each with a scenario that finds it;\n"
		"		-: the scenario names none\n");
	exit(2);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool replay(const struct scenario *s, const char *schedule, bool weak)
{
	bool good;

	sched->tracing = true;
	good = search_replay(s, schedule, weak);
	sched->tracing = false;
	printf("%s\n", good ? "all is well" : sched->why);
	return good;
}

static void tell(const struct scenario *s, const struct outcome *out,
		 double seconds)
{
	char most[32] = "any number of";

	if (out->preemptions != SCHED_ANY)
		snprintf(most, sizeof(most), "%u", out->preemptions);
	printf("# %u CPUs, %s preemptions, %u steps: ", s->cpus, most,
	       out->steps);
	printf("%lu states, %lu schedules run, %lu ends, %.2f s\n",
	       out->states, out->runs, out->ends, seconds);
}

static bool judge(const struct scenario *s, const struct limits *limits)
{
	double start = now();
	struct outcome out;
	bool good = search(s, limits, &out);

	tell(s, &out, now() - start);
	if (!good) {
		printf("# %s\n# schedule %s-r \"%s\" %s\n", sched->why,
		       limits->weak ? "-w " : "", out.schedule, s->name);
		if (replay(s, out.schedule, limits->weak))
			printf("# it is not seen again\n");
	}
	printf("%s %s%s\n", good ? "ok" : "not ok", s->name,
	       limits->weak ? "_with_late_stores" : "");
	fflush(stdout);
	return good;
}

/* True if the search finds the same ends if it skips nothing. */
static bool compare(const struct scenario *s, unsigned int preemptions)
{
	struct limits quick = { preemptions, ~0ul, true, false, false };
	struct limits slow = { preemptions, ~0ul, false, true, false };
	struct outcome skips, all;
	bool same;

	search(s, &quick, &skips);
	search(s, &slow, &all);
	same = skips.ends && skips.ends == all.ends &&
	       skips.digest == all.digest;
	printf("# %u preemptions: %lu schedules, %lu ends; of all %lu, %lu\n",
	       preemptions, skips.runs, skips.ends, all.runs, all.ends);
	printf("%s nothing_is_skipped_of_%s\n", same ? "ok" : "not ok",
	       s->name);
	return same;
}

/* Print a line for each mutant: its name, and the scenario's.  For none it is "-". */
static bool list(const struct scenario *s)
{
	const char *kills = *s->kills ? s->kills : "-";

	while (*kills) {
		int len = (int)strcspn(kills, " ");

		printf("%.*s %s\n", len, kills, s->name);
		kills += len;
		kills += strspn(kills, " ");
	}
	return true;
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

/* The options of the command line. */
struct asked {
	struct limits limits;
	const char *schedule;
	bool compares;
	bool lists;
	char **names;
};

/* getopt()'s variables are in the memory that is saved, but must not make states differ. */
static void read_options(struct asked *o, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "aelp:r:s:tw")) != -1) {
		if (c == 'a')
			o->limits.merge = false;
		else if (c == 'e')
			o->limits.all_words = true;
		else if (c == 'l')
			o->lists = true;
		else if (c == 'p')
			o->limits.preemptions = (unsigned int)atoi(optarg);
		else if (c == 'r')
			o->schedule = optarg;
		else if (c == 's')
			o->limits.states = strtoul(optarg, NULL, 0);
		else if (c == 't')
			o->compares = true;
		else if (c == 'w')
			o->limits.weak = true;
		else
			usage();
	}
	o->names = argv + optind;
	optind = 0;
	optarg = NULL;
}

static bool treat(const struct asked *o, const struct scenario *s)
{
	if (o->lists)
		return list(s);
	if (o->schedule)
		return replay(s, o->schedule, o->limits.weak);
	if (o->compares)
		return compare(s, o->limits.preemptions);
	return judge(s, &o->limits);
}

int main(int argc, char **argv)
{
	struct asked o = {
		.limits = { SCHED_ANY, 1000000, true, false, false },
	};
	const struct scenario *const *table;
	const struct scenario *s;
	bool good = true;

	world_init();
	sched_init();
	search_init();
	seen_init();
	touched_init();
	read_options(&o, argc, argv);
	for (table = scenarios; *table; table++)
		for (s = *table; s->name; s++)
			if (is_named(s->name, o.names))
				good &= treat(&o, s);
	return !good;
}
