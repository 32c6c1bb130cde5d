// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bugs.c - what checks have found, by pool and by kind
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * Dumps have counts.  Each report, with the code that did it, is in the target's log.
 */
#include "poolctl.h"

#include <string.h>

#define BUGS_VERSION	1

/* Behind the kinds of faults: objects that were put aside for one of them. */
static const char quarantined[] = "quarantined";

static bool is_shown(const struct pool_dump_field *f)
{
	static const struct pool_stats none;
	size_t first = offsetof(struct pool_stats, faults);

	return (f->offset >= first && f->offset < first + sizeof(none.faults)) ||
	       !strcmp(f->name, quarantined);
}

static unsigned long long sum_of(const struct table *t, const struct pool_dump_field *f)
{
	unsigned long long sum = 0;
	size_t i;

	for (i = 0; i < t->n; i++)
		sum += pool_dump_value(f, &t->pools[i].s);
	return sum;
}

static bool has_faults(const struct entry *e, const char *arg)
{
	(void)arg;
	return pool_dump_faults(&e->s);
}

static unsigned long long count_faults(const struct table *t)
{
	unsigned long long sum = 0;
	size_t i;

	for (i = 0; i < t->n; i++)
		sum += pool_dump_faults(&t->pools[i].s);
	return sum;
}

/* Kinds that no pool has are left out. */
static void print_row(const struct table *t, const struct pool_stats *s)
{
	const struct pool_dump_field *f;
	char name[POOL_SHOWN_LEN + 1];

	pool_printable(name, sizeof(name), s->name, sizeof(s->name));
	printf("%-11s %6uB", name, s->object_size);
	for (f = pool_dump_columns; f->name; f++)
		if (is_shown(f) && sum_of(t, f))
			printf("  %11llu", pool_dump_value(f, s));
	puts("");
}

static void print_rows(const struct table *t)
{
	const struct pool_dump_field *f;
	size_t i;

	printf("%-11s %7s", "pool", "size");
	for (f = pool_dump_columns; f->name; f++)
		if (is_shown(f) && sum_of(t, f))
			printf("  %11s", f->name);
	puts("");
	for (i = 0; i < t->n; i++)
		print_row(t, &t->pools[i].s);
}

/* Each kind is a key of each pool that is shown. */
static void print_json_pool(const struct pool_stats *s)
{
	const struct pool_dump_field *f;

	printf("{\"id\":%llu,\"name\":", s->id);
	print_json_string(stdout, s->name);
	printf(",\"size\":%u", s->object_size);
	for (f = pool_dump_columns; f->name; f++)
		if (is_shown(f))
			printf(",\"%s\":%llu", f->name, pool_dump_value(f, s));
	printf("}");
}

static void print_json(const struct table *t)
{
	size_t i;

	printf("{\"version\":%d,\"faults\":%llu,\"pools\":[", BUGS_VERSION, count_faults(t));
	for (i = 0; i < t->n; i++) {
		printf(i ? ",\n" : "\n");
		print_json_pool(&t->pools[i].s);
	}
	printf("]}\n");
}

/* Of a saved dump, or of the source where @path is NULL. */
void bugs(struct options *o, const char *path)
{
	struct table t;
	size_t all;

	if (path)
		table_read_file(&t, path);
	else
		source_table(&o->source, &t, false);
	all = t.n;
	table_keep(&t, has_faults, NULL);
	table_sort(&t, o);
	if (o->format == POOL_DUMP_JSON)
		print_json(&t);
	else if (t.n)
		print_rows(&t);
	if (o->format == POOL_DUMP_TABLE)
		printf("%llu fault%s in %zu of %zu pool%s%s\n", count_faults(&t),
		       plural(count_faults(&t)), t.n, all, plural(all),
		       t.n ? "; the log has the reports" : "");
	o->status = t.n ? STATUS_BUGS : 0;
	table_free(&t);
}
