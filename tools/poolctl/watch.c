// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * watch.c - the totals of all pools, a line each time, as vmstat has them
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 */
#include "poolctl.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* The names of the columns are printed again after so many lines. */
#define PAGE		20

#define WIDTH		10

double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void sleep_until(double when)
{
	struct timespec to = { .tv_sec = (time_t)when };

	to.tv_nsec = (long)((when - (double)to.tv_sec) * 1e9);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &to, NULL) == EINTR)
		;
}

/* When to look again.  Looks that are missed, as by a stopped program, are not made up for. */
double next_look(double last, double seconds)
{
	double now = seconds_now();

	return last + seconds < now ? now : last + seconds;
}

/* Bytes of all pools, by where they are; then events in a second. */
static const char *const bytes[] = { "held", "used", "cached", "shared" };

static bool is_byte_column(const struct column *c)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(bytes); i++)
		if (!strcmp(c->name, bytes[i]))
			return true;
	return false;
}

static void print_head(FILE *to)
{
	const struct column *c;
	char text[32];

	fprintf(to, "%6s", "pools");
	for (c = columns; c->name; c++) {
		snprintf(text, sizeof(text), "%s%s", c->name,
			 c->kind == COLUMN_EVENTS ? "/s" : "");
		if (is_byte_column(c) || c->kind == COLUMN_EVENTS)
			fprintf(to, " %*s", WIDTH + 2, text);
	}
	fputs("\n", to);
}

/* "held" is in bytes, and the others are counts of objects. */
static void print_bytes(FILE *to, const struct column *c, const struct table *t)
{
	unsigned long long sum = 0;
	char text[32];
	size_t i;

	for (i = 0; i < t->n; i++) {
		const struct pool_stats *s = &t->pools[i].s;

		sum += column_value(c, s) * (c->kind == COLUMN_BYTES ? 1 : s->object_size);
	}
	pool_dump_format_bytes(text, sizeof(text), sum);
	fprintf(to, " %*s", WIDTH + 2, text);
}

/* @before: NULL where this is the first line. */
static void print_rate(FILE *to, const struct column *c, const struct table *t,
		       const struct table *before, double seconds)
{
	unsigned long long sum = 0;
	size_t i;

	if (!before) {
		fprintf(to, " %*s", WIDTH + 2, "-");
		return;
	}
	for (i = 0; i < t->n; i++)
		sum += column_since(c, &t->pools[i].s, before);
	fprintf(to, " %*.0f", WIDTH + 2, (double)sum / seconds);
}

static void print_line(const struct table *t, const struct table *before,
		       double seconds)
{
	const struct column *c;

	printf("%6zu", t->n);
	for (c = columns; c->name; c++) {
		if (is_byte_column(c))
			print_bytes(stdout, c, t);
		else if (c->kind == COLUMN_EVENTS)
			print_rate(stdout, c, t, before, seconds);
	}
	puts("");
	if (fflush(stdout))
		fail(1, "the output cannot be written: %s", strerror(errno));
}

/* As list, each time. */
static void watch_dumps(const struct options *o, double seconds, unsigned int times)
{
	double next = seconds_now();
	unsigned int i;
	struct table t;

	for (i = 1;; i++) {
		source_table(&o->source, &t, o->format == POOL_DUMP_TABLE);
		table_sort(&t, o);
		print_all(&t, o);
		table_free(&t);
		if (i == times)
			return;
		next = next_look(next, seconds);
		sleep_until(next);
	}
}

static void watch_lines(const struct options *o, double seconds, unsigned int times)
{
	struct table t, before = { .n = 0 };
	double next = seconds_now(), now, then = 0;
	unsigned int i;

	for (i = 0;; i++) {
		if (i % PAGE == 0)
			print_head(stdout);
		source_table(&o->source, &t, false);
		now = seconds_now();
		print_line(&t, i ? &before : NULL, now - then);
		table_free(&before);
		before = t;
		then = now;
		if (i + 1 == times)
			break;
		next = next_look(next, seconds);
		sleep_until(next);
	}
	table_free(&before);
}

/* @times: 0: until it is interrupted. */
void watch(const struct options *o, double seconds, unsigned int times)
{
	if (o->format == POOL_DUMP_TABLE && !o->output)
		watch_lines(o, seconds, times);
	else
		watch_dumps(o, seconds, times);
}
