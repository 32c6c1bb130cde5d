// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * advise.c - which sizes and call sites of a trace would gain from pools
 *
 * Layer:   user space, between session.c and poolreplay.c.
 * Context: one thread.
 *
 * Counts and lifetimes follow from the trace.  Hits are measured by a replay in one thread: of 100
 * calls, how many neither fill nor spill an array nor get an object from the backend.
 */
#include "advise.h"
#include "pool.h"

#include <malloc.h>
#include <string.h>

/* Rows that a table prints at most. */
#define ROWS		20

/* An object that lives for less than this many events is a short-lived one. */
#define SHORT_LIFE	1000

/* A pool with a smaller share, in percent, gains nothing. */
#define SHARE_LEAST	1
#define HITS_LEAST	90

/* A pool is advised only if its objects are used again at least this often, on average. */
#define CHURN_LEAST	4

/*
 * A call site allocates a struct if at least this many percent of its allocations have one size.
 * Buffers and strings vary in size, and so does what a function allocates for its callers.
 */
#define STRUCT_LEAST	90

/* Percent of a size's allocations that must be of such call sites for a struct of that size. */
#define STRUCTS_LEAST	50

/* The end of a call site's name by which pooltrace marks calls of strdup() and its like. */
#define STRING_SITE	":strdup"

/* A call site with this many percent of all allocations may allocate for its callers. */
#define WRAPPER_LEAST	5

/* A size, a call site, or a size of one call site. */
struct group {
	const char *name;		/* name of the call site */
	unsigned int size;		/* the most frequent size */
	unsigned int allocs;
	unsigned int short_lived;
	unsigned int live;
	unsigned int peak;
	unsigned long long size_allocs;	/* of its most frequent size */
	unsigned int hits;		/* percent */
	unsigned int structs;		/* of its allocations, those of structs */
	bool pooled;
};

static bool count_events(const struct trace *t, struct group *group)
{
	unsigned int *born = world_alloc(t->allocs, sizeof(*born));
	unsigned int i;

	if (!born)
		return false;
	for (i = 0; i < t->events; i++) {
		const struct trace_event *e = &t->event[i];
		struct group *g = &group[e->pool];

		if (e->kind == TRACE_FREE) {
			g->live--;
			g->short_lived += i - born[e->alloc] < SHORT_LIFE;
			continue;
		}
		born[e->alloc] = i;
		g->allocs++;
		if (++g->live > g->peak)
			g->peak = g->live;
	}
	world_free(born);
	return true;
}

/* One row for each pool of the trace. */
static struct group *groups_of(const struct trace *t)
{
	struct group *group = world_alloc(t->pools, sizeof(*group));
	unsigned int i;

	for (i = 0; group && i < t->pools; i++) {
		group[i].name = t->pool[i].name;
		group[i].size = t->pool[i].size;
	}
	if (group && !count_events(t, group)) {
		world_free(group);
		return NULL;
	}
	return group;
}

static int by_allocs(const void *a, const void *b)
{
	const struct group *one = a, *other = b;

	if (one->allocs != other->allocs)
		return one->allocs < other->allocs ? 1 : -1;
	return (one->size > other->size) - (one->size < other->size);
}

static int by_name(const void *a, const void *b)
{
	int order = strcmp(((const struct group *)a)->name, ((const struct group *)b)->name);

	return order ? order : by_allocs(a, b);
}

static bool allocates_strings(const struct group *site)
{
	const char *colon = strrchr(site->name, ':');

	return colon && !strcmp(colon, STRING_SITE);
}

/* Count the rows of one call site, from @at on, and their allocations. */
static unsigned int rows_of_site(const struct group *at, const struct group *end,
				 unsigned long long *allocs)
{
	const struct group *row;

	*allocs = 0;
	for (row = at; row < end && !strcmp(row->name, at->name); row++)
		*allocs += row->allocs;
	return (unsigned int)(row - at);
}

/*
 * Count the allocations of structs of each size.  @rows: of call sites and sizes, by name and
 * then by frequency, so that only the first of a call site can be a struct.
 */
static void count_structs(struct group *sizes, unsigned int n, const struct group *rows,
			  unsigned int pairs)
{
	unsigned long long allocs;
	unsigned int i, k, step;

	for (i = 0; i < pairs; i += step) {
		step = rows_of_site(&rows[i], rows + pairs, &allocs);
		if (allocates_strings(&rows[i]) ||
		    rows[i].allocs * 100ull < allocs * STRUCT_LEAST)
			continue;
		for (k = 0; k < n; k++)
			if (sizes[k].size == rows[i].size)
				sizes[k].structs += rows[i].allocs;
	}
}

static unsigned int percent(unsigned long long part, unsigned long long whole)
{
	return whole ? (unsigned int)((part * 100 + whole / 2) / whole) : 0;
}

/*
 * Bytes that malloc() here adds to an object, its own word included: the least of several, because
 * malloc() adds a remainder that is too small for an object to the object before it.
 */
static unsigned int waste_of_malloc(unsigned int size)
{
	size_t least = ~(size_t)0;
	void *p[8];
	unsigned int i;

	for (i = 0; i < 8; i++) {
		p[i] = malloc(size);
		if (p[i] && malloc_usable_size(p[i]) + sizeof(size_t) < least)
			least = malloc_usable_size(p[i]) + sizeof(size_t);
	}
	for (i = 0; i < 8; i++)
		free(p[i]);
	return least < size ? 0 : (unsigned int)(least - size);
}

static const char *verdict(const struct group *g, const struct trace *t)
{
	if (g->size > trace_largest(t))
		return "no: too large";
	if (!g->pooled || (unsigned long long)g->allocs * 100 < (unsigned long long)t->allocs *
			  SHARE_LEAST)
		return "no: seldom";
	if (percent(g->structs, g->allocs) < STRUCTS_LEAST)
		return "no: mixed";
	if (g->allocs / g->peak < CHURN_LEAST)
		return "no: kept";
	return g->hits >= HITS_LEAST ? "pool" : "no: misses";
}

static void print_sizes(const struct trace *t, struct group *size, unsigned int n)
{
	unsigned long long gain = 0;
	unsigned int i;

	qsort(size, n, sizeof(*size), by_allocs);
	printf("%9s %9s %5s %7s %6s %6s %5s %6s  %s\n", "size", "allocs", "%", "peak", "churn",
	       "short%", "hit%", "waste", "gain");
	for (i = 0; i < n; i++) {
		const struct group *g = &size[i];
		const char *what = verdict(g, t);

		if (!strcmp(what, "pool"))
			gain += g->allocs;
		if (i >= ROWS)
			continue;
		printf("%9u %9u %5u %7u %6u %6u ", g->size, g->allocs,
		       percent(g->allocs, t->allocs), g->peak, g->allocs / g->peak,
		       percent(g->short_lived, g->allocs));
		if (g->pooled)
			printf("%5u", g->hits);
		else
			printf("%5s", "-");
		printf(" %6u  %s\n", waste_of_malloc(g->size), what);
	}
	if (n > ROWS)
		printf("and %u more size%s\n", n - ROWS, n - ROWS == 1 ? "" : "s");
	printf("sizes that would gain have %u %% of %u allocation%s\n\n",
	       percent(gain, t->allocs), t->allocs, t->allocs == 1 ? "" : "s");
}

static unsigned int hits_of(struct pool_head *pool, unsigned long long calls)
{
	struct pool_stats stats;
	unsigned long long slow;

	pool_stats_get(pool, &stats, sizeof(stats));
	slow = stats.fills + stats.spills + stats.store_gets;
	return slow < calls ? (unsigned int)((calls - slow) * 100 / calls) : 0;
}

/* Build the table of sizes.  The first pool of a size has the events of all pools of that size. */
static const char *size_table(struct session *s, const struct group *rows)
{
	const struct trace *t = &s->trace;
	struct group *size = groups_of(t);
	unsigned int i, n = 0;

	if (!size)
		return "out of memory";
	for (i = 0; i < t->pools; i++) {
		if (!size[i].allocs)
			continue;
		size[i].pooled = t->pool[i].use == TRACE_POOLED;
		if (size[i].pooled)
			size[i].hits = hits_of(s->replay.pool[i], 2ull * size[i].allocs -
					       size[i].live);
		size[n++] = size[i];
	}
	count_structs(size, n, rows, t->pools);
	print_sizes(t, size, n);
	world_free(size);
	return NULL;
}

/* Merge neighbouring rows of one name; returns the number of rows that are left. */
static unsigned int join_names(struct group *group, unsigned int pools)
{
	unsigned int i, n = 0;

	for (i = 0; i < pools; i++) {
		struct group *last = n ? &group[n - 1] : NULL;

		if (!last || strcmp(last->name, group[i].name)) {
			group[i].size_allocs = group[i].allocs;
			group[n++] = group[i];
			continue;
		}
		last->allocs += group[i].allocs;
		last->short_lived += group[i].short_lived;
		last->peak += group[i].peak;
	}
	return n;
}

/* Name the call sites that may be functions such as xmalloc(), as "pooltrace --skip" wants them. */
static void print_wrappers(const struct trace *t, const struct group *site, unsigned int n)
{
	const char *before = "\nThese ask for many sizes.  Look through those that allocate for "
			     "their callers:\npooltrace --skip ";
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (percent(site[i].allocs, t->allocs) < WRAPPER_LEAST ||
		    percent(site[i].size_allocs, site[i].allocs) >= STRUCT_LEAST ||
		    allocates_strings(&site[i]))
			continue;
		printf("%s%s", before, site[i].name);
		before = ",";
	}
	if (*before == ',')
		putchar('\n');
}

static void print_sites(const struct trace *t, struct group *site)
{
	unsigned int i, n;

	n = join_names(site, t->pools);
	qsort(site, n, sizeof(*site), by_allocs);
	printf("%9s %5s %7s %6s %9s %5s  %s\n", "allocs", "%", "peak", "short%", "size",
	       "of it", "call site");
	for (i = 0; i < n && i < ROWS; i++) {
		const struct group *g = &site[i];

		printf("%9u %5u %7u %6u %9u %5u  %s\n", g->allocs, percent(g->allocs, t->allocs),
		       g->peak, percent(g->short_lived, g->allocs), g->size,
		       percent(g->size_allocs, g->allocs), g->name);
	}
	if (n > ROWS)
		printf("and %u more call site%s\n", n - ROWS, n - ROWS == 1 ? "" : "s");
	print_wrappers(t, site, n);
}

const char *advise(struct session *s)
{
	/* Read the call sites first, because pools of one size become one afterwards. */
	struct group *site = groups_of(&s->trace);
	const char *why;

	if (!site)
		return "out of memory";
	qsort(site, s->trace.pools, sizeof(*site), by_name);
	why = session_begin(s, &replay_on_pools, REPLAY_WORD, 1);
	if (!why) {
		session_work(s);
		why = size_table(s, site);
		print_sites(&s->trace, site);
		if (why)
			session_end(s);
		else
			why = session_end(s);
	}
	world_free(site);
	return why;
}
