// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * advise.c - which pool would gain from another bound, limit or reserve
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * Each rule looks at one pool's numbers, and says which of them are its reason.  Counters
 * tell nothing about the size of clusters, so there is no advice about it.
 */
#include "poolctl.h"

#include <stdarg.h>

/* Fewer events than this may be those of a start. */
#define EVENTS_LEAST	100

/* Less idle memory than this is not worth a word. */
#define IDLE_LEAST	(1u << 20)

typedef unsigned long long u64;

/* A rule fills in the text and returns true, or leaves it alone. */
struct advice {
	char text[256];
};

static bool say(struct advice *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool say(struct advice *a, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(a->text, sizeof(a->text), fmt, args);
	va_end(args);
	return true;
}

/* What leaves a CPU for the shared pool, and soon comes back. */
static bool advise_bound(const struct pool_stats *s, struct advice *a)
{
	if (s->evictions < EVENTS_LEAST || s->evictions * 10 < s->spills ||
	    s->get_objs < s->evictions)
		return false;
	return say(a, "a larger hot_size: the bound made %llu clusters leave CPUs, at %llu spills, and %llu objects came back",
		   s->evictions, s->spills, s->get_objs);
}

/* The backend works as if there were no pool. */
static bool advise_spares(const struct pool_stats *s, struct advice *a)
{
	u64 again = s->store_gets < s->store_puts ? s->store_gets : s->store_puts;

	if (again < EVENTS_LEAST || again < s->allocated || s->need <= s->min_avail)
		return false;
	return say(a, "min_avail of %llu instead of %llu: the backend took %llu objects and gave %llu",
		   s->need, s->min_avail, s->store_puts, s->store_gets);
}

static bool advise_limit(const struct pool_stats *s, struct advice *a)
{
	if (!s->refused || !s->limit)
		return false;
	if (s->used >= s->limit)
		return say(a, "a higher limit than %llu: %llu allocations were refused, and %llu objects are in use",
			   s->limit, s->refused, s->used);
	return say(a, "POOL_F_WAIT, or a lent signal: %llu allocations were refused, and %llu objects of a limit of %llu are in use",
		   s->refused, s->used, s->limit);
}

static bool advise_reserve(const struct pool_stats *s, struct advice *a)
{
	if (!s->failed)
		return false;
	return say(a, "a reserve: %llu allocations found no memory, and %llu objects are reserved",
		   s->failed, s->reserved);
}

/* What nobody needs, and is no spare. */
static bool advise_age(const struct pool_stats *s, struct advice *a)
{
	u64 kept = s->need > s->used ? s->need : s->used;
	u64 idle;

	kept += s->min_avail;
	idle = s->allocated > kept ? s->allocated - kept : 0;
	if (idle * s->object_size < IDLE_LEAST || idle < s->allocated / 2)
		return false;
	return say(a, "ageing, or pool_shrink(): %llu of %llu objects, %llu KiB, are neither in use nor needed",
		   idle, s->allocated, idle * s->object_size >> 10);
}

static bool advise_log(const struct pool_stats *s, struct advice *a)
{
	u64 faults = pool_dump_faults(s);

	return faults && say(a, "a look at the log: checks have found %llu faults", faults);
}

static bool (*const rules[])(const struct pool_stats *s, struct advice *a) = {
	advise_log, advise_limit, advise_reserve, advise_bound, advise_spares, advise_age,
};

/* Returns how many lines it took. */
static unsigned int advise_pool(const struct pool_stats *s)
{
	char name[POOL_SHOWN_LEN + 1];
	unsigned int n = 0;
	struct advice a;
	size_t i;

	pool_show_name(name, s->name);
	for (i = 0; i < ARRAY_LEN(rules); i++) {
		if (!rules[i](s, &a))
			continue;
		printf("%-11s %6uB  %s\n", name, s->object_size, a.text);
		n++;
	}
	return n;
}

static void advise(const struct table *t)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < t->n; i++)
		n += advise_pool(&t->pools[i].s);
	printf("%zu pools, %u pieces of advice\n", t->n, n);
}

/* A count may begin anew, with the program, or after 2^32 events on machines of 32 bits. */
static u64 less(u64 now, u64 before)
{
	return now > before ? now - before : 0;
}

/* Leave of an event what came since an earlier reading. */
static void since(struct pool_stats *s, const struct pool_stats *before)
{
	static const size_t events[] = {
		offsetof(struct pool_stats, spills),
		offsetof(struct pool_stats, evictions),
		offsetof(struct pool_stats, get_objs),
		offsetof(struct pool_stats, store_gets),
		offsetof(struct pool_stats, store_puts),
		offsetof(struct pool_stats, failed),
		offsetof(struct pool_stats, refused),
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(events); i++) {
		u64 *now = (u64 *)((char *)s + events[i]);

		*now = less(*now, *(const u64 *)((const char *)before + events[i]));
	}
	for (i = 0; i < POOL_FAULT_KINDS; i++)
		s->faults[i] = less(s->faults[i], before->faults[i]);
}

/* By all that a saved dump has counted. */
void advise_file(const char *path)
{
	struct table t;

	table_read_file(&t, path);
	advise(&t);
	table_free(&t);
}

/* By all that was counted so far, or within some seconds. */
void advise_source(const struct options *o, double seconds)
{
	struct table before = { .n = 0 }, t;
	size_t i;

	if (seconds) {
		source_table(&o->source, &before, false);
		sleep_until(seconds_now() + seconds);
	}
	source_table(&o->source, &t, false);
	for (i = 0; i < t.n; i++) {
		const struct entry *e = table_find(&before, t.pools[i].s.id);

		if (e)
			since(&t.pools[i].s, &e->s);
	}
	advise(&t);
	table_free(&before);
	table_free(&t);
}
