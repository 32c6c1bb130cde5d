// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dump_numbers.c - the numbers of a pool, as all formats show them
 *
 * Layer:   below the writers.
 * Context: any; constant.
 *
 * A new number is a member of struct pool_stats, which stats.c reads, a line here, the last one,
 * and its name in the page of debugfs.  The raw table, JSON, Prometheus, the table for people,
 * poolctl and debugfs follow.
 */
#include "seam/plat.h"
#include "dump.h"

#define AT(member)	offsetof(struct pool_stats, member)
#define IS_WIDE(member) \
	(sizeof(((struct pool_stats *)NULL)->member) == sizeof(unsigned long long))

/* A number that Prometheus does not show. */
#define NUMBER(name, member, column) \
	{ name, AT(member), IS_WIDE(member), column, NULL, NULL, NULL }

/* A metric of one sample for each pool. */
#define METRIC(name, member, column, metric, help) \
	{ name, AT(member), IS_WIDE(member), column, "libpool_" metric, "", help }

/* The first of several samples of one metric, which follow each other; it has the help. */
#define FIRST(name, member, column, metric, label, help) \
	{ name, AT(member), IS_WIDE(member), column, "libpool_" metric, label, help }
#define NEXT(name, member, column, label) \
	{ name, AT(member), IS_WIDE(member), column, NULL, label, NULL }

#define FAULT(name, kind) \
	NEXT(name, faults[POOL_FAULT_ ## kind], POOL_DUMP_NEVER, ",kind=\"" name "\"")
#define STATE(name, column)	NEXT(#name, name, column, ",state=\"" #name "\"")

const struct pool_dump_field pool_dump_columns[] = {
	NUMBER("id", id, POOL_DUMP_NEVER),
	METRIC("size", object_size, POOL_DUMP_NEVER, "object_size_bytes", "Size of an object."),
	METRIC("align", alignment, POOL_DUMP_NEVER, "object_alignment_bytes",
	       "Alignment of objects."),
	NUMBER("allocated", allocated, POOL_DUMP_ALWAYS),
	FIRST("used", used, POOL_DUMP_ALWAYS, "objects", ",state=\"used\"",
	      "Objects held from the backend, by where they are."),
	STATE(cached, POOL_DUMP_ALWAYS),
	STATE(shared, POOL_DUMP_ALWAYS),
	FIRST("parked", parked, POOL_DUMP_SELDOM, "objects_part", ",state=\"parked\"",
	      "Objects that are part of those used or, if moving, perhaps cached."),
	STATE(reserved, POOL_DUMP_SELDOM),
	STATE(quarantined, POOL_DUMP_SELDOM),
	STATE(abandoned, POOL_DUMP_SELDOM),
	STATE(moving, POOL_DUMP_SELDOM),
	METRIC("limit", limit, POOL_DUMP_SELDOM, "limit_objects",
	       "Most objects that may be held; 0: no limit."),
	METRIC("min_avail", min_avail, POOL_DUMP_SELDOM, "min_avail_objects",
	       "Spare objects that are kept."),
	METRIC("need", need, POOL_DUMP_NEVER, "need_objects", "Objects that were needed lately."),
	METRIC("allocs", allocs, POOL_DUMP_NEVER, "allocations_total",
	       "Allocations that memstats has counted."),
	METRIC("fills", fills, POOL_DUMP_NEVER, "fills_total", "Hot arrays filled from a cluster."),
	METRIC("spills", spills, POOL_DUMP_NEVER, "spills_total",
	       "Hot arrays spilled into a cluster."),
	METRIC("evictions", evictions, POOL_DUMP_SELDOM, "evictions_total",
	       "Clusters that had to leave a CPU."),
	METRIC("gets", gets, POOL_DUMP_NEVER, "shared_gets_total",
	       "Times that the shared pool gave something."),
	METRIC("get_objs", get_objs, POOL_DUMP_NEVER, "shared_get_objects_total",
	       "Objects that the shared pool gave."),
	METRIC("puts", puts, POOL_DUMP_NEVER, "shared_puts_total",
	       "Times that the shared pool took something."),
	METRIC("put_objs", put_objs, POOL_DUMP_NEVER, "shared_put_objects_total",
	       "Objects that the shared pool took."),
	METRIC("nested", nested, POOL_DUMP_NEVER, "nested_total",
	       "Calls that interrupted another one on their CPU."),
	METRIC("store_gets", store_gets, POOL_DUMP_NEVER, "backend_gets_total",
	       "Objects that the backend gave."),
	METRIC("store_puts", store_puts, POOL_DUMP_SELDOM, "backend_puts_total",
	       "Objects that the backend took back."),
	FIRST("failed", failed, POOL_DUMP_SELDOM, "failures_total", ",cause=\"backend\"",
	      "Allocations that returned NULL, by cause."),
	NEXT("refused", refused, POOL_DUMP_SELDOM, ",cause=\"limit\""),
	NEXT("injected", injected, POOL_DUMP_SELDOM, ",cause=\"injected\""),
	FIRST("written", faults[POOL_FAULT_WRITTEN], POOL_DUMP_NEVER, "faults_total",
	      ",kind=\"written\"", "Faults that checks have found."),
	FAULT("overflow", OVERFLOW),
	FAULT("underflow", UNDERFLOW),
	FAULT("double_free", DOUBLE_FREE),
	FAULT("foreign", FOREIGN),
	FAULT("interior", INTERIOR),
	FAULT("wrong_pool", WRONG_POOL),
	FAULT("elsewhere", ELSEWHERE),
	METRIC("registrations", registrations, POOL_DUMP_NEVER, "registrations",
	       "Creations that the pool serves."),
	{ NULL, 0, false, POOL_DUMP_NEVER, NULL, NULL, NULL },
};

#define ROWS	(sizeof(pool_dump_columns) / sizeof(struct pool_dump_field))

static_assert(ROWS <= POOL_DUMP_COLUMNS_MOST, "raise POOL_DUMP_COLUMNS_MOST");

const unsigned int pool_dump_columns_n = ROWS - 1;

/*
 * True if a number counts events, so that it never falls: its metric's name ends in "_total", as
 * Prometheus requires of counters, and of no other metric.
 */
bool pool_dump_is_event(const struct pool_dump_field *field)
{
	static const char end[] = "_total";
	size_t len;

	while (field->label && !field->metric)
		field--;
	len = field->metric ? strlen(field->metric) : 0;
	return len >= strlen(end) && !strcmp(field->metric + len - strlen(end), end);
}
