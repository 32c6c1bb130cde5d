// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * samples.c - numbers of one pool, or of all, over time
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * A sample is made of a table.  Bytes and objects are those of a moment.  Of events it has
 * how many came in a second since the table before.
 */
#include <limits.h>

#include "poolctl.h"

/* Those of bytes come first. */
const char *const series_names[SERIES] = {
	"used", "cached", "shared", "fills", "spills", "store_gets", "store_puts",
};

static bool is_wanted(const struct samples *s, const struct entry *e)
{
	return !s->pool || entry_is_called(e, s->pool);
}

static void add_pool(struct samples *s, struct sample *to, const struct pool_stats *p)
{
	unsigned int i;

	for (i = 0; i < SERIES; i++) {
		const struct column *c = column_find(series_names[i]);

		if (i < SERIES_BYTES) {
			to->value[i] += (double)column_value(c, p) * p->object_size;
			to->objects[i] += (double)column_value(c, p);
		} else {
			to->value[i] += (double)column_since(c, p, &s->last);
		}
	}
}

/* Counts since the sample before become those of a second.  The first sample has none. */
static void make_rates(const struct samples *s, struct sample *now)
{
	double span = s->n ? now->at - s->list[s->n - 1].at : 0;
	unsigned int i;

	for (i = SERIES_BYTES; i < SERIES; i++)
		now->value[i] = span > 0 ? now->value[i] / span : -1;
}

/* Append what a table has.  The table becomes the samples' own. */
void samples_add(struct samples *s, struct table *t, double at)
{
	struct sample now = { .at = at };
	size_t i;

	s->pools = 0;
	for (i = 0; i < t->n; i++) {
		if (!is_wanted(s, &t->pools[i]))
			continue;
		add_pool(s, &now, &t->pools[i].s);
		pool_show_name(s->shown, t->pools[i].s.name);
		s->pools++;
	}
	s->found |= !s->pool || s->pools;
	make_rates(s, &now);
	s->list = need_memory(realloc(s->list, (s->n + 1) * sizeof(*s->list)));
	s->list[s->n++] = now;
	table_free(&s->last);
	s->last = *t;
	*t = (struct table){ .n = 0 };
}

void samples_free(struct samples *s)
{
	table_free(&s->last);
	free(s->list);
	s->list = NULL;
	s->n = 0;
}

/*
 * The largest value of a series in one of several equal parts of the time; negative: not
 * known.  Where there are more parts than samples, several have the same one.
 */
double samples_value(const struct samples *s, unsigned int series, size_t part,
		     size_t parts)
{
	size_t i = part * s->n / parts, end = (part + 1) * s->n / parts;
	double most = -1;

	if (end <= i)
		end = i + 1;
	for (; i < end; i++)
		if (most < s->list[i].value[series])
			most = s->list[i].value[series];
	return most;
}

/* The largest value of a series; 0 if none is known. */
double samples_most(const struct samples *s, unsigned int series)
{
	double most = s->n ? samples_value(s, series, 0, 1) : 0;

	return most > 0 ? most : 0;
}

double samples_now(const struct samples *s, unsigned int series)
{
	return s->n ? s->list[s->n - 1].value[series] : -1;
}

/* A saved dump may have any numbers, whose product no integer holds. */
static unsigned long long whole(double value)
{
	return value < 0x1p64 ? (unsigned long long)value : ULLONG_MAX;
}

/* As "12.5M", or "1204" for events; "-": not known. */
void format_sample(char *text, size_t size, unsigned int series, double value)
{
	if (value < 0)
		snprintf(text, size, "-");
	else if (series < SERIES_BYTES)
		pool_dump_format_bytes(text, size, whole(value));
	else
		snprintf(text, size, value < 10 && value > 0 ? "%.1f" : "%.0f", value);
}

/* As "used", or "fills/s" for events. */
void format_series(const struct samples *s, char *text, size_t size, unsigned int series)
{
	snprintf(text, size, "%s%s", series_names[series], series < SERIES_BYTES ? "" :
		 s->timed ? "/s" : "/dump");
}

/* When a sample was taken, as "12.5 s", or "dump 3". */
void format_moment(const struct samples *s, char *text, size_t size, size_t nth)
{
	double seconds = s->n ? s->list[nth].at - s->list[0].at : 0;

	if (s->timed)
		snprintf(text, size, seconds < 100 ? "%.1f s" : "%.0f s", seconds);
	else
		snprintf(text, size, "dump %zu", nth + 1);
}

/* What this is about, as "pool conn: 12 dumps", or "7 pools: 12.5 s". */
void format_title(const struct samples *s, char *text, size_t size)
{
	char length[32];

	if (s->timed)
		format_moment(s, length, sizeof(length), s->n ? s->n - 1 : 0);
	else
		snprintf(length, sizeof(length), "%zu dump%s", s->n, plural(s->n));
	if (s->pool)
		snprintf(text, size, "pool %s: %s", s->shown, length);
	else
		snprintf(text, size, "%zu pool%s: %s", s->pools, plural(s->pools), length);
}
