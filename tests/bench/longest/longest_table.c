// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * longest_table.c - the longest call of each cause, as a table
 *
 * Layer:   below longest_call.c.
 * Context: one thread at a time.
 */
#include "longest.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS		128

static struct row {
	char cause[64];
	unsigned long *ours;		/* the library's instructions of each call */
	unsigned long calls;
	unsigned long room;		/* elements of ours[] */
	unsigned long others;		/* the most of a call */
} rows[ROWS];

static unsigned int used;

static struct row *row_of(const char *cause)
{
	unsigned int i;

	for (i = 0; i < used; i++)
		if (!strcmp(rows[i].cause, cause))
			return &rows[i];
	if (used == ROWS)
		errx(1, "too many causes");
	snprintf(rows[used].cause, sizeof(rows[used].cause), "%s", cause);
	return &rows[used++];
}

void table_add(const char *cause, unsigned long ours, unsigned long others)
{
	struct row *r = row_of(cause);

	if (r->calls == r->room) {
		r->room = r->room ? 2 * r->room : 64;
		r->ours = reallocarray(r->ours, r->room, sizeof(*r->ours));
		if (!r->ours)
			err(1, "table");
	}
	r->ours[r->calls++] = ours;
	if (others > r->others)
		r->others = others;
}

static int by_number(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a;
	unsigned long y = *(const unsigned long *)b;

	return (x > y) - (x < y);
}

static unsigned long most(const struct row *r)
{
	return r->ours[r->calls - 1];
}

/* Compare, so that the longest call comes first. */
static int by_most(const void *a, const void *b)
{
	unsigned long x = most(a);
	unsigned long y = most(b);

	return (x < y) - (x > y);
}

static void rule(void)
{
	puts("================================  ========  ========  ========  ========");
}

/* Prints the table in the form of Documentation. */
void table_print(void)
{
	unsigned int i;

	for (i = 0; i < used; i++)
		qsort(rows[i].ours, rows[i].calls, sizeof(*rows[i].ours),
		      by_number);
	qsort(rows, used, sizeof(*rows), by_most);
	rule();
	printf("%-32s  %-8s  %-8s  %-8s  %s\n", "call and cause", "calls",
	       "median", "most", "libc");
	rule();
	for (i = 0; i < used; i++) {
		const struct row *r = &rows[i];

		printf("%-32s  %-8lu  %-8lu  %-8lu  %lu\n", r->cause, r->calls,
		       r->ours[r->calls / 2], most(r), r->others);
	}
	rule();
}
