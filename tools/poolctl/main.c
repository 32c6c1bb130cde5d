// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - poolctl: look at the pools of a program or of the kernel, and switch them
 *
 * Layer:   a program; Documentation/poolctl.rst describes it.
 * Context: one thread.
 *
 * Exits with 0 if all went well, 1 if the target refused or is gone, 2 if the arguments
 * are wrong, 3 if "bugs" has found any.
 */
#include "poolctl.h"

#include <err.h>
#include <getopt.h>
#include <locale.h>
#include <stdarg.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#define DEBUGFS		"/sys/kernel/debug/pool"

/* The longest time between two looks: a day. */
#define SECONDS_MOST	86400

static const char help[] =
"usage: poolctl [OPTIONS] COMMAND\n"
"\n"
"Whose pools:\n"
"  --pid N             the program with this process id\n"
"  --socket PATH       the program that serves this socket\n"
"  --kernel            the kernel's; --debugfs DIR if not " DEBUGFS "\n"
"\n"
"Look:\n"
"  list [PREFIX]       all pools, or those whose names begin like that\n"
"  show POOL           all numbers and options of one\n"
"  top [SECONDS]       the screen, renewed; q ends it\n"
"  watch [SECONDS [COUNT]]  a line each time; with a format: a dump each time\n"
"  plot [POOL] [SECONDS [COUNT]]  a graph over time; without a POOL of all\n"
"  plot POOL DUMP... [SECONDS]    of saved dumps, without a --pid; POOL may be all\n"
"  diff A B            what has changed between two saved dumps, raw or JSON\n"
"  diff SECONDS        what changes in that time\n"
"  advise [SECONDS]    what a pool lacks, by all its counts, or by those of that time\n"
"  advise DUMP         the same by a saved dump, without a --pid\n"
"  bugs                what checks have found; bugs DUMP: in a saved dump\n"
"  memstats [WORDS]    what allocates\n"
"\n"
"Change:\n"
"  gc, reclaim         give back what is unused; reclaim: caches, too\n"
"  flush POOL          the same for one; or all\n"
"  debug [[POOL] WORDS]  switch options of one, or of all; alone: what is on\n"
"  set OPTIONS         for pools to come, values for all, as LIBPOOL_OPTIONS\n"
"\n"
"  --json, --prometheus, --raw   the format\n"
"  --sort KEY          name, or a column: see the error for a wrong one\n"
"  --count N           at most so many pools\n"
"  --svg               of plot\n"
"  --output FILE       replaced as a whole, for list, watch and plot\n"
"  --folded, --pprof   memstats for flame graphs, for pprof\n"
"\n"
"Exits with 1 if the target refused or is gone, 2 if the arguments are wrong;\n"
"bugs with 3 if there are any.\n";

/* Set by top and plot: a message comes after the screen, and after what was seen. */
void (*before_message)(void);

/*
 * Replace what a terminal would obey, and what is no character in this locale.  Paths, arguments
 * and names of programs may have any bytes.
 */
void make_printable(char *text)
{
	mbstate_t state = { 0 };
	wchar_t wide;
	size_t len;

	for (; *text; text += len) {
		len = mbrtowc(&wide, text, strlen(text), &state);
		if (len && len <= strlen(text) && iswprint((wint_t)wide))
			continue;
		*text = '?';
		len = 1;
		state = (mbstate_t){ 0 };
	}
}

void fail(int status, const char *fmt, ...)
{
	void (*first)(void) = before_message;
	va_list args;
	char *line;

	before_message = NULL;
	if (first)
		first();
	fflush(stdout);
	va_start(args, fmt);
	if (vasprintf(&line, fmt, args) < 0)
		errx(status, "no memory for a message");
	va_end(args);
	make_printable(line);
	warnx("%s", line);
	exit(status);
}

void *need_memory(void *p)
{
	if (!p)
		fail(1, "no memory");
	return p;
}

unsigned int read_number(const char *what, const char *text, unsigned int most)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !n || n > most)
		fail(2, "%s: not a number from 1 to %u: \"%s\"", what, most,
		     text);
	return (unsigned int)n;
}

double read_seconds(const char *text)
{
	char *end;
	double n = strtod(text, &end);

	if (strspn(text, "0123456789.") != strlen(text) || end == text || *end ||
	    n < 0.1 || n > SECONDS_MOST)
		fail(2, "not 0.1 to %d seconds: \"%s\"", SECONDS_MOST, text);
	return n;
}

static void need_no_source(const struct options *o)
{
	if (o->has_source)
		fail(2, "only one of --pid, --socket and --kernel");
}

static void set_source(struct options *o, const char *socket, const char *debugfs)
{
	struct sockaddr_un addr;

	need_no_source(o);
	if (socket && (!*socket || strlen(socket) >= sizeof(addr.sun_path)))
		fail(2, "\"%s\": a socket's path has 1 to %zu bytes", socket,
		     sizeof(addr.sun_path) - 1);
	o->has_source = true;
	o->source.socket = socket;
	o->source.debugfs = debugfs;
}

static void set_sort(struct options *o, const char *key)
{
	char names[256];

	o->by_name = !strcmp(key, "name");
	o->sort = column_find(key);
	if (o->by_name || o->sort)
		return;
	column_names(names, sizeof(names));
	fail(2, "--sort: no column \"%s\"; they are name%s", key, names);
}

static void set_pid(struct options *o, const char *text)
{
	unsigned int pid;

	need_no_source(o);
	pid = read_number("--pid", text, 1u << 30);
	set_source(o, socket_of_pid(pid), NULL);
	o->source.pid = pid;
}

static const struct option words[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "socket", required_argument, NULL, 's' },
	{ "kernel", no_argument, NULL, 'k' },
	{ "debugfs", required_argument, NULL, 'd' },
	{ "json", no_argument, NULL, 'j' },
	{ "prometheus", no_argument, NULL, 'm' },
	{ "raw", no_argument, NULL, 'r' },
	{ "svg", no_argument, NULL, 'g' },
	{ "sort", required_argument, NULL, 'o' },
	{ "count", required_argument, NULL, 'n' },
	{ "output", required_argument, NULL, 'f' },
	{ "folded", no_argument, NULL, 'F' },
	{ "pprof", no_argument, NULL, 'P' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

static void set_option(struct options *o, int c, const char **debugfs)
{
	switch (c) {
	case 'p':
		set_pid(o, optarg);
		break;
	case 's':
		set_source(o, optarg, NULL);
		break;
	case 'k':
		set_source(o, NULL, DEBUGFS);
		break;
	case 'd':
		*debugfs = optarg;
		break;
	case 'j':
		o->format = POOL_DUMP_JSON;
		break;
	case 'm':
		o->format = POOL_DUMP_PROMETHEUS;
		break;
	case 'r':
		o->format = POOL_DUMP_RAW;
		break;
	case 'g':
		o->format = FORMAT_SVG;
		break;
	case 'F':
		o->sites = SITES_FOLDED;
		break;
	case 'P':
		o->sites = SITES_PPROF;
		break;
	case 'o':
		set_sort(o, optarg);
		break;
	case 'n':
		o->count = read_number("--count", optarg, INT_MAX);
		break;
	default:
		o->output = optarg;
	}
}

/* Returns the command and what follows it. */
static char **read_options(struct options *o, int argc, char **argv)
{
	const char *debugfs = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "", words, NULL)) != -1) {
		if (c == 'h' || c == 'v') {
			fputs(c == 'h' ? help : "poolctl " POOL_VERSION "\n", stdout);
			exit(fflush(stdout) ? 1 : 0);
		}
		if (c == '?')
			fail(2, "--help lists the options; other words that begin with \"-\" come behind \"--\"");
		set_option(o, c, &debugfs);
	}
	if (debugfs && o->has_source && o->source.socket)
		fail(2, "--debugfs is for --kernel");
	if (debugfs) {
		o->has_source = true;
		o->source.debugfs = debugfs;
	}
	return argv + optind;
}

static bool begins_like(const struct entry *e, const char *prefix)
{
	return pool_dump_name_matches(e->s.name, prefix);
}

static void list(struct options *o, char **args)
{
	struct table t;

	source_table(&o->source, &t, o->format == POOL_DUMP_TABLE);
	if (args[0])
		table_keep(&t, begins_like, args[0]);
	table_sort(&t, o);
	print_all(&t, o);
	table_free(&t);
}

/* For people: a number in a line, the creations, and the options that are on. */
static void show_entry(const struct options *o, const struct entry *e)
{
	const struct pool_dump_field *f;
	char shown[POOL_SHOWN_LEN + 1], *debug;

	pool_show_name(shown, e->s.name);
	printf("pool %s\n", shown);
	for (f = pool_dump_columns; f->name; f++)
		printf("%-14s%llu\n", f->name, pool_dump_value(f, &e->s));
	fputs(e->details ? e->details : "", stdout);
	debug = source_options(&o->source, e);
	printf("options       %s", debug);
	free(debug);
}

static void show(struct options *o, char **args)
{
	struct table t;
	size_t i;

	source_table(&o->source, &t, true);
	table_keep(&t, entry_is_called, args[0]);
	if (!t.n)
		fail(1, "there is no pool \"%s\"", args[0]);
	if (o->format != POOL_DUMP_TABLE)
		print_table(stdout, &t, o, true);
	else
		for (i = 0; i < t.n; i++)
			show_entry(o, &t.pools[i]);
	table_free(&t);
}

static void run_top(struct options *o, char **args)
{
	top(o, args[0] ? read_seconds(args[0]) : 2);
}

static void run_watch(struct options *o, char **args)
{
	double seconds = args[0] ? read_seconds(args[0]) : 2;

	watch(o, seconds, args[0] && args[1] ?
	      read_number("watch", args[1], INT_MAX) : 0);
}

static void run_diff(struct options *o, char **args)
{
	if (args[1] && o->has_source)
		fail(2, "diff of two files needs no --pid, --socket or --kernel");
	if (args[1])
		diff_files(o, args[0], args[1]);
	else if (!o->has_source)
		fail(2, "diff SECONDS needs --pid, --socket or --kernel");
	else
		diff_source(o, read_seconds(args[0]));
}

static void run_advise(struct options *o, char **args)
{
	if (o->has_source)
		advise_source(o, args[0] ? read_seconds(args[0]) : 0);
	else if (args[0])
		advise_file(args[0]);
	else
		fail(2, "advise needs a dump, or --pid, --socket or --kernel");
}

static void run_bugs(struct options *o, char **args)
{
	if (o->has_source && args[0])
		fail(2, "bugs of a dump needs no --pid, --socket or --kernel");
	if (!o->has_source && !args[0])
		fail(2, "bugs needs a dump, or --pid, --socket or --kernel");
	bugs(o, args[0]);
}

static void run_gc(struct options *o, char **args)
{
	(void)args;
	source_gc(&o->source, false);
}

static void run_reclaim(struct options *o, char **args)
{
	(void)args;
	source_gc(&o->source, true);
}

static void run_flush(struct options *o, char **args)
{
	source_flush(&o->source, args[0]);
}

static void run_set(struct options *o, char **args)
{
	source_set(&o->source, args[0]);
}

static void run_debug(struct options *o, char **args)
{
	bool one = args[0] && args[1];
	char *text = source_debug(&o->source, one ? args[0] : "all",
				  one ? args[1] : args[0]);

	fputs(text, stdout);
	free(text);
}

static void run_memstats(struct options *o, char **args)
{
	char words[256] = "", *text;
	size_t len = 0;

	for (; *args && len < sizeof(words); args++)
		len += (size_t)snprintf(words + len, sizeof(words) - len, "%s%s",
					len ? " " : "", *args);
	text = source_memstats(&o->source, words);
	print_sites(text, o->sites);
	free(text);
}

static const struct command {
	const char *word;
	void (*run)(struct options *o, char **args);
	int least, most;		/* words behind it */
	bool anywhere;			/* needs no source */
} commands[] = {
	{ "list", list, 0, 1, false },
	{ "show", show, 1, 1, false },
	{ "top", run_top, 0, 1, false },
	{ "watch", run_watch, 0, 2, false },
	{ "plot", plot, 0, INT_MAX, true },
	{ "diff", run_diff, 1, 2, true },
	{ "advise", run_advise, 0, 1, true },
	{ "bugs", run_bugs, 0, 1, true },
	{ "gc", run_gc, 0, 0, false },
	{ "reclaim", run_reclaim, 0, 0, false },
	{ "flush", run_flush, 1, 1, false },
	{ "set", run_set, 1, 1, false },
	{ "debug", run_debug, 0, 2, false },
	{ "memstats", run_memstats, 0, 3, false },
	{ NULL, NULL, 0, 0, false },
};

static bool has_format(const struct command *c, unsigned int format)
{
	if (format == POOL_DUMP_TABLE)
		return true;
	if (c->run == plot || format == FORMAT_SVG)
		return c->run == plot && format == FORMAT_SVG;
	return c->run == list || c->run == show || c->run == run_watch ||
	       ((c->run == run_diff || c->run == run_bugs) && format == POOL_DUMP_JSON);
}

/* Are whole dumps printed, with a line for each pool? */
static bool prints_dumps(const struct options *o, const struct command *c)
{
	return c->run == list || (c->run == run_watch &&
				  (o->output || o->format != POOL_DUMP_TABLE));
}

/* An option that would do nothing is one that the user expects something of. */
static void check_options(const struct options *o, const struct command *c)
{
	if (!has_format(c, o->format))
		fail(2, "%s has no such format", c->word);
	if (o->sites && c->run != run_memstats)
		fail(2, "--folded and --pprof are for memstats");
	if (o->output && c->run != list && c->run != run_watch && c->run != plot)
		fail(2, "--output is for list, watch and plot");
	if ((o->sort || o->by_name) && !prints_dumps(o, c) && c->run != run_top &&
	    c->run != run_bugs)
		fail(2, "--sort is for list, top and bugs, and for watch with a format");
	if (o->count && !prints_dumps(o, c))
		fail(2, "--count is for list, and for watch with a format");
}

/* All words are checked before the target is asked. */
static const struct command *find_command(const struct options *o, char **args)
{
	const struct command *c = commands;
	int n = 0;

	if (!args[0])
		fail(2, "what is to be done? --help lists it");
	while (c->word && strcmp(c->word, args[0]))
		c++;
	if (!c->word)
		fail(2, "no such command: \"%s\"; --help lists them", args[0]);
	while (args[1 + n])
		n++;
	if (n < c->least || n > c->most)
		fail(2, "%s: %s; --help shows it", c->word,
		     n < c->least ? "something is missing" : "too many words");
	if (!o->has_source && !c->anywhere)
		fail(2, "whose pools? --pid N, --socket PATH or --kernel");
	check_options(o, c);
	return c;
}

int main(int argc, char **argv)
{
	struct options o = { .source = { .socket = NULL } };
	char **args;

	/* Of the characters only, since numbers are the same everywhere. */
	setlocale(LC_CTYPE, "");
	columns_make();
	args = read_options(&o, argc, argv);
	find_command(&o, args)->run(&o, args + 1);
	if (fflush(stdout) || ferror(stdout))
		fail(1, "the output cannot be written");
	return o.status;
}
