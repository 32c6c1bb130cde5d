// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump_prom.c - a dump in the text format that Prometheus reads
 *
 * Layer:   above dump.c, which calls it back.
 * Context: dump mutex held.
 *
 * All samples of a metric are together, as the format asks.  So the pools are
 * visited once per metric.  Two pools may have one name, which is why the id
 * is a label, too.  Of registrations only the number is written.
 */
#include "plat.h"
#include "dump.h"

/* A sample of each pool.  Samples that belong to one metric follow each other. */
struct sample {
	const char *metric;		/* NULL: as the sample before */
	const char *type;
	const char *help;
	struct pool_dump_field field;	/* with a label as its name, or "" */
};

#define METRIC(metric, type, help, label, member) \
	{ "libpool_" metric, type, help, POOL_DUMP_U64(label, member) }
#define SAMPLE(label, member) \
	{ NULL, NULL, NULL, POOL_DUMP_U64(label, member) }
#define GAUGE(metric, help, member) \
	METRIC(metric, "gauge", help, "", member)
#define GAUGE_U32(metric, help, member) \
	{ "libpool_" metric, "gauge", help, POOL_DUMP_U32("", member) }
#define COUNTER(metric, help, member) \
	METRIC(metric, "counter", help, "", member)

static const struct sample samples[] = {
	METRIC("objects", "gauge",
	       "Objects held from the backend, by where they are.",
	       ",state=\"used\"", used),
	SAMPLE(",state=\"cached\"", cached),
	SAMPLE(",state=\"shared\"", shared),
	METRIC("objects_part", "gauge",
	       "Objects that are part of those used or, if moving, perhaps cached.",
	       ",state=\"parked\"", parked),
	SAMPLE(",state=\"reserved\"", reserved),
	SAMPLE(",state=\"quarantined\"", quarantined),
	SAMPLE(",state=\"abandoned\"", abandoned),
	SAMPLE(",state=\"moving\"", moving),
	GAUGE_U32("object_size_bytes", "Size of an object.", object_size),
	GAUGE_U32("object_alignment_bytes", "Alignment of objects.",
		  alignment),
	GAUGE("limit_objects", "Most objects that may be held; 0: no limit.",
	      limit),
	GAUGE("min_avail_objects", "Spare objects that are kept.", min_avail),
	GAUGE("need_objects", "Average of the objects needed.", need),
	GAUGE_U32("registrations", "Creations that the pool serves.",
		  registrations),
	METRIC("faults_total", "counter", "Faults that checks have found.",
	       ",kind=\"written\"", faults[POOL_FAULT_WRITTEN]),
	SAMPLE(",kind=\"overflow\"", faults[POOL_FAULT_OVERFLOW]),
	SAMPLE(",kind=\"underflow\"", faults[POOL_FAULT_UNDERFLOW]),
	SAMPLE(",kind=\"double_free\"", faults[POOL_FAULT_DOUBLE_FREE]),
	SAMPLE(",kind=\"foreign\"", faults[POOL_FAULT_FOREIGN]),
	SAMPLE(",kind=\"interior\"", faults[POOL_FAULT_INTERIOR]),
	SAMPLE(",kind=\"wrong_pool\"", faults[POOL_FAULT_WRONG_POOL]),
	SAMPLE(",kind=\"elsewhere\"", faults[POOL_FAULT_ELSEWHERE]),
	COUNTER("allocations_total", "Allocations that memstats has counted.", allocs),
	COUNTER("fills_total", "Hot arrays filled from a cluster.", fills),
	COUNTER("spills_total", "Hot arrays spilled into a cluster.", spills),
	COUNTER("evictions_total", "Clusters that had to leave a CPU.",
		evictions),
	COUNTER("shared_gets_total",
		"Times that the shared pool gave something.", gets),
	COUNTER("shared_get_objects_total",
		"Objects that the shared pool gave.", get_objs),
	COUNTER("shared_puts_total",
		"Times that the shared pool took something.", puts),
	COUNTER("shared_put_objects_total",
		"Objects that the shared pool took.", put_objs),
	COUNTER("nested_total",
		"Calls that interrupted another one on their CPU.", nested),
	COUNTER("backend_gets_total", "Objects that the backend gave.",
		store_gets),
	COUNTER("backend_puts_total", "Objects that the backend took back.",
		store_puts),
	METRIC("failures_total", "counter",
	       "Allocations that returned NULL, by cause.",
	       ",cause=\"backend\"", failed),
	SAMPLE(",cause=\"limit\"", refused),
	SAMPLE(",cause=\"injected\"", injected),
	{ NULL, NULL, NULL, { NULL, 0, false } },
};

/* Is there a sample with that number? */
static bool is_sample(unsigned int i)
{
	return samples[i].field.name;
}

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

/* Write a sample of the pool at the cursor. */
static void put_sample(struct pool_dump *d, const char *metric,
		       const struct pool_dump_field *field)
{
	pool_dump_put(d, metric);
	pool_dump_put(d, "{pool=");
	pool_dump_label(d, d->now.name);
	pool_dump_put(d, ",id=\"");
	pool_dump_number(d, d->now.id);
	pool_dump_put(d, "\"");
	pool_dump_put(d, field->name);
	pool_dump_put(d, "} ");
	pool_dump_field(d, field);
	pool_dump_put(d, "\n");
	pool_dump_commit(d);
}

/* Write the samples of one metric: samples[from] to samples[to - 1]. */
static void put_family(struct pool_dump *d, unsigned int from,
		       unsigned int to)
{
	const struct sample *first = &samples[from];
	unsigned int i;

	put_metric(d, first->metric, first->type, first->help);
	pool_dump_commit(d);
	pool_dump_rewind(d);
	while (pool_dump_next(d))
		for (i = from; i < to; i++)
			put_sample(d, first->metric, &samples[i].field);
}

static void prometheus_body(struct pool_dump *d)
{
	unsigned int from, to;

	pool_dump_commit(d);
	for (from = 0; is_sample(from); from = to) {
		to = from + 1;
		while (is_sample(to) && !samples[to].metric)
			to++;
		put_family(d, from, to);
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

/* Totals of all pools that match, even where fewer are shown. */
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
