// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * worker.c - runs workloads on one peer, as commands say
 *
 * Layer:   a program per peer; above the workloads.  bench.py commands it.
 *
 *	PEER [--size BYTES] [--bound BYTES] [--trace FILE] WORKLOAD...
 *
 * The worker prepares a workload and answers "ready" or "cannot".  Then each line of
 * stdin is a number of operations to do.  It prints how many were done, and the
 * nanoseconds.  The end of stdin, or an empty line, ends the workload.
 *
 *	--once N	do N operations of each, and print nothing
 *	--count N	the same, after N more to warm up.  Under callgrind each
 *			workload's instructions become a dump of its name and its
 *			number of operations
 *	--memory N	do N operations and print the most bytes that were resident
 *			since the workload was prepared, above those before
 *	--tail N	no workload: see work_tail.c
 *	--grow N	no workload: see work_grow.c
 */
#include "helper.h"
#include "work.h"

#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name) ((void)(name))
#endif

/* Bytes in front of all code of the program, because this file is linked first. */
#ifdef BENCH_PLACE
#define TEXT(x)	#x
#define SKIP(n)	TEXT(.skip n)
__asm__(".text\n" SKIP(BENCH_PLACE) "\n");
#endif

/* The options of the command line. */
static struct {
	size_t size;
	unsigned long bound;		/* 0: the peer's default */
	unsigned long once;
	unsigned long count;
	unsigned long memory;
	unsigned long tail;
	unsigned long grow;
	const char *trace;
} args = { .size = 64 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void do_slices(const struct work *w)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		unsigned long n = strtoul(line, NULL, 10);
		double start = now();

		if (!n)
			break;
		n = w->run(n);
		printf("%lu %.0f\n", n, now() - start);
	}
}

static void do_count(const struct work *w)
{
	char name[64];
	unsigned long n;

	w->run(args.count);
	CALLGRIND_ZERO_STATS;
	n = w->run(args.count);
	snprintf(name, sizeof(name), "%s %lu", w->name, n);
	CALLGRIND_DUMP_STATS_AT(name);
}

/* Returns the kilobytes of a line of /proc/self/status. */
static long status(const char *key)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	long value = -1;

	if (!file)
		return -1;
	while (value < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			value = strtol(line + strlen(key) + 1, NULL, 10);
	fclose(file);
	return value;
}

/* Reset the peak of resident memory to its present value. */
static void forget_peak(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "5", 1) != 1)
		err(1, "/proc/self/clear_refs");
	close(fd);
}

static void do_memory(const struct work *w)
{
	long before = status("VmRSS");

	forget_peak();
	if (!w->prepare(args.size)) {
		puts("cannot");
		return;
	}
	w->run(args.memory);
	printf("%ld\n", status("VmHWM") - before);
	w->finish();
}

static void do_work(const struct work *w)
{
	if (args.memory) {
		do_memory(w);
		return;
	}
	if (!w->prepare(args.size)) {
		puts("cannot");
		return;
	}
	if (args.once) {
		w->run(args.once);
	} else if (args.count) {
		do_count(w);
	} else {
		puts("ready");
		do_slices(w);
	}
	w->finish();
}

static unsigned long number(const char *text, unsigned long min)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || n < min || n > 1ul << 40)
		errx(2, "%s: %lu to %lu", text, min, 1ul << 40);
	return n;
}

static void read_options(int argc, char **argv)
{
	static const struct option words[] = {
		{ "size", required_argument, NULL, 's' },
		{ "bound", required_argument, NULL, 'b' },
		{ "trace", required_argument, NULL, 't' },
		{ "once", required_argument, NULL, 'o' },
		{ "count", required_argument, NULL, 'c' },
		{ "memory", required_argument, NULL, 'm' },
		{ "tail", required_argument, NULL, 'l' },
		{ "grow", required_argument, NULL, 'g' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", words, NULL)) != -1) {
		if (c == 's')
			args.size = number(optarg, sizeof(uintptr_t));
		else if (c == 'b')
			args.bound = number(optarg, 0);
		else if (c == 'o')
			args.once = number(optarg, 1);
		else if (c == 'c')
			args.count = number(optarg, 1);
		else if (c == 'm')
			args.memory = number(optarg, 1);
		else if (c == 'l')
			args.tail = number(optarg, 1);
		else if (c == 'g')
			args.grow = number(optarg, 1);
		else if (c == 't')
			args.trace = optarg;
		else
			exit(2);
	}
}

int main(int argc, char **argv)
{
	const char *why;

	setvbuf(stdout, NULL, _IOLBF, 0);
	read_options(argc, argv);
	helper_look();
	why = peer_start(args.bound);
	if (why)
		errx(1, "%s", why);
	helper_start();
	if (args.tail && !work_tail(args.size, args.tail))
		puts("cannot");
	if (args.grow && !work_grow(args.size, args.grow))
		puts("cannot");
	for (; optind < argc; optind++) {
		if (args.trace && !strcmp(argv[optind], "trace"))
			work_trace_load(args.trace);
		do_work(work_find(argv[optind]));
	}
	helper_stop();
	return 0;
}
