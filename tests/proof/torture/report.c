// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * report.c - counts and prints what is wrong
 *
 * Layer:   torture.
 * Context: any.
 */
#define pr_fmt(fmt) "pool_torture: " fmt

#include <linux/printk.h>

#include "torture.h"

/* Lines to print at most; further lines are only counted. */
#define MOST_LINES	8

static const char * const names[TORTURE_WRONGS] = {
	"twice", "contents", "reader", "zero", "built", "limit", "count", "fault",
	"make", "idle",
};

static atomic_long_t wrongs[TORTURE_WRONGS];
static atomic_t lines;

/* True if an error was found, so that all units stop. */
bool torture_failed(void)
{
	return atomic_read(&lines);
}

/* @pool may be NULL. */
void torture_wrong(enum torture_wrong what, const struct torture_pool *pool,
		   const char *text, unsigned long is, unsigned long expected)
{
	atomic_long_inc(&wrongs[what]);
	if (atomic_fetch_add_unless(&lines, 1, MOST_LINES) < MOST_LINES)
		pr_err("%s: %s: %s: %#lx, not %#lx\n", names[what],
		       pool ? pool->name : "-", text, is, expected);
}

/* Write a counter for each kind of error. */
int torture_wrongs(char *buf, size_t size)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < TORTURE_WRONGS; i++)
		n += scnprintf(buf + n, size - n, " %s=%ld", names[i],
			       atomic_long_read(&wrongs[i]));
	return n;
}
