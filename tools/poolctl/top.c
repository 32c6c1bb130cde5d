// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * top.c - a screen of pools that is renewed, with events in a second
 *
 * Layer:   a part of poolctl.
 * Context: one thread; curses.
 *
 * Each line is cut at the width of the screen, so any size will do.
 */
#include "poolctl.h"

#include <curses.h>
#include <string.h>
#include <time.h>

/* Lines above and below the pools. */
#define HEAD_LINES	3
#define FOOT_LINES	1

/* A screen of 20 columns has a name and one cell. */
#define NAME_WIDTH	11
#define CELL_WIDTH	9

/* The most cells of a line. */
#define CELLS		17

struct screen {
	const struct options *o;
	struct table now, before;
	double read_at;
	double span;			/* from before to now; 0: there is no before */
	const struct column *sort;	/* NULL: by name */
	bool upwards;
	size_t first;			/* pool at the top */
	bool help;			/* keys are shown instead of pools */
};

static const char *const keys[] = {
	"<  >  left  right   sort by the column before, by the next one, or by name",
	"r                   the other way round",
	"down  up            a pool further, or back",
	"page down, up       a screen of pools",
	"home                the first pool",
	"space               look at once",
	"?                   these keys, or the pools again",
	"q                   quit",
	"",
	"Columns with /s are events in a second.  Those of allocs are counted where",
	"a pool has the option memstats, which makes its calls slower; else there is",
	"\"-\": poolctl debug POOL memstats, and no-memstats.",
};

/* What the sort compares with. */
static const struct screen *sorted;

/* A column's value: of events how many there are in a second. */
static double value_of(const struct screen *s, const struct column *c,
		       const struct pool_stats *p)
{
	if (c->kind != COLUMN_EVENTS)
		return (double)column_value(c, p);
	return s->span > 0 ? (double)column_since(c, p, &s->before) / s->span : 0;
}

static int compare(const void *a, const void *b)
{
	const struct pool_stats *p = &(*(const struct entry *const *)a)->s;
	const struct pool_stats *q = &(*(const struct entry *const *)b)->s;
	int order = 0;

	if (sorted->sort) {
		double v = value_of(sorted, sorted->sort, p);
		double w = value_of(sorted, sorted->sort, q);

		order = (v < w) - (v > w);
	} else {
		order = strcmp(p->name, q->name);
	}
	if (sorted->upwards)
		order = -order;
	return order ? order : (p->id > q->id) - (p->id < q->id);
}

/* The pools in the order in which they are shown; the caller frees the array. */
static const struct entry **in_order(const struct screen *s)
{
	const struct entry **order;
	size_t i;

	order = need_memory(calloc(s->now.n + 1, sizeof(*order)));
	for (i = 0; i < s->now.n; i++)
		order[i] = &s->now.pools[i];
	sorted = s;
	qsort(order, s->now.n, sizeof(*order), compare);
	return order;
}

static void put_totals(const struct screen *s)
{
	unsigned long long sum[4] = { 0 };
	char text[5][24], line[256];
	int len;
	size_t i;

	for (i = 0; i < s->now.n; i++) {
		const struct pool_stats *p = &s->now.pools[i].s;

		sum[0] += p->allocated * p->object_size;
		sum[1] += p->used * p->object_size;
		sum[2] += p->cached * p->object_size;
		sum[3] += p->shared * p->object_size;
	}
	for (i = 0; i < 4; i++)
		pool_dump_format_bytes(text[i], sizeof(text[i]), sum[i]);
	len = snprintf(line, sizeof(line), "%zu pool%s: held %s = used %s + cached %s + shared %s",
		       s->now.n, plural(s->now.n), text[0], text[1], text[2], text[3]);
	pool_dump_format_bytes(text[4], sizeof(text[4]), pool_dump_resident(&s->now.memory));
	if (s->now.memory.known)
		snprintf(line + len, sizeof(line) - (size_t)len, "; memory %s", text[4]);
	screen_line(0, line, false);
}

static void put_state(const struct screen *s)
{
	time_t now = time(NULL);
	char clock[16] = "", line[256];
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(line, sizeof(line), "%s  sorted by %s%s  %s", clock,
		 s->sort ? s->sort->name : "name", s->upwards ? ", upwards" : "",
		 s->o->source.socket ? s->o->source.socket : s->o->source.debugfs);
	make_printable(line);
	screen_line(1, line, false);
}

static int width_of(const struct column *c)
{
	int width = (int)strlen(c->name) + (c->kind == COLUMN_EVENTS ? 3 : 1);

	return width > CELL_WIDTH ? width : CELL_WIDTH;
}

/*
 * The columns of a line: the one that is sorted by comes first, so that it is seen on any
 * screen.
 */
static unsigned int choose(const struct screen *s, const struct column **cells)
{
	const struct column *c = columns;
	int left = COLS - NAME_WIDTH;
	unsigned int n = 0;

	if (s->sort) {
		cells[n++] = s->sort;
		left -= width_of(s->sort);
	}
	for (; c->name && n < CELLS && left >= width_of(c); c++) {
		if (c == s->sort)
			continue;
		cells[n++] = c;
		left -= width_of(c);
	}
	return n;
}

static void put_head(const struct column *const *cells, unsigned int n)
{
	char line[512], name[32];
	int len = snprintf(line, sizeof(line), "%-*s", NAME_WIDTH, "pool");
	unsigned int i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s%s", cells[i]->name,
			 cells[i]->kind == COLUMN_EVENTS ? "/s" : "");
		len += snprintf(line + len, sizeof(line) - (size_t)len, "%*s",
				width_of(cells[i]), name);
	}
	screen_line(2, line, true);
}

/* Allocations of a pool that never had the option memstats are not known. */
static bool is_uncounted(const struct column *c, const struct pool_stats *p)
{
	return !strcmp(c->name, "allocs") && !p->allocs;
}

/* Nothing is wider than its column. */
static void format_cell(const struct screen *s, const struct column *c,
			const struct pool_stats *p, char *text, size_t size)
{
	double v = value_of(s, c, p);

	if (c->kind == COLUMN_BYTES)
		pool_dump_format_bytes(text, size, column_value(c, p));
	else if (c->kind == COLUMN_EVENTS && (!(s->span > 0) || is_uncounted(c, p)))
		snprintf(text, size, "-");
	else if (v < 1e7)
		snprintf(text, size, "%.0f", v);
	else
		snprintf(text, size, v < 1e10 ? "%.1fM" : "%.2gM", v / 1e6);
}

static void put_pool(const struct screen *s, int y, const struct entry *e,
		     const struct column *const *cells, unsigned int n)
{
	char line[512], text[40];
	unsigned int i;
	int len;

	pool_printable(text, sizeof(text), e->s.name, sizeof(e->s.name));
	len = snprintf(line, sizeof(line), "%-*s", NAME_WIDTH, text);
	for (i = 0; i < n; i++) {
		format_cell(s, cells[i], &e->s, text, sizeof(text));
		len += snprintf(line + len, sizeof(line) - (size_t)len, "%*s",
				width_of(cells[i]), text);
	}
	screen_line(y, line, false);
}

static int lines_for_pools(void)
{
	int lines = LINES - HEAD_LINES - FOOT_LINES;

	return lines > 0 ? lines : 0;
}

static void put_pools(struct screen *s)
{
	const struct entry **order = in_order(s);
	const struct column *cells[CELLS];
	unsigned int n = choose(s, cells);
	int y, most = lines_for_pools();

	if (s->first >= s->now.n)
		s->first = s->now.n ? s->now.n - 1 : 0;
	put_head(cells, n);
	for (y = 0; y < most && s->first + (size_t)y < s->now.n; y++)
		put_pool(s, HEAD_LINES + y, order[s->first + (size_t)y], cells, n);
	free(order);
}

static void put_keys(void)
{
	int y;

	for (y = 0; y < lines_for_pools() && y < (int)ARRAY_LEN(keys); y++)
		screen_line(HEAD_LINES + y, keys[y], false);
}

static void draw(struct screen *s)
{
	erase();
	put_totals(s);
	put_state(s);
	if (s->help)
		put_keys();
	else
		put_pools(s);
	if (LINES > HEAD_LINES)
		screen_line(LINES - 1, "q quit  < > sort  ? keys", false);
	refresh();
}

static void renew(struct screen *s)
{
	double now;

	table_free(&s->before);
	s->before = s->now;
	source_table(&s->o->source, &s->now, false);
	now = seconds_now();
	s->span = s->read_at > 0 ? now - s->read_at : 0;
	s->read_at = now;
}

/* Sort by the next column, or by the one before; by name between the last and the first. */
static void change_sort(struct screen *s, int by)
{
	int last = 0, at = s->sort ? (int)(s->sort - columns) : -1;

	while (columns[last + 1].name)
		last++;
	at += by;
	if (at < -1)
		at = last;
	s->sort = at < 0 || at > last ? NULL : &columns[at];
	s->first = 0;
}

static void scroll_by(struct screen *s, long by)
{
	long first = (long)s->first + by;

	s->first = first < 0 ? 0 : (size_t)first;
}

/* False: the user wants to leave. */
static bool obey(struct screen *s, int key)
{
	int page = lines_for_pools();

	if (key == '<' || key == KEY_LEFT)
		change_sort(s, -1);
	else if (key == '>' || key == KEY_RIGHT)
		change_sort(s, 1);
	else if (key == 'r')
		s->upwards = !s->upwards;
	else if (key == KEY_DOWN || key == KEY_UP)
		scroll_by(s, key == KEY_DOWN ? 1 : -1);
	else if (key == KEY_NPAGE || key == KEY_PPAGE)
		scroll_by(s, key == KEY_NPAGE ? page : -page);
	else if (key == KEY_HOME)
		s->first = 0;
	else if (key == '?')
		s->help = !s->help;
	else if (key == ' ')
		renew(s);
	return key != 'q' && key != 'Q';
}

/* Obey keys until it is time for the next look; false: the user, or the terminal, leaves. */
static bool wait_and_obey(struct screen *s, double until)
{
	int key;

	while ((key = screen_key(until)) != ERR) {
		if (!obey(s, key))
			return false;
		draw(s);
	}
	return true;
}

void top(const struct options *o, double seconds)
{
	struct screen s = { .o = o, .sort = o->sort };
	double next;

	if (!o->sort && !o->by_name)
		s.sort = column_find("held");
	if (!screen_possible())
		fail(2, "top needs a terminal; watch and list do not");
	renew(&s);
	screen_enter();
	do {
		draw(&s);
		next = s.read_at + seconds;
		if (!wait_and_obey(&s, next))
			break;
		renew(&s);
	} while (true);
	screen_leave();
	table_free(&s.now);
	table_free(&s.before);
}
