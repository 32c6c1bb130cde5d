// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump_table.c - a dump for people: aligned columns, sizes with units
 *
 * Layer:   above dump.c, which calls it back.
 * Context: dump mutex held.
 *
 * The dump goes along the pools twice: once to find the widths of columns, and which are not 0
 * everywhere, and once to print.  Programs read the raw table of dump_text.c, whose columns are
 * always the same.
 */
#include "seam/plat.h"
#include "dump.h"

/* Columns are two spaces apart if the table then has no more than this width. */
#define NARROW		80

/* The line of a pool's other names is broken at this width. */
#define WRAP		78

/* At most this many other names of a pool are shown; the rest are counted. */
#define NAMES_MOST	16

/* Longer than any cell, and than any name as a pool records it. */
#define CELL_LEN	24
#define NAME_LEN	32

enum column_kind {
	EXACT,				/* bytes, always shown, not rounded */
	BYTES,				/* bytes, always shown, with a unit */
	COUNT,				/* a number, always shown */
	SELDOM,				/* a number, shown only if a pool in the table has any */
	NEVER,
};

/* A column whose number is computed from several numbers. */
struct column {
	const char *name;
	enum column_kind kind;
	unsigned long long (*value)(const struct pool_stats *s);
};

/*
 * Columns after the pool's name, except the last one, which comes after the columns of
 * dump_numbers.c.
 */
static const struct column computed[] = {
	{ "size", EXACT, pool_dump_object },
	{ "held", BYTES, pool_dump_bytes },
	{ "idle", BYTES, pool_dump_idle },
	{ "faults", SELDOM, pool_dump_faults },
};

#define BEFORE		3
#define COLUMNS		(BEFORE + pool_dump_columns_n + 1)
#define COLUMNS_MOST	(BEFORE + POOL_DUMP_COLUMNS_MOST)

/* The results of a first look at all pools. */
struct layout {
	unsigned int name;		/* width of the column of names */
	unsigned int width[COLUMNS_MOST];	/* 0: the column is left out */
	unsigned int gap;		/* spaces between columns */
	bool seldom[COLUMNS_MOST];	/* of SELDOM: a pool in the table has any */
};

/* Return the statistic that a column shows; NULL: the column is computed. */
static const struct pool_dump_field *field_of(unsigned int column)
{
	if (column < BEFORE || column == COLUMNS - 1)
		return NULL;
	return &pool_dump_columns[column - BEFORE];
}

static const struct column *computed_of(unsigned int column)
{
	return &computed[column < BEFORE ? column : BEFORE];
}

static const char *name_of(unsigned int column)
{
	const struct pool_dump_field *field = field_of(column);

	return field ? field->name : computed_of(column)->name;
}

static enum column_kind kind_of(unsigned int column)
{
	static const enum column_kind kinds[] = {
		[POOL_DUMP_NEVER] = NEVER,
		[POOL_DUMP_SELDOM] = SELDOM,
		[POOL_DUMP_ALWAYS] = COUNT,
	};
	const struct pool_dump_field *field = field_of(column);

	return field ? kinds[field->column] : computed_of(column)->kind;
}

static unsigned long long value_of(unsigned int column, const struct pool_stats *s)
{
	const struct pool_dump_field *field = field_of(column);

	return field ? pool_dump_value(field, s) : computed_of(column)->value(s);
}

/* Format bytes with at least three digits, rounded down: 64B, 6.1K, 18.2K, 182K. */
size_t pool_dump_format_bytes(char *text, size_t len, unsigned long long bytes)
{
	static const char units[] = "BKMGTPE";
	unsigned int unit = 0;
	unsigned long long rest;

	while (unit < 6 && bytes >> (10 * unit) >= 1024)
		unit++;
	rest = bytes & ((1ull << (10 * unit)) - 1);
	bytes >>= 10 * unit;
	if (!unit || bytes >= 100)
		return snprintf(text, len, "%llu%c", bytes, units[unit]);
	return snprintf(text, len, "%llu.%llu%c", bytes,
			rest * 10 >> (10 * unit), units[unit]);
}

static size_t format_cell(char *text, unsigned int column, const struct pool_stats *s)
{
	unsigned long long value = value_of(column, s);
	enum column_kind kind = kind_of(column);

	if (kind == EXACT)
		return snprintf(text, CELL_LEN, "%lluB", value);
	if (kind == BYTES)
		return pool_dump_format_bytes(text, CELL_LEN, value);
	return snprintf(text, CELL_LEN, "%llu", value);
}

static void widen(unsigned int *width, size_t need)
{
	if (*width < need)
		*width = (unsigned int)need;
}

static void measure_pool(struct layout *l, const struct pool_stats *s)
{
	char text[CELL_LEN];
	unsigned int i;

	widen(&l->name, strlen(s->name));
	for (i = 0; i < COLUMNS; i++) {
		widen(&l->width[i], format_cell(text, i, s));
		if (value_of(i, s))
			l->seldom[i] = true;
	}
}

/* Leave out columns that are 0 everywhere, and choose the gap. */
static void settle(struct layout *l)
{
	unsigned int i, wide = l->name;

	for (i = 0; i < COLUMNS; i++) {
		if (kind_of(i) == NEVER || (kind_of(i) == SELDOM && !l->seldom[i]))
			l->width[i] = 0;
		else
			widen(&l->width[i], strlen(name_of(i)));
		if (l->width[i])
			wide += l->width[i] + 2;
	}
	l->gap = wide <= NARROW ? 2 : 1;
}

static void measure(struct pool_dump *d, struct layout *l)
{
	*l = (struct layout){ .name = strlen("pool") };
	pool_dump_rewind(d);
	while (pool_dump_next(d))
		measure_pool(l, &d->now);
	settle(l);
}

static void put_spaces(struct pool_dump *d, size_t n)
{
	while (n--)
		pool_dump_put(d, " ");
}

static void put_left(struct pool_dump *d, const char *text, unsigned int width)
{
	pool_dump_put(d, text);
	put_spaces(d, width - strlen(text));
}

static void put_right(struct pool_dump *d, const char *text,
		      unsigned int width)
{
	put_spaces(d, width - strlen(text));
	pool_dump_put(d, text);
}

static void put_head(struct pool_dump *d, const struct layout *l)
{
	unsigned int i;

	put_left(d, "pool", l->name);
	for (i = 0; i < COLUMNS; i++)
		if (l->width[i])
			put_right(d, name_of(i), l->width[i] + l->gap);
	pool_dump_put(d, "\n");
	pool_dump_commit(d);
}

static void put_pool(struct pool_dump *d, const struct layout *l)
{
	char text[CELL_LEN];
	unsigned int i;

	pool_printable(text, sizeof(text), d->now.name, sizeof(d->now.name));
	put_left(d, text, l->name);
	for (i = 0; i < COLUMNS; i++) {
		if (!l->width[i])
			continue;
		format_cell(text, i, &d->now);
		put_right(d, text, l->width[i] + l->gap);
	}
	pool_dump_put(d, "\n");
	pool_dump_commit(d);
}

/*
 * Fetch the name of the @nth registration and how many registrations have it.  False:
 * there is no such registration, or one before it has the same name.
 */
static bool get_name(struct pool_dump *d, unsigned int nth, char *name,
		     unsigned int *times)
{
	unsigned int i;

	if (!pool_dump_reg_name(d, nth))
		return false;
	snprintf(name, NAME_LEN, "%.*s", NAME_LEN - 1, d->detail);
	*times = 0;
	for (i = 0; i < NAMES_MOST && pool_dump_reg_name(d, i); i++) {
		if (strcmp(name, d->detail))
			continue;
		if (i < nth)
			return false;
		(*times)++;
	}
	return true;
}

/* Write a word of the line of names; return the column after it. */
static unsigned int put_name(struct pool_dump *d, const char *name,
			     unsigned int at)
{
	unsigned int len = (unsigned int)strlen(name);

	if (!at || at + 2 + len > WRAP) {
		pool_dump_put(d, at ? ",\n        " : "  shared by ");
		at = at ? 8 : 12;
	} else {
		pool_dump_put(d, ", ");
		at += 2;
	}
	pool_dump_put(d, name);
	return at + len;
}

/* Write the other names that the pool serves. */
static void put_names(struct pool_dump *d)
{
	unsigned int nth, times, at = 0;
	char name[NAME_LEN], shown[NAME_LEN];
	char text[NAME_LEN + CELL_LEN];

	for (nth = 0; nth < NAMES_MOST; nth++) {
		if (!get_name(d, nth, name, &times))
			continue;
		pool_printable(shown, sizeof(shown), name, sizeof(name));
		snprintf(text, sizeof(text), times > 1 ? "%s (%u times)" :
			 "%s", shown, times);
		at = put_name(d, text, at);
	}
	if (at && d->now.registrations > nth) {
		snprintf(text, sizeof(text), "%u more",
			 d->now.registrations - nth);
		put_name(d, text, at);
	}
	if (at)
		pool_dump_put(d, "\n");
	pool_dump_commit(d);
}

static void put_bytes(struct pool_dump *d, const char *before,
		      unsigned long long bytes)
{
	char text[CELL_LEN];

	pool_dump_format_bytes(text, sizeof(text), bytes);
	pool_dump_put(d, before);
	pool_dump_put(d, text);
}

/*
 * Write the kinds of memory from @from to before @to that are not 0: four fit a line of 80
 * columns.
 */
static void put_kinds(struct pool_dump *d, const unsigned long long *bytes, unsigned int from,
		      unsigned int to, const char *between)
{
	unsigned int i, n = 0;

	for (i = from; i < to; i++) {
		if (!bytes[i])
			continue;
		if (n) {
			pool_dump_put(d, between);
			pool_dump_put(d, n % 4 ? " " : "\n  ");
		}
		n++;
		pool_dump_put(d, pool_dump_memory_name(i));
		put_bytes(d, " ", bytes[i]);
	}
}

static void put_memory(struct pool_dump *d)
{
	const unsigned long long *bytes = d->memory.bytes;

	put_bytes(d, "memory ", pool_dump_resident(&d->memory));
	pool_dump_put(d, " = ");
	put_kinds(d, bytes, PLAT_MEMORY_OBJECTS, PLAT_MEMORY_KINDS, " +");
	pool_dump_put(d, bytes[PLAT_MEMORY_RESERVED] ? "\nslabs: " : "");
	put_kinds(d, bytes, 0, PLAT_MEMORY_OBJECTS, ",");
	pool_dump_put(d, "\n");
}

static void put_classes(struct pool_dump *d)
{
	unsigned long long bytes[PLAT_MEMORY_KINDS];
	unsigned int i, stride;

	for (i = 1; d->memory.known && (stride = plat_memory(i, bytes)); i++) {
		if (!bytes[PLAT_MEMORY_IN_USE])
			continue;
		put_bytes(d, "slabs of ", stride);
		pool_dump_put(d, ": ");
		put_kinds(d, bytes, PLAT_MEMORY_IN_USE, PLAT_MEMORY_KEPT, ",");
		pool_dump_put(d, "\n");
		pool_dump_commit(d);
	}
}

static void table_body(struct pool_dump *d)
{
	struct layout l;

	measure(d, &l);
	put_head(d, &l);
	pool_dump_rewind(d);
	while (pool_dump_next(d)) {
		put_pool(d, &l);
		if (d->options.detailed)
			pool_dump_details(d);
		else if (d->now.registrations > 1)
			put_names(d);
	}
	if (d->options.detailed)
		put_classes(d);
}

static void table_tail(struct pool_dump *d, bool cut)
{
	if (cut)
		pool_dump_put(d, "truncated\n");
	pool_dump_put(d, "total of ");
	pool_dump_number(d, d->total.pools);
	put_bytes(d, d->total.pools == 1 ? " pool: held " : " pools: held ",
		  d->total.allocated);
	put_bytes(d, " = used ", d->total.used);
	put_bytes(d, " + cached ", d->total.cached);
	put_bytes(d, " + shared ", d->total.shared);
	pool_dump_put(d, "\n");
	if (d->memory.known)
		put_memory(d);
}

const struct pool_dump_writer pool_dump_table = {
	.body = table_body,
	.tail = table_tail,
};
