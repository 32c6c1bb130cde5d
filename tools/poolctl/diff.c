// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * diff.c - what has changed between two dumps
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * A pool is the same in both where its name and its size are, so that two runs of a program
 * can be compared.  Of several such pools the oldest ones belong together.
 */
#include "poolctl.h"

#include <string.h>

#define DIFF_VERSION	1

/* One pool; NULL: it is not there. */
struct pair {
	const struct entry *before, *after;
};

struct pairs {
	struct pair *pair;
	size_t n;
};

static int compare_kinds(const struct entry *a, const struct entry *b)
{
	int order = strcmp(a->s.name, b->s.name);

	if (order)
		return order;
	return (a->s.object_size > b->s.object_size) -
	       (a->s.object_size < b->s.object_size);
}

static int compare(const void *a, const void *b)
{
	const struct entry *e = a, *f = b;
	int order = compare_kinds(e, f);

	return order ? order : (e->s.id > f->s.id) - (e->s.id < f->s.id);
}

static void sort(struct table *t)
{
	if (t->n)
		qsort(t->pools, t->n, sizeof(*t->pools), compare);
}

static void make_pairs(struct pairs *p, struct table *before, struct table *after)
{
	size_t i = 0, j = 0;

	sort(before);
	sort(after);
	p->n = 0;
	p->pair = need_memory(calloc(before->n + after->n + 1, sizeof(*p->pair)));
	while (i < before->n || j < after->n) {
		int order = i == before->n ? 1 : j == after->n ? -1 :
			    compare_kinds(&before->pools[i], &after->pools[j]);

		p->pair[p->n++] = (struct pair){
			order <= 0 ? &before->pools[i] : NULL,
			order >= 0 ? &after->pools[j] : NULL,
		};
		i += order <= 0;
		j += order >= 0;
	}
}

static const struct pool_stats *any(const struct pair *pair)
{
	return pair->after ? &pair->after->s : &pair->before->s;
}

static long long change_of(const struct column *c, const struct pair *pair)
{
	unsigned long long was = pair->before ? column_value(c, &pair->before->s) : 0;
	unsigned long long is = pair->after ? column_value(c, &pair->after->s) : 0;

	return (long long)(is - was);
}

/* Sizes of objects are no numbers that change. */
static bool may_change(const struct column *c)
{
	return strcmp(c->name, "size");
}

static bool has_changed(const struct pair *pair)
{
	const struct column *c;

	if (!pair->before || !pair->after)
		return true;
	for (c = columns; c->name; c++)
		if (may_change(c) && change_of(c, pair))
			return true;
	return false;
}

/* Some pool has another value than before. */
static bool is_shown(const struct column *c, const struct pairs *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (may_change(c) && change_of(c, &p->pair[i]))
			return true;
	return false;
}

static void format_change(char *text, size_t size, const struct column *c,
			  long long change)
{
	unsigned long long amount = change < 0 ? -(unsigned long long)change :
						 (unsigned long long)change;
	char bytes[24];

	if (c->kind != COLUMN_BYTES || !change) {
		snprintf(text, size, change ? "%+lld" : "0", change);
		return;
	}
	pool_dump_format_bytes(bytes, sizeof(bytes), amount);
	snprintf(text, size, "%c%s", change < 0 ? '-' : '+', bytes);
}

static const char *what_of(const struct pair *pair)
{
	if (!pair->before)
		return "new";
	return pair->after ? "changed" : "gone";
}

static void print_row(const struct pair *pair, const bool *shown)
{
	char name[POOL_SHOWN_LEN + 1], text[32];
	size_t i;

	pool_printable(name, sizeof(name), any(pair)->name, sizeof(any(pair)->name));
	printf("%-11s %6uB %-7s", name, any(pair)->object_size, what_of(pair));
	for (i = 0; columns[i].name; i++) {
		format_change(text, sizeof(text), &columns[i],
			      change_of(&columns[i], pair));
		if (shown[i])
			printf(" %10s", text);
	}
	puts("");
}

#define COLUMNS_MOST	32

/* For people: only what has changed. */
static void print_rows(const struct pairs *p)
{
	bool shown[COLUMNS_MOST] = { false };
	size_t i, same = 0;

	printf("%-11s %7s %-7s", "pool", "size", "");
	for (i = 0; columns[i].name; i++) {
		shown[i] = is_shown(&columns[i], p);
		if (shown[i])
			printf(" %10s", columns[i].name);
	}
	puts("");
	for (i = 0; i < p->n; i++) {
		if (has_changed(&p->pair[i]))
			print_row(&p->pair[i], shown);
		else
			same++;
	}
	printf("%zu pool%s, %zu as before\n", p->n, plural(p->n), same);
}

/* For programs: all pools, with the keys of a dump. */
static void print_json_pair(const struct pair *pair)
{
	static const struct pool_stats none;
	const struct pool_dump_field *f;

	printf("{\"name\":");
	print_json_string(stdout, any(pair)->name);
	printf(",\"size\":%u,\"what\":\"%s\"", any(pair)->object_size,
	       has_changed(pair) ? what_of(pair) : "same");
	for (f = pool_dump_columns; f->name; f++) {
		if (!strcmp(f->name, "id") || !strcmp(f->name, "size") ||
		    !strcmp(f->name, "align"))
			continue;
		printf(",\"%s\":%lld", f->name, (long long)
		       (pool_dump_value(f, pair->after ? &pair->after->s : &none) -
			pool_dump_value(f, pair->before ? &pair->before->s : &none)));
	}
	printf("}");
}

static void print_json(const struct pairs *p)
{
	size_t i;

	printf("{\"version\":%d,\"pools\":[", DIFF_VERSION);
	for (i = 0; i < p->n; i++) {
		printf(i ? ",\n" : "\n");
		print_json_pair(&p->pair[i]);
	}
	printf("]}\n");
}

static void diff(const struct options *o, struct table *before, struct table *after)
{
	struct pairs p;

	make_pairs(&p, before, after);
	if (o->format == POOL_DUMP_JSON)
		print_json(&p);
	else
		print_rows(&p);
	free(p.pair);
	table_free(before);
	table_free(after);
}

void diff_files(const struct options *o, const char *before, const char *after)
{
	struct table t, u;

	table_read_file(&t, before);
	table_read_file(&u, after);
	diff(o, &t, &u);
}

void diff_source(const struct options *o, double seconds)
{
	struct table t, u;

	source_table(&o->source, &t, false);
	sleep_until(seconds_now() + seconds);
	source_table(&o->source, &u, false);
	diff(o, &t, &u);
}
