// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * print.c - a table becomes a dump, in any format
 *
 * Layer:   a part of poolctl; twin of common/show/dump.c.
 * Context: one thread.
 *
 * The texts are those of the library and of the kernel, by the same writers.  They read a
 * struct pool_dump, which here stands before a table, and write to a file, whose end is
 * never missing.
 */
#include "poolctl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The dump that is written. */
struct view {
	struct pool_dump d;
	const struct table *t;
	size_t shown;			/* how many of them */
	size_t next;
	FILE *to;
};

static struct view *of_dump(struct pool_dump *d)
{
	return pool_list_entry(d, struct view, d);
}

/* As in common/options, which the program does without. */
void pool_printable(char *to, size_t size, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i + 1 < size && i < len && text[i]; i++)
		to[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	to[i] = 0;
}

void pool_dump_rewind(struct pool_dump *d)
{
	of_dump(d)->next = 0;
}

bool pool_dump_next(struct pool_dump *d)
{
	struct view *v = of_dump(d);

	if (v->next == v->shown)
		return false;
	d->now = v->t->pools[v->next++].s;
	return true;
}

bool pool_dump_detail(struct pool_dump *d, unsigned int nth)
{
	struct view *v = of_dump(d);
	const char *line = v->t->pools[v->next - 1].details;

	while (line && nth--) {
		line = strchr(line, '\n');
		line = line && line[1] ? line + 1 : NULL;
	}
	if (!line)
		return false;
	snprintf(d->detail, sizeof(d->detail), "%.*s", (int)strcspn(line, "\n"),
		 line);
	return true;
}

/* The name is the first word, as it is shown. */
bool pool_dump_reg_name(struct pool_dump *d, unsigned int nth)
{
	struct entry e = { .details = NULL };

	if (!pool_dump_detail(d, nth))
		return false;
	d->detail[strcspn(d->detail, " ")] = 0;
	if (entry_name(&e, d->detail))
		snprintf(d->detail, sizeof(d->detail), "%s", e.s.name);
	return true;
}

void pool_dump_put(struct pool_dump *d, const char *text)
{
	fputs(text, of_dump(d)->to);
}

void pool_dump_number(struct pool_dump *d, unsigned long long number)
{
	fprintf(of_dump(d)->to, "%llu", number);
}

void pool_dump_field(struct pool_dump *d, const struct pool_dump_field *field)
{
	pool_dump_number(d, pool_dump_value(field, &d->now));
}

void pool_dump_commit(struct pool_dump *d)
{
	(void)d;
}

/* Classes of slabs are in dumps of the program itself. */
unsigned int plat_memory(unsigned int i, unsigned long long *bytes)
{
	(void)i;
	(void)bytes;
	return 0;
}

void print_json_string(FILE *to, const char *text)
{
	struct view v = { .to = to };

	pool_dump_json_string(&v.d, text);
}

static void add_up(struct pool_dump_total *total, const struct table *t)
{
	size_t i;

	*total = (struct pool_dump_total){ .pools = (unsigned int)t->n };
	for (i = 0; i < t->n; i++) {
		const struct pool_stats *s = &t->pools[i].s;

		total->allocated += s->allocated * s->object_size;
		total->used += s->used * s->object_size;
		total->cached += s->cached * s->object_size;
		total->shared += s->shared * s->object_size;
	}
}

/* The totals are of all pools, as in dumps, even if fewer are shown. */
void print_table(FILE *to, const struct table *t, const struct options *o,
		 bool detailed)
{
	static const struct pool_dump_writer *const writers[] = {
		[POOL_DUMP_TABLE] = &pool_dump_table,
		[POOL_DUMP_RAW] = &pool_dump_raw,
		[POOL_DUMP_JSON] = &pool_dump_json,
		[POOL_DUMP_PROMETHEUS] = &pool_dump_prometheus,
	};
	struct view v = { .t = t, .to = to, .shown = t->n };

	if (o->count && o->count < t->n)
		v.shown = o->count;
	v.d.options.detailed = detailed;
	v.d.memory = t->memory;
	add_up(&v.d.total, t);
	writers[o->format]->body(&v.d);
	writers[o->format]->tail(&v.d, false);
}

/* Returns 0, or an error. */
static int finish(FILE *to)
{
	errno = 0;
	return fflush(to) || ferror(to) ? errno ? errno : EIO : 0;
}

/*
 * The name of the file itself, where @path is a link to it, since the file is replaced.  What
 * is no file cannot be replaced.  @mode: receives that of the file; -1: there is none yet.
 */
static char *file_to_replace(const char *path, int *mode)
{
	struct stat st;
	char *real;

	*mode = -1;
	if (stat(path, &st) && lstat(path, &st))
		return need_memory(strdup(path));
	if (!S_ISREG(st.st_mode))
		fail(2, "%s: this is no file that can be replaced", path);
	*mode = (int)(st.st_mode & 0777);
	real = realpath(path, NULL);
	if (!real)
		fail(1, "%s: %s", path, strerror(errno));
	return real;
}

/*
 * A reader sees the old file or the new one, never a part.  A part that is there is one of a
 * process that was killed.
 */
static void print_to_file(const char *path, void (*print)(FILE *to, void *arg), void *arg)
{
	int mode, fd, err;
	char *real = file_to_replace(path, &mode), *part;
	FILE *to;

	if (asprintf(&part, "%s.%d.tmp", real, (int)getpid()) < 0)
		part = need_memory(NULL);
	unlink(part);
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode < 0 ? 0666 : mode);
	if (fd < 0)
		fail(1, "%s: cannot be made: %s", part, strerror(errno));
	/* What the umask took away. */
	if (mode >= 0)
		fchmod(fd, (mode_t)mode);
	to = need_memory(fdopen(fd, "w"));
	print(to, arg);
	err = finish(to);
	if (fclose(to) && !err)
		err = errno;
	if (!err && rename(part, real))
		err = errno;
	if (err) {
		unlink(part);
		fail(1, "%s: cannot be written: %s", path, strerror(err));
	}
	free(part);
	free(real);
}

/* Print to where the arguments say. */
void print_output(const struct options *o, void (*print)(FILE *to, void *arg), void *arg)
{
	int err;

	if (o->output) {
		print_to_file(o->output, print, arg);
		return;
	}
	print(stdout, arg);
	err = finish(stdout);
	if (err)
		fail(1, "the output cannot be written: %s", strerror(err));
}

struct printed {
	const struct table *t;
	const struct options *o;
};

static void print_plain(FILE *to, void *arg)
{
	const struct printed *p = arg;

	print_table(to, p->t, p->o, false);
}

void print_all(const struct table *t, const struct options *o)
{
	struct printed p = { t, o };

	print_output(o, print_plain, &p);
}
