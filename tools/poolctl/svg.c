// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * svg.c - samples as a picture: bytes above, events below
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * Equal samples give equal files.  The picture has a background of its own, and follows the
 * reader's choice of light or dark.  What it shows is told in words, too, for readers who
 * do not see it.
 */
#include "poolctl.h"

#include <math.h>

#define WIDTH		720
#define LEFT		64		/* room for the numbers of an axis */
#define RIGHT		16
#define PANEL_WIDTH	(WIDTH - LEFT - RIGHT)
#define PANEL_HEIGHT	150
#define LEGEND_HEIGHT	40
#define TITLE_HEIGHT	28
#define AXIS_HEIGHT	34
#define HEIGHT		(TITLE_HEIGHT + 2 * (LEGEND_HEIGHT + PANEL_HEIGHT) + AXIS_HEIGHT)

/* At most so many points on a line, so that an SVG stays small. */
#define POINTS_MOST	320

/* Series that share an axis. */
struct panel {
	unsigned int first, end;	/* series */
	int top;
	double step;			/* from one line of the grid to the next */
	double most;			/* at the top */
	size_t points;
	bool stacked;
};

/* Lines of events differ by their strokes, too, for those who do not tell colours. */
static const char style[] =
"<style>\n"
"text{font:12px sans-serif;fill:#222}\n"
".title{font-size:14px;font-weight:bold}\n"
".page{fill:#fff}\n"
".grid{stroke:#d8d8d8}\n"
"polyline{fill:none;stroke-width:1.6}\n"
".used{fill:#0072b2}.cached{fill:#e69f00}.shared{fill:#56b4e9}\n"
".fills{stroke:#0072b2}.spills{stroke:#d55e00;stroke-dasharray:7 3}\n"
".store_gets{stroke:#009e73;stroke-dasharray:2 2}\n"
".store_puts{stroke:#b0508f;stroke-dasharray:9 3 2 3}\n"
"@media (prefers-color-scheme:dark){\n"
"text{fill:#ddd}.page{fill:#16181c}.grid{stroke:#444}\n"
".fills{stroke:#56b4e9}.spills{stroke:#ff8c42}.store_gets{stroke:#2fd6a3}\n"
".store_puts{stroke:#e08ac4}}\n"
"</style>\n";

static void put_text(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			fputs("&amp;", to);
		else if (*text == '<')
			fputs("&lt;", to);
		else if (*text == '>')
			fputs("&gt;", to);
		else
			putc(*text, to);
	}
}

/* All numbers of the legends, in a sentence. */
static void put_words(FILE *to, const struct samples *s)
{
	char name[24], now[24], most[24];
	unsigned int i;

	fputs("<desc id=\"words\">", to);
	for (i = 0; i < SERIES; i++) {
		format_series(s, name, sizeof(name), i);
		format_sample(now, sizeof(now), i, samples_now(s, i));
		format_sample(most, sizeof(most), i, samples_most(s, i));
		fprintf(to, "%s%s: %s at the end, at most %s", i ? "; " : "", name, now,
			most);
	}
	fputs(".</desc>\n", to);
}

static void put_head(FILE *to, const struct samples *s)
{
	char title[80];

	format_title(s, title, sizeof(title));
	fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"\n",
		WIDTH, HEIGHT);
	fprintf(to, "viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"title words\">\n",
		WIDTH, HEIGHT);
	fputs("<title id=\"title\">", to);
	put_text(to, title);
	fputs("</title>\n", to);
	put_words(to, s);
	fputs(style, to);
	fputs("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n", to);
	fputs("<text class=\"title\" x=\"12\" y=\"20\">", to);
	put_text(to, title);
	fputs("</text>\n", to);
}

static double x_of(const struct panel *p, size_t point)
{
	return LEFT + PANEL_WIDTH * (p->points > 1 ? (double)point / (double)(p->points - 1) : 0);
}

static double y_of(const struct panel *p, double value)
{
	return p->top + PANEL_HEIGHT * (1 - value / p->most);
}

/* Negative: not known. */
static double value_at(const struct samples *s, const struct panel *p, unsigned int series,
		       size_t point)
{
	return samples_value(s, series, point, p->points);
}

/* The sum of a stack at a point, up to and with a series. */
static double sum_at(const struct samples *s, const struct panel *p, unsigned int series,
		     size_t point)
{
	double sum = 0;
	unsigned int i;

	for (i = p->first; i <= series; i++)
		sum += value_at(s, p, i, point);
	return sum;
}

static double most_of(const struct samples *s, const struct panel *p)
{
	double most = 0, value;
	unsigned int i;
	size_t point;

	for (point = 0; p->stacked && point < p->points; point++) {
		value = sum_at(s, p, p->end - 1, point);
		most = value > most ? value : most;
	}
	for (i = p->first; !p->stacked && i < p->end; i++) {
		value = samples_most(s, i);
		most = value > most ? value : most;
	}
	return most;
}

/* Bytes have lines at powers of two; events at 1, 2 and 5 of a power of ten. */
static void choose_axis(const struct samples *s, struct panel *p)
{
	double most = most_of(s, p), step = 1;
	unsigned int i;

	for (i = 0; step * 4 < most; i++)
		step *= p->first < SERIES_BYTES || i % 3 != 1 ? 2 : 2.5;
	p->step = step;
	p->most = step * (most > 0 ? ceil(most / step) : 1);
}

static void put_grid(FILE *to, const struct panel *p)
{
	double value;
	char text[24];

	for (value = 0; value <= p->most; value += p->step) {
		double y = y_of(p, value);

		format_sample(text, sizeof(text), p->first, value);
		fprintf(to, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
			LEFT, LEFT + PANEL_WIDTH, y, y);
		fprintf(to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			LEFT - 6, y + 4, text);
	}
}

static void put_swatch(FILE *to, const struct panel *p, unsigned int series, int x, int y)
{
	if (p->stacked)
		fprintf(to, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"22\" height=\"10\"/>\n",
			series_names[series], x, y - 9);
	else
		fprintf(to, "<polyline class=\"%s\" points=\"%d,%d %d,%d\"/>\n",
			series_names[series], x, y - 4, x + 22, y - 4);
}

/* Above the panel: what each colour is, and its last value. */
static void put_legend(FILE *to, const struct samples *s, const struct panel *p)
{
	int y = p->top - 12, width = PANEL_WIDTH / (int)(p->end - p->first), x = LEFT;
	char name[24], now[24];
	unsigned int i;

	for (i = p->first; i < p->end; i++, x += width) {
		put_swatch(to, p, i, x, y);
		format_series(s, name, sizeof(name), i);
		format_sample(now, sizeof(now), i, samples_now(s, i));
		fprintf(to, "<text x=\"%d\" y=\"%d\">%s %s</text>\n", x + 27, y, name, now);
	}
}

/* Along its top from the left, and back along the top of what is below. */
static void put_area(FILE *to, const struct samples *s, const struct panel *p,
		     unsigned int series)
{
	size_t i;

	fprintf(to, "<polygon class=\"%s\" points=\"", series_names[series]);
	for (i = 0; i < p->points; i++)
		fprintf(to, "%.1f,%.1f ", x_of(p, i), y_of(p, sum_at(s, p, series, i)));
	while (i--)
		fprintf(to, "%.1f,%.1f%s", x_of(p, i), y_of(p, series == p->first ? 0 :
			sum_at(s, p, series - 1, i)), i ? " " : "");
	fputs("\"/>\n", to);
}

static void put_line(FILE *to, const struct samples *s, const struct panel *p,
		     unsigned int series)
{
	const char *gap = "";
	size_t i;

	fprintf(to, "<polyline class=\"%s\" points=\"", series_names[series]);
	for (i = 0; i < p->points; i++) {
		double value = value_at(s, p, series, i);

		if (value < 0)
			continue;
		fprintf(to, "%s%.1f,%.1f", gap, x_of(p, i), y_of(p, value));
		gap = " ";
	}
	fputs("\"/>\n", to);
}

static void put_panel(FILE *to, const struct samples *s, struct panel p)
{
	unsigned int i;

	p.points = s->n < POINTS_MOST ? s->n : POINTS_MOST;
	choose_axis(s, &p);
	put_grid(to, &p);
	put_legend(to, s, &p);
	for (i = p.first; i < p.end; i++) {
		if (p.stacked)
			put_area(to, s, &p, i);
		else
			put_line(to, s, &p, i);
	}
}

/* Below both panels: the first moment, the one in the middle, the last one. */
static void put_moments(FILE *to, const struct samples *s)
{
	static const char *const anchors[] = { "start", "middle", "end" };
	unsigned int i;
	char text[24];

	for (i = 0; i < 3 && s->n > i; i++) {
		unsigned int half = s->n == 2 && i ? 2 : i;

		format_moment(s, text, sizeof(text), (s->n - 1) * half / 2);
		fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
			LEFT + PANEL_WIDTH * (int)half / 2, HEIGHT - 14, anchors[half], text);
	}
}

void print_svg(FILE *to, const struct samples *s)
{
	int top = TITLE_HEIGHT + LEGEND_HEIGHT;

	put_head(to, s);
	put_panel(to, s, (struct panel){
		.end = SERIES_BYTES, .top = top, .stacked = true,
	});
	put_panel(to, s, (struct panel){
		.first = SERIES_BYTES, .end = SERIES,
		.top = top + PANEL_HEIGHT + LEGEND_HEIGHT,
	});
	put_moments(to, s);
	fputs("</svg>\n", to);
}
