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

#define COMPUTED(name, kind, fn)	{ name, kind, fn, 0 }
#define MEMBER(kind, member) \
	{ #member, kind, NULL, offsetof(struct pool_stats, member) }

/* In the order in which top shows them, as far as they fit. */
const struct column columns[] = {
	COMPUTED("held", COLUMN_BYTES, pool_dump_bytes),
	COMPUTED("idle", COLUMN_BYTES, pool_dump_idle),
	MEMBER(COLUMN_COUNT, used),
	MEMBER(COLUMN_COUNT, cached),
	MEMBER(COLUMN_COUNT, shared),
	MEMBER(COLUMN_EVENTS, allocs),
	MEMBER(COLUMN_EVENTS, fills),
	MEMBER(COLUMN_EVENTS, spills),
	MEMBER(COLUMN_EVENTS, evictions),
	MEMBER(COLUMN_EVENTS, get_objs),
	MEMBER(COLUMN_EVENTS, put_objs),
	MEMBER(COLUMN_EVENTS, store_gets),
	MEMBER(COLUMN_EVENTS, store_puts),
	COMPUTED("failures", COLUMN_EVENTS, failures),
	COMPUTED("faults", COLUMN_COUNT, pool_dump_faults),
	MEMBER(COLUMN_COUNT, allocated),
	MEMBER(COLUMN_COUNT, need),
	COMPUTED("size", COLUMN_BYTES, pool_dump_object),
	{ NULL, COLUMN_COUNT, NULL, 0 },
};

unsigned long long column_value(const struct column *c, const struct pool_stats *s)
{
	if (c->compute)
		return c->compute(s);
	return *(const unsigned long long *)((const char *)s + c->offset);
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

/* At least three digits, as in the table of a dump: 64B, 6.1K, 18.2K, 182K. */
void format_bytes(char *text, size_t size, unsigned long long bytes)
{
	static const char units[] = "BKMGTPE";
	unsigned int unit = 0;

	while (unit < 6 && bytes >> (10 * unit) >= 1024)
		unit++;
	if (!unit || bytes >> (10 * unit) >= 100)
		snprintf(text, size, "%llu%c", bytes >> (10 * unit), units[unit]);
	else
		snprintf(text, size, "%llu.%llu%c", bytes >> (10 * unit),
			 (bytes & ((1ull << (10 * unit)) - 1)) * 10 >> (10 * unit),
			 units[unit]);
}
