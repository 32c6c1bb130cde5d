// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * advise.c - which pool would gain from another bound, limit or reserve
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * Each rule looks at one pool's numbers, and says which of them are its reason, and how much
 * would be saved at most.  Counters tell nothing about the size of clusters, so there is no
 * advice about it.
 *
 * hot_size bounds what all pools together cache per CPU.  No CPU can be asked to cache more than
 * all pools have, so with that bound nothing leaves a CPU for room.  Less may do; a recorded
 * trace, replayed with several bounds, tells.
 */
#include "poolctl.h"

#include <stdarg.h>

/* Fewer events than this may be those of a start. */
#define EVENTS_LEAST	100

/* The option's limits, and a value that needs no advice. */
#define HOT_SIZE_LEAST	(1u << 19)
#define HOT_SIZE_MOST	(1u << 30)

/* Less idle memory than this is not worth a word. */
#define IDLE_LEAST	(1u << 20)

typedef unsigned long long u64;

/* A rule fills in the text and returns true, or leaves it alone. */
struct advice {
	u64 bytes;			/* bytes that all pools have */
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

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

static unsigned int percent(u64 part, u64 whole)
{
	return whole ? (unsigned int)(least(part, whole) * 100 / whole) : 0;
}

/*
 * Of the visits of the shared pool, in percent, those that evictions cause: each puts a
 * cluster there, and what an evicted cluster had is got back by as many gets, if it is got back.
 */
static unsigned int visits_by_evictions(const struct pool_stats *s)
{
	u64 puts = least(s->evictions, s->puts);
	u64 objs = s->puts ? s->put_objs / s->puts * puts : 0;
	u64 gets = s->get_objs ? s->gets * least(objs, s->get_objs) / s->get_objs : 0;

	return percent(puts + gets, s->puts + s->gets);
}

/* A power of two, as the option takes it. */
static void format_hot_size(char *text, size_t size, u64 bytes)
{
	u64 value = HOT_SIZE_LEAST;

	while (value < bytes && value < HOT_SIZE_MOST)
		value *= 2;
	if (value < 1u << 20)
		snprintf(text, size, "%lluk", value >> 10);
	else
		snprintf(text, size, "%llum", value >> 20);
}

static const char *were(u64 n)
{
	return n == 1 ? " was" : "s were";
}

static const char *are(u64 n)
{
	return n == 1 ? " is" : "s are";
}

/* What leaves a CPU for the shared pool, and soon comes back. */
static bool advise_bound(const struct pool_stats *s, struct advice *a)
{
	char value[24];

	if (s->evictions < EVENTS_LEAST || s->evictions * 10 < s->spills ||
	    s->get_objs < s->evictions)
		return false;
	format_hot_size(value, sizeof(value), a->bytes);
	return say(a, "hot_size=%s: up to %u %% fewer visits of the shared pool: the bound made %llu cluster%s leave CPUs, at %llu spill%s, and %llu object%s came back",
		   value, visits_by_evictions(s), s->evictions, plural(s->evictions), s->spills,
		   plural(s->spills), s->get_objs, plural(s->get_objs));
}

/* The backend works as if there were no pool. */
static bool advise_spares(const struct pool_stats *s, struct advice *a)
{
	u64 again = s->store_gets < s->store_puts ? s->store_gets : s->store_puts;

	if (again < EVENTS_LEAST || again < s->allocated || s->need <= s->min_avail)
		return false;
	return say(a, "min_avail of %llu instead of %llu: up to %u %% fewer objects from and to the backend, which took %llu and gave %llu",
		   s->need, s->min_avail, percent(2 * again, s->store_gets + s->store_puts),
		   s->store_puts, s->store_gets);
}

static bool advise_limit(const struct pool_stats *s, struct advice *a)
{
	if (!s->refused || !s->limit)
		return false;
	if (s->used >= s->limit)
		return say(a, "a higher limit than %llu: %llu allocation%s refused, and %llu object%s in use",
			   s->limit, s->refused, were(s->refused), s->used, are(s->used));
	return say(a, "POOL_F_WAIT, or a lent signal: %llu allocation%s refused, and %llu object%s in use, of a limit of %llu",
		   s->refused, were(s->refused), s->used, are(s->used), s->limit);
}

static bool advise_reserve(const struct pool_stats *s, struct advice *a)
{
	if (!s->failed)
		return false;
	return say(a, "a reserve: %llu allocation%s found no memory, and %llu object%s reserved",
		   s->failed, plural(s->failed), s->reserved, are(s->reserved));
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
	return say(a, "ageing, or pool_shrink(): %llu of %llu object%s, %llu KiB, %s neither in use nor needed",
		   idle, s->allocated, plural(s->allocated), idle * s->object_size >> 10,
		   idle == 1 ? "is" : "are");
}

static bool advise_log(const struct pool_stats *s, struct advice *a)
{
	u64 faults = pool_dump_faults(s);

	return faults && say(a, "a look at the log: checks have found %llu fault%s", faults,
			     plural(faults));
}

static bool (*const rules[])(const struct pool_stats *s, struct advice *a) = {
	advise_log, advise_limit, advise_reserve, advise_bound, advise_spares, advise_age,
};

/* Returns how many lines it took. */
static unsigned int advise_pool(const struct pool_stats *s, u64 bytes)
{
	char name[POOL_SHOWN_LEN + 1];
	struct advice a = { .bytes = bytes };
	unsigned int n = 0;
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
	u64 bytes = 0;
	size_t i;

	for (i = 0; i < t->n; i++)
		bytes += pool_dump_bytes(&t->pools[i].s);
	for (i = 0; i < t->n; i++)
		n += advise_pool(&t->pools[i].s, bytes);
	printf("%zu pool%s, %u piece%s of advice\n", t->n, plural(t->n), n, plural(n));
}

/* A count may begin anew, with the program, or after 2^32 events on machines of 32 bits. */
static u64 less(u64 now, u64 before)
{
	return now > before ? now - before : 0;
}

/* Leave of an event what came since an earlier reading. */
static void since(struct pool_stats *s, const struct pool_stats *before)
{
	const struct pool_dump_field *f;

	for (f = pool_dump_columns; f->name; f++)
		if (pool_dump_is_event(f))
			*(u64 *)((char *)s + f->offset) = less(pool_dump_value(f, s),
							       pool_dump_value(f, before));
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
