// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump_prom.c - a dump in the text format that Prometheus reads
 *
 * Layer:   above dump.c, which calls it back.
 * Context: dump mutex held.
 *
 * The format requires all samples of a metric together, so the dump goes along the pools once per
 * metric.  The id is a label, because two pools may have one name.  Of registrations only the
 * number is written.
 */
#include "seam/plat.h"
#include "dump.h"

static void put_metric(struct pool_dump *d, const char *metric,
		       const char *type, const char *help)
{
	pool_dump_put(d, "# HELP ");
	pool_dump_put(d, metric);
	pool_dump_put(d, " ");
	pool_dump_put(d, help);
	pool_dump_put(d, "\n# TYPE ");
	pool_dump_put(d, metric);
	pool_dump_put(d, " ");
	pool_dump_put(d, type);
	pool_dump_put(d, "\n");
}

static void put_sample(struct pool_dump *d, const char *metric,
		       const struct pool_dump_field *field)
{
	pool_dump_put(d, metric);
	pool_dump_put(d, "{pool=");
	pool_dump_label(d, d->now.name);
	pool_dump_put(d, ",id=\"");
	pool_dump_number(d, d->now.id);
	pool_dump_put(d, "\"");
	pool_dump_put(d, field->label);
	pool_dump_put(d, "} ");
	pool_dump_field(d, field);
	pool_dump_put(d, "\n");
	pool_dump_commit(d);
}

/* Write the samples of one metric: those of the fields from @first to before @end. */
static void put_family(struct pool_dump *d, const struct pool_dump_field *first,
		       const struct pool_dump_field *end)
{
	const struct pool_dump_field *field;

	put_metric(d, first->metric, pool_dump_is_event(first) ? "counter" : "gauge", first->help);
	pool_dump_commit(d);
	pool_dump_rewind(d);
	while (pool_dump_next(d))
		for (field = first; field < end; field++)
			put_sample(d, first->metric, field);
}

static void prometheus_body(struct pool_dump *d)
{
	const struct pool_dump_field *field, *first;

	pool_dump_commit(d);
	for (field = pool_dump_columns; field->name;) {
		first = field++;
		if (!first->label)
			continue;
		while (field->label && !field->metric)
			field++;
		put_family(d, first, field);
	}
	pool_dump_classes_prometheus(d);
}

static void put_total(struct pool_dump *d, const char *sample,
		      unsigned long long number)
{
	pool_dump_put(d, sample);
	pool_dump_number(d, number);
	pool_dump_put(d, "\n");
}

/* Write the totals of all pools that match, even where fewer are shown. */
static void prometheus_tail(struct pool_dump *d, bool cut)
{
	if (cut)
		pool_dump_put(d, "# truncated\n");
	put_metric(d, "libpool_pools", "gauge", "Pools there are.");
	put_total(d, "libpool_pools ", d->total.pools);
	put_metric(d, "libpool_bytes", "gauge",
		   "Bytes of all objects, by where they are.");
	put_total(d, "libpool_bytes{state=\"used\"} ", d->total.used);
	put_total(d, "libpool_bytes{state=\"cached\"} ", d->total.cached);
	put_total(d, "libpool_bytes{state=\"shared\"} ", d->total.shared);
	pool_dump_memory_prometheus(d);
}

const struct pool_dump_writer pool_dump_prometheus = {
	.body = prometheus_body,
	.tail = prometheus_tail,
};
