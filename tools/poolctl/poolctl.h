/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * poolctl.h - what the files of poolctl need of each other
 *
 * Layer:   a program, above the dumps of common/show.
 * Context: one thread.
 *
 *   main.c      arguments  -> one of the commands below
 *   source.c    a program's socket, or the kernel's files -> text
 *   pid.c       a process  -> its socket
 *   table.c     text       -> struct table
 *   json.c      JSON       -> struct table
 *   print.c     struct table -> a dump, by the writers of common/show
 *   columns.c   what struct table can be sorted by
 *   watch.c     watch
 *   diff.c      diff
 *   advise.c    advise
 *   bugs.c      bugs
 *   screen.c    the terminal as a screen
 *   top.c       top
 *   samples.c   struct table, again and again -> numbers over time
 *   graph.c     numbers over time -> lines of characters
 *   svg.c       numbers over time -> SVG
 *   plot.c      plot
 *   sites.c     memstats, for flame graphs and pprof
 *
 * Whatever goes wrong ends the program: with 1 if the target refused or is gone, with 2 if
 * the arguments were wrong.  bugs ends with a status of its own if there are any.
 */
#ifndef POOLCTL_H
#define POOLCTL_H

#include "seam/plat.h"
#include "show/dump.h"

#include <stdio.h>
#include <stdlib.h>

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

/* Where pools are looked for. */
struct source {
	const char *socket;		/* a program's; NULL: the kernel */
	const char *debugfs;		/* the kernel's folder */
	unsigned int pid;		/* which program it must be; 0: any */
};

struct entry {
	struct pool_stats s;
	char *details;			/* its creations, a line each; NULL: not known */
};

struct table {
	struct entry *pools;
	size_t n;
	struct pool_dump_memory memory;	/* only a program's raw dump has it */
	bool whole;			/* nothing of it is missing */
	bool cut;			/* it says that something is */
};

/* There are bugs.  1 would say that nobody knows. */
#define STATUS_BUGS	3

/* Of plot only, beside those of dumps. */
#define FORMAT_SVG	(POOL_DUMP_PROMETHEUS + 1)

/* How memstats are written. */
enum site_format {
	SITES_PLAIN,
	SITES_FOLDED,			/* for flame graphs */
	SITES_PPROF,
};

/* What the arguments say. */
struct options {
	struct source source;
	bool has_source;
	unsigned int format;		/* enum pool_dump_format, or FORMAT_SVG */
	enum site_format sites;
	const struct column *sort;	/* NULL: in order of creation */
	bool by_name;
	unsigned int count;		/* 0: all */
	const char *output;		/* a file that is replaced; NULL: stdout */
	int status;			/* to end with if all goes well */
};

/* Something that tables are sorted by, and that top shows. */
struct column {
	const char *name;
	enum column_kind {
		COLUMN_BYTES,
		COLUMN_COUNT,
		COLUMN_EVENTS,		/* top shows how many there are in a second */
	} kind;
	unsigned long long (*compute)(const struct pool_stats *s);	/* or NULL, and */
	const struct pool_dump_field *field;	/* the number that is shown as it is */
};

#define SERIES_BYTES	3
#define SERIES		7

/* What plot shows of a moment. */
struct sample {
	double at;
	double value[SERIES];		/* bytes, or events in a second; < 0: not known */
	double objects[SERIES_BYTES];
};

struct samples {
	const char *pool;		/* NULL: all */
	char shown[POOL_SHOWN_LEN + 1];	/* its name */
	bool timed;			/* else a second is the time between two dumps */
	bool found;			/* the pool was there once */
	size_t pools;			/* how many are in the last sample */
	struct sample *list;
	size_t n;
	struct table last;
};

/* main.c */
extern void (*before_message)(void);
void fail(int status, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 2, 3)));
void make_printable(char *text);

/* The end of a word behind a number. */
static inline const char *plural(unsigned long long n)
{
	return n == 1 ? "" : "s";
}

void *need_memory(void *p);
unsigned int read_number(const char *what, const char *text, unsigned int most);
double read_seconds(const char *text);

/* source.c */
char *source_ask(const struct source *source, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void source_table(const struct source *source, struct table *t, bool detailed);
void source_gc(const struct source *source, bool all);
void source_flush(const struct source *source, const char *name);
void source_set(const struct source *source, const char *options);
char *source_debug(const struct source *source, const char *name, const char *words);
char *source_options(const struct source *source, const struct entry *e);
char *source_memstats(const struct source *source, const char *words);
char *read_file(const char *path, int status);

/* pid.c */
const char *socket_of_pid(unsigned int pid);

/* table.c */
bool table_read_raw(struct table *t, char **text);
void table_read_next(struct table *t, char **text, const char *path);
void table_read_file(struct table *t, const char *path);
struct entry *table_add(struct table *t);
bool entry_set(struct entry *e, const char *key, const char *value);
bool entry_name(struct entry *e, const char *shown);
bool entry_is_called(const struct entry *e, const char *name);
void entry_detail(struct entry *e, const char *text, size_t len);
void table_free(struct table *t);
void table_keep(struct table *t, bool (*wanted)(const struct entry *e, const char *arg),
		const char *arg);
void table_sort(struct table *t, const struct options *o);
const struct entry *table_find(const struct table *t, unsigned long long id);

/* json.c */
bool table_read_json(struct table *t, char **text);

/* print.c */
void print_table(FILE *to, const struct table *t, const struct options *o,
		 bool detailed);
void print_output(const struct options *o, void (*print)(FILE *to, void *arg), void *arg);
void print_all(const struct table *t, const struct options *o);
void print_json_string(FILE *to, const char *text);

/* columns.c */
extern struct column columns[];
void columns_make(void);
const struct column *column_find(const char *name);
unsigned long long column_value(const struct column *c, const struct pool_stats *s);
unsigned long long column_since(const struct column *c, const struct pool_stats *now,
				const struct table *before);
void column_names(char *text, size_t size);

/* watch.c */
double seconds_now(void);
void sleep_until(double when);
double next_look(double last, double seconds);
void watch(const struct options *o, double seconds, unsigned int times);

/* diff.c */
void diff_files(const struct options *o, const char *before, const char *after);
void diff_source(const struct options *o, double seconds);

/* advise.c */
void advise_file(const char *path);
void advise_source(const struct options *o, double seconds);

/* bugs.c */
void bugs(struct options *o, const char *path);

/* screen.c */
bool screen_possible(void);
void screen_enter(void);
void screen_leave(void);
void screen_size(int *columns, int *lines);
void screen_line(int y, const char *text, bool marked);
void screen_text(const char *text);
int screen_key(double until);

/* samples.c */
extern const char *const series_names[SERIES];
void samples_add(struct samples *s, struct table *t, double at);
void samples_free(struct samples *s);
double samples_value(const struct samples *s, unsigned int series, size_t part,
		     size_t parts);
double samples_most(const struct samples *s, unsigned int series);
double samples_now(const struct samples *s, unsigned int series);
void format_sample(char *text, size_t size, unsigned int series, double value);
void format_series(const struct samples *s, char *text, size_t size, unsigned int series);
void format_moment(const struct samples *s, char *text, size_t size, size_t nth);
void format_title(const struct samples *s, char *text, size_t size);

/* graph.c */
void print_graph(FILE *to, const struct samples *s, int columns, int lines);

/* svg.c */
void print_svg(FILE *to, const struct samples *s);

/* plot.c */
void plot(struct options *o, char **args);

/* top.c */
void top(const struct options *o, double seconds);

/* sites.c */
void print_sites(const char *text, enum site_format format);

#endif /* POOLCTL_H */
