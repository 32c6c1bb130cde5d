// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * graph.c - samples as bars of characters, for a terminal or a file
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * Each series has a graph with an axis of its own, below each other.  Time goes from left
 * to right, and the whole width is the whole time.
 */
#include "poolctl.h"

#include <langinfo.h>
#include <string.h>

/* A title above the graphs, and an axis below them. */
#define OTHER_LINES	2

#define LABEL_WIDTH	18
#define HEIGHT_MOST	6

/* A character is filled in eighths from below. */
#define EIGHTHS		8

struct graph {
	FILE *to;
	const struct samples *s;
	unsigned int label;		/* columns left of the bars */
	unsigned int width;		/* of the bars */
	unsigned int height;		/* of one series */
	bool utf8;
};

/* Spaces wait for what follows them, so that no line ends with one. */
static void put_filled(struct graph *g, unsigned int eighths, unsigned int *spaces)
{
	static const char ascii[EIGHTHS + 1] = " ..::||##";

	if (!eighths) {
		(*spaces)++;
		return;
	}
	fprintf(g->to, "%*s", (int)*spaces, "");
	*spaces = 0;
	if (g->utf8)
		fprintf(g->to, "\xe2\x96%c", (char)(0x80 + eighths));
	else
		putc(ascii[eighths], g->to);
}

/* How much of a line, from the bottom, a bar of so many eighths fills. */
static unsigned int part_of_line(unsigned int bar, unsigned int line)
{
	if (bar <= line * EIGHTHS)
		return 0;
	bar -= line * EIGHTHS;
	return bar < EIGHTHS ? bar : EIGHTHS;
}

/* A value that is not 0 is seen. */
static unsigned int bar_of(const struct graph *g, double value, double most)
{
	unsigned int all = g->height * EIGHTHS, bar;

	if (value <= 0)
		return 0;
	bar = (unsigned int)(value / most * all + 0.5);
	return bar < 1 ? 1 : bar > all ? all : bar;
}

/* @spaces: between the label and the first bar. */
static void put_bars(struct graph *g, unsigned int series, unsigned int line,
		     unsigned int spaces)
{
	double most = samples_most(g->s, series);
	unsigned int x;

	for (x = 0; x < g->width && g->s->n; x++) {
		double value = samples_value(g->s, series, x, g->width);

		put_filled(g, part_of_line(bar_of(g, value, most), line), &spaces);
	}
	putc('\n', g->to);
}

/* Beside the lines of a graph: its name, its last value, its largest one. */
static void format_label(const struct graph *g, unsigned int series, unsigned int nth,
			 char *text, size_t size)
{
	char name[24], now[24], most[24];

	format_series(g->s, name, sizeof(name), series);
	format_sample(now, sizeof(now), series, samples_now(g->s, series));
	format_sample(most, sizeof(most), series, samples_most(g->s, series));
	if (!nth && g->height < 3)
		snprintf(text, size, "%s %s", name, now);
	else if (!nth)
		snprintf(text, size, "%s", name);
	else if (nth == 1 && g->height >= 3 && series < SERIES_BYTES && g->s->n)
		snprintf(text, size, "%s in %.0f", now,
			 g->s->list[g->s->n - 1].objects[series]);
	else if (nth == 1 && g->height >= 3)
		snprintf(text, size, "%s", now);
	else if (nth == (g->height >= 3 ? 2 : 1))
		snprintf(text, size, "most %s", most);
	else
		*text = 0;
}

static void put_series(struct graph *g, unsigned int series)
{
	unsigned int nth;
	char text[64];

	for (nth = 0; nth < g->height; nth++) {
		format_label(g, series, nth, text, sizeof(text));
		text[g->label] = 0;
		fputs(text, g->to);
		put_bars(g, series, g->height - 1 - nth,
			 g->label + 1 - (unsigned int)strlen(text));
	}
}

/* The first moment below the first bar, and the last one below the last. */
static void put_axis(struct graph *g)
{
	char first[24], last[24];
	size_t room = g->width;

	format_moment(g->s, first, sizeof(first), 0);
	format_moment(g->s, last, sizeof(last), g->s->n ? g->s->n - 1 : 0);
	if (strlen(first) + strlen(last) + 1 > room)
		*first = 0;
	room -= room < strlen(first) ? room : strlen(first);
	fprintf(g->to, "%*s%s%*.*s\n", (int)g->label + 1, "", first, (int)room, (int)room,
		last);
}

static unsigned int height_for(int lines)
{
	int height = (lines - OTHER_LINES) / SERIES;

	return height < 1 ? 1 : height > HEIGHT_MOST ? HEIGHT_MOST : (unsigned int)height;
}

/* As many series as fit, in so many columns and lines. */
void print_graph(FILE *to, const struct samples *s, int columns, int lines)
{
	struct graph g = { .to = to, .s = s, .height = height_for(lines) };
	unsigned int i;
	char title[80];

	g.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	g.label = columns > 3 * LABEL_WIDTH ? LABEL_WIDTH : (unsigned int)columns / 2;
	g.width = columns > (int)g.label + 1 ? (unsigned int)columns - g.label - 1 : 0;
	format_title(s, title, sizeof(title));
	fprintf(to, "%.*s\n", columns, title);
	for (i = 0; i < SERIES && (int)((i + 1) * g.height) + OTHER_LINES <= lines; i++)
		put_series(&g, i);
	put_axis(&g);
}
