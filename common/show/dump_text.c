// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump_text.c - a dump for programs: a raw table, and JSON, of the same columns
 *
 * Layer:   above dump.c, which calls it back.
 * Context: dump mutex held.
 */
#include "seam/plat.h"
#include "dump.h"

static void raw_head(struct pool_dump *d)
{
	unsigned int i;

	pool_dump_put(d, "pools version ");
	pool_dump_number(d, POOL_DUMP_VERSION);
	pool_dump_put(d, "\n# id name");
	for (i = 1; pool_dump_columns[i].name; i++) {
		pool_dump_put(d, " ");
		pool_dump_put(d, pool_dump_columns[i].name);
	}
	pool_dump_put(d, "\n");
	pool_dump_commit(d);
}

static void raw_line(struct pool_dump *d)
{
	unsigned int i;

	pool_dump_field(d, &pool_dump_columns[0]);
	pool_dump_put(d, " ");
	pool_dump_name(d, d->now.name);
	for (i = 1; pool_dump_columns[i].name; i++) {
		pool_dump_put(d, " ");
		pool_dump_field(d, &pool_dump_columns[i]);
	}
	pool_dump_put(d, "\n");
	pool_dump_commit(d);
}

/* Write the registrations of the pool at the cursor, a line each. */
void pool_dump_details(struct pool_dump *d)
{
	unsigned int nth;

	for (nth = 0; pool_dump_detail(d, nth); nth++) {
		pool_dump_put(d, "  > ");
		pool_dump_put(d, d->detail);
		pool_dump_put(d, "\n");
		pool_dump_commit(d);
	}
}

static void raw_body(struct pool_dump *d)
{
	raw_head(d);
	pool_dump_rewind(d);
	while (pool_dump_next(d)) {
		raw_line(d);
		if (d->options.detailed)
			pool_dump_details(d);
	}
}

/* Write a number after a text. */
static void put_named(struct pool_dump *d, const char *before,
		      unsigned long long number)
{
	pool_dump_put(d, before);
	pool_dump_number(d, number);
}

static void raw_tail(struct pool_dump *d, bool cut)
{
	if (cut)
		pool_dump_put(d, "truncated\n");
	put_named(d, "total pools=", d->total.pools);
	put_named(d, " allocated=", d->total.allocated);
	put_named(d, " used=", d->total.used);
	put_named(d, " cached=", d->total.cached);
	put_named(d, " shared=", d->total.shared);
	pool_dump_memory_raw(d);
	pool_dump_put(d, "\n");
}

const struct pool_dump_writer pool_dump_raw = {
	.body = raw_body,
	.tail = raw_tail,
};

static void json_details(struct pool_dump *d)
{
	unsigned int nth;

	pool_dump_put(d, ",\"registered\":[");
	for (nth = 0; pool_dump_detail(d, nth); nth++) {
		if (nth)
			pool_dump_put(d, ",");
		pool_dump_json_string(d, d->detail);
	}
	pool_dump_put(d, "]");
}

static void json_pool(struct pool_dump *d, bool first)
{
	unsigned int i;

	pool_dump_put(d, first ? "\n{\"id\":" : ",\n{\"id\":");
	pool_dump_field(d, &pool_dump_columns[0]);
	pool_dump_put(d, ",\"name\":");
	pool_dump_json_string(d, d->now.name);
	for (i = 1; pool_dump_columns[i].name; i++) {
		pool_dump_put(d, ",\"");
		pool_dump_put(d, pool_dump_columns[i].name);
		pool_dump_put(d, "\":");
		pool_dump_field(d, &pool_dump_columns[i]);
	}
	if (d->options.detailed)
		json_details(d);
	pool_dump_put(d, "}");
	pool_dump_commit(d);
}

static void json_body(struct pool_dump *d)
{
	bool first = true;

	put_named(d, "{\"version\":", POOL_DUMP_VERSION);
	pool_dump_put(d, ",\"pools\":[");
	pool_dump_commit(d);
	pool_dump_rewind(d);
	for (; pool_dump_next(d); first = false)
		json_pool(d, first);
	pool_dump_classes_json(d);
}

static void json_tail(struct pool_dump *d, bool cut)
{
	put_named(d, "],\n\"total\":{\"pools\":", d->total.pools);
	put_named(d, ",\"allocated\":", d->total.allocated);
	put_named(d, ",\"used\":", d->total.used);
	put_named(d, ",\"cached\":", d->total.cached);
	put_named(d, ",\"shared\":", d->total.shared);
	pool_dump_put(d, "}");
	pool_dump_memory_json(d);
	pool_dump_put(d, cut ? ",\"truncated\":true}\n" :
		      ",\"truncated\":false}\n");
}

const struct pool_dump_writer pool_dump_json = {
	.body = json_body,
	.tail = json_tail,
};
