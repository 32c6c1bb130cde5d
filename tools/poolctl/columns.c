// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * columns.c - what tables are sorted by, and what top and watch show
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 */
#include "poolctl.h"

#include <string.h>

static unsigned long long failures(const struct pool_stats *s)
{
	return s->failed + s->refused + s->injected;
}

/* In the order in which top shows them, as far as they fit. */
struct column columns[] = {
	{ "held", COLUMN_BYTES, pool_dump_bytes, NULL },
	{ "idle", COLUMN_BYTES, pool_dump_idle, NULL },
	{ .name = "used" },
	{ .name = "cached" },
	{ .name = "shared" },
	{ .name = "allocs" },
	{ .name = "fills" },
	{ .name = "spills" },
	{ .name = "evictions" },
	{ .name = "get_objs" },
	{ .name = "put_objs" },
	{ .name = "store_gets" },
	{ .name = "store_puts" },
	{ "failures", COLUMN_EVENTS, failures, NULL },
	{ "faults", COLUMN_COUNT, pool_dump_faults, NULL },
	{ .name = "allocated" },
	{ .name = "need" },
	{ "size", COLUMN_BYTES, pool_dump_object, NULL },
	{ .name = NULL },
};

/* Find the numbers that are not computed, and their kinds, in the table of all numbers. */
void columns_make(void)
{
	const struct pool_dump_field *f;
	struct column *c;

	for (f = pool_dump_columns; f->name; f++)
		for (c = columns; c->name; c++)
			if (!c->compute && !strcmp(c->name, f->name)) {
				c->field = f;
				c->kind = pool_dump_is_event(f) ? COLUMN_EVENTS : COLUMN_COUNT;
			}
}

unsigned long long column_value(const struct column *c, const struct pool_stats *s)
{
	return c->compute ? c->compute(s) : pool_dump_value(c->field, s);
}

const struct column *column_find(const char *name)
{
	const struct column *c = columns;

	while (c->name && strcmp(c->name, name))
		c++;
	return c->name ? c : NULL;
}

/* Events of a pool since an earlier table.  A pool that is new had none. */
unsigned long long column_since(const struct column *c, const struct pool_stats *now,
				const struct table *before)
{
	const struct entry *e = table_find(before, now->id);
	unsigned long long was = e ? column_value(c, &e->s) : 0, is = column_value(c, now);

	return is > was ? is - was : 0;
}

void column_names(char *text, size_t size)
{
	const struct column *c;
	size_t len = 0;

	for (c = columns; c->name && len < size; c++)
		len += (size_t)snprintf(text + len, size - len, " %s", c->name);
}
