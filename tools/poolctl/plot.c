// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plot.c - a graph over time of one pool, or of all
 *
 * Layer:   a part of poolctl.
 * Context: one thread.
 *
 * On a terminal the graph grows on a screen, and stays when the screen is left.  Elsewhere
 * it is printed at the end, which may also be the death of the target, or the user's
 * interrupt.
 */
#include "poolctl.h"

#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

/* A file is as wide and as high as most terminals. */
#define FILE_COLUMNS	80
#define FILE_LINES	24

/* Where no key can end it. */
#define TIMES		60

static struct {
	const struct options *o;
	struct samples samples;
} plotted;

static volatile sig_atomic_t interrupted;

static void print_plot(FILE *to, void *arg)
{
	(void)arg;
	if (plotted.o->format == FORMAT_SVG)
		print_svg(to, &plotted.samples);
	else
		print_graph(to, &plotted.samples, FILE_COLUMNS, FILE_LINES);
}

/* What was seen so far is printed, also before a message that ends the program. */
static void finish(void)
{
	before_message = NULL;
	if (plotted.samples.n)
		print_output(plotted.o, print_plot, NULL);
}

static void leave_and_finish(void)
{
	screen_leave();
	finish();
}

static void need_pool(void)
{
	if (plotted.samples.found)
		return;
	plotted.samples.n = 0;
	fail(1, "there is no pool \"%s\"", plotted.samples.pool);
}

/* On the screen. */
static void draw(void)
{
	int columns, lines;
	char *text;
	size_t size;
	FILE *to = need_memory(open_memstream(&text, &size));

	screen_size(&columns, &lines);
	print_graph(to, &plotted.samples, columns, lines);
	if (fclose(to))
		need_memory(NULL);
	screen_text(text);
	free(text);
}

/* False: the user wants to leave. */
static bool draw_until(double when)
{
	int key;

	do {
		draw();
		key = screen_key(when);
	} while (key != ERR && key != 'q' && key != 'Q');
	return key == ERR;
}

static void note_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/* Where no key ends it, a signal does.  On a screen the signals are those of curses. */
static void catch_interrupts(void)
{
	struct sigaction catch = { .sa_handler = note_interrupt };

	sigaction(SIGINT, &catch, NULL);
	sigaction(SIGTERM, &catch, NULL);
}

/* False: the user has seen enough. */
static bool wait_until(double when)
{
	double left;

	while (!interrupted && (left = when - seconds_now()) > 0)
		poll(NULL, 0, (int)(left * 1000) + 1);
	return !interrupted;
}

static void begin(bool screen)
{
	if (screen) {
		screen_enter();
		before_message = leave_and_finish;
	} else {
		catch_interrupts();
		before_message = finish;
	}
}

/* Look so many times; 0: until a key ends it. */
static void plot_source(double seconds, unsigned int times, bool screen)
{
	double start = seconds_now(), next = start;
	struct table t;
	unsigned int i;

	for (i = 0; !times || i < times; i++) {
		source_table(&plotted.o->source, &t, false);
		samples_add(&plotted.samples, &t, seconds_now() - start);
		need_pool();
		if (!i)
			begin(screen);
		next = next_look(next, seconds);
		if (i + 1 == times || !(screen ? draw_until(next) : wait_until(next)))
			break;
	}
	if (screen)
		screen_leave();
}

/* All dumps of a file. */
static void plot_file(const char *path, double seconds)
{
	char *text = read_file(path, 2), *at = text;
	struct table t;

	do {
		table_read_next(&t, &at, path);
		samples_add(&plotted.samples, &t, (double)plotted.samples.n * seconds);
	} while (*at);
	free(text);
}

static bool is_number(const char *word)
{
	return *word && strspn(word, "0123456789.") == strlen(word);
}

static void plot_files(char **args)
{
	double seconds = 1;
	size_t n = 0;

	while (args[n])
		n++;
	if (n && is_number(args[n - 1])) {
		seconds = read_seconds(args[--n]);
		plotted.samples.timed = true;
	}
	if (!n)
		fail(2, "plot needs --pid, --socket or --kernel; or a pool, or all, and dumps");
	while (n--)
		plot_file(*args++, seconds);
	need_pool();
}

/* A word like "5x" is a wrong number, and no pool: a digit in front may be spelled %35. */
static bool begins_number(const char *word)
{
	word += *word == '-' || *word == '.';
	return *word >= '0' && *word <= '9';
}

void plot(struct options *o, char **args)
{
	bool screen = o->format == POOL_DUMP_TABLE && !o->output && screen_possible();
	double seconds = 1;

	plotted.o = o;
	if (*args && (!o->has_source || !begins_number(*args))) {
		plotted.samples.pool = strcmp(*args, "all") ? *args : NULL;
		args++;
	}
	if (!o->has_source) {
		plot_files(args);
	} else {
		plotted.samples.timed = true;
		if (*args)
			seconds = read_seconds(*args++);
		if (*args && args[1])
			fail(2, "plot: too many words; --help shows it");
		plot_source(seconds, *args ? read_number("plot", *args, INT_MAX) :
			    screen ? 0 : TIMES, screen);
	}
	finish();
	samples_free(&plotted.samples);
}
